# shellcheck shell=bash
# What packaging/run says, and how a run ends. Everything here goes to standard error.

told=        # the closing line was printed: tell_failure has nothing to add
current_step=

# Whether file descriptor $1 wants colour.
colourful() {
    [[ -t $1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]
}

# paint FD COLOUR TEXT: a line, coloured only for a person.
paint() {
    if colourful "$1"; then
        printf '\e[%sm%s\e[0m\n' "$2" "$3" >&"$1"
    else
        printf '%s\n' "$3" >&"$1"
    fi
}

say() { printf '%s\n' "$*" >&2; }

succeed() {
    told=yes
    paint 2 32 "$*"
}

fail() {
    told=yes
    paint 2 31 "$*"
}

die() {
    fail "failed: $*"
    exit 1
}

die_usage() {
    fail "packaging/run: $*; 'packaging/run' alone lists the verbs"
    exit 2
}

# For the EXIT trap: a run never ends without a closing line that says where it stopped.
tell_failure() {
    local code=$?
    if ((code != 0)) && [[ -z $told ]]; then
        fail "failed: ${current_step:-packaging/run} (exit code $code)"
        [[ $verb != test ]] || { failed=$((failed + 1)); tell_counts; }
    fi
}

duration() {
    local seconds=$1
    ((seconds < 60)) && printf '%d s' "$seconds" || printf '%d min %d s' $((seconds / 60)) $((seconds % 60))
}

# step TEXT COMMAND...: says what is done, does it, says how long it took. The command's output goes to standard error.
step() {
    current_step=$1
    local began=$SECONDS
    say "==> $1"
    shift
    "$@" >&2
    say "    done in $(duration $((SECONDS - began)))"
    current_step=
}

# quietly COMMAND...: its output only when it fails.
quietly() {
    local log code=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null || code=$?
    ((code == 0)) || cat -- "$log" >&2
    rm -f -- "$log"
    return "$code"
}
