"""A SparkSession on a server that this process keeps."""
import threading

_lock = threading.Lock()
_server = None


def session(conf=None):
    """A new SparkSession with the given settings, on a server that all sessions of this process share.

    The server starts with the first session and ends with the process. Needs the client: `pip install frazil[client]`.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ImportError("frazil.session() needs PySpark's client: pip install 'frazil[client]'") from error
    from frazil.spark import SparkConnectServer

    global _server
    with _lock:
        if _server is None or not _server.running:
            _server = SparkConnectServer()
            _server.start(background=True)
        builder = SparkSession.builder.remote(_server.remote_url)
    for key, value in (conf or {}).items():
        builder = builder.config(key, value)
    return builder.create()
