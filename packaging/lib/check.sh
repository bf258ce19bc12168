# shellcheck shell=bash
# What `packaging/run test` checks, and `format` and `lint` beside it.

passed=0
failed=0
failures=() # what failed: a check, or a preset's tests
readonly source_folders=(app core gui tests workers)

list_sources() {
    find "${source_folders[@]}" -type f \( -name '*.cpp' -o -name '*.h' \) -print0
}

# format_sources CLANG-FORMAT-OPTIONS...
format_sources() {
    list_sources | xargs -0 clang-format --style=file "$@"
}

# A check that fails counts as one failure and does not keep the others from running.
check() {
    current_step=$1
    local began=$SECONDS
    say "==> $1"
    shift
    if "$@" >&2; then
        say "    done in $(duration $((SECONDS - began)))"
    else
        failed=$((failed + 1))
        failures+=("$current_step")
        paint 2 31 "    failed: $current_step"
    fi
}

# run_ctest PRESET CTEST-OPTIONS...: shows ctest's output as it is and adds its closing count to ours.
run_ctest() {
    local preset=$1 began=$SECONDS log code=0
    shift
    current_step="tests on $preset"
    log=$build_root/$preset/ctest.log
    say "==> $current_step"
    ctest --preset "$preset" --parallel 4 --no-tests=error "$@" </dev/null 2>&1 | tee -- "$log" || code=$?
    add_counts "$log" "$code"
    tell_skipped "$build_root/$preset/Testing/Temporary/LastTest.log"
    say "    done in $(duration $((SECONDS - began)))"
}

# "95% tests passed, 2 tests failed out of 40". No such line, or a bad exit without a failed test, is a failure too.
add_counts() {
    local line='tests passed, ([0-9]+) tests? failed out of ([0-9]+)' bad=0 all=0
    if [[ $(tail -n 200 -- "$1") =~ $line ]]; then
        bad=${BASH_REMATCH[1]}
        all=${BASH_REMATCH[2]}
    fi
    passed=$((passed + all - bad))
    if (($2 != 0 && bad == 0)); then
        bad=1
    fi
    failed=$((failed + bad))
    ((bad == 0)) || failures+=("$current_step")
    mapfile -t -O ${#failures[@]} failures < <(((bad == 0)) || what_failed "$1")
}

# Programs, functions and what sanitizers found: repeated after all counts, far below the log that tells the circumstances.
what_failed() {
    sed -nE 's/^\t *[0-9]+ - (.*\(.*\))$/\1/p; s/^FAIL!  : //p; /^==[0-9]+==ERROR:/p; /: runtime error: /p' -- "$1" |
        head -n 40
}

# Test functions that did not run, because this machine lacks what they need: ctest counts their programs as passed.
tell_skipped() {
    local skipped
    mapfile -t skipped < <(sed -nE 's/^SKIP +: //p' -- "$1" | sort)
    ((${#skipped[@]})) || return 0
    say "    ${#skipped[@]} test functions skipped:"
    printf '      %s\n' "${skipped[@]}" >&2
}

tell_counts() {
    told=yes
    local colour=32 failure
    ((failed == 0)) || colour=31
    for failure in "${failures[@]}"; do
        paint 1 31 "failed: $failure"
    done
    paint 1 "$colour" "$passed passed, $failed failed"
    ((failed == 0))
}

# run_all_checks ALL: each test in one build, some in both (tests/CMakeLists.txt); each in both unless ALL is empty.
run_all_checks() {
    local plain=(programs plain_tests) sanitized=(sanitized_tests) only_plain=(--label-regex '^plain$')
    local only_sanitized=(--label-regex '^sanitized$')
    if [[ $1 ]]; then
        plain=(all) sanitized=(all) only_plain=() only_sanitized=()
    fi
    export QT_QPA_PLATFORM=offscreen
    check "format (packaging/run format repairs it)" format_sources --dry-run -Werror
    build_preset release "${plain[@]}"
    check "Curator and kazoo are there to be met (tests/interop)" test -x "$build_root/release/bin/curator-peer"
    begin_build asan "${sanitized[@]}" # by the second compiler; tests wait more than they compute
    run_ctest release "${only_plain[@]}"
    check "a minute of storm (tests/storm)" storm_for_a_minute
    check "five mutants" "$root/packaging/run" mutants --count 5
    end_build asan "${sanitized[@]}"
    run_ctest asan "${only_sanitized[@]}"
    tell_counts
}

# Another seed each time: it decides on the weather, not on the races, so a fixed one would find the same little for ever.
# The storm prints it, what was violated, and how to meet the same weather again.
storm_for_a_minute() {
    DROVER=$build_root/release/bin/drover "$root/tests/storm/storm" --minutes 1 </dev/null >/dev/null
}

# What differs from main, committed or not.
changed_files() {
    local base
    base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || echo HEAD)
    git diff --name-only --diff-filter=d "$base"
    git ls-files --others --exclude-standard
}

lint() {
    local files=("$@") sources=() scripts=() file
    case ${1:-} in
    --all) mapfile -t files < <(git ls-files) ;;
    '') mapfile -t files < <(changed_files) ;;
    -*) die_usage "lint takes --all or files, not '$1'" ;;
    esac
    for file in "${files[@]}"; do
        [[ -f $file ]] || die "there is no file $file"
        case $file in
        *.cpp) sources+=("$file") ;;
        .ci/run | packaging/run | packaging/lib/*.sh) scripts+=(.ci/run packaging/run) ;;
        tests/bench/peers/*.py | tests/storm/*.py | tests/storm/storm) ;;
        packaging/systemd/worker-service | packaging/deb/p* | packaging/containers/*-*) scripts+=("$file") ;;
        tests/storm/job | tests/bench/figures/[lsw]* | tests/toolchain/[bcs]*.sh | tests/support/*.sh) scripts+=("$file") ;;
        tests/bench/peers/*.md) ;;
        tests/bench/peers/*) scripts+=(tests/bench/peers/{run,measure,job} tests/bench/peers/systems/*.sh) ;;
        esac
    done
    if ((${#scripts[@]})); then
        step "shellcheck" shellcheck --external-sources --check-sourced "${scripts[@]}"
    fi
    if ((${#sources[@]})); then
        build_preset lint all # clang-tidy reads its precompiled headers and Qt's generated code
        step "clang-tidy ${#sources[@]} files" clang_tidy "${sources[@]}"
    fi
}

clang_tidy() {
    printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p "$build_root/lint"
}
