# shellcheck shell=bash
# Every Debian package Drover needs, once; and how to install those that are missing.

# shellcheck disable=SC2034 # the lists are for packaging/run
build_packages=(
    g++ cmake ninja-build ccache
    qt6-base-dev qt6-base-dev-tools libgl-dev # Core, Network, Sql, Widgets, Test; Widgets' CMake files ask for OpenGL
    qt6-tools-dev qt6-l10n-tools qt6-tools-dev-tools # lupdate and lrelease, for the languages of the console
    libzookeeper-st-dev libtomlplusplus-dev libsodium-dev zlib1g-dev
    qtkeychain-qt6-dev # the keyring of the desktop, for the console
    pkgconf libhiredis-dev libmemcached-dev # optional: for drover lab compare
)
# shellcheck disable=SC2034
run_packages=(
    zookeeper default-jre-headless    # the server behind `drover up`, the demo and the tests
    libqt6sql6-sqlite libqt6sql6-psql # the history, in a file or in PostgreSQL
    tzdata                            # the time zones of drover cron
    fonts-dejavu-core                 # the console draws boxes without any font
    fonts-wqy-microhei                # the console's Chinese
    libsecret-1-0                     # by which the console reaches a keyring
    qt6-translations-l10n             # the buttons of Qt's own dialogs in the language of the console
)
# shellcheck disable=SC2034
test_packages=(
    clang libclang-rt-14-dev clang-format # the second compiler, with its sanitizers
    mold                                  # links 180 tests fast
    xvfb xauth jq procps                  # what the tests of the programs use
    iproute2                              # a second network, for reading output from another machine
    postgresql                            # a history of a cluster
    redis-server memcached                # what drover lab compare compares with
    stunnel4 openssl                      # TLS to ZooKeeper
    faketime                              # a worker whose clock is wrong
    openssh-server openssh-client         # machines for drover launch
    dbus gnome-keyring                    # a keyring of a test
    at-spi2-core                          # what a screen reader hears of the console
    zsh fish                              # their completion, with keys pressed on a terminal
    docker-compose python3-yaml           # read the compose file and the manifests of packaging/containers
    patch                                 # breaks the sources on purpose (packaging/run mutants)
    git                                   # a copy of the sources, for the commands of the documents
    python3-cryptography                  # the signatures of a client that forges
    libcurator-recipes-java python3-kazoo openjdk-17-jdk-headless # the clients that ours are proven against
)
# Google's package has a kubectl, too, and dpkg does not let two packages have one file.
command -v kubectl >/dev/null || test_packages+=(kubernetes-client)
# shellcheck disable=SC2034
peer_packages=( # what tests/bench/peers measures beside Drover; only for that
    slurmctld slurmd slurm-client munge
    celery python3-redis redis-server
    gearman-job-server gearman-tools
    beanstalkd python3-minimal
    parallel
    procps util-linux
)
# shellcheck disable=SC2034
storm_packages=( # what tests/storm breaks, and how
    python3-minimal postgresql
    iproute2 nftables util-linux # machines with a network of their own
    faketime                     # a clock that jumps
)
# shellcheck disable=SC2034
package_packages=( # builds and judges the packages, pages, units and entries of the desktop
    dpkg-dev file lintian man-db systemd appstream desktop-file-utils shared-mime-info
)
# shellcheck disable=SC2034
bare_root_packages=(debootstrap openssh-client) # where packages are tried
# shellcheck disable=SC2034
service_packages=(systemd-container procps) # boots a systemd for the units
# shellcheck disable=SC2034
container_packages=(podman catatonit python3-yaml runc iproute2 git) # builds and starts the images
# shellcheck disable=SC2034
lint_packages=(clang-tidy git shellcheck)

is_installed() {
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

install_packages() {
    local package missing=()
    if ! command -v dpkg-query >/dev/null; then
        say "This is no Debian: what these Debian packages hold must be there already: $*"
        return
    fi
    for package; do
        is_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0

    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            die "packages are missing and there is no sudo; as root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    step "install ${#missing[@]} packages: ${missing[*]}" apt_install
}

# Reads `missing` and `as_root` of install_packages. Output only when it fails; a mirror's hiccup is retried.
apt_install() {
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3)
    [[ ${#as_root[@]} -eq 0 ]] || sudo -v || return # asks for the password now, where it can be seen
    quietly "${apt[@]}" update
    quietly "${apt[@]}" install --yes --no-install-recommends "${missing[@]}"
}

readonly service_policy=/usr/sbin/policy-rc.d

# without_services COMMAND...: no service that it installs is started. Debian asks the policy, which only containers have.
without_services() {
    if [[ -e $service_policy ]]; then
        "$@"
        return
    fi
    trap 'tell_failure; allow_services' EXIT
    printf '#!/bin/sh\nexit 101\n' | privileged install -m 755 /dev/stdin "$service_policy"
    "$@"
    allow_services
    trap tell_failure EXIT
}

allow_services() { privileged rm -f -- "$service_policy"; }

privileged() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}
