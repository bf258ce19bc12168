#!/usr/bin/env bash
# containers.sh PACKAGES: builds the images of packaging/containers on a Debian that debootstrap makes, with the packages
# of the folder, and starts them: a ZooKeeper server, and a worker of a closed cluster with its secret and its probes.
# For root; `packaging/run test-containers` calls it. It leaves nothing behind but the downloads, in debs beside PACKAGES.
set -euo pipefail
packages=$(realpath -- "$1")
sources=$(realpath -- "$(dirname -- "$0")/../..")
downloads=$(dirname -- "$packages")/debs
# shellcheck source=tests/support/bare_debian.sh
source "$sources/tests/support/bare_debian.sh"
readonly network=drover-$$ settings=(--ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --add-host zk:127.0.0.1 --network "ns:/run/netns/drover-$$")

container() {
    podman --root "$scratch/storage" --runroot "$scratch/run" --runtime runc --cgroup-manager cgroupfs "$@"
}

finish() {
    container rm --all --force --time 0 >/dev/null 2>&1 || true
    ip netns delete "$network" 2>/dev/null || true
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

# The sources, and these packages instead of those that a build would leave.
mkdir -p -- "$scratch/context/build" "$scratch/keys"
git -C "$sources" ls-files -z --cached --others --exclude-standard |
    tar --create --directory "$sources" --null --files-from - | tar --extract --directory "$scratch/context"
cp -r -- "$packages" "$scratch/context/build/packages"
bare_archive
quietly container import "$downloads/bookworm.tar" bare
mkdir -p -- "$downloads/archives/partial"
for target in zookeeper drover; do
    name=drover-zookeeper
    [[ $target == zookeeper ]] || name=drover
    quietly container build --isolation chroot --layers --build-arg BASE=localhost/bare --target "$target" --tag "$name" \
        --volume "$downloads/archives:/var/cache/apt/archives" \
        --file "$scratch/context/packaging/containers/Containerfile" "$scratch/context"
    say "$name built"
done

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
printf 'ok: built, started, probed, used and stopped\n' >&2
