"""`frazil …` and `python -m frazil …`: becomes the server's program."""
import os
import sys

from frazil.binary import find_binary, program_environment


def main():
    try:
        binary = find_binary()
    except FileNotFoundError as error:
        sys.exit(f"frazil: {error}")
    os.execve(binary, [str(binary), *sys.argv[1:]], program_environment())


if __name__ == "__main__":
    main()
