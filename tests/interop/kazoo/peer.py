"""A real kazoo client for others to meet: see ../README.md for what it understands.

    kazoo-peer SERVERS                          commands on standard input, answers on standard output
    kazoo-peer SERVERS bench lock PATH 8 5      one measurement

The end of standard input ends it, whatever its clients are waiting for.
"""

import json
import logging
import os
import queue
import sys
import threading
from dataclasses import dataclass

import bench
import commands
from curator_layout import connect


@dataclass
class Command:
    """One line: CLIENT RECIPE VERB PATH [ARGUMENT]..."""

    client: str
    recipe: str
    verb: str
    path: str
    arguments: list

    @property
    def who(self):
        """How this client signs a fenced log."""
        return "kazoo-" + self.client


class PeerClient:
    """One session and one thread, which carries out its commands one after the other."""

    answering = threading.Lock()

    def __init__(self, servers):
        self.commands = queue.Queue()
        self.zk = connect(servers)
        self.recipes = commands.of(self.zk)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            command = self.commands.get()
            answer = {"client": command.client}
            try:
                answer.update(self.recipes[command.recipe](command) or {})
            except Exception as failure:
                answer["error"] = repr(failure)
            with self.answering:
                print(json.dumps(answer), flush=True)


def main(servers, *measurement):
    logging.disable(logging.CRITICAL)  # failures are answers
    if measurement:
        print(json.dumps(bench.run(servers, *measurement[1:])), flush=True)
        os._exit(0)
    clients = {}
    for line in sys.stdin:
        client, recipe, verb, path, *arguments = line.split()
        if client not in clients:
            clients[client] = PeerClient(servers)
        clients[client].commands.put(Command(client, recipe, verb, path, arguments))
    for client in clients.values():
        client.zk.stop()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
