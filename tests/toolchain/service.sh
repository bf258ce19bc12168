#!/usr/bin/env bash
# service.sh PACKAGES: drover-worker@.service under a systemd that boots a bare Debian in a container: start, crash, hang
# and stop of a worker with jobs. For root, and for a kernel where systemd-nspawn runs; `packaging/run test-service`
# calls it. It leaves nothing behind but the downloads, in debs beside PACKAGES.
set -euo pipefail
packages=$(realpath -- "$1")
downloads=$(dirname -- "$packages")/debs
# shellcheck source=tests/support/bare_debian.sh
source "$(dirname -- "$0")/../support/bare_debian.sh"
readonly unit=drover-worker@main
container='' leader=''

finish() {
    if [[ -n $container ]]; then
        kill -KILL "$leader" 2>/dev/null || true # its init: all that runs in the container ends with it
        wait "$container" || true
    fi
    remove_debians
}
trap finish EXIT
trap "exit 1" INT TERM

inside() {
    nsenter --target "$leader" --all env --ignore-environment PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LC_ALL=C.UTF-8 "$@"
}

# until_true WHAT COMMAND...: within two minutes.
until_true() {
    local what=$1 deadline=$((SECONDS + 120))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || {
            inside journalctl --no-pager --lines 50 --unit "$unit" >&2
            fault "$what"
        }
        sleep 0.2
    done
}

property() { inside systemctl show --property "$1" --value "$unit"; }
state_of() { inside drover show "$1" -o json | inside jq -r "\"\\(.state) \\(.attempt)\""; }
state_is() { [[ $(state_of "$1") == "$2" ]]; }
has_worker() { [[ $(inside drover worker ls -o json | inside jq '.workers | length') == 1 ]]; }
property_is() { [[ $(property "$1") == "$2" ]]; }
differs() { ! property_is "$@"; }

make_debian root
cp -- "$packages"/drover_*.deb "$root/drover.deb"
apt install systemd systemd-sysv dbus procps jq zookeeperd default-jre-headless /drover.deb
mkdir -p -- "$root/etc/drover" "$root/etc/systemd/system/$unit.service.d"
echo 'connect = "127.0.0.1:2181"' >"$root/etc/drover/config.toml"
# These win over the defaults of the unit.
printf '%s\n' 'slots = 2' 'grace = "20s"' 'spool = "/var/lib/drover/of-the-file"' >"$root/etc/drover/worker.toml"
# A hang is noticed sooner here than in the unit. The worker asks for more time than TimeoutStopSec=.
printf '[Service]\nWatchdogSec=5s\nTimeoutAbortSec=2s\nTimeoutStopSec=3s\n' >"$root/etc/systemd/system/$unit.service.d/soon.conf"
unmount_debian
say "a Debian with systemd and the package"

SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet --directory "$root" --register=no --keep-unit \
    --private-network --boot --console=pipe <&- >"$scratch/console" 2>&1 &
container=$!
until leader=$(pgrep --parent "$container"); do
    kill -0 "$container" 2>/dev/null || fault "systemd-nspawn does not run here: $(<"$scratch/console")"
    sleep 0.2
done
until_true "systemd does not boot" inside systemctl is-system-running --wait
inside systemctl start zookeeper
until_true "ZooKeeper does not serve" inside drover cluster check
say "booted"

# Type=notify: the start has ended when the worker has joined.
inside systemctl start "$unit" || fault "the unit does not start: $(inside journalctl --no-pager --unit "$unit")"
has_worker || fault "the unit is started, and no worker has joined"
worker=$(inside drover worker ls -o json | inside jq -r '.workers[0].worker')
[[ $(inside drover run --dir / -- id --user --name) == drover ]] || fault "a job is not the user drover's"
inside test -d /var/lib/drover/of-the-file/runs || fault "the spool of worker.toml is not used"
say "started, a job has ended"

# System calls, by their numbers on x86-64. Without the filter modify_ldt reads nothing. A job may be a debugger (ptrace).
if [[ $(uname -m) == x86_64 ]]; then
    # shellcheck disable=SC2016 # Perl expands them
    call='$! = 0; my $answer = syscall(shift(@ARGV) + 0, 0, 0, 0, 0); print $answer < 0 ? $! + 0 : 0, "\n"'
    [[ $(inside perl -e "$call" 154) == 0 ]] || fault "modify_ldt is refused outside of the unit, too"
    [[ $(inside drover run --dir / -- perl -e "$call" 154) == 1 ]] || fault "a job may call modify_ldt"
    [[ $(inside drover run --dir / -- perl -e "$call" 101) == 0 ]] || fault "a job may not call ptrace"
    say "the filter of system calls"
fi

# A crash: the job's processes are killed, systemd starts the worker again, and it runs the job again.
# shellcheck disable=SC2016 # the job expands it
job=$(inside drover submit --dir / -- sh -c 'test $DROVER_ATTEMPT = 1 && exec sleep 1000; exit 0')
until_true "the job does not run" state_is "$job" "running 1"
pid=$(property MainPID)
inside kill -KILL "$pid"
until_true "the crashed worker is not started again" differs MainPID "$pid"
until_true "the job does not run again" state_is "$job" "succeeded 2"
! inside pgrep --full 'sleep 1000' || fault "the crash has left a process of the job"
[[ $(inside drover worker ls -o json | inside jq -r '.workers[0].worker') == "$worker" ]] ||
    fault "the worker has another id after the crash"
say "started again after a crash"

# A hang: the watchdog.
pid=$(property MainPID)
inside kill -STOP "$pid"
until_true "the worker that hangs is not started again" property_is NRestarts 2
until_true "its successor does not join" property_is ActiveState active
inside journalctl --no-pager --unit "$unit" | grep -q 'Watchdog timeout' || fault "it was not the watchdog"
say "started again after a hang"

# A stop lets a short job end, and gives a long one back, which costs it no attempt. A drain of 20 s.
short=$(inside drover submit --dir / -- sleep 8)
long=$(inside drover submit --dir / -- sleep 1001)
until_true "the jobs do not run" state_is "$long" "running 1"
until_true "the jobs do not run" state_is "$short" "running 1"
inside systemctl stop "$unit"
inside journalctl --no-pager --unit "$unit" | grep -q 'stopping, 20s for the jobs' ||
    fault "grace is not that of the file"
[[ $(property Result) == success ]] || fault "the stop ended as $(property Result)"
! inside pgrep --full 'sleep 1001' || fault "the stop has left a process of the job"
state_is "$short" "succeeded 1" || fault "the short job is $(state_of "$short")"
state_is "$long" "ready 0" || fault "the long job is $(state_of "$long")"
say "drained and stopped"
printf 'ok: started, restarted after a crash and after a hang, drained and stopped\n' >&2
