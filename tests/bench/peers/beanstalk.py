"""A client of beanstalkd: put PORT COUNT | work PORT COMMAND..."""

import os
import socket
import sys

IN_FLIGHT = 128  # submissions under way, as in drover bench jobs
TIME_TO_RUN = 120  # seconds; a worker whose connection ends loses its job at once


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.socket.makefile("rb")

    def send(self, text):
        self.socket.sendall(text.encode())

    def expect(self, word):
        line = self.lines.readline().decode()
        if not line.startswith(word + " ") and line != word + "\r\n":
            sys.exit(f"expected {word}, got {line!r}")
        return line.split()[1:]


def put(port, count):
    server = Connection(port)
    sent = 0
    for acknowledged in range(count):
        if sent <= acknowledged + IN_FLIGHT // 2:
            burst = range(sent + 1, min(acknowledged + IN_FLIGHT, count) + 1)
            server.send("".join(f"put 0 0 {TIME_TO_RUN} {len(str(n))}\r\n{n}\r\n" for n in burst))
            sent += len(burst)
        server.expect("INSERTED")


def work(port, command):
    server = Connection(port)
    server.send("reserve\r\n")
    while True:
        job, size = server.expect("RESERVED")
        number = server.lines.read(int(size) + 2).decode().strip()
        pid = os.posix_spawn(command[0], [*command, number], os.environ)
        status = os.waitpid(pid, 0)[1]
        verb, answer = (f"delete {job}", "DELETED") if status == 0 else (f"bury {job} 0", "BURIED")
        server.send(f"{verb}\r\nreserve\r\n")
        server.expect(answer)


if __name__ == "__main__":
    if sys.argv[1] == "put":
        put(sys.argv[2], int(sys.argv[3]))
    else:
        work(sys.argv[2], sys.argv[3:])
