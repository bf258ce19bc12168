#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/commands/registry.h"
#include "app/program/command_line.h"
#include "app/program/foreign_words.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover::app;

// What drover says to the commands and options of other schedulers.
class ForeignWordsTest : public QObject
{
    Q_OBJECT

    static CommandLine parsed(const char *words) { return CommandLine::parse(QString::fromUtf8(words).split(u' ')); }

    static QByteArray errorOf(const char *words)
    {
        try {
            parsed(words);
        } catch (const UsageError &error) {
            return error.what();
        }
        return {};
    }

private Q_SLOTS:
    void initTestCase() { setCommandGroups(droverCommands()); }

    void wordsOfOtherSchedulersAreUnderstood()
    {
        const QList<std::pair<const char *, const char *>> likes{{"drover sbatch job.sh", "submit"},
                                                                 {"drover squeue", "ls"},
                                                                 {"drover scancel 7", "cancel"},
                                                                 {"drover scontrol show job 7", "show, hold, release"},
                                                                 {"drover get jobs", "ls, show"},
                                                                 {"drover apply -f job.yaml", "submit"},
                                                                 {"drover describe job", "show, why"},
                                                                 {"drover drain node1", "worker drain"},
                                                                 {"drover qsub job.sh", "submit"},
                                                                 {"drover sinfo", "top, worker ls"},
                                                                 {"drover edit job 7", "priority, move, resubmit"},
                                                                 {"drover pods", "ls"},
                                                                 {"drover resume 7", "release, queue resume"},
                                                                 {"drover attach 7", "logs"},
                                                                 {"drover sreport", "history"},
                                                                 {"drover restart 7", "resubmit, requeue"},
                                                                 {"drover pause", "queue pause, hold"},
                                                                 {"drover version", "--version"},
                                                                 {"drover bsub job.sh", "submit"},
                                                                 {"drover info 7", "show"},
                                                                 {"drover sview", "top"},
                                                                 {"drover rollout restart a", "launch"},
                                                                 {"drover label nodes a=b", "worker ls"},
                                                                 {"drover debug job", "why, doctor"},
                                                                 {"drover join zk1", "worker, login"},
                                                                 {"drover init", "up, cluster init"},
                                                                 {"drover cluster-info", "cluster status"},
                                                                 {"drover slurmctld", "up, master show"},
                                                                 {"drover explain job", "--help"},
                                                                 {"drover gui", "drover-console"}};
        for (const auto &[typed, meant] : likes)
            QVERIFY2(errorOf(typed).endsWith(QByteArray("did you mean ") + meant + '?'), errorOf(typed));
    }

