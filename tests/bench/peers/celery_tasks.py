"""Celery's task, and its submission: celery_tasks.py COUNT COMMAND..."""

import os
import pathlib
import sys

from celery import Celery, signals

app = Celery("celery_tasks", broker=os.environ["PEERS_BROKER"])
app.conf.update(
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    # Redis knows no lost connection: what a worker took comes back after this time, an hour by default.
    broker_transport_options={"visibility_timeout": 30},
    broker_connection_retry_on_startup=True,
)


@signals.worker_ready.connect
def tell(**_):
    pathlib.Path(os.environ["PEERS_READY"]).touch()


@app.task(name="run")
def run(command):
    pid = os.posix_spawn(command[0], command, os.environ)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status != 0:
        raise RuntimeError(f"{command} ended with {status}")


if __name__ == "__main__":
    for number in range(1, int(sys.argv[1]) + 1):
        run.delay([*sys.argv[2:], str(number)])
