# shellcheck shell=bash
# The results as a table for people or as one JSON object.

# "rate SYSTEM VERSION JOBS_PER_S SUBMITS_PER_S RUNS", medians over the rounds, the fastest first.
medians() {
    local system rates submits
    for system in "${present[@]}"; do
        mapfile -t rates < <(per_second "$system" 4)
        mapfile -t submits < <(per_second "$system" 5)
        ((${#rates[@]})) || continue
        printf 'rate\t%s\t%s\t%s\t%s\t%s\n' "$system" "${version[$system]}" "${rates[$((${#rates[@]} / 2))]}" \
            "${submits[$((${#submits[@]} / 2))]}" "${#rates[@]}"
    done | sort -t $'\t' -k 4,4nr
}

per_second() {
    awk -F '\t' -v name="$1" -v column="$2" -v jobs="$(jobs_of "$1")" \
        '$1 == "rate" && $2 == name { printf "%.0f\n", jobs / $column }' "$results" | sort -n
}

lines() {
    if [[ $mode == rate ]]; then medians; else grep -vE '^(absent|failed)' "$results" || true; fi
}

report() {
    if [[ $json ]]; then report_json; else report_table; fi
}

report_table() {
    if [[ $mode == rate ]]; then
        lines | awk -F '\t' '
            BEGIN { printf "%-11s %9s %10s   %s\n", "", "jobs/s", "submits/s", "version" }
            { printf "%-11s %9d %10s   %s\n", $2, $4, ($2 == "parallel" ? "-" : $5), $3 }'
    else
        lines | awk -F '\t' '
            BEGIN {
                printf "%-11s %-7s %5s %6s %6s %6s %6s %8s %8s %7s\n", "", "", "", "never", "never", "begun", "ended",
                    "while an", "again", "still"
                printf "%-11s %-7s %5s %6s %6s %6s %6s %8s %8s %7s\n", "", "killed", "jobs", "begun", "ended", "twice",
                    "twice", "orphan", "after s", "listed"
            }
            { printf "%-11s %-7s %5d %6d %6d %6d %6d %8d %8s %7s\n", $2, $1, $4, $5, $6, $7, $8, $9, $10, $11 }'
    fi
    awk -F '\t' '$1 == "absent" { print $2 ": absent" } $1 == "failed" { print $2 ": failed (" $4 ")" }' "$results"
}

report_json() {
    {
        lines
        grep -E '^(absent|failed)' "$results" || true
    } | awk -F '\t' -v mode="$mode" -v jobs="$jobs" -v runs="$runs" '
        function text(key, value) { return "\"" key "\": \"" value "\"" }
        function number(key, value) { return "\"" key "\": " (value ~ /^[0-9.]+$/ ? value : "null") }
        BEGIN {
            split("acknowledged never_begun never_ended begun_twice ended_twice overlaps again_s still_listed", name, " ")
            printf "{\"schema\": 1, %s, %s, %s, \"slots\": 2, \"results\": [", text("mode", mode), number("jobs", jobs),
                number("runs", runs)
        }
        {
            printf "%s{%s", (NR > 1 ? ", " : ""), text("system", $2)
            if ($1 == "absent") printf ", \"absent\": true"
            else if ($1 == "failed") printf ", %s, %s", text("version", $3), text("failed", $4)
            else if ($1 == "rate") printf ", %s, %s, %s", text("version", $3), number("per_s", $4), number("submit_per_s", $5)
            else {
                printf ", %s, %s", text("version", $3), text("killed", $1)
                for (i = 1; i in name; ++i) printf ", %s", number(name[i], $(i + 3))
            }
            printf "}"
        }
        END { print "]}" }'
}
