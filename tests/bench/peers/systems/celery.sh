# shellcheck shell=bash disable=SC2034,SC2154 # the names that `measure` shares
# Celery with Redis: the append-only file is synced at each write, before the reply; tasks are acknowledged after they ran
# and go back when a pool process is lost. One worker with a pool process a slot.

package=python3-celery
programs=(celery redis-server)
patience=150 # after its visibility_timeout a lost task waits for a worker's look, every 100 s

start_server() {
    [[ -n ${port-} ]] || free_port port
    export PEERS_BROKER=redis://127.0.0.1:$port/0 PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1
    spawn server redis-server --bind 127.0.0.1 --port "$port" --dir "$dir" --save '' --appendonly yes --appendfsync always
}

start_worker() {
    rm -f -- "$dir/ready"
    PEERS_READY=$dir/ready spawn "worker$1" celery --workdir "$dir" -A celery_tasks worker --concurrency "$slots" \
        --loglevel warning --without-gossip --without-mingle --without-heartbeat
}

ready() { [[ -e $dir/ready ]]; }
submit() { python3 "$here/celery_tasks.py" "$1" "${command[@]}"; }

# Tasks in the queue, and tasks that a worker has taken and not acknowledged.
left() {
    local answer
    answer=$(ask "$port" $'LLEN celery\r\nHLEN unacked\r\nQUIT\r\n') || return
    [[ $answer =~ ^:([0-9]+)$'\n':([0-9]+) ]] || return
    printf '%s\n' $((BASH_REMATCH[1] + BASH_REMATCH[2]))
}
