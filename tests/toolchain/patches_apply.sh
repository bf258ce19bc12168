#!/usr/bin/env bash
# The patches that live beside the sources still apply to them: the worked examples of CONTRIBUTING.md, and the mutants.
# The test that each mutant names is there.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
build_root=$root/build
# shellcheck source=../../packaging/lib/mutants.sh
source "$root/packaging/lib/mutants.sh" # killer_of
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
bad=0
count=0
for file in "$root"/packaging/examples/*.patch "$root"/tests/mutants/*.patch; do
    count=$((count + 1))
    if ! patch --dry-run --force --fuzz=0 --strip=1 --directory="$root" --input="$file" --reject-file="$scratch/rejected" \
        >"$scratch/said"; then
        bad=$((bad + 1))
        printf '%s does not apply any more:\n' "${file#"$root/"}"
        cat -- "$scratch/said"
    fi
done
for file in "$root"/tests/mutants/*.patch; do
    killer=$(killer_of "$(basename -- "$file" .patch)")
    if [[ ! -f $root/tests/${killer//.//}.cpp ]]; then
        bad=$((bad + 1))
        printf '%s is killed by %s, but there is no such test\n' "${file#"$root/"}" "$killer"
    fi
done
((count > 40)) || { echo "only $count patches were found in $root"; exit 1; }
((bad == 0))
