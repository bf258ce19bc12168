# shellcheck shell=bash
# `packaging/run mutants`: do the tests notice what they are there for? Each patch of tests/mutants breaks one thing in a copy of
# the sources, which has a build tree of its own, and the test that the patch names has to fail (tests/README.md).

readonly mutant_folder=$root/tests/mutants
readonly mutated=$build_root/mutants     # the copy, with a build tree of its own
readonly mutant_preset=release            # ccache knows the objects that `run test` has just made
chosen_mutants=()

# choose_mutants [--list] [--count N] [--seed S] [NAME...]
choose_mutants() {
    local count=0 seed='' list='' file
    chosen_mutants=()
    while (($# > 0)); do
        case $1 in
        --list) list=yes ;;
        --count | --seed)
            [[ ${2-} =~ ^[1-9][0-9]{0,8}$ ]] || die_usage "$1 takes a number from 1 on, not '${2-}'"
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        -*) die_usage "mutants takes --list, --count N, --seed S and names, not '$1'" ;;
        *)
            [[ $1 != */* && -f $(patch_of "$1") ]] ||
                die_usage "there is no mutant '$1'; 'packaging/run mutants --list' names them"
            chosen_mutants+=("$1")
            ;;
        esac
        shift
    done
    if ((${#chosen_mutants[@]} == 0)); then
        for file in "$mutant_folder"/*.patch; do
            chosen_mutants+=("$(basename -- "$file" .patch)")
        done
    fi
    check_heads
    [[ -z $seed || $count -gt 0 ]] || die_usage "--seed is for --count N"
    if ((count > 0)); then
        seed=${seed:-$((RANDOM + 1))}
        mapfile -t chosen_mutants < <(some_mutants "$count" "$seed")
        say "$count at random: packaging/run mutants --count $count --seed $seed takes the same"
    fi
    [[ -z $list ]] || list_mutants
}

# In an order that the seed gives, and that a new mutant does not change for the others. The dear ones are left out.
some_mutants() {
    local name
    for name in "${chosen_mutants[@]}"; do
        is_dear "$name" || printf '%s %s\n' "$(md5sum <<<"$2 $name")" "$name"
    done | sort | head -n "$1" | sed 's/.* //'
}

list_mutants() {
    local name
    for name in "${chosen_mutants[@]}"; do
        printf '%s\n' "$name"
        sed -n '1,2s/^/    /p' -- "$(patch_of "$name")"
    done
    chosen_mutants=()
}

patch_of() { printf '%s' "$mutant_folder/$1.patch"; }

# The second line of a patch: "Killed by TEST." or "Killed by TEST, which is dear."
killer_of() { sed -nE '2s/^Killed by ([a-z0-9_.]+)(, which is dear)?\.$/\1/p' -- "$(patch_of "$1")"; }

is_dear() { sed -n 2p -- "$(patch_of "$1")" | grep -q ', which is dear\.$'; }

check_heads() {
    local name
    for name in "${chosen_mutants[@]}"; do
        [[ -n $(killer_of "$name") ]] || die "line 2 of tests/mutants/$name.patch is to be 'Killed by TEST.'"
    done
}

# Tries what choose_mutants has chosen, and ends the run unless all are killed.
run_mutants() {
    local name tried=${#chosen_mutants[@]} killed=0 began=$SECONDS
    copy_sources
    try_unmutated
    say "==> $tried mutants"
    for name in "${chosen_mutants[@]}"; do
        if run_mutant "$name"; then killed=$((killed + 1)); fi
    done
    ((killed == tried)) || die "$((tried - killed)) of $tried mutants were not killed"
    succeed "ok: $tried mutants killed in $(duration $((SECONDS - began)))"
}

# Writes what differs and nothing else: ninja goes by the time of a file.
copy_sources() {
    local file places=("${source_folders[@]}" packaging)
    mkdir -p -- "$mutated"
    while IFS= read -r -d '' file; do
        cmp --quiet -- "$file" "$mutated/$file" || cp --parents -- "$file" "$mutated"
    done < <(find "${places[@]}" CMakeLists.txt CMakePresets.json README.md -type f -print0)
    while IFS= read -r -d '' file; do
        [[ -e $file ]] || rm -- "$mutated/$file"
    done < <(cd -- "$mutated" && find "${places[@]}" -type f -print0)
}

# A test that fails without a mutant kills none.
try_unmutated() {
    local name killers
    mapfile -t killers < <(for name in "${chosen_mutants[@]}"; do killer_of "$name"; done | sort -u)
    cd -- "$mutated"
    build_preset "$mutant_preset" "${killers[@]}"
    cd -- "$root"
    step "their ${#killers[@]} tests without them" quietly test_mutated "${killers[@]}"
}

test_mutated() {
    local IFS='|'
    local regex="^(${*//./\\.})\$"
    (cd -- "$mutated" && ctest --preset "$mutant_preset" --parallel "$jobs" --no-tests=error --tests-regex "$regex") </dev/null
}

# Succeeds if the mutant is killed. The copy is as before afterwards, with a new time for ninja.
run_mutant() {
    local killer files began=$SECONDS verdict log
    killer=$(killer_of "$1")
    log=$(mktemp)
    mapfile -t files < <(sed -n 's|^+++ b/||p' -- "$(patch_of "$1")")
    verdict=$(judge_mutant "$1" "$killer" "$log")
    if [[ $verdict == killed ]]; then
        say "    killed in $(duration $((SECONDS - began))): $1 ($killer)"
    else
        paint 2 31 "    not killed: $1: $verdict"
    fi
    [[ $verdict != *compile* && $verdict != *apply* ]] || tail -n 30 -- "$log" >&2
    rm -f -- "$log"
    [[ $verdict == *apply* ]] || cp --parents -- "${files[@]}" "$mutated" || die "cannot restore ${files[*]} in $mutated"
    [[ $verdict == killed ]]
}

# judge_mutant NAME KILLER LOG: "killed", or why it was not.
judge_mutant() {
    local apply=(patch --directory="$mutated" --input="$(patch_of "$1")" --strip=1 --fuzz=0 --batch --force)
    if ! "${apply[@]}" --dry-run >"$3" 2>&1 || ! "${apply[@]}" --no-backup-if-mismatch >"$3" 2>&1; then
        echo "its patch does not apply"
    elif ! (cd -- "$mutated" && cmake --build --preset "$mutant_preset" --parallel "$jobs" --target "$2") </dev/null >"$3" 2>&1; then
        echo "it does not compile"
    elif test_mutated "$2" >"$3" 2>&1; then
        echo "it survived $2"
    elif grep -qE '\*\*\*(Timeout|Not Run)' -- "$3"; then
        echo "$2 reached no verdict in its time"
    else
        echo killed
    fi
}
