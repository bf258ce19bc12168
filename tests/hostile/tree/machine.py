"""A closed cluster of `drover up` in a folder of its own, with one worker."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess

from client import DEADLINE_S


class Machine:
    def __init__(self, folder, programs):
        self.folder, self.program = pathlib.Path(folder), str(pathlib.Path(programs, "drover"))
        self.marks = self.folder / "marks"
        self.marks.mkdir(parents=True)
        self.trust = self.folder / "data/drover/trust"
        places = {"HOME": "", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state",
                  "XDG_RUNTIME_DIR": "run"}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DROVER_", "XDG_"))}
        self.environment = {**kept, "LC_ALL": "C.UTF-8",
                            **{name: str(self.folder / place) for name, place in places.items()}}
        (self.folder / "run").mkdir(mode=0o700)
        self.begin()

    def begin(self):
        self.starting = self.start("up", "--workers", "1", "--slots", "4", "--detach")

    def ready(self):
        out, _ = self.starting.communicate(timeout=DEADLINE_S)
        if self.starting.returncode != 0:
            raise AssertionError(f"drover up: {out}")

    def start(self, *words, **more):
        return subprocess.Popen([self.program, *words], env=self.environment, cwd=self.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)

    def drover(self, *words):
        """Exit code and output of a command."""
        command = self.start(*words)
        out, _ = command.communicate(timeout=DEADLINE_S)
        return command.returncode, out

    def must(self, *words):
        """The output of a command that succeeds."""
        code, out = self.drover(*words)
        if code != 0:
            raise AssertionError(f"drover {' '.join(words)}: exit code {code}: {out}")
        return out

    def json(self, *words):
        return json.loads(self.must(*words, "-o", "json"))

    def findings(self, level):
        """What the doctor says of that level. Its exit code is 1 if there are problems."""
        return [one for one in json.loads(self.drover("doctor", "-o", "json")[1])["findings"] if one["level"] == level]

    @contextlib.contextmanager
    def second_worker(self):
        """One with a spool of its own, as on another machine."""
        self.must("worker", "add", "second", "--root-key", str(self.trust / "default.root.key"))
        root = ["--allow-root"] if os.geteuid() == 0 else []
        worker = self.start("worker", "--id", "second", "--credentials", "second.drover", "--spool",
                            str(self.folder / "second"), *root)
        try:
            yield
        finally:
            worker.terminate()
            worker.communicate(timeout=DEADLINE_S)

    def restart(self):
        self.must("down")
        self.begin()
        self.ready()

    def log(self):
        return (self.folder / "state/drover/up-1.log").read_text()

    def runs(self, name):
        """How often a command has run that leaves this mark."""
        mark = self.marks / name
        return len(mark.read_text().splitlines()) if mark.exists() else 0

    def end(self):
        self.starting.communicate(timeout=DEADLINE_S)
        record = self.folder / "run/drover/up.json"
        pid = json.loads(record.read_text())["pid"] if record.exists() else 0
        code, out = self.drover("down")
        if code != 0 and pid:
            os.kill(pid, signal.SIGKILL)  # its children end with it
            raise AssertionError(f"drover down: exit code {code}: {out}")
