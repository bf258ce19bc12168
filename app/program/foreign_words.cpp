#include "app/program/foreign_words.h"

#include <QHash>

namespace drover::app {

namespace {

using Words = QHash<QString, const char *>; // with commas

QStringList meantBy(const Words &words, const QString &word)
{
    return QString::fromLatin1(words.value(word, "")).split(QStringLiteral(", "), Qt::SkipEmptyParts);
}

} // namespace

QStringList commandsLike(const QString &word)
{
    static const Words likes{
        {u"status"_qs, "ls, show"},
        {u"ps"_qs, "ls"},
        {u"list"_qs, "ls"},
        {u"jobs"_qs, "ls"},
        {u"kill"_qs, "cancel, signal"},
        {u"stop"_qs, "cancel, down"},
        {u"delete"_qs, "cancel"},
        {u"rm"_qs, "cancel"},
        {u"retry"_qs, "resubmit"},
        {u"rerun"_qs, "resubmit"},
        {u"tail"_qs, "logs"},
        {u"start"_qs, "up, worker"},
        {u"nodes"_qs, "worker ls"},
        {u"crontab"_qs, "cron add, cron ls"},
        {u"at"_qs, "submit"},
        {u"parallel"_qs, "submit"},
        {u"sbatch"_qs, "submit"},
        {u"srun"_qs, "run"},
        {u"salloc"_qs, "run"},
        {u"squeue"_qs, "ls"},
        {u"scancel"_qs, "cancel"},
        {u"sacct"_qs, "history"},
        {u"sinfo"_qs, "top, worker ls"},
        {u"sprio"_qs, "why"},
        {u"sstat"_qs, "show"},
        {u"scontrol"_qs, "show, hold, release"},
        {u"qsub"_qs, "submit"},
        {u"qstat"_qs, "ls"},
        {u"qdel"_qs, "cancel"},
        {u"get"_qs, "ls, show"},
        {u"describe"_qs, "show, why"},
        {u"apply"_qs, "submit"},
        {u"create"_qs, "submit"},
        {u"exec"_qs, "run"},
        {u"cordon"_qs, "worker cordon"},
        {u"uncordon"_qs, "worker uncordon"},
        {u"drain"_qs, "worker drain"},
        {u"taint"_qs, "worker cordon"},
        {u"node"_qs, "worker ls"},
        {u"pods"_qs, "ls"},
        {u"pod"_qs, "ls, show"},
        {u"job"_qs, "ls, show"},
        {u"log"_qs, "logs"},
        {u"attach"_qs, "logs"},
        {u"sattach"_qs, "logs"},
        {u"edit"_qs, "priority, move, resubmit"},
        {u"suspend"_qs, "hold, queue pause"},
        {u"resume"_qs, "release, queue resume"},
        {u"partition"_qs, "queue ls"},
        {u"partitions"_qs, "queue ls"},
        {u"scale"_qs, "worker, up"},
        {u"watch"_qs, "top, events"},
        {u"sacctmgr"_qs, "user ls, user add"},
        {u"sreport"_qs, "history"},
        {u"strigger"_qs, "events"},
        {u"sdiag"_qs, "doctor"},
        {u"scrontab"_qs, "cron add, cron ls"},
        {u"restart"_qs, "resubmit, requeue"},
        {u"upgrade"_qs, "launch"},
        {u"pause"_qs, "queue pause, hold"},
        {u"schedule"_qs, "cron add, cron ls"},
        {u"schedules"_qs, "cron ls"},
        {u"version"_qs, "--version"},
        {u"validate"_qs, "config check, doctor"},
        {u"terminate"_qs, "cancel"},
        {u"abort"_qs, "cancel"},
        {u"info"_qs, "show"},
        {u"bsub"_qs, "submit"},
        {u"bjobs"_qs, "ls"},
        {u"bkill"_qs, "cancel"},
        {u"bhosts"_qs, "worker ls"},
        {u"bpeek"_qs, "logs"},
        {u"sview"_qs, "top"},
        {u"smap"_qs, "top"},
        {u"sshare"_qs, "history"},
        {u"sbcast"_qs, "submit"},
        {u"rollout"_qs, "launch"},
        {u"port-forward"_qs, "run, worker show"},
        {u"label"_qs, "worker ls"},
    };
    return meantBy(likes, word);
}

QStringList optionsLike(const QString &option)
{
    static const Words likes{
        {u"partition"_qs, "queue"},
        {u"p"_qs, "queue"},
        {u"q"_qs, "queue"},
        {u"dependency"_qs, "after-ok, after-any"},
        {u"d"_qs, "after-ok, after-any"},
        {u"job-name"_qs, "name"},
        {u"J"_qs, "name"},
        {u"nodes"_qs, "gang"},
        {u"N"_qs, "gang"},
        {u"ntasks"_qs, "gang, slots"},
        {u"n"_qs, "gang, slots, cluster"},
        {u"namespace"_qs, "cluster"},
        {u"cpus-per-task"_qs, "slots"},
        {u"c"_qs, "slots"},
        {u"mem"_qs, "memory"},
        {u"mem-per-cpu"_qs, "memory"},
        {u"parsable"_qs, "id-only"},
        {u"constraint"_qs, "label"},
        {u"C"_qs, "label"},
        {u"nodelist"_qs, "label"},
        {u"w"_qs, "label, follow"},
        {u"gres"_qs, "label, limit"},
        {u"gpus"_qs, "label, limit"},
        {u"licenses"_qs, "limit"},
        {u"L"_qs, "limit"},
        {u"begin"_qs, "start-at, delay"},
        {u"b"_qs, "start-at, delay"},
        {u"time"_qs, "time-limit"},
        {u"t"_qs, "time-limit, state"},
        {u"states"_qs, "state"},
        {u"error"_qs, "stderr"},
        {u"e"_qs, "stderr"},
        {u"i"_qs, "input"},
        {u"interactive"_qs, "input"},
        {u"export"_qs, "env"},
        {u"chdir"_qs, "dir"},
        {u"workdir"_qs, "dir"},
        {u"D"_qs, "dir"},
        {u"a"_qs, "array, all"},
        {u"A"_qs, "all"},
        {u"limit"_qs, "rows"},
        {u"json"_qs, "output"},
        {u"seconds"_qs, "for"},
        {u"attempts"_qs, "max-attempts"},
        {u"nice"_qs, "priority"},
        {u"requeue"_qs, "max-attempts, retries"},
        {u"no-requeue"_qs, "max-attempts"},
        {u"restart"_qs, "retries"},
        {u"user"_qs, "submitter"},
        {u"u"_qs, "submitter"},
        {u"selector"_qs, "tag, name"},
        {u"l"_qs, "tag, label"},
        {u"previous"_qs, "attempt"},
        {u"since"_qs, "tail"},
        {u"watch"_qs, "follow"},
    };
    return meantBy(likes, option);
}

QString remarkAbout(const QString &option)
{
    static const QHash<QString, const char *> remarks{
        {u"wrap"_qs, "a shell line goes behind the options: -- sh -c 'LINE'"},
        {u"sort"_qs, "its order is fixed, and programs sort what -o json prints"},
        {u"format"_qs, "its columns are fixed, and programs choose from what -o json prints"},
        {u"pty"_qs, "a job has no terminal"},
        {u"tty"_qs, "a job has no terminal"},
        {u"rm"_qs, "a job leaves nothing behind that it would remove"},
        {u"mail-type"_qs, "drover events tells of each end"},
        {u"mail-user"_qs, "drover events tells of each end"},
        {u"account"_qs, "a --tag marks jobs that belong together, and drover history --tag finds them"},
        {u"qos"_qs, "--priority orders the jobs of a queue, and --limit counts those that run at once"},
        {u"exclude"_qs, "a job names what it needs by --label, and drover worker cordon keeps jobs from a worker"},
        {u"exclusive"_qs, "a job that takes all --slots of a worker has it alone"},
    };
    return QString::fromLatin1(remarks.value(option, ""));
}

} // namespace drover::app