    // Also of options, as far as the command has what is meant.
    void optionsOfOtherSchedulersAreUnderstood()
    {
        const QList<std::pair<const char *, const char *>> likes{
            {"submit --partition long -- true", "--queue"},
            {"submit -p long -- true", "--queue"},
            {"submit --dependency=afterok:7 -- true", "--after-ok, --after-any"},
            {"submit -J name -- true", "--name"},
            {"submit --nodes 2 -- true", "--gang"},
            {"submit --cpus-per-task 2 -- true", "--slots"},
            {"submit -C gpu -- true", "--label"},
            {"submit --begin now -- true", "--start-at, --delay"},
            {"submit -e err.txt -- true", "--stderr"},
            {"submit --licenses a -- true", "--limit"},
            {"submit --export ALL -- true", "--env"},
            {"submit --nice 3 -- true", "--priority"},
            {"submit --requeue -- true", "--max-attempts, --retries"},
            {"submit --mem-per-cpu 2G -- true", "--memory"},
            {"submit --parsable -- true", "--id-only"},
            {"submit -n 2 -- true", "--gang, --slots, --cluster"},
            {"ls -n other", "--rows, --cluster"},
            {"ls --namespace other", "--cluster"},
            {"run -i -- cat", "--input"},
            {"ls --user me", "--submitter"},
            {"ls -u me", "--submitter"},
            {"ls --selector a=b", "--tag, --name"},
            {"logs --previous default-1", "--attempt"},
            {"logs --since 1h default-1", "--tail"},
            {"submit --replicas 3 -- true", "--array, --gang"},
            {"submit --limits cpu=1 -- true", "--slots, --memory, --ulimit"},
            {"submit --deadline noon -- true", "--time-limit"},
            {"submit --open-mode append -- true", "--append-to"},
            {"submit --test-only -- true", "--dry-run"},
            {"submit -f job.toml", "--file"},
            {"history -n 5", "--rows, --cluster"},
            {"logs --lines 5 default-1", "--tail"},
            {"logs -n 5 default-1", "--tail, --cluster"},
            {"wait -t 5 default-1", "--timeout, --state"},
            {"cancel --all", "--queue, --tag"},
            {"ls -V", "--version"},
        };
        for (const auto &[typed, meant] : likes) {
            const QByteArray error = errorOf((QByteArray("drover ") + typed).constData());
            QVERIFY2(error.contains(QByteArray("; did you mean ") + meant + '?'), error);
        }
        QVERIFY(!errorOf("drover show --partition a default-1").contains("queue?")); // it has none
        QVERIFY(errorOf("drover submit --wrap ls").contains("-- sh -c 'LINE'"));
        QVERIFY(errorOf("drover run --pty -- sh").contains("a job has no terminal"));
        QVERIFY(errorOf("drover ls --sort id").contains("-o json"));
        QVERIFY(errorOf("drover ls --format %i").contains("-o json"));
        QVERIFY(errorOf("drover submit --mail-user me -- true").contains("drover events"));
        QVERIFY(errorOf("drover submit --account physics -- true").contains("--tag"));
        QVERIFY(errorOf("drover submit --qos high -- true").contains("--priority"));
        QVERIFY(errorOf("drover submit --signal TERM@60 -- true").contains("--grace"));
        QVERIFY(errorOf("drover run --image debian -- true").contains("podman run IMAGE"));
        QVERIFY(errorOf("drover run --exclude node1 -- true").contains("--label"));
        QVERIFY(errorOf("drover submit -o out.txt -- true").contains("say --stdout out.txt"));
        QVERIFY(errorOf("drover worker nosuch").contains("there is drover worker "));
    }

    // Of Slurm and of kubectl: each is understood, said to have no counterpart, or a command here as well.
    void noWordOfTheseIsUnknown()
    {
        const QByteArrayList slurm =
            QByteArray(
                "sacct sacctmgr salloc sattach sbatch sbcast scancel scontrol scrontab scrun sdiag sgather sinfo "
                "slurmctld slurmd slurmdbd slurmrestd smail sprio squeue sreport srun sshare sstat strigger sview")
                .split(' ');
        const QByteArrayList kubectl =
            QByteArray("annotate api-resources api-versions apply attach auth autoscale certificate cluster-info "
                       "completion config cordon cp create debug delete describe diff drain edit events exec explain "
                       "expose get kustomize label logs options patch plugin port-forward proxy replace rollout run "
                       "scale set taint top uncordon version wait")
                .split(' ');
        for (const QByteArray &word : slurm + kubectl) {
            const QString name = QString::fromLatin1(word);
            const bool isOurs = findCommand(name) || !secondWords(name).isEmpty();
            QVERIFY2(isOurs || !commandsLike(name).isEmpty() || hasNoCounterpart(name), word);
        }
        QCOMPARE(errorOf("drover plugin list"),
                 QByteArray("there is no command \"plugin\", nor one like it; drover help lists the commands"));
    }

    // Also of the second word, as far as the first one has what is meant.
    void secondWordsOfOthersAreUnderstood()
    {
        const QList<std::pair<const char *, const char *>> likes{
            {"cron list", "cron ls"},
            {"cron delete a", "cron rm"},
            {"cron disable a", "cron pause"},
            {"cron enable a", "cron resume"},
            {"worker stop a", "worker drain"},
            {"worker status a", "worker ls, drover worker show"},
            {"queue stop default", "queue pause"},
            {"queue start default", "queue resume"},
            {"queue show default", "queue ls"},
            {"user create a", "user add"},
            {"user delete a", "user rm"},
            {"cluster info", "cluster status"},
            {"files rm a", "files forget"},
            {"master stop", "master stepdown"},
        };
        for (const auto &[typed, meant] : likes) {
            const QByteArray error = errorOf((QByteArray("drover ") + typed).constData());
            QVERIFY2(error.endsWith(QByteArray("; did you mean drover ") + meant + '?'), error);
        }
        // A queue of items may have such a name.
        QVERIFY(errorOf("drover queue list put x --cuont 3").contains("did you mean --count?"));
        QVERIFY(errorOf("drover queue list").endsWith("did you mean drover queue ls?"));
    }

