"""A client of a worker's output port that does not behave: see README.md, "The output port".

    output_port.py PORT silent COUNT RATE       connections that say nothing
    output_port.py PORT hello COUNT RATE        connections that send half of a TLS greeting
    output_port.py PORT version NAME            a handshake of that version, TLSv1 to TLSv1_3
    output_port.py PORT half NAME KEY COUNT     connections that have the key, and send half of a request
    output_port.py PORT frame NAME KEY          one that has the key, and sends a request of 4 GiB
    output_port.py PORT renegotiate NAME KEY    one that has the key, and asks for another handshake

`silent` and `hello` open COUNT connections as fast as they can, say so, and open up to RATE more a second in the place
of those that the server closes. NAME and KEY (hexadecimal) are those of the worker. What came of it is printed, a line
each. What holds connections ends with its standard input.
"""

import ctypes
import ctypes.util
import resource
import select
import socket
import ssl
import sys
import time

HALF_GREETING = bytes.fromhex("1603010200010001fc0303")
FRAME_OF_4_GIB = bytes.fromhex("ffffffff51")
HALF_REQUEST = bytes.fromhex("0000000a51") + b"0123"


class Tls:
    """A TLS 1.2 client with a pre-shared key, which Python's own ssl does not offer."""

    lib = ctypes.CDLL(ctypes.util.find_library("ssl") or "libssl.so.3")
    Callback = ctypes.CFUNCTYPE(
        ctypes.c_uint,
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.POINTER(ctypes.c_char),
        ctypes.c_uint,
        ctypes.POINTER(ctypes.c_char),
        ctypes.c_uint,
    )
    lib.TLS_client_method.restype = lib.SSL_CTX_new.restype = lib.SSL_new.restype = ctypes.c_void_p

    def __init__(self, port, name, key):
        self.callback = self.Callback(lambda _ssl, _hint, identity, _i, psk, _p: self.give(identity, psk, name, key))
        context = ctypes.c_void_p(self.lib.SSL_CTX_new(ctypes.c_void_p(self.lib.TLS_client_method())))
        self.lib.SSL_CTX_set_cipher_list(context, b"ECDHE-PSK-CHACHA20-POLY1305")
        self.lib.SSL_CTX_ctrl(context, 124, 0x0303, None)  # SSL_CTX_set_max_proto_version: TLS 1.2
        self.lib.SSL_CTX_set_psk_client_callback(context, self.callback)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setblocking(True)
        self.ssl = ctypes.c_void_p(self.lib.SSL_new(context))
        self.lib.SSL_set_fd(self.ssl, self.socket.fileno())
        if self.lib.SSL_connect(self.ssl) != 1:
            raise ConnectionError("no handshake")

    @staticmethod
    def give(identity, psk, name, key):
        ctypes.memmove(identity, name + b"\0", len(name) + 1)
        ctypes.memmove(psk, key, len(key))
        return len(key)

    def write(self, data):
        return self.lib.SSL_write(self.ssl, data, len(data)) == len(data)

    def read(self):
        """What the server says, until it closes the connection."""
        said = b""
        buffer = ctypes.create_string_buffer(4096)
        while (count := self.lib.SSL_read(self.ssl, buffer, len(buffer))) > 0:
            said += buffer.raw[:count]
        return said

    def renegotiates(self):
        return self.lib.SSL_renegotiate(self.ssl) == 1 and self.lib.SSL_do_handshake(self.ssl) == 1


def say(text):
    print(text, flush=True)


def input_has_ended(wait):
    return bool(select.select([sys.stdin], [], [], wait)[0])


def crowd(port, greeting, count, rate):
    """Connections that stay as they are, with others in the place of those that are closed."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    poll = select.epoll()
    opened = {}
    made = 0

    def open_one():
        nonlocal made
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", port))
        poll.register(one, select.EPOLLIN | select.EPOLLHUP | (select.EPOLLOUT if greeting else 0))
        opened[one.fileno()] = one
        made += 1

    for _ in range(count):
        open_one()
    said = False
    while not input_has_ended(0):
        for fd, event in poll.poll(0.05, 1000):
            if event & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
                poll.unregister(fd)
                opened.pop(fd).close()
            else:
                poll.modify(fd, select.EPOLLIN | select.EPOLLHUP)
                opened[fd].send(greeting)
        if not said:
            said = True
            say(f"opened {made}")
        for _ in range(min(count - len(opened), rate // 20)):
            open_one()
        time.sleep(0.05)
    say(f"made {made}")


def handshake(port, version):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion[version]
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as plain, context.wrap_socket(plain) as secured:
            say(f"spoke {secured.version()}")
    except (ssl.SSLError, ConnectionError) as error:
        say(f"refused {version}: {error}")


def hold(connections):
    for one in connections:
        one.write(HALF_REQUEST)
    say(f"opened {len(connections)}")
    input_has_ended(None)


def main(port, attack, *arguments):
    port = int(port)
    keyed = (arguments[0].encode(), bytes.fromhex(arguments[1])) if attack in ("half", "frame", "renegotiate") else ()
    if attack == "silent":
        crowd(port, b"", *map(int, arguments))
    elif attack == "hello":
        crowd(port, HALF_GREETING, *map(int, arguments))
    elif attack == "version":
        handshake(port, *arguments)
    elif attack == "half":
        hold([Tls(port, *keyed) for _ in range(int(arguments[2]))])
    elif attack == "frame":
        one = Tls(port, *keyed)
        one.write(FRAME_OF_4_GIB)
        say(f"answered {one.read()!r}")
    elif attack == "renegotiate":
        say("renegotiated" if Tls(port, *keyed).renegotiates() else "refused")
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
