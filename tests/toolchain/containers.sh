#!/usr/bin/env bash
# containers.sh PACKAGES [--sources]: builds the images of packaging/containers on a Debian that debootstrap makes, with
# the packages of the folder, and starts them: a ZooKeeper server, and a worker of a closed cluster with its secret and
# its probes; then the whole compose file by the commands of packaging/README.md, each container with a network of its
# own, and one of its servers dies. With --sources there are no packages, and the image compiles them.
# For root; `packaging/run test-containers` calls it. It leaves nothing behind but the downloads, and with --sources a
# cache of the compiler, in debs beside PACKAGES.
# shellcheck disable=SC2016 # a pattern of a command is meant as it stands
set -euo pipefail
packages=$(realpath --canonicalize-missing -- "$1")
from=${2:-packages}
sources=$(realpath -- "$(dirname -- "$0")/../..")
downloads=$(dirname -- "$packages")/debs
# shellcheck source=tests/support/bare_debian.sh
source "$sources/tests/support/bare_debian.sh"
# shellcheck source=tests/support/documents.sh
source "$sources/tests/support/documents.sh"
readonly network=drover-$$ limits=(--ulimit nofile=4096:4096 --ulimit nproc=4096:4096)
readonly settings=("${limits[@]}" --add-host zk:127.0.0.1 --network "ns:/run/netns/$network")
readonly compose=$sources/packaging/containers/compose.yaml services=(zk1 zk2 zk3 worker-1 worker-2)

container() {
    podman --root "$scratch/storage" --runroot "$scratch/run" --runtime runc --cgroup-manager cgroupfs "$@"
}

pasting='' # the command whose output goes to $scratch/pasted now, also in the trap of its end
exec {messages}>&2

finish() {
    # What ends this shell inside of that command has said so there.
    [[ -z $pasting ]] || printf 'failed: %s: %s\n' "$pasting" "$(tail -n 50 -- "$scratch/pasted")" >&"$messages"
    container rm --all --force --time 0 >/dev/null 2>&1 || true
    local one
    for one in "$network" "${services[@]/#/$network-}"; do
        ip netns delete "$one" 2>/dev/null || true
    done
    umount --quiet --lazy -- "$scratch/storage/overlay" || true
    remove_debians
}
trap finish EXIT
trap "exit 1" INT TERM

# administrator ARGUMENT...: drover where the keys are.
administrator() {
    container run --rm "${settings[@]}" --user 0 --volume "$scratch/keys:/keys" --workdir /keys --env HOME=/keys \
        --env DROVER_CONNECT=zk:2181 drover "$@"
}

# until_true WHAT COMMAND...: within a minute.
until_true() {
    local what=$1 deadline=$((SECONDS + 60))
    shift
    until "$@" >"$scratch/log" 2>&1; do
        ((SECONDS < deadline)) || {
            container logs zk >&2 || true
            fault "$what: $(<"$scratch/log")"
        }
        sleep 0.2
    done
}

# The sources, and these packages instead of those that a build would leave, or none.
mkdir -p -- "$scratch/context/build" "$scratch/keys"
git -C "$sources" ls-files -z --cached --others --exclude-standard |
    tar --create --directory "$sources" --null --files-from - | tar --extract --directory "$scratch/context"
mkdir -p -- "$downloads/archives/partial"
kept=(--volume "$downloads/archives:/var/cache/apt/archives") # for the next build
if [[ $from == --sources ]]; then
    mkdir -p -- "$downloads/ccache"
    kept+=(--volume "$downloads/ccache:/root/.cache/ccache")
else
    cp -r -- "$packages" "$scratch/context/build/packages"
fi
bare_archive
quietly container import "$downloads/bookworm.tar" bare
readonly folder=$scratch/context/packaging/containers # as a user of the sources has it
cd -- "$folder"

# docker-compose and docker of the commands in packaging/README.md, by podman: it has no network of the stack's here.
docker-compose() {
    local name
    case $1 in
    build) build_images ;;
    up)
        shift 2 # --detach
        (($#)) || set -- "${services[@]}"
        for name; do
            container container exists "$name" || start_service "$name"
        done
        ;;
    *) fault "docker-compose $1 is not known here" ;;
    esac
}
docker() {
    local arguments=("$@")
    [[ "$*" == 'run --rm '*' --network containers_default '* ]] || fault "this docker is not known here: $*"
    arguments=("${arguments[@]/#containers_default/ns:/run/netns/$network}")
    container run "${limits[@]}" "${names[@]}" "${arguments[@]:1}"
}
sudo() { "$@"; }

build_images() {
    local target name
    for target in zookeeper drover; do
        name=drover-zookeeper
        [[ $target == zookeeper ]] || name=drover
        quietly container build --isolation chroot --layers --build-arg BASE=localhost/bare --target "$target" --tag "$name" \
            "${kept[@]}" --file Containerfile "$scratch/context"
        say "$name built"
    done
}

