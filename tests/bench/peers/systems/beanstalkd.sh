# shellcheck shell=bash disable=SC2034,SC2154 # the names that `measure` shares
# beanstalkd with its log synced at each write. Debian has no client: beanstalk.py, with a pipelined submission.

programs=(beanstalkd python3)
workers=$slots
faults=(server worker)

start_server() {
    [[ -n ${port-} ]] || free_port port
    mkdir -p -- "$dir/log.d"
    spawn server beanstalkd -l 127.0.0.1 -p "$port" -b "$dir/log.d" -f 0
}

start_worker() { spawn "worker$1" python3 "$here/beanstalk.py" work "$port" "${command[@]}"; }
submit() { python3 "$here/beanstalk.py" put "$port" "$1"; }
statistics() { ask "$port" $'stats-tube default\r\nquit\r\n'; }
ready() { [[ $(statistics) == *"current-waiting: $slots"$'\n'* ]]; }

left() {
    local answer sum=0 state
    answer=$(statistics) || return
    for state in ready reserved delayed buried; do
        [[ $answer =~ current-jobs-$state:\ ([0-9]+) ]] || return
        ((sum += BASH_REMATCH[1])) || true
    done
    printf '%s\n' "$sum"
}
