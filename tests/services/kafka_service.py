"""A Kafka broker for tests: the one that librdkafka has within it, and a producer and a reader of its own library beside
the server's."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_void_p

PRODUCER, CONSUMER = 0, 1
COPY = 2
BEGINNING = -2
PARTITION_EOF = -191


class Message(ctypes.Structure):
    _fields_ = [("err", c_int), ("topic", c_void_p), ("partition", c_int32), ("payload", c_void_p), ("len", c_size_t),
                ("key", c_void_p), ("key_len", c_size_t), ("offset", c_int64), ("private", c_void_p)]


def _library():
    library = ctypes.CDLL("librdkafka.so.1")
    for name, result, *arguments in [
            ("rd_kafka_conf_new", c_void_p),
            ("rd_kafka_conf_set", c_int, c_void_p, c_char_p, c_char_p, c_char_p, c_size_t),
            ("rd_kafka_new", c_void_p, c_int, c_void_p, c_char_p, c_size_t),
            ("rd_kafka_destroy", None, c_void_p),
            ("rd_kafka_flush", c_int, c_void_p, c_int),
            ("rd_kafka_topic_new", c_void_p, c_void_p, c_char_p, c_void_p),
            ("rd_kafka_topic_destroy", None, c_void_p),
            ("rd_kafka_produce", c_int, c_void_p, c_int32, c_int, c_char_p, c_size_t, c_char_p, c_size_t, c_void_p),
            ("rd_kafka_consume_start", c_int, c_void_p, c_int32, c_int64),
            ("rd_kafka_consume_stop", c_int, c_void_p, c_int32),
            ("rd_kafka_consume", POINTER(Message), c_void_p, c_int32, c_int),
            ("rd_kafka_message_destroy", None, POINTER(Message)),
            ("rd_kafka_message_headers", c_int, POINTER(Message), POINTER(c_void_p)),
            ("rd_kafka_header_get_all", c_int, c_void_p, c_size_t, POINTER(c_char_p), POINTER(c_void_p),
             POINTER(c_size_t)),
            ("rd_kafka_mock_cluster_new", c_void_p, c_void_p, c_int),
            ("rd_kafka_mock_cluster_destroy", None, c_void_p),
            ("rd_kafka_mock_cluster_bootstraps", c_char_p, c_void_p),
            ("rd_kafka_mock_topic_create", c_int, c_void_p, c_char_p, c_int, c_int)]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class Kafka:
    """`servers` is what kafka.bootstrap.servers takes."""

    def __init__(self):
        self.library = _library()
        self.holder = self._client(PRODUCER)
        self.cluster = self.library.rd_kafka_mock_cluster_new(self.holder, 1)
        self.servers = self.library.rd_kafka_mock_cluster_bootstraps(self.cluster).decode()
        self.producer = self._client(PRODUCER, {"bootstrap.servers": self.servers})

    def close(self):
        self.library.rd_kafka_destroy(self.producer)
        self.library.rd_kafka_mock_cluster_destroy(self.cluster)
        self.library.rd_kafka_destroy(self.holder)

    def _client(self, kind, settings=None):
        conf = self.library.rd_kafka_conf_new()
        text = ctypes.create_string_buffer(512)
        for key, value in ({"log_level": "0"} | (settings or {})).items():
            assert self.library.rd_kafka_conf_set(conf, key.encode(), value.encode(), text, 512) == 0, text.value
        client = self.library.rd_kafka_new(kind, conf, text, 512)
        assert client, text.value
        return client

    def create(self, topic, partitions=1):
        assert self.library.rd_kafka_mock_topic_create(self.cluster, topic.encode(), partitions, 1) == 0

    def send(self, topic, *values, partition=0, key=None):
        """Values, or (key, value)."""
        handle = self.library.rd_kafka_topic_new(self.producer, topic.encode(), None)
        for value in values:
            record_key, data = value if isinstance(value, tuple) else (key, value)
            record_key = None if record_key is None else record_key.encode()
            data = None if data is None else data.encode()
            sent = self.library.rd_kafka_produce(handle, partition, COPY, data, len(data or b""), record_key,
                                                 len(record_key or b""), None)
            assert sent == 0
        assert self.library.rd_kafka_flush(self.producer, 30_000) == 0
        self.library.rd_kafka_topic_destroy(handle)

    def records(self, topic, partition=0):
        """All of a partition: (key, value, headers), bytes or None each."""
        client = self._client(CONSUMER, {"bootstrap.servers": self.servers, "enable.partition.eof": "true"})
        handle = self.library.rd_kafka_topic_new(client, topic.encode(), None)
        assert self.library.rd_kafka_consume_start(handle, partition, BEGINNING) == 0
        found = []
        while True:
            message = self.library.rd_kafka_consume(handle, partition, 30_000)
            assert message, "Kafka gives nothing"
            error = message.contents.err
            if error == 0:
                found.append((_bytes(message.contents.key, message.contents.key_len),
                              _bytes(message.contents.payload, message.contents.len), self._headers(message)))
            self.library.rd_kafka_message_destroy(message)
            if error == PARTITION_EOF:
                break
            assert error == 0, error
        self.library.rd_kafka_consume_stop(handle, partition)
        self.library.rd_kafka_topic_destroy(handle)
        self.library.rd_kafka_destroy(client)
        return found

    def _headers(self, message):
        headers = c_void_p()
        if self.library.rd_kafka_message_headers(message, byref(headers)) != 0:
            return None
        found = []
        name, value, size = c_char_p(), c_void_p(), c_size_t()
        while self.library.rd_kafka_header_get_all(headers, len(found), byref(name), byref(value), byref(size)) == 0:
            found.append((name.value.decode(), _bytes(value.value, size.value)))
        return found


def _bytes(pointer, size):
    return None if pointer is None else ctypes.string_at(pointer, size)
