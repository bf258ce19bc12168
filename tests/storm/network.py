"""The network of a storm that is root: a namespace for each machine, which can be cut, narrowed and slowed down."""

import os
import subprocess

DELAY = os.path.join(os.path.dirname(os.path.realpath(__file__)), "delay")
CLIENT = "10.231.0.1"
WITH_US = ["setpriv", "--pdeathsig", "KILL", "--"]  # a program that ends when we do

# Of our own: whatever becomes of us, the kernel ends all processes and takes the network away.
NAMESPACES = [*WITH_US, "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"]


def run(*command, check=True):
    return subprocess.run(command, check=check, capture_output=True, text=True)


def may_have_namespaces():
    return os.geteuid() == 0 and run(*NAMESPACES, "true", check=False).returncode == 0


class Network:
    """A bridge in our own network namespace, and one namespace for each machine, joined to it."""

    def __init__(self):
        os.makedirs("/run/netns", exist_ok=True)
        run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "br0", "address", "02:00:00:00:00:01", "type", "bridge")
        run("ip", "address", "add", f"{CLIENT}/24", "dev", "br0")
        run("ip", "link", "set", "br0", "up")
        self.count = 1
        self.delayed = {}  # the process that delays a machine's packets, by the machine's name

    def join(self, name):
        self.count += 1
        address = f"10.231.0.{self.count}"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", f"v-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"v-{name}", "master", "br0", "up")
        for words in (["address", "add", f"{address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"],
                      ["link", "set", "lo", "up"]):
            run("ip", "-n", name, *words)
        self.nft(name, "add table inet storm")
        self.nft(name, "add chain inet storm in { type filter hook input priority 0 ; }")
        return address

    @staticmethod
    def enter(name):
        return ["nsenter", f"--net=/run/netns/{name}"]

    def nft(self, name, rule):
        run(*self.enter(name), "nft", rule)

    def drop_from(self, name, address, percent=100):
        some = "" if percent == 100 else f"numgen random mod 100 < {percent} "
        self.nft(name, f"add rule inet storm in ip saddr {address} {some}drop")

    def narrow(self, name):
        """What it sends waits for room: 256 kbit/s."""
        run("tc", "-n", name, "qdisc", "replace", "dev", "eth0", "root", "tbf", "rate", "256kbit", "burst", "8kb",
            "latency", "800ms")

    def slow(self, name, seconds):
        """Each packet that it sends or gets arrives so much later. The machine leaves the bridge, and `delay` passes on
        what comes from it and from the new port in its place."""
        self.at_once(name)
        run("ip", "link", "add", f"d-{name}", "type", "veth", "peer", "name", f"e-{name}")
        for device in (f"d-{name}", f"e-{name}"):
            run("ip", "link", "set", device, "arp", "off", "up")
        delay = subprocess.Popen([*WITH_US, DELAY, f"v-{name}", f"e-{name}", str(seconds)], stdout=subprocess.PIPE)
        self.delayed[name] = delay
        if not delay.stdout.readline():
            raise RuntimeError(f"the packets of {name} cannot be delayed")
        run("ip", "link", "set", f"v-{name}", "nomaster", "arp", "off")  # we would answer for ourselves there
        run("ip", "link", "set", f"d-{name}", "master", "br0")

    def at_once(self, name):
        """Ends slow(). What is on its way is lost."""
        delay = self.delayed.pop(name, None)
        if not delay:
            return
        delay.kill()
        delay.communicate()
        run("ip", "link", "del", f"d-{name}")
        run("ip", "link", "set", f"v-{name}", "master", "br0", "arp", "on")

    def heal(self, name):
        self.at_once(name)
        self.nft(name, "flush chain inet storm in")
        run("tc", "-n", name, "qdisc", "del", "dev", "eth0", "root", check=False)
