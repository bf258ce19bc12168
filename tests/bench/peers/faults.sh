# shellcheck shell=bash
# Kills something while jobs wait and run, and counts from the jobs' own traces what became of them.

inject() {
    local fault=$1 count=4 seconds=15 killed victims
    [[ $fault != server ]] || { count=40 seconds=0.3; }
    command=("$dir/job" "$seconds")
    start
    submit "$count"
    [[ $fault == server ]] || await "$slots jobs run" 60 running_at_least "$slots"
    nap 0.5 # some wait, some run, and none has been acknowledged longer ago than a user would look away
    mapfile -t victims < <(victims_of "$fault")
    microseconds killed
    kill -s KILL "${victims[@]}"
    nap 1
    [[ $fault != server ]] || start_server
    settle
    count_fates "$count" "$killed"
}

victims_of() {
    case $1 in
    server) server_pids ;;
    worker) worker_pids ;;
    runner) parents_of_jobs ;;
    all) worker_pids && parents_of_jobs ;;
    esac
}

# The processes of attempts, a PID each, as this machine counts: a system may give its jobs numbers of their own.
attempts_alive() {
    local process argv
    for process in /proc/[0-9]*; do
        { mapfile -d "" -t argv <"$process/cmdline"; } 2>/dev/null || continue
        [[ ${argv[1]-} != "$dir/job" ]] || echo "${process#/proc/}"
    done
}

running_at_least() { (($(attempts_alive | wc -l) >= $1)); }

parents_of_jobs() {
    local pid
    for pid in $(attempts_alive); do
        awk '$1 == "PPid:" { print $2 }' "/proc/$pid/status"
    done | sort -u
}

somebody_runs() { [[ -n $(attempts_alive) ]]; }

# Until the system lists nothing more and no orphan runs, or nothing has happened for $patience seconds.
settle() {
    local seen now quiet_since=$SECONDS
    seen=$(wc -l <"$dir/log")
    while ((SECONDS - quiet_since < patience)); do
        keep_workers
        if nothing_left 2>/dev/null && ! somebody_runs; then break; fi
        now=$(wc -l <"$dir/log")
        ((now == seen)) || quiet_since=$SECONDS
        seen=$now
        nap 0.2
    done
}

# AGAIN is the time from the kill to the first beginning of an attempt at a job that had begun before.
count_fates() {
    local listed
    listed=$(left 2>/dev/null) || listed=-
    awk -v count="$1" -v killed="$2" -v listed="$listed" '
        $2 == "begin" && begun[$3]++ && !again { again = $1 - killed / 1e6 }
        $2 == "end" { ++ended[$3] }
        $2 == "overlap" { ++overlaps }
        END {
            for (i = 1; i <= count; ++i) {
                never_begun += !begun[i]
                never_ended += !ended[i]
                begun_twice += begun[i] > 1
                ended_twice += ended[i] > 1
            }
            print count, never_begun + 0, never_ended + 0, begun_twice + 0, ended_twice + 0, overlaps + 0, \
                (again ? sprintf("%.1f", again) : "-"), listed
        }' "$dir/log"
}