# pastes COMMAND: into this shell, in the folder of the compose file. What it prints is left in $scratch/pasted.
pastes() {
    pasting=${1:?no command}
    eval "$1" >"$scratch/pasted" 2>&1 </dev/null || exit
    pasting=''
}

pastes "$(said 'docker-compose build')"

ip netns add "$network"
ip -n "$network" link set lo up
quietly container run --detach --name zk --hostname zk "${settings[@]}" drover-zookeeper zk
until_true "no server" administrator cluster check
quietly administrator cluster init
quietly administrator worker add drover-worker-0 --root-key root.key
chown 999 "$scratch/keys/drover-worker-0.drover"
quietly container run --detach --name worker --hostname drover-worker-0 "${settings[@]}" --env DROVER_CONNECT=zk:2181 \
    --env POD_NAME=drover-worker-0 --volume "$scratch/keys/drover-worker-0.drover:/run/secrets/drover:ro" \
    drover worker --id drover-worker-0 --spool /var/lib/drover/spool --slots 2
say "started"

# The probes of the manifest, word for word.
mapfile -t probes < <(sed -n "s/.*command: \[sh, -c, '\(.*\)'\].*/\1/p" "$sources/packaging/containers/kubernetes/workers.yaml")
((${#probes[@]} == 2)) || fault "workers.yaml has ${#probes[@]} probes"
for probe in "${probes[@]}"; do
    until_true "a probe fails" container exec worker sh -c "$probe"
done
[[ $(administrator run --dir / -- id --user --name) == drover ]] || fault "the job of a worker is not the user drover's"
say "a job has ended"
for probe in "${probes[@]}"; do
    ! container exec --env POD_NAME=drover-worker-1 worker sh -c "$probe" >/dev/null 2>&1 ||
        fault "a probe accepts a worker that is not there: $probe"
done
quietly container stop --time 60 worker
[[ $(container inspect --format '{{.State.ExitCode}}' worker) == 0 ]] || fault "a worker that is stopped fails"
quietly container stop --time 60 zk
say "stopped"

# The compose file: its services have addresses from 10.77.0.11 on, at a bridge in the first namespace.
ip -n "$network" link add bridge type bridge
ip -n "$network" address add 10.77.0.1/24 dev bridge
ip -n "$network" link set bridge up
names=()
for index in "${!services[@]}"; do
    names+=(--add-host "${services[index]}:10.77.0.$((11 + index))")
done

# start_service NAME
start_service() {
    local name=$1 own=$network-$1 arguments index=0
    while [[ ${services[index]} != "$name" ]]; do index=$((index + 1)); done
    mapfile -t arguments < <(python3 "$sources/tests/toolchain/container_stack.py" "$compose" "$name")
    ((${#arguments[@]})) || fault "compose.yaml: $name cannot be read"
    ip netns add "$own"
    ip -n "$own" link set lo up
    ip -n "$network" link add "port$index" type veth peer name eth0 netns "$own"
    ip -n "$network" link set "port$index" master bridge up
    ip -n "$own" address add "10.77.0.$((11 + index))/24" dev eth0
    ip -n "$own" link set eth0 up
    quietly container run --detach --name "$name" "${limits[@]}" "${names[@]}" --network "ns:/run/netns/$own" \
        "${arguments[@]/#SECRETS\/.\//$folder/}"
}

mkdir -- "$folder/keys"
pastes "$(said 'docker-compose up --detach zk1 zk2 zk3')"
pastes "$(said 'admin="docker run *')"
pastes "$(said 'admin="$admin *')"
pastes "$(said '$admin cluster init *')"
pastes "$(said 'for n in 1 2; do $admin worker add *')"
pastes "$(said 'sudo install --owner 999 *')"
pastes "$(said 'docker-compose up --detach')"
stack_administrator() {
    # shellcheck disable=SC2086,SC2154 # as it is pasted
    $admin "$@"
}
two_work() {
    [[ $(stack_administrator worker ls --output jsonl | wc -l) == 2 ]]
}
until_true "the workers have not joined" two_work
pastes "$(said '$admin run *')"
[[ $(tail -n 1 "$scratch/pasted") == worker-[12] ]] || fault "no worker of the stack runs a job: $(<"$scratch/pasted")"
say "the stack has run a job"
quietly container kill zk2
[[ $(stack_administrator run --dir / -- hostname) == worker-[12] ]] || fault "no job runs after the death of a server"
say "and another one after the death of a server"
quietly container stop --time 60 worker-1 worker-2 zk1 zk3
printf 'ok: built, started, probed, used and stopped; the compose file, too\n' >&2
