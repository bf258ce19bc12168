#pragma once

#include <QList>

namespace drover::test {

// A command line of one command, and what shows that it works. {job} is a held job, {released} one that waits,
// {running} one that runs, {ended} one that has ended, {schedule} and {paused} are recurring jobs, {file} is a shared
// file and {user} a person. What the line may use up is made for it. {worker} runs jobs, and {idle} is a cordoned
// worker. {n} is a number of its own, {key} the root key, {directory} an empty directory of its own, and {request} the
// viewer's wish for a new key.
struct Sample {
    const char *line;
    QList<int> codes = {0}; // exit codes of a command that works
    const char *says = nullptr; // what a command that goes on says once it works; it is ended then
    bool beginsBelow = false; // its first change is one that a lesser role may make as well
};

// At least one for each need of each command.
inline const QList<Sample> &samples()
{
    static const QList<Sample> all{
        {"submit --dry-run -- true"},
        {"submit --hold -- true"},
        {"run -- true"},
        {"ls --all"},
        {"show {ended}"},
        {"why {job}"},
        {"logs {ended}"},
        {"wait {ended}"},
        {"cancel --dry-run {job}"},
        {"cancel {job}"},
        {"cancel {running}"},
        {"hold --dry-run {released}"},
        {"hold {released}"},
        {"release --dry-run {job}"},
        {"release {job}"},
        {"requeue --dry-run {running}"},
        {"requeue {running}"},
        {"resubmit --dry-run {ended}"},
        {"resubmit {ended}"},
        {"signal --dry-run USR1 {running}"},
        {"signal CONT {running}"},
        {"priority --dry-run 3 {job}"},
        {"priority 3 {job}"},
        {"move --dry-run {job} other"},
        {"move {job} other"},
        {"events"},
        {"events --audit"},
        {"history", {0, 3}},
        {"history export -o jsonl", {0, 3}},
        {"history keep"},
        {"history keep --for {n}d"},
        {"history keep --jobs 1{n}"},
        {"history keep --when-away drop"},
        {"cron add --dry-run x{n} @daily -- true"},
        {"cron add x{n} @daily -- true"},
        {"cron ls"},
        {"cron show {schedule}"},
        {"cron rm {schedule}"},
        {"cron pause {schedule}"},
        {"cron resume {paused}"},
        {"cron run {schedule}"},
        {"up --port nonsense", {2}},
        {"down"},
        {.line = "worker --slots 1 --queue other --id w{n} --spool {directory}", .says = ": queues other"},
        {"config check"},
        {"launch {directory}/no-hosts.toml status", {2}},
        {"launch {directory}/no-hosts.toml stop", {2}},
        {"launch {directory}/no-hosts.toml", {2}},
        {"worker ls"},
        {"worker show {worker}"},
        {"worker cordon {worker} --why {n}"},
        {"worker uncordon {idle}", {0, 4}},
        {"worker drain {idle} --why {n} --timeout 20s"},
        {"queue ls"},
        {"queue pause other --why {n}"},
        {"queue resume other"},
        {.line = "queue limit other 1{n}", .beginsBelow = true},
        {"limit set api 1{n}"},
        {"limit ls"},
        {"cluster limits"},
        {"cluster status"},
        {"cluster check"},
        {"cluster prepare --dir {directory} zk1 zk2 zk3"},
        {"cluster limits --queue-limit 1{n}0"},
        {"cluster limits --done-limit 1{n}0"},
        {"master show"},
        {"master stepdown"},
        {"top -o json"},
        {"doctor", {0, 1}},
        {"tree"},
        {"completion bash"},
        {"cluster init --dir {directory}", {2, 4}},
        {"cluster secure --yes --dir {directory}", {0, 2, 4}},
        {"user add u{n} --role viewer --root-key {key} --file {directory}/u{n}.drover"},
        {"user rm {user} --root-key {key}"},
        {"user ls"},
        {"key rotate"},
        {"key sign --root-key {key} {request}"},
        {"worker add m{n} --root-key {key} --file {directory}/m{n}.drover"},
        {"login /nonexistent/x.drover", {5}},
        {"whoami"},
        {"lock l{n} -- true"},
        {"semaphore --permits 2 s{n} -- true"},
        {"elect e{n} -- true"},
        {.line = "elect --watch e", .says = "(none)"},
        {"barrier b wait"},
        {"barrier b{n} close"},
        {"double-barrier --count 1 d{n} -- true"},
        {"group g{n} join -- true"},
        {"group g ls"},
        {"config get known"},
        {"config set k{n} v"},
        {.line = "config watch known", .says = "v"},
        {"counter known get"},
        {"counter c{n} add 1"},
        {"queue q{n} put x"},
        {"queue items take"},
        {"queue items ls"},
        {"append {directory}/a"},
        {"files ls"},
        {"files show {file}"},
        {"files verify {file}"},
        {"files forget {file}"},
        {"demo --help"}, // these two ask no cluster anything
        {"demo-count --help"},
        {"complete -- drover"},
        {"manual {directory}"},
        {"key rotate --root --root-key {key}"}, // late: users are not added until its end
        {"history keep --in shared:/nonexistent/{n}"}, // last: what reads the history fails from now on
    };
    return all;
}

} // namespace drover::test
