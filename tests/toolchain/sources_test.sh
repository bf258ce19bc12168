#!/usr/bin/env bash
# sources_test.sh SOURCE BUILD: the commands of the documents that act on the sources, in a copy of SOURCE and, where they
# need programs, in the build tree BUILD of the release. What takes minutes is asked what it would do: builds by "-n" of
# ninja, tests by "-N" of ctest.
# shellcheck disable=SC2016 # a pattern of a command is meant as it stands
set -euo pipefail
source=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

fault() {
    printf '%s\n' "$@" >&2
    exit 1
}
# shellcheck source=tests/support/documents.sh
source "$source/tests/support/documents.sh"

# pastes COMMAND [BEHIND]: in a shell of the current folder, with BEHIND added to it. What it prints is left in `printed`.
pastes() {
    printed=$(bash -c "${1:?no command}${2:+ $2}" 2>&1 </dev/null) || fault "$1:" "$printed"
}
prints() { [[ $printed == *"$1"* ]] || fault "not printed, $1:" "$printed"; }

mkdir -- "$scratch/drover"
(cd -- "$source" && find . \( -path ./build -o -name .git \) -prune -o -type f -print0 | tar --create --null --files-from -) |
    tar --extract --directory "$scratch/drover"
cd -- "$scratch/drover"
git init --quiet
git add --all
git -c user.name=test -c user.email=test commit --quiet --message "The sources"

pastes "$(said 'git ls-files *')"
[[ $printed == */claim_policy.h ]] || fault "git ls-files prints: $printed"
pastes "$(said 'patch -p1 < packaging/examples/recipe.patch')"
pastes "$(said 'cmake --preset dev')"
pastes "$(said 'cmake --build --preset dev')" '-- -n'
command=$(said 'cmake --build --preset dev --target core.recipes.barriers.roll_call_test *')
pastes "${command%% &&*}" '-- -n'
pastes "$(said 'ctest --preset dev -LE real')" -N
pastes "$(said 'ctest --preset dev -R core.zk --rerun-failed')" -N
prints core.zk.client.session_test
test=$(said 'build/dev/tests/core.async.task_test -h')
test=${test#build/dev/tests/}
pastes 'ctest --preset dev' "-N -R '^${test% -h}\$'"
prints 'Total Tests: 1'

echo '// changed' >>core/zk/path.cpp
command=$(said 'git diff -U2 FILE > *')
command=${command/FILE/core/zk/path.cpp}
pastes "${command/NAME/name}"
grep -q '^+// changed' tests/mutants/name.patch || fault "git diff leaves no mutant"

cd -- "$source"
[[ $build -ef build/release ]] || exit 0
pastes "$(said 'cmake --build --preset release --target drover_gui_lupdate')" '-- -n'
pastes "cd build/release && $(said 'ctest -R *')" -N
prints gui.
pastes "$(said 'packaging/run demo')"
picture=$(said 'build/dev/bin/drover-console --demo *')
picture=${picture/build\/dev/"$source/build/release"}
(cd -- "$scratch" && QT_QPA_PLATFORM=offscreen pastes "${picture/after 30s/after 1s}" && [[ -s console.png ]]) ||
    fault "no picture of the demo"
