#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/commands/registry.h"
#include "app/program/command_line.h"

#include <QTest>

using namespace drover::app;

// What drover says to the commands and options of other schedulers.
class ForeignWordsTest : public QObject
{
    Q_OBJECT

    static QByteArray errorOf(const char *words)
    {
        try {
            CommandLine::parse(QString::fromUtf8(words).split(u' '));
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
                                                                 {"drover label nodes a=b", "worker ls"}};
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
            {"ls -n other", "--cluster"},
            {"ls --namespace other", "--cluster"},
            {"run -i -- cat", "--input"},
            {"ls --user me", "--submitter"},
            {"ls -u me", "--submitter"},
            {"ls --selector a=b", "--tag, --name"},
            {"logs --previous default-1", "--attempt"},
            {"logs --since 1h default-1", "--tail"},
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
        QVERIFY(errorOf("drover run --exclude node1 -- true").contains("--label"));
        QVERIFY(errorOf("drover submit -o out.txt -- true").contains("say --stdout out.txt"));
        QVERIFY(errorOf("drover worker nosuch").contains("there is drover worker "));
    }

    // Each suggested command exists.
    void eachSuggestedCommandExists()
    {
        for (const char *const word :
             {"status",    "ps",       "jobs",    "kill",     "stop",         "retry",     "tail",
              "start",     "nodes",    "crontab", "sacct",    "sprio",        "sstat",     "taint",
              "node",      "pod",      "log",     "suspend",  "partition",    "scale",     "watch",
              "sacctmgr",  "strigger", "sdiag",   "scrontab", "upgrade",      "schedules", "validate",
              "terminate", "abort",    "bjobs",   "bkill",    "bhosts",       "bpeek",     "sview",
              "sshare",    "smap",     "sbcast",  "rollout",  "port-forward", "label"}) {
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
