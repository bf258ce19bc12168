# shellcheck shell=bash disable=SC2034,SC2154 # the names that `measure` shares
# Drover itself: `drover bench jobs` for the rate, a cluster of `drover up` for the faults.

drover=${DROVER:-$here/../../../build/release/bin/drover}
programs=("$drover" pgrep)
unset DROVER_CONNECT DROVER_CLUSTER DROVER_HISTORY DROVER_CONFIG
look_every=0.2 # `left` is a whole process of the client

tell_version() { "$drover" --version | cut -d" " -f2; }

start_server() {
    is_alive up && return # it starts its server again by itself
    export XDG_DATA_HOME=$dir/data XDG_STATE_HOME=$dir/state XDG_RUNTIME_DIR=$dir/run XDG_CONFIG_HOME=$dir/config
    mkdir -p -- "$XDG_RUNTIME_DIR"
    spawn up "$drover" up --workers 1 --slots "$slots"
}

# And its workers.
keep_workers() { is_alive up; }
server_pids() { cat -- "$XDG_DATA_HOME/drover/zookeeper/server.pid"; }
worker_pids() { pgrep -P "${pid_of[up]}" -f ' worker '; }
ready() { [[ $("$drover" worker ls -o jsonl | wc -l) == 1 ]]; }

submit() {
    seq "$1" | xargs -I{} -P "$slots" "$drover" submit --dir "$dir" --env DROVER_PEERS -- "${command[@]}" {} >/dev/null
}

left() {
    local list
    list=$("$drover" ls -o jsonl) || return
    printf '%s' "$list" | grep -c . || true
}

rate() {
    local figures
    figures=$("$drover" bench jobs --jobs "$jobs" --warm-up "$warm_up" --slots "$slots" -o json)
    python3 -c 'import json, sys
figures = json.load(sys.stdin)
print(figures["elapsed_ms"] / 1000, figures["job_count"] / figures["submit_per_s"])' <<<"$figures"
}
