#include "app/program/foreign_words.h"

#include <algorithm>
#include <span>

namespace drover::app {

namespace {

struct Meaning {
    const char *words; // of other schedulers, with blanks between them
    const char *ours;
};

constexpr Meaning Commands[]{
    {"status get pod job", "ls, show"},
    {"ps list jobs squeue qstat pods bjobs", "ls"},
    {"kill", "cancel, signal"},
    {"stop", "cancel, down"},
    {"delete rm scancel qdel terminate abort bkill", "cancel"},
    {"retry rerun", "resubmit"},
    {"tail log attach sattach bpeek", "logs"},
    {"start", "up, worker"},
    {"nodes node bhosts label", "worker ls"},
    {"crontab scrontab schedule", "cron add, cron ls"},
    {"at parallel sbatch qsub apply create bsub sbcast", "submit"},
    {"srun salloc exec", "run"},
    {"sacct sreport sshare", "history"},
    {"sinfo", "top, worker ls"},
    {"sprio", "why"},
    {"sstat info", "show"},
    {"scontrol", "show, hold, release"},
    {"describe", "show, why"},
    {"cordon taint", "worker cordon"},
    {"uncordon", "worker uncordon"},
    {"drain", "worker drain"},
    {"edit", "priority, move, resubmit"},
    {"suspend", "hold, queue pause"},
    {"resume", "release, queue resume"},
    {"partition partitions", "queue ls"},
    {"scale", "worker, up"},
    {"watch", "top, events"},
    {"sacctmgr", "user ls, user add"},
    {"strigger", "events"},
    {"sdiag", "doctor"},
    {"restart", "resubmit, requeue"},
    {"upgrade rollout", "launch"},
    {"pause", "queue pause, hold"},
    {"schedules", "cron ls"},
    {"version", "--version"},
    {"validate", "config check, doctor"},
    {"sview smap", "top"},
    {"port-forward", "run, worker show"},
};

constexpr Meaning Options[]{
    {"partition p q", "queue"},
    {"dependency d", "after-ok, after-any"},
    {"job-name J", "name"},
    {"nodes N", "gang"},
    {"ntasks", "gang, slots"},
    {"n", "gang, slots, cluster"},
    {"namespace", "cluster"},
    {"cpus-per-task c", "slots"},
    {"mem mem-per-cpu", "memory"},
    {"parsable", "id-only"},
    {"constraint C nodelist", "label"},
    {"w", "label, follow"},
    {"gres gpus", "label, limit"},
    {"licenses L", "limit"},
    {"begin b", "start-at, delay"},
    {"time", "time-limit"},
    {"t", "time-limit, state"},
    {"states", "state"},
    {"error e", "stderr"},
    {"i interactive", "input"},
    {"export", "env"},
    {"chdir workdir D", "dir"},
    {"a", "array, all"},
    {"A", "all"},
    {"limit", "rows"},
    {"json", "output"},
    {"seconds", "for"},
    {"attempts no-requeue", "max-attempts"},
    {"nice", "priority"},
    {"requeue", "max-attempts, retries"},
    {"restart", "retries"},
    {"user u", "submitter"},
    {"selector", "tag, name"},
    {"l", "tag, label"},
    {"previous", "attempt"},
    {"since", "tail"},
    {"watch", "follow"},
};

constexpr Meaning Remarks[]{
    {"wrap", "a shell line goes behind the options: -- sh -c 'LINE'"},
    {"sort", "its order is fixed, and programs sort what -o json prints"},
    {"format", "its columns are fixed, and programs choose from what -o json prints"},
    {"pty tty", "a job has no terminal"},
    {"rm", "a job leaves nothing behind that it would remove"},
    {"mail-type mail-user", "drover events tells of each end"},
    {"account", "a --tag marks jobs that belong together, and drover history --tag finds them"},
    {"qos", "--priority orders the jobs of a queue, and --limit counts those that run at once"},
    {"exclude", "a job names what it needs by --label, and drover worker cordon keeps jobs from a worker"},
    {"exclusive", "a job that takes all --slots of a worker has it alone"},
};

QString meantBy(std::span<const Meaning> table, const QString &word)
{
    const auto found = std::ranges::find_if(table, [&word](const Meaning &meaning) {
        return QString::fromLatin1(meaning.words).split(u' ').contains(word);
    });
    return found == table.end() ? QString() : QString::fromLatin1(found->ours);
}

} // namespace

QStringList commandsLike(const QString &word)
{
    return meantBy(Commands, word).split(QStringLiteral(", "), Qt::SkipEmptyParts);
}

QStringList optionsLike(const QString &option)
{
    return meantBy(Options, option).split(QStringLiteral(", "), Qt::SkipEmptyParts);
}

QString remarkAbout(const QString &option)
{
    return meantBy(Remarks, option);
}

} // namespace drover::app
