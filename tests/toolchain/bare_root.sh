#!/usr/bin/env bash
# bare_root.sh FOLDER: the packages of the folder in a Debian that debootstrap makes, without systemd and then with it:
# install, use, upgrade, remove, purge. Then `drover launch` on another Debian, which has none of Drover's libraries.
# For root; `packaging/run test-package` calls it. It leaves nothing behind. The downloads are kept in build/debs for the
# next time.
set -euo pipefail
packages=$(realpath -- "$1")
downloads=$(dirname -- "$packages")/debs
# shellcheck source=tests/support/bare_debian.sh
source "$(dirname -- "$0")/../support/bare_debian.sh"
# shellcheck source=tests/support/documents.sh
source "$(dirname -- "$0")/../support/documents.sh"
server=''          # the sshd of the other Debian, with which all ends that runs there
cluster=$scratch/up # the home of the cluster that launches there; not before that

finish() {
    [[ -z $server ]] || kill -KILL "$server" || true # unshare blocks SIGTERM
    [[ ! -d $cluster ]] || here drover down >/dev/null 2>&1 || true
    remove_debians
}
trap finish EXIT
trap "exit 1" INT TERM

# here COMMAND...: with the programs of the package on this machine, and a home of their own.
here() {
    (cd -- "$cluster" && env --ignore-environment PATH="$scratch/programs/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        HOME="$cluster" LC_ALL=C.UTF-8 "$@")
}

# alone COMMAND...: with processes and a network of its own, in which only loopback is up.
alone() {
    export -f in_root
    # shellcheck disable=SC2016 # the inner shell expands them
    root=$root unshare --pid --fork --kill-child --net bash -c 'proxy_settings=(); ip link set lo up; in_root "$@"' - "$@"
}

has() { [[ -e $root$1 ]] || fault "there is no $1"; }
lacks() { [[ ! -e $root$1 ]] || fault "$1 is still there"; }

# outputs TEXT COMMAND...
outputs() {
    local expected=$1 said
    shift
    said=$("$@" 2>"$scratch/log") || fault "$*: $said $(<"$scratch/log")"
    [[ $said == *"$expected"* ]] || fault "$*: $said $(<"$scratch/log")"
}

# pastes COMMAND: as root of the Debian does, beside the packages. apt asks nothing there, and adds nothing of its own.
pastes() { quietly in_root bash -c "cd /packages; ${1:?no command}"; }

make_debian root
printf '%s\n' 'APT::Get::Assume-Yes "true";' 'APT::Install-Recommends "false";' >"$root/etc/apt/apt.conf.d/yes"
mkdir -- "$root/packages"
cp -- "$packages"/*.deb "$root/packages"
say "a bare Debian"

old=$(echo "$root/packages"/drover_*.deb)
version=$(dpkg-deb --field "$old" Version)
apt install zookeeper default-jre-headless
[[ -z $(in_root getent passwd drover || true) ]] || fault "there is a user drover before the installation"
pastes "$(said 'apt install ./drover_0.1.0-*')"
outputs "drover ${version%-*}" in_root drover --version
outputs /var/lib/drover in_root getent passwd drover
outputs drover in_root stat --format=%U /var/lib/drover
has /usr/share/man/man1/drover-submit.1.gz
pastes "$(said 'apt install jq')"
outputs jq- in_root jq --version
# The configuration that the guide has written, as its command judges it; pastes fails if it finds a problem.
pastes "$(said 'drover cluster prepare zk1 zk2 zk3')"
quietly in_root cp /packages/zk1/zoo.cfg /etc/zookeeper/conf/zoo.cfg # by a symbolic link of that Debian
pastes "$(said 'drover cluster check --server-config /etc/zookeeper/conf/zoo.cfg')"
say "installed"

# As a user would begin, and then a worker as the unit starts it, in an open cluster: the user drover has no keys here.
outputs hello alone sh -c 'drover up --detach && drover run -- echo hello && drover down'
start=$(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/drover-worker@.service")
start=${start//%S\/drover\/%i//var/lib/drover/main}
[[ $start == */worker-service\ * ]] || fault "the unit starts no worker: $start"
# shellcheck disable=SC2016 # the inner shell expands them
outputs $'drover\nended' alone sh -c '
    export XDG_DATA_HOME=/open
    drover up --detach --workers 1 --open >/up
    DROVER_CONNECT=$(grep -o "127.0.0.1:[0-9]*" /up | head -n 1)
    export DROVER_CONNECT
    env --unset XDG_DATA_HOME setpriv --reuid drover --regid drover --clear-groups '"$start"' --queue mine & worker=$!
    timeout 60 sh -c "until drover queue ls | grep -q mine; do sleep 0.2; done"
    drover run --queue mine --dir / -- id --user --name
    kill $worker
    wait $worker && echo ended
    drover down
    rm -r /up /open'
has /var/lib/drover/main
say "used"

mkdir -- "$scratch/newer"
dpkg-deb --raw-extract "$old" "$scratch/newer/files"
sed -i "s/^Version: .*/Version: $version+1/" -- "$scratch/newer/files/DEBIAN/control"
quietly dpkg-deb --build "$scratch/newer/files" "$root/packages/newer.deb"
apt install /packages/newer.deb
outputs "$version+1" in_root dpkg-query --show drover
outputs "drover ${version%-*}" in_root drover --version
has /var/lib/drover/main
say "upgraded"

