# shellcheck shell=bash
# What every system needs: processes that leave nothing behind, ports, waiting.

# Owned by `measure`: the directory of this measurement; its processes find it in their environment, which is how they are
# found again whatever they have forked.
dir=
declare -A pid_of=()

say() { printf '%s\n' "$*" >&2; }

die() {
    say "failed: $system: $*"
    exit 1
}

# spawn NAME COMMAND...: a process of this measurement in the background, its output in NAME.log.
spawn() {
    local name=$1
    shift
    "$@" >>"$dir/$name.log" 2>&1 </dev/null &
    pid_of[$name]=$!
    disown $! # a violent death is expected and no news
}

is_alive() { [[ -n ${pid_of[$1]-} ]] && kill -0 "${pid_of[$1]}" 2>/dev/null; }

# marked VARIABLE: the pids of all processes that carry the mark of this measurement, in environment, arguments or working
# directory. Some servers overwrite the first two with their title.
marked() {
    local -n found=$1
    local pid
    local -A seen=()
    while IFS=/ read -r _ _ pid _; do
        seen[$pid]=
    done < <(
        env -i grep -lzsFf <(printf '%s\n' "$dir") /proc/[0-9]*/environ /proc/[0-9]*/cmdline || true
        env -i find /proc/[0-9]*/cwd -lname "$dir*" 2>/dev/null || true
    )
    # shellcheck disable=SC2034 # a name reference
    found=("${!seen[@]}")
}

# end_all: asks all of them once, kills them after two seconds, until none is left.
end_all() {
    local turn pids
    for ((turn = 0; turn < 100; ++turn)); do
        marked pids
        ((${#pids[@]})) || return 0
        ((turn > 0)) || kill -s TERM "${pids[@]}" 2>/dev/null || true
        ((turn < 20)) || kill -s KILL "${pids[@]}" 2>/dev/null || true
        nap 0.1
    done
    say "still alive: ${pids[*]}"
    return 1
}

# nap SECONDS, without a process: nobody ever writes to this pipe.
nap() {
    [[ -n ${silence-} ]] || exec {silence}<> <(:)
    read -r -t "$1" -u "$silence" _ || true
}

microseconds() { printf -v "$1" %s "${EPOCHREALTIME/./}"; }

# await WHAT SECONDS COMMAND...: until the command succeeds.
await() {
    local goal=$1 limit=$((SECONDS + $2))
    shift 2
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < limit)) || die "$goal: not within the time; see $dir/*.log (--keep keeps them)"
        nap 0.05
    done
}

# free_port VARIABLE: below the range that the kernel gives to clients.
free_port() {
    local candidate
    for (( ; ; )); do
        candidate=$((20000 + RANDOM % 12000))
        (: <>"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null || break
    done
    printf -v "$1" %s "$candidate"
}

# ask PORT REQUEST: what a server of lines answers, up to a lone dot or its hanging up.
ask() {
    local line
    {
        printf '%s' "$2" >&"$talk"
        while IFS= read -r -t 10 -u "$talk" line && [[ ${line%$'\r'} != . ]]; do
            printf '%s\n' "${line%$'\r'}"
        done
        exec {talk}>&-
    } {talk}<>"/dev/tcp/127.0.0.1/$1"
} 2>/dev/null
