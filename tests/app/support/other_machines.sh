# shellcheck shell=bash
# For the script of a document (pasted_document.h), with the variables DROVER_MACHINES and DROVER_SERVERS: the other
# machines. What follows `machine NAME` runs with settings and credentials of its own, in the folder DROVER_MACHINES,
# which they share: it stands for the copies between them. The ZooKeeper of a document is DROVER_SERVERS, one server for
# three. A worker of a machine runs on in the background once it has joined, until the shell ends.

pids=$PWD/pids
machine() {
    export HOME=$DROVER_MACHINES/$1 XDG_CONFIG_HOME=$DROVER_MACHINES/$1/config XDG_DATA_HOME=$DROVER_MACHINES/$1/data
    export XDG_STATE_HOME=$DROVER_MACHINES/$1/state XDG_RUNTIME_DIR=$DROVER_MACHINES/$1/run
    mkdir -p "$XDG_RUNTIME_DIR"
    chmod 700 "$XDG_RUNTIME_DIR"
    cd "$DROVER_MACHINES" || exit
    name=$1
}
drover() {
    local word words=()
    for word; do words+=("${word//zk1:2181,zk2:2181,zk3:2181/$DROVER_SERVERS}"); done
    [[ -v name && $1 == worker && ${2--} == -* ]] || { command drover "${words[@]}"; return; }
    [[ ${words[*]} == *--id* ]] || words+=(--id "$name")
    command drover "${words[@]}" --allow-root --policy none >"$name.log" 2>&1 &
    echo $! >>"$pids"
    timeout 120 bash -c "until command drover worker ls | grep -q '$name  *ready'; do sleep 0.2; done" || cat "$name.log"
}
ended() {
    local running
    [[ -e $pids ]] || return 0
    mapfile -t running <"$pids"
    kill "${running[@]}"
    timeout 60 bash -c 'while kill -0 "$@" 2>/dev/null; do sleep 0.1; done' - "${running[@]}"
}
trap ended EXIT
