# shellcheck shell=bash
# Configure and build by the presets of CMakePresets.json.

readonly build_root=$root/build
builder= # begin_build's process, until it has ended
jobs=${JOBS:-$(nproc)}
[[ $jobs =~ ^[1-9][0-9]*$ ]] || die_usage "JOBS is a number of processes, not '$jobs'"

# Ninja runs CMake again by itself when a CMakeLists.txt has changed; the presets and a moved source tree are ours.
is_configured() {
    local build=build/$1
    [[ -f $build/build.ninja && $build/build.ninja -nt CMakePresets.json ]] &&
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$build/CMakeCache.txt"
}

configure_preset() {
    is_configured "$1" || step "configure $1" quietly cmake --fresh --preset "$1"
}

# build_preset PRESET TARGET...: of the sources in the current folder.
build_preset() {
    local preset=$1 ninja=()
    shift
    [[ -t 2 ]] || ninja=(-- --quiet)
    configure_preset "$preset"
    step "build $preset" cmake --build --preset "$preset" --parallel "$jobs" --target "$@" "${ninja[@]}"
}

# begin_build PRESET TARGET...: compiles beside what follows, with what that leaves of the processors. Above four jobs it
# takes half of them, because the tests need memory, too.
begin_build() {
    configure_preset "$1"
    nice -n 19 ninja -C "$build_root/$1" -j "$((jobs > 4 ? jobs / 2 : jobs))" --quiet "${@:2}" >/dev/null 2>&1 </dev/null &
    builder=$!
}

# end_build PRESET TARGET...: what has not compiled fails again here, and says why.
end_build() {
    step "build $1 beside the tests" wait_for_builder
    build_preset "$@"
}

wait_for_builder() {
    wait "$builder" || true
    builder=
}

stop_builder() {
    [[ -z $builder ]] || kill -- "$builder" || true
}
