#!/usr/bin/env bash
# library_test.sh CMAKE CPACK BUILD DROVER: the examples of libdrover-dev, built against what the package holds, unpacked
# elsewhere, and run on a cluster of their own.
set -u
cmake=$1
cpack=$2
build=$3
drover=$4
scratch=$(mktemp -d)
prefix=$scratch/unpacked/usr
export HOME=$scratch XDG_RUNTIME_DIR=$scratch LC_ALL=C.UTF-8
unset DROVER_CONNECT DROVER_CLUSTER XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME

finish() {
    "$drover" down >/dev/null 2>&1
    rm -rf -- "$scratch"
}
trap finish EXIT

fault() {
    printf '%s\n' "$@"
    exit 1
}

said=$(cd -- "$build" && "$cpack" -B "$scratch" -D CPACK_COMPONENTS_ALL=libdrover-dev \
    -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip 2>&1) || fault "cpack fails:" "$said"
dpkg-deb --extract "$scratch"/libdrover-dev_*.deb "$scratch/unpacked" || fault "there is no package:" "$said"
examples=$prefix/share/doc/libdrover-dev/examples
for example in "$examples"/*.cpp; do
    (($(wc -l <"$example") <= 30)) || fault "$example has more than 30 lines"
done
said=$("$cmake" -G Ninja -S "$examples" -B "$scratch/built" -DCMAKE_PREFIX_PATH="$prefix" 2>&1 &&
    "$cmake" --build "$scratch/built" 2>&1) || fault "the examples cannot be built:" "$said"

# With pkg-config, what CMake has built already.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
said=$(pkg-config --cflags --libs drover 2>&1) || fault "pkg-config:" "$said"
read -ra options <<<"$said"
said=$(c++ -fPIC -pie -o "$scratch/lock" "$examples/lock.cpp" "${options[@]}" 2>&1) ||
    fault "an example cannot be built with pkg-config:" "$said"

said=$("$drover" up --open --detach --workers 1 2>&1) || fault "drover up:" "$said"
[[ $said =~ ZooKeeper\ at\ ([0-9.:]+) ]] || fault "drover up does not say where ZooKeeper is:" "$said"
server=${BASH_REMATCH[1]}
for program in "$scratch/lock" "$scratch/built/lock"; do
    said=$(timeout 60 "$program" "$server" /example/lock 2>"$scratch/log") ||
        fault "lock:" "$said" "$(<"$scratch/log")"
    [[ $said == "the lock is mine, with the fence "[1-9]* ]] || fault "lock:" "$said"
done
said=$(timeout 60 "$scratch/built/submit" "$server" true 2>"$scratch/log") || fault "submit:" "$said" "$(<"$scratch/log")"
[[ $said == "default-0 has succeeded" ]] || fault "submit:" "$said"
