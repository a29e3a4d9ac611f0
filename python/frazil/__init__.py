"""Frazil: Spark SQL and DataFrames over Iceberg tables and files, by a server without a JVM.

    import frazil
    spark = frazil.session(conf={"spark.sql.shuffle.partitions": "4"})

A server of one's own, for a given address: see `frazil.spark.SparkConnectServer`.
"""
from pathlib import Path

from frazil.local_session import session

__all__ = ["session", "__version__"]

__version__ = (Path(__file__).parent / "VERSION").read_text(encoding="utf-8").strip()
