"""What the storm rages over: ZooKeeper servers, workers and PostgreSQL, each in a network namespace of its own where the
storm is root, all on the loopback interface otherwise."""

import glob
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import time

from network import CLIENT, WITH_US, run

TICK_MS = 500
SYNC_LIMIT = 10  # a follower serves reads for 5 s after it has lost its leader: longer than a session lives
SESSION_S = 2
STUCK_S = 30  # longer than any fault lasts
START_S = 120  # for each part of the cluster to be there, on the busiest machine
SLOTS = 4
KEPT_SNAPSHOTS = 3
KEPT_OUTPUT = "16M"  # of the jobs that have ended, on each worker's small disk


def wait_until(condition, seconds, pause=0.05):
    """Whether the condition became true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


class Machine:
    """A process that is started, signalled and started again, on an address of its own. `wanted`: nobody has ended it."""

    process, wanted = None, False

    def __init__(self, storm, name):
        self.storm, self.name = storm, name
        storm.machines.append(self)
        self.address = storm.network.join(name) if storm.network else "127.0.0.1"
        self.directory = os.path.join(storm.directory, name)
        os.makedirs(self.directory)

    def start(self):
        self.wanted = True
        if self.running():
            return
        inside = self.storm.network.enter(self.name) if self.storm.network else WITH_US
        self.launch(inside + self.command(), self.environment())

    def launch(self, command, environment=None, user=None):
        with open(os.path.join(self.directory, "log"), "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=self.directory, env=environment, user=user, start_new_session=True)

    def environment(self):
        return None

    def running(self):
        return self.process is not None and self.process.poll() is None

    def send(self, number):
        if self.running():
            self.process.send_signal(number)

    def end(self, number=signal.SIGKILL, seconds=20):
        self.wanted = False
        self.send(number)
        self.send(signal.SIGCONT)
        if self.process:
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def abandon(self):
        self.end(seconds=3)


class Server(Machine):
    """One ZooKeeper server of the ensemble. Its disk is a file system of its own where we may mount one."""

    def __init__(self, storm, number):
        super().__init__(storm, f"s{number}")
        self.number = number
        ports = [2181, 2888, 3888] if storm.network else free_ports(3)
        self.port, self.quorum_port, self.election_port = ports
        self.data = os.path.join(self.directory, "data")
        os.makedirs(self.data)
        if storm.network:
            run("mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", self.data)

    def configure(self, servers):
        with open(os.path.join(self.data, "myid"), "w", encoding="ascii") as file:
            file.write(f"{self.number}\n")
        lines = [f"tickTime={TICK_MS}", "initLimit=20", f"syncLimit={SYNC_LIMIT}", f"dataDir={self.data}",
                 f"clientPort={self.port}", f"clientPortAddress={self.address}", "maxClientCnxns=0",
                 "minSessionTimeout=1000", "maxSessionTimeout=40000", "admin.enableServer=false",
                 "4lw.commands.whitelist=*", "autopurge.purgeInterval=0", "autopurge.snapRetainCount=3"]
        lines += [f"server.{s.number}={s.address}:{s.quorum_port}:{s.election_port}" for s in servers]
        with open(os.path.join(self.directory, "zoo.cfg"), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")

    def command(self):
        return ["java", "-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                "/usr/share/java/slf4j-simple.jar:/usr/share/java/zookeeper.jar", "-Dzookeeper.snapCount=20000",
                # Without this a server that dies while it synchronizes may forget what the ensemble has acknowledged
                # (ZOOKEEPER-4643, -4646 and -4785, all in 3.8.0): README.md, "The servers".
                "-Dzookeeper.forceSnapshotSync=true",
                "org.apache.zookeeper.server.quorum.QuorumPeerMain", os.path.join(self.directory, "zoo.cfg")]

    def start(self):
        if not self.running():
            self.purge()
        super().start()

    def purge(self):
        """Removes old snapshots, and the logs before them, as an operator's timer does: an hour of restarts fills the disk."""
        zxids = {path: int(path.rpartition(".")[2], 16) for path in glob.glob(f"{self.data}/version-2/*.*")
                 if os.path.basename(path).startswith(("snapshot.", "log."))}
        whole = sorted(zxid for path, zxid in zxids.items() if "/snapshot." in path and is_whole(path))
        if len(whole) < KEPT_SNAPSHOTS:
            return
        oldest = whole[-KEPT_SNAPSHOTS]
        first_log = max((zxid for path, zxid in zxids.items() if "/log." in path and zxid <= oldest), default=0)
        for path, zxid in zxids.items():
            if zxid < (oldest if "/snapshot." in path else first_log):
                os.remove(path)

    def says(self):
        """What it says of itself, by name: Mode, Zxid, Outstanding and others. Nothing while it does not serve."""
        try:
            with socket.create_connection((self.address, self.port), 0.5) as connection:
                connection.settimeout(0.5)
                connection.sendall(b"srvr")
                answer = b"".join(iter(lambda: connection.recv(4096), b""))
        except OSError:
            return {}
        return dict(line.split(": ", 1) for line in answer.decode(errors="replace").splitlines() if ": " in line)

    def role(self):
        """leader, follower, or nothing while it does not serve."""
        return self.says().get("Mode")


def is_whole(snapshot):
    """A snapshot that was written to its end closes with the path /, as a string with its length."""
    with open(snapshot, "rb") as file:
        file.seek(0, os.SEEK_END)
        size = file.tell()
        file.seek(max(0, size - 5))
        return size > 10 and file.read() == b"\0\0\0\1/"


