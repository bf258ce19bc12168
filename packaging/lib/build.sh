# shellcheck shell=bash
# Configure and build by the presets of CMakePresets.json.

readonly build_root=$root/build
jobs=${JOBS:-$(nproc)}
[[ $jobs =~ ^[1-9][0-9]*$ ]] || die_usage "JOBS is a number of processes, not '$jobs'"

# Ninja runs CMake again by itself when a CMakeLists.txt has changed; the presets and a moved source tree are ours.
is_configured() {
    local build=$build_root/$1
    [[ -f $build/build.ninja && $build/build.ninja -nt $root/CMakePresets.json ]] &&
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"
}

# build_preset PRESET TARGET
build_preset() {
    local ninja=()
    [[ -t 2 ]] || ninja=(-- --quiet)
    is_configured "$1" || step "configure $1" quietly cmake --fresh --preset "$1"
    step "build $1" cmake --build --preset "$1" --parallel "$jobs" --target "$2" "${ninja[@]}"
}
