"""Where the server's program lies, and the environment that it runs in."""
import os
import sys
from pathlib import Path

ENVIRONMENT_VARIABLE = "FRAZIL_BINARY"
_SYSTEM_ZONES = Path("/usr/share/zoneinfo")
_OWN_ZONES = Path(__file__).resolve().parent / "share" / "zoneinfo"


def find_binary():
    """The path of the program `frazil`.

    Looked for in this order: what FRAZIL_BINARY names, the installed wheel, the build folders of the checkout that this
    package lies in (the release first). Raises FileNotFoundError with the places that were tried.
    """
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise FileNotFoundError(f"{ENVIRONMENT_VARIABLE} names {named}, which is no program")
        return Path(named)
    package = Path(__file__).resolve().parent
    checkout = package.parent.parent
    candidates = [package / "bin" / "frazil"]
    candidates += [checkout / "build" / preset / "bin" / "frazil" for preset in ("release", "dev")]
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return candidate
    tried = ", ".join(str(c) for c in candidates)
    raise FileNotFoundError(f"the program frazil was not found (tried {tried}); set {ENVIRONMENT_VARIABLE}")


def program_environment():
    """The environment variables for the program: ours, this Python for scripts and Python functions unless another one is
    named, and the wheel's time zones where the system has none."""
    environment = {"FRAZIL_PYTHON": sys.executable} | os.environ
    if "TZDIR" not in environment and not _SYSTEM_ZONES.is_dir() and _OWN_ZONES.is_dir():
        environment["TZDIR"] = str(_OWN_ZONES)
    return environment
