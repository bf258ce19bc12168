"""The faults of the network bite: what goes through real namespaces is late, or does not come."""

import os
import socket
import subprocess
import sys
import time
import unittest

import network

LATE_S = 0.2  # each way
PORT = 7000
ECHO = f"""
import socket, sys
server = socket.create_server((sys.argv[1], {PORT}))
print("ready", flush=True)
while True:
    connection = server.accept()[0]
    while got := connection.recv(1 << 16):
        connection.sendall(got)
"""


class NetworkTest(unittest.TestCase):
    """A machine that sends back what it gets, and we."""

    @classmethod
    def setUpClass(cls):
        cls.network = network.Network()
        cls.address = cls.network.join("m")
        inside = [*network.WITH_US, *network.Network.enter("m"), sys.executable, "-c", ECHO, cls.address]
        cls.echo = subprocess.Popen(inside, stdout=subprocess.PIPE)
        cls.echo.stdout.readline()

    @classmethod
    def tearDownClass(cls):
        cls.echo.kill()
        cls.echo.communicate()

    def setUp(self):
        self.connection = socket.create_connection((self.address, PORT), 60)
        self.addCleanup(self.connection.close)
        self.addCleanup(self.network.heal, "m")

    def there_and_back(self, what=b"x"):
        """How long it takes, in seconds."""
        begun, came = time.monotonic(), b""
        self.connection.sendall(what)
        while len(came) < len(what):
            came += self.connection.recv(1 << 16)
        self.assertEqual(came, what)
        return time.monotonic() - begun

    def best(self):
        return min(self.there_and_back() for _ in range(3))

    def test_a_slow_link_delays_each_packet(self):
        self.assertLess(self.best(), 2 * LATE_S)
        self.network.slow("m", LATE_S)
        self.assertGreaterEqual(self.best(), 2 * LATE_S)
        self.network.slow("m", 2 * LATE_S)
        self.assertGreaterEqual(self.best(), 4 * LATE_S)
        self.network.heal("m")
        self.assertLess(self.best(), 2 * LATE_S)

    def test_a_slow_link_passes_on_bulk_as_it_is(self):
        self.network.slow("m", 0.05)
        self.there_and_back(os.urandom(1 << 17))

    def test_a_narrow_link_delays_bulk(self):
        self.network.narrow("m")
        self.assertGreaterEqual(self.there_and_back(bytes(1 << 16)), 1)  # 64 kB at 256 kbit/s

    def test_what_is_dropped_does_not_come(self):
        self.network.drop_from("m", network.CLIENT)
        with self.assertRaises(TimeoutError):
            socket.create_connection((self.address, PORT), 0.5)
        self.network.heal("m")
        self.there_and_back()


if __name__ == "__main__":
    if "--inside" in sys.argv:
        sys.argv.remove("--inside")
        unittest.main()
    elif network.may_have_namespaces():
        sys.exit(subprocess.call([*network.NAMESPACES, sys.executable, "-B", __file__, "--inside", *sys.argv[1:]]))
    else:
        print("SKIP   : storm.network_test() it takes root, and a kernel that lets it make namespaces")
