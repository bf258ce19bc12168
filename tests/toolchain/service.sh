#!/usr/bin/env bash
# service.sh PACKAGES: drover-worker@.service under a systemd that boots a bare Debian in a container: start, crash, hang
# and stop of a worker with jobs; then `drover launch` by its sshd, the worker in a closed cluster with credentials that
# root alone can read, an upgrade while it has jobs, and the tunnel of packaging/tls. What the documents say of these is
# pasted as they say it. For root, and for a kernel where systemd-nspawn runs;
# `packaging/run test-service` calls it. It leaves nothing behind but the downloads, in debs beside PACKAGES.
# shellcheck disable=SC2016 # a pattern of a command is meant as it stands
set -euo pipefail
packages=$(realpath -- "$1")
downloads=$(dirname -- "$packages")/debs
# shellcheck source=tests/support/bare_debian.sh
source "$(dirname -- "$0")/../support/bare_debian.sh"
# shellcheck source=tests/support/documents.sh
source "$(dirname -- "$0")/../support/documents.sh"
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

# pastes USER COMMAND: as that user does, in a shell in the home folder. What it prints is left in `printed`.
pastes() {
    inside timeout 300 runuser --login "$1" --command "${2:?no command}" >"$scratch/pasted" 2>&1 </dev/null ||
        fault "$1: $2: $(<"$scratch/pasted")"
    printed=$(<"$scratch/pasted")
}

property() { inside systemctl show --property "$1" --value "$unit"; }
state_of() { inside drover show "$1" -o json | inside jq -r "\"\\(.state) \\(.attempt)\""; }
state_is() { [[ $(state_of "$1") == "$2" ]]; }
has_worker() { [[ $(inside drover worker ls -o json | inside jq '.workers | length') == 1 ]]; }
property_is() { [[ $(property "$1") == "$2" ]]; }
differs() { ! property_is "$@"; }

make_debian root
cp -- "$packages"/drover_*.deb "$root/drover.deb"
apt install systemd systemd-sysv dbus procps jq zookeeperd default-jre-headless openssh-server openssh-client \
    openssl /drover.deb
apt remove drover # what it depends on stays: the container reaches no mirror
mv -- "$root/drover.deb" "$root/root/drover_0.1.0-1_amd64.deb"
printf '%s\n' 'APT::Get::Assume-Yes "true";' 'APT::Install-Recommends "false";' >"$root/etc/apt/apt.conf.d/yes"
install=$(said 'apt-get install stunnel4')
quietly in_root bash -c "$install"
echo 127.0.0.1 localhost zk1 zk2 zk3 build-1 build-2.example.com >"$root/etc/hosts" # all machines of the documents
mkdir -p -- "$root/etc/systemd/system/$unit.service.d"
# These win over the defaults of the unit.
printf '%s
' 'slots = 2' 'grace = "20s"' 'spool = "/var/lib/drover/of-the-file"' >"$root/etc/drover/worker.toml"
# A hang is noticed sooner here than in the unit. The worker asks for more time than TimeoutStopSec=.
printf '[Service]
WatchdogSec=5s
TimeoutAbortSec=2s
TimeoutStopSec=3s
' >"$root/etc/systemd/system/$unit.service.d/soon.conf"
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
pastes root "$(said 'apt install ./drover_0.1.0-*')"
pastes root "$(said "echo 'connect = *")"
inside systemctl start zookeeper
until_true "ZooKeeper does not serve" inside drover cluster check --connect 127.0.0.1:2181
say "booted"

# Type=notify: the start has ended when the worker has joined.
pastes root "$(said 'systemctl enable --now drover-worker@main')"
property_is ActiveState active || fault "the unit does not start: $(inside journalctl --no-pager --unit "$unit")"
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
pastes root "$(said 'journalctl -u drover-worker@main')"
[[ $printed == *'Watchdog timeout'* ]] || fault "the journal of the unit lacks what has happened: $printed"
say "drained and stopped"

# The machines of README.md: build-1 is this one by another name, and build-2 this one by the user ci.
inside useradd --create-home --shell /bin/bash ada
inside useradd --create-home --shell /bin/bash ci
pastes ada "mkdir -m 700 .ssh && ssh-keygen -q -t ed25519 -N '' -f .ssh/id_ed25519 && cp .ssh/id_ed25519.pub .ssh/authorized_keys
    echo StrictHostKeyChecking accept-new >.ssh/config"
inside sh -c 'install -d -o ci -m 700 ~ci/.ssh && install -o ci -m 600 ~ada/.ssh/id_ed25519.pub ~ci/.ssh/authorized_keys'
inside systemctl start ssh
pastes ada "$(sed -n '/^zk1\$ cat >hosts.toml/,/^end$/p' "$documents_root/README.md" | sed '1s/^zk1\$ //')"
pastes ada "$(said 'drover launch hosts.toml --connect *')"
are_ready() { [[ $(inside drover worker ls -o json | inside jq -r '[.workers[].worker] | sort | join(" ")') == "$1" ]]; }
are_ready 'build-1 build-2' || fault "launched, and the workers are: $(inside drover worker ls)"
pastes ada 'drover run -- true'
pastes ada "$(said 'drover launch hosts.toml')"
pastes ada "$(said 'drover launch hosts.toml status')"
[[ $printed == *'build-1  running'* && $printed == *'build-2  running'* ]] || fault "the status is: $printed"
pastes ada "$(said 'drover launch hosts.toml upgrade')"
pastes ada "$(said 'drover launch hosts.toml stop')"
are_ready '' || fault "stopped, and the workers are: $(inside drover worker ls)"
say "launched on two machines, and stopped there"

