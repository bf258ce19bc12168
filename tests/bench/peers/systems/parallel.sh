# shellcheck shell=bash disable=SC2034,SC2154 # the names that `measure` shares
# GNU parallel, which is its own server and worker and promises nothing: the list of jobs is the user's, --joblog says
# what has ended. After a kill it is started again with --resume.

workers=0
warm_up=0 # there is nothing that could
faults=(server)

start_server() {
    if [[ -e $dir/list ]]; then run_list --resume; fi
}
run_list() { PARALLEL_HOME=$dir spawn server parallel -j "$slots" --joblog "$dir/joblog" "$@" -a "$dir/list" "${command[@]}" '{}'; }
ready() { true; }
submit() {
    seq "$1" >"$dir/list"
    run_list
}

left() {
    local wanted=0 ended=0
    [[ ! -e $dir/list ]] || wanted=$(wc -l <"$dir/list")
    [[ ! -e $dir/joblog ]] || ended=$(wc -l <"$dir/joblog")
    printf '%s\n' $((wanted - (ended > 0 ? ended - 1 : 0)))
}