class Ensemble:
    def __init__(self, storm):
        self.servers = [Server(storm, number) for number in (1, 2, 3)]
        self.last_commit, self.last_change = None, 0.0
        for server in self.servers:
            server.configure(self.servers)
            server.start()
        if not wait_until(self.serves, START_S):
            raise RuntimeError("the ensemble does not begin to serve; see s*/log")

    def connect_string(self):
        return ",".join(f"{server.address}:{server.port}" for server in self.servers)

    def serves(self):
        return any(server.role() == "leader" for server in self.servers)

    def stuck_leader(self):
        """The leader, if it has not committed anything for STUCK_S although requests wait for it; README.md."""
        for server in self.servers:
            said = server.says()
            if said.get("Mode") == "leader" and said.get("Outstanding", "0") != "0":
                at = (server, said["Zxid"])
                if at != self.last_commit:
                    self.last_commit, self.last_change = at, time.monotonic()
                return server if time.monotonic() - self.last_change > STUCK_S else None
        self.last_commit = None
        return None

    def of_role(self, role, rng):
        """A running server of that role, or any that runs."""
        running = [server for server in self.servers if server.running()]
        return rng.choice([server for server in running if server.role() == role] or running or self.servers)


class Worker(Machine):
    """`drover worker`, with its spool on a small file system of its own where we may mount one."""

    def __init__(self, storm, number, program, faked_clock=False):
        super().__init__(storm, f"w{number}")
        self.program, self.faked_clock = program, faked_clock
        self.is_stopped = self.runner_is_stopped = False
        self.spool = os.path.join(self.directory, "spool")
        os.makedirs(self.spool)
        if storm.network:
            run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", self.spool)
        self.clock = os.path.join(self.directory, "clock")
        self.set_clock(0)

    def set_clock(self, seconds):
        with open(self.clock, "w", encoding="ascii") as file:
            file.write(f"{seconds:+d}")

    def credentials(self):
        return os.path.join(self.storm.directory, "keys", f"{self.name}.drover")

    def environment(self):
        environment = dict(self.storm.environment)
        if self.storm.options.closed:
            environment["DROVER_CREDENTIALS"] = self.credentials()
        if self.program == self.storm.old_drover:  # a job is told this string, so it knows whose it is
            backwards = ",".join(reversed(environment["DROVER_CONNECT"].split(",")))
            environment["DROVER_CONNECT"] = backwards
            with open(os.path.join(self.storm.directory, "old", backwards), "w", encoding="ascii"):
                pass
        if self.faked_clock:
            environment |= {"LD_PRELOAD": self.storm.faketime, "FAKETIME_TIMESTAMP_FILE": self.clock,
                            "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1"}
        return environment

    def command(self):
        described = subprocess.run([self.program, "worker", "--help"], capture_output=True, text=True, check=True).stdout
        as_root = ["--allow-root"] if "--allow-root" in described else []  # an older program has no such option
        return [self.program, "worker", *as_root, "--id", self.name, "--slots", str(SLOTS), "--queue", "default",
                "--queue", "bulk",
                "--spool", self.spool, "--session-timeout", f"{SESSION_S}s", "--grace", "2s", "--listen", "none",
                "--spool-size", KEPT_OUTPUT]

    def runner(self):
        """The process of its drover-runner, if there is one."""
        if not self.running():
            return None
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
                return next((int(pid) for pid in file.read().split()), None)
        except OSError:
            return None


    def abandon(self):
        runner = self.runner()
        super().abandon()
        if runner:  # it ends by itself what is left, but not while it is stopped
            try:
                os.kill(runner, signal.SIGCONT)
            except ProcessLookupError:
                pass


class Postgres(Machine):
    """The history, where every machine reaches it."""

    def __init__(self, storm):
        self.storm, self.name = storm, "postgres"
        storm.machines.append(self)
        self.address = CLIENT if storm.network else "127.0.0.1"
        self.directory = os.path.join(storm.directory, self.name)
        os.makedirs(self.directory)
        os.chmod(storm.directory, 0o755)
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            os.chown(self.directory, pwd.getpwnam(self.user).pw_uid, -1)
        self.port = free_ports(1)[0]
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        subprocess.run([f"{self.programs}/initdb", "--pgdata=data", "--username=drover", "--auth=trust",
                        "--encoding=UTF8", "--locale=C", "--no-sync"], cwd=self.directory, user=self.user, check=True,
                       capture_output=True)
        with open(os.path.join(self.directory, "data", "pg_hba.conf"), "a", encoding="ascii") as file:
            file.write("host all all 10.231.0.0/24 trust\n")
        self.start()
        ready = [f"{self.programs}/pg_isready", "-h", self.address, "-p", str(self.port)]
        if not wait_until(lambda: run(*ready, check=False).returncode == 0, START_S):
            raise RuntimeError("PostgreSQL does not begin to serve; see postgres/log")

    def start(self):
        self.wanted = True
        if not self.running():
            self.launch([*WITH_US, f"{self.programs}/postgres", "-D", "data", "-c", f"listen_addresses={self.address}",
                         "-c", f"port={self.port}", "-c", f"unix_socket_directories={self.directory}"], user=self.user)

    def abandon(self):
        self.end(signal.SIGQUIT, 3)

    def url(self):
        return f"postgresql://drover@{self.address}:{self.port}/postgres"


def free_ports(count):
    """Below those that the kernel gives to connections, which might take one while its server is down."""
    ports = set()
    while len(ports) < count:
        port = random.SystemRandom().randrange(20000, 32768)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            ports.add(port)
        except OSError:
            pass
    return sorted(ports)


def library_of_faketime():
    found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    return found[0] if found and shutil.which("faketime") else None
