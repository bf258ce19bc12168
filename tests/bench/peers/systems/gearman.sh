# shellcheck shell=bash disable=SC2034,SC2154 # the names that `measure` shares
# Gearman with its queue in SQLite, and its own command-line client and worker, which runs one job at a time and gives it
# the payload on standard input.

package=gearman-job-server
programs=(gearmand gearman)
workers=$slots
faults=(server worker)

start_server() {
    [[ -n ${port-} ]] || free_port port
    spawn server gearmand --listen=127.0.0.1 --port="$port" --queue-type=libsqlite3 --libsqlite3-db="$dir/queue.sqlite" \
        --log-file="$dir/gearmand.log"
}

start_worker() { spawn "worker$1" gearman -h 127.0.0.1 -p "$port" -w -f work -- "${command[@]}"; }
submit() { seq "$1" | gearman -h 127.0.0.1 -p "$port" -b -n -f work >/dev/null; }

# NAME JOBS RUNNING WORKERS
status() { ask "$port" $'status\r\n'; }
ready() { [[ $(status) == work$'\t'*$'\t'"$slots" ]]; }

left() {
    local answer
    answer=$(status) || return
    [[ $answer =~ ^work$'\t'([0-9]+) ]] && printf '%s\n' "${BASH_REMATCH[1]}" || printf '0\n'
}