console=$(echo "$root/packages"/drover-console_*.deb)
apt install "/packages/${console##*/}"
outputs drover-console in_root drover-console --version
outputs 'ended with 0' alone bash -c "drover up --detach
    QT_QPA_PLATFORM=offscreen timeout --preserve-status --signal TERM 5 $(said drover-console)
    echo ended with \$?
    drover down"
say "the console installed"

pastes "$(said "echo 'connect = *")"
apt remove drover drover-console
lacks /usr/bin/drover
lacks /usr/bin/drover-console
has /var/lib/drover/main
has /etc/drover/config.toml

# nothing_left: no file of ours, and no user.
nothing_left() {
    local left
    left=$(find "$root" -xdev -iname '*drover*' -not -path "$root/packages/*" -not -path "$root/proc/*")
    [[ -z $left ]] || fault "purge leaves $left"
    ! in_root getent passwd drover || fault "purge leaves the user"
}
rm -rf -- "$root/root/.local" "$root/root/.config" "$root/root/.cache" # what drover up has kept for root
quietly in_root dpkg --purge drover drover-console # apt does not know what no mirror has
nothing_left
say "removed and purged"

apt install systemd
apt install "/packages/${old##*/}"
outputs /var/lib/drover in_root getent passwd drover
outputs drover in_root stat --format=%U /var/lib/drover
quietly in_root systemd-analyze verify --man=no /usr/lib/systemd/system/drover-worker@.service
has_link() { [[ -L $root/etc/systemd/system/$1 ]] || fault "there is no link $1"; }
has_link multi-user.target.wants/drover.target
quietly in_root systemctl enable drover-worker@main
has_link drover.target.wants/drover-worker@main.service
# An upgrade enables nothing that an administrator has disabled.
quietly in_root systemctl disable drover.target
apt install /packages/newer.deb
lacks /etc/systemd/system/multi-user.target.wants/drover.target
quietly in_root systemctl enable drover-worker@main
has_link multi-user.target.wants/drover.target
apt purge drover
nothing_left
say "installed, upgraded and purged with systemd"

library=$(echo "$root/packages"/libdrover-dev_*.deb)
apt install "/packages/${library##*/}" g++ cmake ninja-build
quietly in_root cmake -G Ninja -S /usr/share/doc/libdrover-dev/examples -B /examples
quietly in_root cmake --build /examples
has /examples/submit
apt purge libdrover-dev
rm -rf -- "$root/examples"
nothing_left
say "the examples built against libdrover-dev"

# A machine that has a sshd, an ordinary user and nothing of Qt. It shares the network of this one, where ZooKeeper is.
make_debian machine
apt install openssh-server
[[ -z $(find "$root/usr/lib" -name 'libQt6*' -o -name 'libsodium*') ]] || fault "the machine is not bare"
quietly in_root useradd --create-home --shell /bin/sh --password '*' ci
mkdir -m 700 -- "$cluster" "$root/home/ci/.ssh"
ssh-keygen -q -t ed25519 -N '' -f "$cluster/id"
cp -- "$cluster/id.pub" "$root/home/ci/.ssh/authorized_keys"
quietly in_root chown -R ci: /home/ci/.ssh
mkdir -p -- "$root/run/sshd"
for _ in {1..10}; do
    port=$((20000 + RANDOM % 10000))
    unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" env --ignore-environment PATH=/usr/sbin:/usr/bin \
        chroot "$root" /usr/sbin/sshd -D -e -p "$port" -o ListenAddress=127.0.0.1 -o UsePAM=no 2>"$scratch/sshd" </dev/null &
    server=$!
    until grep -q 'listening on' "$scratch/sshd" || ! kill -0 "$server" 2>/dev/null; do sleep 0.1; done
    ! kill -0 "$server" 2>/dev/null || break
    server=''
done
[[ -n $server ]] || fault "no sshd there: $(<"$scratch/sshd")"
cat >"$cluster/ssh_config" <<TEXT
Host machine
  HostName 127.0.0.1
  Port $port
  User ci
  IdentityFile $cluster/id
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile $cluster/known
  LogLevel ERROR
TEXT
cat >"$cluster/hosts.toml" <<TEXT
ssh_config = "ssh_config"
programs = "tree"
credentials = "machine.drover"
[worker]
slots = 1
queues = ["there"]
[[host]]
name = "machine"
TEXT
dpkg-deb --extract "$old" "$scratch/programs"
connect=$(here drover up --workers 1 --slots 1 --detach | grep -o '127.0.0.1:[0-9]*' | head -n 1)
quietly here drover worker add machine --root-key "$cluster/.local/share/drover/trust/default.root.key"
launch() { quietly here drover launch hosts.toml --connect "$connect" "$@"; }
launch
outputs ci here drover run --queue there --dir / -- id --user --name
[[ -d $root/home/ci/.local/share/drover/worker/spool/runs ]] || fault "the job was not there"
launch status
launch upgrade
launch restart
outputs ci here drover run --queue there --dir / -- id --user --name
launch stop
! grep -i qt "$root/home/ci/.local/share/drover/worker/worker.log" || fault "something of Qt is missing there"
say "launched on a machine without libraries"
printf 'ok: installed, used, upgraded, removed, purged and launched\n' >&2
