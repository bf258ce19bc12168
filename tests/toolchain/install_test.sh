#!/usr/bin/env bash
# install_test.sh CMAKE BUILD VERSION: what `cmake --install BUILD` puts in a place of its own works there.
set -u
cmake=$1
build=$2
version=$3
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
prefix=$scratch/prefix

fault() {
    printf '%s\n' "$@"
    exit 1
}

said=$("$cmake" --install "$build" --prefix "$prefix" 2>&1) || fault "cmake --install fails:" "$said"
for program in bin/drover bin/drover-console libexec/drover/drover-runner libexec/drover/drover-bench; do
    [[ -x $prefix/$program ]] || fault "$program is not installed:" "$said"
done

# The links between the installed documents lead somewhere.
documents=$prefix/share/doc/drover/docs
[[ -f $documents/tutorial.md && -f $documents/../README.md ]] || fault "the documents are not installed:" "$said"
while IFS=: read -r file link; do
    link=${link#*](}
    [[ -e $(dirname "$file")/${link%)} ]] || fault "$file has a link to ${link%)}, which is not installed"
done < <(grep -rHoE '\]\([a-zA-Z_./-]+\.md\)' "$documents")

# What they name is installed, or a line at their beginning says that it is in the sources.
# shellcheck disable=SC2034 # of the file that is read next
build_root=$build
# shellcheck source=packaging/lib/package.sh
source "$(dirname -- "$0")/../../packaging/lib/package.sh"
name_places "$prefix"
others=$(grep -rnE '`packaging/(docs/|SECURITY|(hosts|worker)\.toml)' "$documents/..") &&
    fault "these name installed files by their places in the sources:" "$others"
while read -r file; do
    # shellcheck disable=SC2016 # it looks for these marks
    [[ $(sed -n 3p "$file") == "> "*'`packaging/`'* ]] || fault "$file does not say where the sources are"
done < <(grep -rl --include='*.md' 'packaging/' "$documents/..")
for file in "$prefix"/share/man/man1/*.gz "$documents"/../README.md; do
    while read -r named; do
        [[ $named == "$prefix"/* && -e $named ]] || fault "${file##*/} names $named, which is not there"
    done < <(zgrep -oE '[a-zA-Z0-9_/.-]+/share/doc/drover/[a-zA-Z0-9_/.-]*[a-z]' "$file")
done

drover() {
    env --ignore-environment HOME="$scratch" LC_ALL=C.UTF-8 PATH=/usr/bin:/bin "$prefix/bin/drover" "$@" 2>&1
}
# A worker starts its runner before it looks for ZooKeeper, and nothing listens on this port.
start_worker() {
    drover worker --allow-root --connect 127.0.0.1:1 --connect-timeout 200ms
}

said=$(drover launch --help | tr -d '\n ') || fault "drover launch --help fails:" "$said"
[[ $said == *"$prefix/share/doc/drover/examples/hosts.toml"* ]] || fault "launch --help names no sample here:" "$said"

said=$(drover --version) || fault "drover --version fails:" "$said"
[[ $said == *"$version"* ]] || fault "drover --version does not say $version:" "$said"
said=$(start_worker) && fault "a worker without ZooKeeper succeeds:" "$said"
[[ $said == *127.0.0.1:1* && $said != *drover-runner* ]] || fault "a worker does not find its runner:" "$said"
rm -- "$prefix/libexec/drover/drover-runner"
said=$(start_worker) && fault "a worker without a runner succeeds:" "$said"
[[ $said == *"cannot run jobs without $prefix/bin/drover-runner"* ]] || fault "a worker needs no runner:" "$said"
