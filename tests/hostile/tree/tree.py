"""A client of ZooKeeper that wants a worker to run what nobody has signed: see README.md, "A client in Python".

    tree.py TRUST MARKS ATTACK...

TRUST is the folder with a cluster's credentials and root key that `drover up` has made. MARKS is a folder: a command
that must not run adds a line to ATTACK.evil in it, and one that may run to ATTACK.good. The client has heard all
passwords, and no key but those of the people that it plays. What it has put into the tree is printed, a line of JSON
for each attack: the ids of its jobs, and what their final records have to say.
"""

import sys

import forged_jobs
import forged_state
from client import ATTACKS, Hostile
from papers import compact

assert forged_jobs and forged_state  # have put their attacks into the table


def main(trust, marks, *names):
    if not names or not set(names) <= set(ATTACKS):
        raise SystemExit(f"{__doc__}\nAttacks: {', '.join(ATTACKS)}")
    it = Hostile(trust, marks)
    it.prepare()
    for name in names:
        _, outcome, reason = ATTACKS[name]
        print(compact({"attack": name, "jobs": it.run(name), "outcome": outcome, "reason": reason}), flush=True)
    it.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
