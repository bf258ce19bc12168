"""The faults. Each is a function of the storm and a random generator; it strikes, and returns what it struck and how to
heal it, or nothing if it cannot strike now. A fault of the network or of a disk needs namespaces, another one an old
version."""

import os
import signal

FAULTS = []


def fault(weight, needs=None, longest=4.0):
    def add(function):
        FAULTS.append((function.__name__.replace("_", "-"), function, weight, needs, longest))
        return function
    return add


def nothing():
    pass


def signal_process(pid, number, send=os.kill):
    try:
        send(pid, number)
    except ProcessLookupError:
        pass


def signal_group(pid, number):
    signal_process(pid, number, os.killpg)


# Workers and their runners

# Nobody enforces the lease where worker and runner are stopped (workers/README.md, "What it does not do"). So what is
# stopped keeps the other one running.

def some_worker(storm, rng):
    return rng.choice([worker for worker in storm.workers if not worker.runner_is_stopped])


@fault(6)
def kill_worker(storm, rng):
    worker = some_worker(storm, rng)
    worker.end()
    return worker.name, worker.start


@fault(4)
def terminate_worker(storm, rng):
    worker = some_worker(storm, rng)
    worker.end(signal.SIGTERM)
    return worker.name, worker.start


@fault(6)
def stop_worker(storm, rng):
    worker = some_worker(storm, rng)
    worker.send(signal.SIGSTOP)
    worker.is_stopped = True

    def heal():
        worker.is_stopped = False
        worker.send(signal.SIGCONT)
    return worker.name, heal


@fault(3)
def kill_runner(storm, rng):
    worker = rng.choice(storm.workers)
    runner = worker.runner()
    if not runner:
        return None
    signal_process(runner, signal.SIGKILL)
    return worker.name, nothing


@fault(3)
def stop_runner(storm, rng):
    worker = some_worker(storm, rng)
    runner = worker.runner()
    if not runner or worker.is_stopped:
        return None
    signal_process(runner, signal.SIGSTOP)
    worker.runner_is_stopped = True

    def heal():
        worker.runner_is_stopped = False
        signal_process(runner, signal.SIGCONT)
    return worker.name, heal


@fault(3)
def kill_both(storm, rng):
    worker = some_worker(storm, rng)
    if os.geteuid() != 0:  # what the jobs have started lives until the next worker starts there: the same chapter
        return None
    runner = worker.runner()
    if runner:
        signal_process(runner, signal.SIGKILL)
    worker.end()
    return worker.name, worker.start


@fault(6, needs="old version", longest=1.0)
def replace_worker(storm, rng):
    """A step of a rolling upgrade, or of its way back: the other version finds the spool and the claims."""
    worker = some_worker(storm, rng)
    worker.end(rng.choice([signal.SIGTERM, signal.SIGKILL]))
    worker.program = storm.old_drover if worker.program == storm.drover else storm.drover
    return f"{worker.name} by {worker.program}", worker.start


@fault(3, longest=3.0)
def jump_clock(storm, rng):
    worker = next((worker for worker in storm.workers if worker.faked_clock), None)
    if not worker:
        return None
    seconds = rng.choice([-86400, -7200, 7200, 86400, 366 * 86400])
    worker.set_clock(seconds)
    return f"{worker.name} {seconds:+d}s", lambda: worker.set_clock(0)


# ZooKeeper

def kill_server(server):
    server.end()
    return server.name, server.start


def stop_server(server):
    server.send(signal.SIGSTOP)
    return server.name, lambda: server.send(signal.SIGCONT)


@fault(2)
def kill_leader(storm, rng):
    return kill_server(storm.ensemble.of_role("leader", rng))


@fault(2)
def kill_follower(storm, rng):
    return kill_server(storm.ensemble.of_role("follower", rng))


@fault(2)
def stop_leader(storm, rng):
    return stop_server(storm.ensemble.of_role("leader", rng))


@fault(2)
def stop_follower(storm, rng):
    return stop_server(storm.ensemble.of_role("follower", rng))


@fault(2)
def restart_servers_in_turn(storm, rng):
    servers = rng.sample(storm.ensemble.servers, 3)
    for server in servers:
        server.end(signal.SIGTERM)
        server.start()
        storm.wait_until(lambda server=server: server.role() is not None, 15)
    return "all", nothing