    void aMisspeltSecondWordIsSuggested()
    {
        const auto meant = [](const char *words, const char *what) {
            const QByteArray error = errorOf(words);
            QVERIFY2(error.contains("did you mean drover " + QByteArray(what)), words + (": " + error));
        };
        meant("drover worker lss", "worker ls?");
        meant("drover worker codron w1 --why x", "worker cordon?");
        meant("drover history exprot -o csv", "history export?");
        meant("drover queue pasue", "queue pause");
        meant("drover queue pasue default --why x", "queue pause");
        meant("drover cron ad x", "cron add");
        QVERIFY(errorOf("drover worker zzzzzzzz").contains("; there is drover worker "));
        QVERIFY(errorOf("drover history default").contains("is not a job id"));
        QCOMPARE(parsed("drover queue pauses put x").command->name, "queue"); // a queue may have that name
        QCOMPARE(parsed("drover history default-3").command->name, "history");
    }

    // What has no command of two words as its counterpart. Each command that the answer names exists.
    void phrasesOfOthersAreAnswered()
    {
        static const QRegularExpression named(QStringLiteral("drover ([a-z]+)(?: ([a-z]+))?"));
        for (const char *const phrase :
             {"worker start", "worker run", "worker rm w1", "queue create night", "queue add night", "cron edit a",
              "cron update a", "limit rm db", "history delete", "history prune", "config ls", "config show",
              "cluster join zk1", "cluster start", "cluster create"}) {
            const QByteArray error = errorOf((QByteArray("drover ") + phrase).constData());
            QVERIFY2(error.startsWith("there is no \"drover ") && !error.contains("there is drover"), error);
            const QString answer = QString::fromUtf8(error.mid(error.indexOf("; ") + 2));
            QRegularExpressionMatchIterator found = named.globalMatch(answer);
            QVERIFY2(found.hasNext(), error);
            while (found.hasNext()) {
                const QRegularExpressionMatch one = found.next();
                const QString first = one.captured(1);
                QVERIFY2(findCommand(first + u' ' + one.captured(2)) || findCommand(first), error);
            }
        }
    }

    // Each suggested command exists.
    void eachSuggestedCommandExists()
    {
        for (const char *const word :
             {"status",       "ps",      "jobs",      "kill",     "stop",      "retry",     "tail",     "start",
              "nodes",        "crontab", "sacct",     "sprio",    "sstat",     "taint",     "node",     "pod",
              "log",          "suspend", "partition", "scale",    "watch",     "sacctmgr",  "strigger", "sdiag",
              "scrontab",     "upgrade", "schedules", "validate", "terminate", "abort",     "bjobs",    "bkill",
              "bhosts",       "bpeek",   "sview",     "sshare",   "smap",      "sbcast",    "rollout",  "port-forward",
              "label",        "debug",   "patch",     "replace",  "add",       "set",       "auth",     "certificate",
              "cluster-info", "init",    "join",      "agent",    "slurmd",    "slurmctld", "slurmdbd", "smail",
              "autoscale",    "batch",   "atq",       "atrm",     "members",   "install",   "prune"}) {
            const QByteArray error = errorOf(QByteArray("drover ").append(word).constData());
            const qsizetype begin = error.indexOf("did you mean ") + 13;
            QVERIFY2(begin > 12 && error.endsWith('?'), error);
            for (const QByteArray &name : error.mid(begin).chopped(1).split(','))
                QVERIFY2(findCommand(QString::fromLatin1(name.trimmed())), error);
        }
    }
};

QTEST_GUILESS_MAIN(ForeignWordsTest)
#include "foreign_words_test.moc"
