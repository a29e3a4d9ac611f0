"""`frazil …` and `python -m frazil …`: becomes the server's program."""
import os
import sys

from frazil.binary import find_binary


def main():
    try:
        binary = find_binary()
    except FileNotFoundError as error:
        sys.exit(f"frazil: {error}")
    # `frazil run` and `frazil shell` start Python: this one, which can see the client beside us.
    os.environ.setdefault("FRAZIL_PYTHON", sys.executable)
    os.execv(binary, [str(binary), *sys.argv[1:]])


if __name__ == "__main__":
    main()
