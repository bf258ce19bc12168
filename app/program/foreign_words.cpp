#include "app/program/foreign_words.h"

#include <algorithm>
#include <span>

namespace drover::app {

namespace {

struct Meaning {
    const char *words; // of other schedulers, with blanks between them; of phrases, with commas
    const char *ours;
};

constexpr Meaning Commands[]{
    {"status get pod job", "ls, show"},
    {"ps list jobs squeue qstat pods bjobs atq", "ls"},
    {"kill", "cancel, signal"},
    {"stop", "cancel, down"},
    {"delete del remove rm scancel qdel terminate abort bkill atrm", "cancel"},
    {"retry rerun", "resubmit"},
    {"tail log attach sattach bpeek", "logs"},
    {"start", "up, worker"},
    {"nodes node bhosts label members", "worker ls"},
    {"crontab scrontab schedule", "cron add, cron ls"},
    {"at batch parallel sbatch qsub apply create bsub sbcast", "submit"},
    {"srun salloc scrun exec", "run"},
    {"sacct sreport sshare slurmdbd", "history"},
    {"sinfo", "top, worker ls"},
    {"sprio", "why"},
    {"sstat info", "show"},
    {"scontrol", "show, hold, release"},
    {"describe", "show, why"},
    {"debug", "why, doctor"},
    {"cordon taint", "worker cordon"},
    {"uncordon", "worker uncordon"},
    {"drain", "worker drain"},
    {"edit patch", "priority, move, resubmit"},
    {"replace", "resubmit, cron add"},
    {"add new", "submit, cron add"},
    {"set", "config set, limit set"},
    {"suspend", "hold, queue pause"},
    {"resume", "release, queue resume"},
    {"partition partitions", "queue ls"},
    {"scale autoscale", "worker, up"},
    {"slurmd agent", "worker"},
    {"slurmctld", "up, master show"},
    {"init server", "up, cluster init"},
    {"join", "worker, login"},
    {"watch", "top, events"},
    {"sacctmgr", "user ls, user add"},
    {"strigger smail", "events"},
    {"sdiag health", "doctor"},
    {"cluster-info", "cluster status"},
    {"auth", "whoami, user ls"},
    {"certificate", "user ls, key sign"},
    {"restart", "resubmit, requeue"},
    {"upgrade rollout install", "launch"},
    {"pause", "queue pause, hold"},
    {"schedules", "cron ls"},
    {"version", "--version"},
    {"explain options api-resources api-versions", "--help"},
    {"console gui dashboard", "drover-console"},
    {"purge prune", "history keep"},
    {"validate", "config check, doctor"},
    {"sview smap", "top"},
    {"port-forward", "run, worker show"},
};

// Commands that drover has nothing like. What is spelt like them means something else.
constexpr const char *WithoutCounterpart = "annotate cp diff expose kustomize plugin proxy sgather slurmrestd";

// The second of two words, behind the name of a group. The caller leaves out what its group does not have.
constexpr Meaning SecondWords[]{
    {"list", "ls, status"},
    {"status info get show", "ls, status, show"},
    {"describe inspect view", "show, status, ls"},
    {"delete remove rm del", "rm, forget"},
    {"create new", "add, init, set"},
    {"stop disable suspend", "pause, drain, stepdown"},
    {"start enable unpause continue", "resume, uncordon"},
};

// Two words that have no command of two words as their counterpart.
constexpr Meaning Phrases[]{
    {"worker start,worker run", "drover worker runs one, and drover launch runs them on other machines"},
    {"worker rm,worker delete,worker remove",
     "a worker that has ended is listed no more, and drover user rm NAME revokes its machine's credentials"},
    {"queue create,queue add,queue new", "a worker makes its queues: drover worker --queue NAME"},
    {"cron edit,cron update,cron change,cron replace", "drover cron add --replace changes a schedule"},
    {"limit rm,limit delete,limit remove", "drover limit set NAME none removes a limit"},
    {"history rm,history delete,history clear,history prune", "drover history keep says how much is kept"},
    {"config ls,config list,config show", "drover tree settings shows which settings there are"},
    {"cluster join", "a worker joins it: drover worker --connect SERVERS"},
    {"cluster start,cluster up,cluster create,cluster new",
     "drover up starts one here, and drover cluster prepare and init make one of several servers"},
};

constexpr Meaning Options[]{
    {"partition p q", "queue"},
    {"dependency d", "after-ok, after-any"},
    {"job-name J", "name"},
    {"nodes N", "gang"},
    {"ntasks", "gang, slots"},
    {"n", "rows, past, tail, gang, slots, cluster"},
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
    {"t", "time-limit, timeout, state"},
    {"states", "state"},
    {"error e", "stderr"},
    {"i interactive", "input"},
    {"export", "env"},
    {"chdir workdir D", "dir"},
    {"a", "array, all"},
    {"A", "all"},
    {"all", "rows, queue, tag"},
    {"f", "file, follow"},
    {"limit", "rows"},
    {"json", "output"},
    {"seconds", "for"},
    {"attempts no-requeue", "max-attempts"},
    {"nice", "priority"},
    {"replicas", "array, gang"},
    {"requests", "slots, memory"},
    {"limits", "slots, memory, ulimit"},
    {"deadline", "time-limit"},
    {"uid", "run-as"},
    {"open-mode", "append-to"},
    {"test-only", "dry-run"},
    {"V", "version"},
    {"requeue", "max-attempts, retries"},
    {"restart", "retries"},
    {"user u", "submitter"},
    {"selector", "tag, name"},
    {"l", "tag, label"},
    {"previous", "attempt"},
    {"since lines", "tail"},
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
    {"signal", "at its --time-limit a job gets SIGTERM, and SIGKILL after its --grace"},
    {"image", "a job is a process of its worker's machine, also podman run IMAGE"},
};

QString meantBy(std::span<const Meaning> table, const QString &word, QChar between = u' ')
{
    const auto found = std::ranges::find_if(table, [&](const Meaning &meaning) {
        return QString::fromLatin1(meaning.words).split(between).contains(word);
    });
    return found == table.end() ? QString() : QString::fromLatin1(found->ours);
}

QStringList listedBy(std::span<const Meaning> table, const QString &word)
{
    return meantBy(table, word).split(QStringLiteral(", "), Qt::SkipEmptyParts);
}

} // namespace

QStringList commandsLike(const QString &word)
{
    return listedBy(Commands, word);
}

bool hasNoCounterpart(const QString &word)
{
    return QString::fromLatin1(WithoutCounterpart).split(u' ').contains(word);
}

QStringList secondWordsLike(const QString &word)
{
    return listedBy(SecondWords, word);
}

QString remarkAboutCommand(const QString &words)
{
    return meantBy(Phrases, words, u',');
}

QStringList optionsLike(const QString &option)
{
    return listedBy(Options, option);
}

QString remarkAbout(const QString &option)
{
    return meantBy(Remarks, option);
}

} // namespace drover::app
