"""A client with the password of the role submit, and without a key: see README.md, "Floods and huge numbers".

    queue_flood.py SERVERS USER:PASSWORD QUEUE PRIORITY RATE

It creates RATE jobs a second in the queue (the path of a node), which nobody has signed, until its standard input ends.
The first line that it prints says that it has begun, and the last one how many it has created in how many seconds.
"""

import logging
import select
import sys
import time

from kazoo.client import KazooClient

JOB = rb'{"v":2,"job":"{\"v\":2,\"cmd\":[\"touch\",\"/tmp/evil\"]}"}'
MOST_UNANSWERED = 256
STEP = 0.01  # s


def main():
    servers, auth, queue, priority, rate = sys.argv[1:]
    logging.disable(logging.CRITICAL)
    client = KazooClient(hosts=servers, auth_data=[("digest", auth)])
    client.start()
    client.create(f"{queue}/q{priority}-", JOB, sequence=True)
    print("begun", flush=True)
    begin = time.monotonic()
    created = 1
    unanswered = []
    while not select.select([sys.stdin], [], [], 0)[0]:
        due = int((time.monotonic() - begin) * int(rate))
        while created < due and len(unanswered) < MOST_UNANSWERED:
            unanswered.append(client.create_async(f"{queue}/q{priority}-", JOB, sequence=True))
            created += 1
        unanswered = [one for one in unanswered if not one.ready()]
        time.sleep(STEP)
    for one in unanswered:
        one.get()
    print(f"created {created} in {time.monotonic() - begin:.1f} s", flush=True)
    client.stop()


main()
