# shellcheck shell=bash
# Configure and build by the presets of CMakePresets.json.

readonly build_root=$root/build
jobs=${JOBS:-$(nproc)}
[[ $jobs =~ ^[1-9][0-9]*$ ]] || die_usage "JOBS is a number of processes, not '$jobs'"

# Ninja runs CMake again by itself when a CMakeLists.txt has changed; the presets and a moved source tree are ours.
is_configured() {
    local build=build/$1
    [[ -f $build/build.ninja && $build/build.ninja -nt CMakePresets.json ]] &&
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$build/CMakeCache.txt"
}

# build_preset PRESET TARGET...: of the sources in the current folder.
build_preset() {
    local preset=$1 ninja=()
    shift
    [[ -t 2 ]] || ninja=(-- --quiet)
    is_configured "$preset" || step "configure $preset" quietly cmake --fresh --preset "$preset"
    step "build $preset" cmake --build --preset "$preset" --parallel "$jobs" --target "$@" "${ninja[@]}"
}
