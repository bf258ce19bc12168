#!/usr/bin/env bash
# units_test.sh SYSTEMD: what systemd says of the units in this folder. The programs that they name need not exist.
set -u
units=$1
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

fault() {
    printf '%s\n' "$@"
    exit 1
}

if ! command -v systemd-analyze >/dev/null; then
    echo "SKIP   : systemd is not installed"
    exit 0
fi
sed 's|/usr/libexec/drover/worker-service|/bin/true|' -- "$units/drover-worker@.service" >"$scratch/drover-worker@.service"
cp -- "$units/drover.target" "$scratch"
# Units that are not ours do not matter here.
said=$(systemd-analyze verify --man=no "$scratch/drover.target" "$scratch/drover-worker@main.service" 2>&1)
code=$?
said=$(grep -F drover <<<"$said")
[[ -z $said && $code -eq 0 ]] || fault "systemd-analyze verify: exit code $code" "$said"

# Its protections: without any of them that systemd counts, its exposure is above what it is (48 of 100).
said=$(systemd-analyze security --offline=yes --threshold=48 "$scratch/drover-worker@.service" 2>&1) ||
    fault "systemd-analyze security:" "$(tail -n 1 <<<"$said")"

# Whoever enables a worker enables the target as well, which starts it with the machine.
mkdir -p "$scratch/root/etc/systemd/system" "$scratch/root/usr/lib/systemd/system"
cp -- "$units/drover.target" "$units/drover-worker@.service" "$scratch/root/usr/lib/systemd/system"
said=$(systemctl --root="$scratch/root" enable drover-worker@main 2>&1) || fault "systemctl enable:" "$said"
for link in drover.target.wants/drover-worker@main.service multi-user.target.wants/drover.target; do
    [[ -L $scratch/root/etc/systemd/system/$link ]] || fault "systemctl enable has not made $link:" "$said"
done

# The worker has to end by itself before systemd kills it.
seconds() { sed -nE "s/.*$1[ =]([0-9]+)s.*/\1/p" -- "$units/drover-worker@.service"; }
grace=$(seconds '--default grace') most=$(seconds '--default max_grace') stop=$(seconds TimeoutStopSec)
[[ -n $grace && -n $most ]] || fault "the unit has no --default grace and max_grace in seconds"
((grace + most < stop)) || fault "TimeoutStopSec=$stop is too short for a grace of $grace s and one of $most s"

said=$(systemd-sysusers --dry-run "$units/sysusers.conf" 2>&1) || fault "systemd-sysusers:" "$said"

# The worker starts below the group of its service, whose controllers are for the jobs; without a group it starts, too.
# Plain files stand for those of the kernel.
group=$scratch/group
mkdir -p "$scratch/bin" "$scratch/libexec/drover" "$group"
touch "$group/cgroup.subtree_control"
cp -- "$units/worker-service" "$scratch/libexec/drover"
printf '#!/bin/sh\necho "$$ $*"\n' >"$scratch/bin/drover"
chmod 755 "$scratch/bin/drover"
said=$(DROVER_SERVICE_GROUP=$group "$scratch/libexec/drover/worker-service" --slots 2 2>&1)
[[ $said == *" worker --slots 2" ]] || fault "worker-service starts no worker: $said"
[[ $(<"$group/worker/cgroup.procs") == "${said%% *}" ]] || fault "the worker is not below its group"
[[ $(<"$group/cgroup.subtree_control") == +pids ]] || fault "the controllers are not passed on"
said=$(DROVER_SERVICE_GROUP=$scratch/none "$scratch/libexec/drover/worker-service" --slots 2 2>&1)
[[ $said == *" worker --slots 2" ]] || fault "worker-service starts no worker without a group: $said"
