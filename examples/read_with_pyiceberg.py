"""Reads an Iceberg table of a warehouse folder by PyIceberg alone, without a server.

    python read_with_pyiceberg.py WAREHOUSE_FOLDER NAMESPACE.TABLE [EXPECTED_ROWS]
"""
import sys
from pathlib import Path

from pyiceberg.table import StaticTable


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    folder = Path(sys.argv[1], *sys.argv[2].split("."))
    version = (folder / "metadata" / "version-hint.text").read_text().strip()
    table = StaticTable.from_metadata(str(folder / "metadata" / f"v{version}.metadata.json"))
    rows = table.scan(selected_fields=("month",)).to_arrow()
    print(f"PyIceberg reads {rows.num_rows} rows of {sys.argv[2]}, snapshot {table.current_snapshot().snapshot_id}")
    if len(sys.argv) == 4 and rows.num_rows != int(sys.argv[3]):
        sys.exit(f"expected {sys.argv[3]} rows")


if __name__ == "__main__":
    main()