# The cluster is closed, and the worker gets its credentials from a file that its user cannot read. systemd opens it
# again after a crash. --yes answers for the administrator.
inside drover cancel "$long" >/dev/null
pastes root "$(said 'drover cluster secure --connect *') --yes"
[[ $(inside drover whoami) == *'roles '*' admin'* ]] || fault "root is no administrator: $(inside drover whoami)"
pastes root "$(said 'drover worker add build-7')"
inside install --mode 600 /root/build-7.drover /etc/drover/build-7.drover
inside rm /root/build-7.drover
readonly drop_in=/etc/systemd/system/drover-worker@.service.d/credentials.conf
mkdir -p -- "$root${drop_in%/*}"
awk '/^```ini$/ { block = ""; inside = 1; next } /^```$/ && block ~ /StandardInput=/ { printf "%s", block; exit }
    /^```$/ { inside = 0 } inside { block = block $0 "\n" }' "$documents_root/packaging/docs/operator-guide.md" \
    >"$root$drop_in"
inside systemctl daemon-reload
inside systemctl start "$unit"
has_worker || fault "the unit is started in the closed cluster, and no worker has joined"
pid=$(property MainPID)
inside kill -KILL "$pid"
until_true "the worker does not start again in the closed cluster" differs MainPID "$pid"
until_true "it does not join again" property_is ActiveState active
[[ $(inside drover run --dir / -- id --user --name) == drover ]] || fault "no job runs in the closed cluster"
! inside drover run --dir / -- cat /etc/drover/build-7.drover >/dev/null 2>&1 || fault "a job can read the credentials"
[[ $(inside env HOME=/ drover ls 2>&1) == *'is closed'* ]] || fault "the cluster is not closed"
say "a worker of a closed cluster"

# The next version, while the worker has jobs. One is longer than its grace: it begins again, as its first attempt.
dpkg-deb --raw-extract "$packages"/drover_*.deb "$scratch/newer"
sed -i 's/^Version: .*/Version: 0.2.0-1/' -- "$scratch/newer/DEBIAN/control"
quietly dpkg-deb --build "$scratch/newer" "$root/root/drover_0.2.0-1_amd64.deb"
long=$(inside drover submit --dir / -- sh -c 'mkdir /var/lib/drover/begun 2>/dev/null && exec sleep 1002; exit 0')
tasks=$(inside drover submit --array 1-60 --dir / -- sh -c 'echo $DROVER_JOB_ID >>/var/lib/drover/tasks; sleep 1')
until_true "the long job does not run" state_is "$long" "running 1"
until_true "no task runs" inside test -s /var/lib/drover/tasks
pid=$(property MainPID)
pastes root "$(said 'apt install ./drover_0.2.0-*')"
differs MainPID "$pid" || fault "the upgrade has left the worker as it was"
pastes root "$(said 'systemctl restart drover-worker@main')"
[[ $(inside dpkg-query --show --showformat '${Version}' drover) == 0.2.0-1 ]] || fault "the package is not upgraded"
[[ $(inside drover run --dir / -- id --user --name) == drover ]] || fault "no job runs after the upgrade"
inside timeout 120 drover wait "$tasks" "$long" >"$scratch/log" 2>&1 || fault "a job has failed: $(<"$scratch/log")"
state_is "$long" "succeeded 1" || fault "the long job is $(state_of "$long")"
inside drover ls --all --tasks --rows 100 -o json "$tasks" >"$scratch/tasks"
good=$(inside jq --arg array "$tasks" \
    '[.jobs[] | select(.id != $array and .state == "succeeded" and .attempt == 1)] | length' <"$scratch/tasks")
[[ $good == 60 ]] || fault "$good of 60 tasks have succeeded at once: $(<"$scratch/tasks")"
mapfile -t begun <"$root/var/lib/drover/tasks"
[[ ${#begun[@]} == 60 && $(printf '%s\n' "${begun[@]}" | sort -u | wc -l) == 60 ]] || fault "run were: ${begun[*]}"
say "upgraded while jobs ran"

# The tunnel to ZooKeeper: its port here is not that of the server, which is the same machine.
(cd -- "$root/root" && quietly "$documents_root/packaging/tls/make-certificates" tls client build-7)
mkdir -- "$root/etc/drover/tls"
cp -- "$root"/root/tls/{build-7.key,build-7.pem,ca.pem} "$root/etc/drover/tls"
sed 's/^accept = 127.0.0.1:218/accept = 127.0.0.1:219/' "$documents_root/packaging/tls/drover-zookeeper.conf" \
    >"$root/etc/stunnel/drover-zookeeper.conf"
pastes root "$(said 'systemctl enable --now stunnel@drover-zookeeper')"
until_true "the tunnel does not listen" inside bash -c 'exec 3<>/dev/tcp/127.0.0.1/2191'
say "the tunnel started"
printf 'ok: started, restarted after a crash and after a hang, drained and stopped, launched, closed, upgraded\n' >&2
