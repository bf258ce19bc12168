# shellcheck shell=bash
# Bare Debians, made by debootstrap in folders of $scratch, for scripts of root that source this file and set `downloads`
# to the folder where what is downloaded stays for the next time. `root` is the Debian that the functions act on.

downloads=${downloads:?}
scratch=$(mktemp -d)
root=
debians=() # all that were made
proxy_settings=(http_proxy https_proxy no_proxy)

# remove_debians: for the EXIT trap.
remove_debians() {
    for root in "${debians[@]}"; do unmount_debian; done
    rm -rf --one-file-system -- "$scratch"
}

# bare_archive: makes $downloads/bookworm.tar, a Debian as debootstrap leaves it, unless there is a new one.
bare_archive() {
    local made=$downloads/bookworm.tar mirror
    [[ -z $(find "$made" -mtime -7 2>/dev/null) ]] || return 0
    mirror=$(apt-cache policy | sed -nE 's|.* (http[^ ]*/debian) bookworm/main .*|\1|p' | head -n 1)
    mkdir -p -- "$downloads/bootstrap"
    quietly debootstrap --variant=minbase --cache-dir="$downloads/bootstrap" bookworm "$scratch/bootstrap" \
        "${mirror:-http://deb.debian.org/debian}"
    tar --create --file "$made.new" --directory "$scratch/bootstrap" .
    mv -- "$made.new" "$made"
    rm -rf --one-file-system -- "$scratch/bootstrap"
}

mount_debian() {
    mkdir -p -- "$downloads/archives/partial"
    mount --bind -- "$downloads/archives" "$root/var/cache/apt/archives"
    mount -t proc proc "$root/proc"
}

unmount_debian() { umount --quiet --lazy -- "$root/proc" "$root/var/cache/apt/archives" || true; }

say() { printf '    %s s: %s\n' "$SECONDS" "$*" >&2; }
fault() {
    printf '%s\n' "failed: $*" >&2
    exit 1
}

# quietly COMMAND...: its output only if it fails.
quietly() {
    "$@" >"$scratch/log" 2>&1 </dev/null || {
        cat -- "$scratch/log" >&2
        fault "$*"
    }
}

# in_root COMMAND...: with nothing of this machine's environment but the way to the mirror.
in_root() {
    local name settings=()
    for name in "${proxy_settings[@]}"; do
        [[ -z ${!name:-} ]] || settings+=("$name=${!name}")
    done
    env --ignore-environment PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "${settings[@]}" chroot "$root" "$@"
}

apt() { quietly in_root apt-get --quiet --yes --no-install-recommends "$@"; }

# make_debian NAME: it becomes `root`. It has the archives of apt and a /proc, and starts no services.
make_debian() {
    bare_archive
    root=$scratch/$1
    mkdir -- "$root"
    tar --extract --file "$downloads/bookworm.tar" --directory "$root"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 -- "$root/usr/sbin/policy-rc.d"
    debians+=("$root")
    mount_debian
    apt update
}

# copy_debian NAME: the Debian that is `root`; the copy becomes `root`.
copy_debian() {
    unmount_debian
    cp --archive -- "$root" "$scratch/$1"
    mount_debian
    root=$scratch/$1
    debians+=("$root")
    mount_debian
}
