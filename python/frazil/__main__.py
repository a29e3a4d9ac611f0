"""`frazil …` and `python -m frazil …`: becomes the server's program."""
import os
import sys

from frazil.binary import find_binary, program_environment


def main():
    try:
        binary = find_binary()
    except FileNotFoundError as error:
        sys.exit(f"frazil: {error}")
    # `frazil run` and `frazil shell` start Python: this one, which can see the client beside us.
    environment = {"FRAZIL_PYTHON": sys.executable} | program_environment()
    os.execve(binary, [str(binary), *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
