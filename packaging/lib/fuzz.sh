# shellcheck shell=bash
# `packaging/run fuzz`: libFuzzer on the targets of tests/fuzz (its README.md).

readonly fuzz_programs=$build_root/fuzz/fuzz
readonly fuzz_corpus=$build_root/fuzz/corpus     # grows with each run
readonly fuzz_findings=$build_root/fuzz/findings # inputs that made a target fail
# Where memory was allocated and freed is told by a few frames; a small quarantine halves the time that is spent in malloc.
readonly fuzz_asan=detect_leaks=0:malloc_context_size=5:quarantine_size_mb=8
readonly fuzz_limits=(-timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=256 -max_len=2048)

# choose_fuzzing ARGUMENTS...: sets fuzz_targets and fuzz_budget, libFuzzer's option for how long each of them runs.
choose_fuzzing() {
    local seconds='' runs=''
    fuzz_targets=()
    while (($# > 0)); do
        case $1 in
        --seconds | --runs)
            [[ ${2-} =~ ^[1-9][0-9]{0,11}$ ]] || die_usage "$1 takes a number from 1 on, not '${2-}'"
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        -*) die_usage "fuzz takes targets, --seconds N and --runs N, not '$1'" ;;
        *)
            [[ -d tests/fuzz/corpus/$1 ]] || die_usage "there is no target '$1'; there are $(echo tests/fuzz/corpus/* | sed 's|tests/fuzz/corpus/||g')"
            fuzz_targets+=("$1")
            ;;
        esac
        shift
    done
    ((${#fuzz_targets[@]})) || mapfile -t fuzz_targets < <(cd tests/fuzz/corpus && printf '%s\n' *)
    fuzz_budget=()
    [[ -z $runs ]] || fuzz_budget+=("-runs=$runs")
    [[ -z $seconds && $runs ]] || fuzz_budget+=("-max_total_time=${seconds:-60}")
}

run_fuzzing() {
    build_preset fuzz "${fuzz_targets[@]/#/fuzz.}"
    local target failed_targets=0
    for target in "${fuzz_targets[@]}"; do
        current_step="fuzz $target"
        fuzz_one "$target" || failed_targets=$((failed_targets + 1))
    done
    ((failed_targets == 0)) || die "findings in $failed_targets of ${#fuzz_targets[@]} targets"
    succeed "ok: no finding in ${#fuzz_targets[@]} of ${#fuzz_targets[@]} targets"
}

# fuzz_one TARGET: one line, and three more for a finding.
fuzz_one() {
    local target=$1 log began=$SECONDS code=0 runs
    log=$fuzz_findings/$target/log
    mkdir -p -- "$fuzz_findings/$target" "$fuzz_corpus/$target"
    LC_ALL=C.UTF-8 QT_QPA_PLATFORM=offscreen ASAN_OPTIONS=$fuzz_asan UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        "$fuzz_programs/$target" "${fuzz_budget[@]}" "${fuzz_limits[@]}" -print_final_stats=1 \
        "-artifact_prefix=$fuzz_findings/$target/" "$fuzz_corpus/$target" "tests/fuzz/corpus/$target" \
        >"$log" 2>&1 </dev/null || code=$?
    runs=$(awk '/^stat::number_of_executed_units:/ { print $2 }' "$log")
    say "$(printf '%-18s %12d executions, %7d/s, %d findings' "$target" "${runs:-0}" \
        $((${runs:-0} / (SECONDS - began > 0 ? SECONDS - began : 1))) $((code != 0)))"
    ((code != 0)) || return 0
    tell_finding "$target" "$log"
    return 1
}

# tell_finding TARGET LOG
tell_finding() {
    local reason reproducer
    reason=$(grep -m 1 -E 'what\(\): |runtime error: |ERROR: ' -- "$2" || tail -n 1 -- "$2")
    reproducer=$(sed -nE 's/.*Test unit written to (.*)$/\1/p' "$2" | head -n 1)
    fail "    ${reason#"${reason%%[![:space:]]*}"}"
    say "    the whole report: $2"
    [[ -n $reproducer ]] || return 0
    say "    the input:        $reproducer"
    say "    to replay it:     ASAN_OPTIONS=$fuzz_asan $fuzz_programs/$1 ${fuzz_limits[*]} $reproducer"
}