@fault(2, longest=8.0)
def kill_all_servers(storm, rng):
    for server in storm.ensemble.servers:
        server.end()

    def heal():
        for server in storm.ensemble.servers:
            server.start()
        storm.outage_ends()
    return "all", heal


@fault(1, needs="namespaces", longest=3.0)
def fill_disk_of_server(storm, rng):
    server = storm.ensemble.of_role("follower", rng)
    balloon = fill(server.data)

    def heal():  # a server whose disk was full stays alive and serves nobody
        server.end()
        balloon()
        server.start()
    return server.name, heal


# The network

@fault(6, needs="namespaces")
def cut_worker(storm, rng):
    worker = rng.choice(storm.workers)
    for server in storm.ensemble.servers:
        storm.network.drop_from(worker.name, server.address)
        storm.network.drop_from(server.name, worker.address)
    return worker.name, storm.heal_network


@fault(2, needs="namespaces")
def cut_worker_one_way(storm, rng):
    worker = rng.choice(storm.workers)
    for server in storm.ensemble.servers:
        storm.network.drop_from(*rng.choice([(worker.name, server.address), (server.name, worker.address)]))
    return worker.name, storm.heal_network


@fault(3, needs="namespaces", longest=7.0)
def cut_follower_from_others(storm, rng):
    follower = storm.ensemble.of_role("follower", rng)
    for other in storm.ensemble.servers:
        if other is not follower:
            storm.network.drop_from(follower.name, other.address)
            storm.network.drop_from(other.name, follower.address)
    return follower.name, storm.heal_network


@fault(2, needs="namespaces", longest=7.0)
def cut_follower_one_way(storm, rng):
    follower = storm.ensemble.of_role("follower", rng)
    for other in storm.ensemble.servers:
        if other is not follower:
            storm.network.drop_from(*rng.choice([(follower.name, other.address), (other.name, follower.address)]))
    return follower.name, storm.heal_network


@fault(2, needs="namespaces")
def lose_packets(storm, rng):
    machine = rng.choice(storm.workers + storm.ensemble.servers)
    others = storm.ensemble.servers + storm.workers
    percent = rng.choice([5, 20, 50])
    for other in others:
        if other is not machine:
            storm.network.drop_from(machine.name, other.address, percent)
    return f"{machine.name} {percent}%", storm.heal_network


@fault(2, needs="namespaces")
def slow_link(storm, rng):
    """Each way takes longer: up to two thirds of what a session lives, so that what asks for an answer is overdue."""
    machine = rng.choice(storm.workers + storm.ensemble.servers)
    seconds = rng.choice([0.05, 0.2, 0.7])
    storm.network.slow(machine.name, seconds)
    return f"{machine.name} {seconds}s", storm.heal_network


@fault(1, needs="namespaces")
def narrow_link(storm, rng):
    machine = rng.choice(storm.workers + storm.ensemble.servers)
    storm.network.narrow(machine.name)
    return machine.name, storm.heal_network


# Disks and the history

def fill(directory):
    """Fills a file system; returns what empties it again."""
    path = os.path.join(directory, "balloon")
    with open(path, "wb", buffering=0) as file:
        try:
            while file.write(b"\0" * (1 << 20)):
                pass
        except OSError:
            pass
    return lambda: os.path.exists(path) and os.remove(path)


@fault(3, needs="namespaces")
def fill_spool(storm, rng):
    worker = rng.choice(storm.workers)
    return worker.name, fill(worker.spool)


@fault(3, longest=10.0)
def stop_history(storm, rng):
    if not storm.postgres.running():
        return None
    group = storm.postgres.process.pid
    signal_group(group, signal.SIGSTOP)
    return "postgres", lambda: signal_group(group, signal.SIGCONT)


@fault(2, longest=10.0)
def kill_history(storm, rng):
    storm.postgres.end(signal.SIGQUIT)
    return "postgres", storm.postgres.start


# Clients

@fault(4, longest=14.0)  # longer than a client's session lives
def stop_client(storm, rng):
    client = storm.workload.some_client(rng)
    if not client:
        return None
    client.send_signal(signal.SIGSTOP)
    return "a client", lambda: client.send_signal(signal.SIGCONT)


@fault(4)
def kill_client(storm, rng):
    client = storm.workload.some_client(rng)
    if not client:
        return None
    client.kill()
    return "a client", nothing
