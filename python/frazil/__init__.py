"""Frazil: Spark SQL and DataFrames over Iceberg tables and files, by a server without a JVM.

    import frazil
    spark = frazil.session(conf={"spark.sql.shuffle.partitions": "4"})

A server of one's own, for a given address: see `frazil.spark.SparkConnectServer`. In a notebook, `%load_ext frazil` gives
`%sql`, `%%sql` and `%%configure`: see `frazil.notebook`.
"""
from pathlib import Path

from frazil.local_session import session

__all__ = ["load_ipython_extension", "session", "__version__"]

__version__ = (Path(__file__).parent / "VERSION").read_text(encoding="utf-8").strip()


def load_ipython_extension(shell):
    """What `%load_ext frazil` calls: registers the magics of `frazil.notebook`."""
    from frazil.notebook import SqlMagics
    shell.register_magics(SqlMagics)
