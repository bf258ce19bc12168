#include "app/support/access_of.h"
#include "app/support/drover_on_server.h"
#include "jobs/client/submitter.h"
#include "support/await.h"
#include "support/sanitized.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace drover;
using namespace drover::test;

// drover resubmit, with a real worker and a real history.
class ResubmitTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;

    // Submits and waits for the end.
    QByteArray ended(const QByteArray &options)
    {
        const QByteArray id = m_drover.shell("drover submit " + options).out.trimmed();
        m_drover.shell("drover wait " + id);
        return id;
    }

    QByteArray again(const QByteArray &arguments)
    {
        return m_drover.shell("drover resubmit --id-only " + arguments).out.trimmed();
    }

    QByteArray outputOf(const QByteArray &id)
    {
        m_drover.shell("drover wait " + id.split('.').first()); // a task may not have been made yet
        return m_drover.shell("drover logs " + id).out;
    }

    // What is said to have been resubmitted, as what array (or "" if it is none): "default-3.2..4 as 2-4".
    QByteArrayList resubmitted(const QByteArray &arguments)
    {
        QByteArrayList all;
        const Finished finished = m_drover.shell("drover resubmit -o json " + arguments);
        if (finished.exitCode != 0)
            return {finished.err};
        const QJsonArray rows = json(finished).value(QStringLiteral("jobs")).toArray();
        for (const QJsonValue &row : rows) {
            const QString made = row.toObject().value(QStringLiteral("new_id")).toString();
            const QJsonObject job = json(m_drover.shell("drover resubmit --dry-run " + made.toLatin1()));
            all.append(row.toObject().value(QStringLiteral("id")).toString().toLatin1() + " as "
                       + job.value(QStringLiteral("array")).toString().toLatin1());
        }
        return all;
    }

    void isRefused(const QByteArray &arguments, int exitCode, const QByteArray &why)
    {
        const Finished finished = m_drover.shell("drover resubmit " + arguments);
        QVERIFY2(finished.exitCode == exitCode && finished.complainsOnce() && finished.err.contains(why),
                 arguments + ": " + QByteArray::number(finished.exitCode) + ' ' + finished.err);
    }

    static QByteArray numberOf(const QByteArray &id) { return id.mid(id.lastIndexOf('-') + 1); }

    void forget(const QByteArray &id)
    {
        m_cluster.remove(m_cluster.layout.done(*jobs::JobId::parse(QString::fromLatin1(id))));
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({QByteArrayLiteral("default"), QByteArrayLiteral("other")});
        m_drover.setVariable("DROVER_HISTORY", m_drover.directory() + QStringLiteral("/h.sqlite"));
        m_worker = m_drover.start(words("worker --slots 2 --queue default --queue other"));
        QByteArray seen;
        QVERIFY(waitForMessage(*m_worker, "2 slots", seen));
    }

    void cleanupTestCase()
    {
        m_worker->terminate();
        DroverProgram::finish(*m_worker);
    }

    void aResubmittedJobKeepsItsOptions()
    {
        const QByteArray id = ended("--name greeting --tag t --priority 2 --env WORD=hello --time-limit 1m "
                                    "--dedupe once -- sh -c 'echo $WORD $DROVER_JOB_ID'");
        const QByteArray second = again(id);
        QVERIFY(!second.isEmpty() && second != id);
        QCOMPARE(outputOf(second), "hello " + second + '\n');
        const QJsonObject job = json(m_drover.shell("drover resubmit --dry-run " + second));
        QCOMPARE(job.value(QStringLiteral("name")).toString(), QStringLiteral("greeting"));
        QCOMPARE(job.value(QStringLiteral("priority")).toInt(), 2);
        QCOMPARE(job.value(QStringLiteral("tags")).toArray(), QJsonArray{QStringLiteral("t")});
        QVERIFY(!job.contains(QStringLiteral("dedupe")));
    }

    void anExistingJobIsNotReportedAsResubmitted()
    {
        const QByteArray id = ended("-- true");
        const auto rowOf = [&] {
            const Finished finished = m_drover.shell("drover resubmit -o json --dedupe twice " + id);
            return json(finished).value(QStringLiteral("jobs")).toArray().first().toObject();
        };
        const QJsonObject first = rowOf();
        const QJsonObject second = rowOf();
        QCOMPARE(first.value(QStringLiteral("result")).toString(), QStringLiteral("resubmitted"));
        QCOMPARE(second.value(QStringLiteral("result")).toString(), QStringLiteral("already there"));
        QCOMPARE(second.value(QStringLiteral("new_id")), first.value(QStringLiteral("new_id")));
    }

    // It is for people: each command that describes the job shows it, and the next run has it, too.
    void aCommentGoesWithTheJob()
    {
        const auto commentOf = [&](const QByteArray &id) {
            return json(m_drover.shell("drover show -o json " + id)).value(QStringLiteral("comment")).toString();
        };
        const QByteArray id = ended("--comment 'for the audit' -- true");
        const Finished shown = m_drover.shell("drover show " + id);
        QVERIFY2(shown.out.contains("for the audit"), shown.out);
        const Finished listed = m_drover.shell("drover ls --all");
        QVERIFY2(listed.out.contains("COMMENT") && listed.out.contains("for the audit"), listed.out);
        QTRY_COMPARE_WITH_TIMEOUT(m_drover.shell("drover history " + id).exitCode, 0, 60'000);
        forget(id);
        const QJsonArray past =
            json(m_drover.shell("drover history -o json " + id)).value(QStringLiteral("jobs")).toArray();
        QCOMPARE(past.first()[QStringLiteral("comment")].toString(), QStringLiteral("for the audit"));
        QCOMPARE(commentOf(again(id)), QStringLiteral("for the audit"));
        QCOMPARE(commentOf(again("--comment other " + id)), QStringLiteral("other"));
        QCOMPARE(commentOf(again("--comment '' " + id)), QString());
        QCOMPARE(commentOf(again("--comment '  ' " + id)), QString()); // blanks say nothing
        QCOMPARE(commentOf(again("--comment ' to read ' " + id)), QStringLiteral("to read"));
        const Finished ran = m_drover.shell("drover run --comment 'ran at once' -- sh -c 'echo $DROVER_JOB_ID'");
        QCOMPARE(commentOf(ran.out.trimmed()), QStringLiteral("ran at once"));
    }

    void aCommentIsOneHarmlessLine()
    {
        const auto with = [&](const QString &comment) {
            return m_drover.run(words("submit --hold --comment") << comment << words("-- true"));
        };
        const QString longest(jobs::JobSpec::MaxComment, QChar(0xfc));
        QCOMPARE(with(longest).exitCode, 0);
        for (const QString &bad : {longest + u'x', QStringLiteral("two\nlines"), QStringLiteral("\x1b[31mred"),
                                   QString(QChar(0x202e)) + QStringLiteral("turned")}) {
            const Finished refused = with(bad);
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("--comment: a comment is one line"), refused.err);
        }
        jobs::JobSpec foreign; // from a program that refuses nothing
        foreign.command = words("true");
        foreign.notes.heldBy = QStringLiteral("x");
        foreign.comment = QStringLiteral("a\x1b[2Jb");
        jobs::Submitter submitter(signedCluster(m_cluster.zk(), m_cluster.credentials()), {});
        const jobs::JobId id = await(submitter.submit(foreign));
        for (const QByteArray &command : QByteArrayList{"ls", "show " + id.bytes()}) {
            const Finished shown = m_drover.shell("drover " + command);
            QVERIFY2(shown.out.contains("a\\x1b[2Jb") && !shown.out.contains('\x1b'), shown.out);
        }
    }

    void optionsChangeIt()
    {
        const QByteArray id = ended("--env WORD=hello -- sh -c 'echo $WORD; exit 3'");
        const QByteArray second = again("--queue other --env WORD=bye " + id);
        QVERIFY2(second.startsWith("other-"), second);
        QCOMPARE(outputOf(second), "bye\n");
        const QByteArray retried = ended("--retries 1 --retry-on 9 --backoff 1s -- false");
        QCOMPARE(m_drover.shell("drover resubmit --retries 0 " + retried).exitCode, 0);
        const Finished bad = m_drover.shell("drover resubmit --retry-on 3 " + id);
        QCOMPARE(bad.exitCode, 2);
        QVERIFY2(bad.complainsOnce() && bad.err.contains("without retries"), bad.err);
    }

    // However many jobs it looks up there. A connection takes three descriptors. On a slow machine each look-up that
    // waits takes one more, for its thread: the limit allows for that and for the inherited ones.
    void oneConnectionToTheHistoryIsEnough()
    {
        if (Sanitized)
            QSKIP("the sanitizer's runtime needs descriptors of its own");
        QByteArrayList ids;
        for (int i = 0; i < 32; ++i)
            ids.append(ended("-- true"));
        for (const QByteArray &id : ids) {
            QTRY_COMPARE_WITH_TIMEOUT(m_drover.shell("drover history " + id).exitCode, 0, 60'000);
            forget(id);
        }
        const Finished finished =
            m_drover.shell("ulimit -n $((96 + $(ls /proc/$$/fd | wc -l))); drover resubmit --id-only " + ids.join(' '));
        QVERIFY2(finished.exitCode == 0 && finished.out.count('\n') == 32, finished.err);
    }

    void aTaskRunsAloneWithItsIndex()
    {
        const QByteArray array = ended("--array 3-5 -- sh -c 'echo task $DROVER_ARRAY_INDEX of $DROVER_ARRAY_COUNT; "
                                       "test $DROVER_ARRAY_INDEX != 4'");
        const QByteArray second = again(array + ".4");
        QCOMPARE(outputOf(second + ".4"), "task 4 of 3\n");
        QCOMPARE(outputOf(again("--array 1-2 " + second) + ".2"),
                 "task 2 of 2\n"); // it is no part of the first any more
        const QByteArray shown = m_drover.shell("drover show " + second + ".4").out;
        QVERIFY2(shown.contains("directory"), shown);
        QCOMPARE(json(m_drover.shell("drover resubmit --dry-run " + array)).value(QStringLiteral("array")).toString(),
                 QStringLiteral("3-5"));
    }

    void failedTasksOfAnArrayBecomeOneArray()
    {
        const QByteArray array =
            ended("--array 10-90:10%2 -- sh -c 'case $DROVER_ARRAY_INDEX in 20|30|40|80) exit 1; esac'");
        const QByteArrayList failed{array + ".20-40:10,80 as 20-40:10,80%2"}; // two at a time, as before
        QCOMPARE(resubmitted("--failed " + array), failed);
        QCOMPARE(resubmitted("--failed " + array + ' ' + array + ".20 " + array + ".30..80"), failed);
        QCOMPARE(resubmitted("--failed " + array + ".." + numberOf(array)), failed);
        QCOMPARE(resubmitted(array + ".10..30 " + array + ".30 " + array + ".90"),
                 QByteArrayList{array + ".10-30:10,90 as 10-30:10,90%2"});
        QCOMPARE(resubmitted(array + ' ' + array + ".30"), QByteArrayList{array + " as 10-90:10%2"});
        isRefused("--failed " + array + ".10", 4, "none of these jobs has failed");
        isRefused("--failed --array 1-3 " + array, 2, "--array is for whole jobs");
    }

    void failedTasksOfAnArrayThatStillRuns()
    {
        const QByteArray array = m_drover
                                     .shell("drover submit --array 1-3 -- sh -c "
                                            "'case $DROVER_ARRAY_INDEX in 2) exit 1;; 3) exec sleep 300; esac'")
                                     .out.trimmed();
        const QByteArray ends =
            "drover wait " + array + ".1 " + array + ".2"; // not found until the master has made them
        QTRY_COMPARE_WITH_TIMEOUT(m_drover.shell(ends).exitCode, 1, 60'000);
        QCOMPARE(resubmitted("--failed " + array), QByteArrayList{array + ".2 as 2"});
        isRefused("--failed " + array + ".3", 4, "has not ended");
        QTRY_COMPARE_WITH_TIMEOUT(m_drover.shell("drover history " + array + ".2").exitCode, 0, 60'000);
        forget(array + ".2");
        isRefused("--history none --failed " + array, 4, "only 0 are known");
        QCOMPARE(m_drover.shell("drover cancel " + array).exitCode, 0);
        m_drover.shell("drover wait " + array);
        QCOMPARE(resubmitted("--failed " + array + ".." + numberOf(array)), QByteArrayList{array + ".2 as 2"});
    }

    // The indices of the failed tasks are not stored any more.
    void forgottenTasksAreNotLeftOutSilently()
    {
        const QByteArray array = ended("--array 1-2 -- false");
        QTRY_COMPARE_WITH_TIMEOUT(m_drover.shell("drover history " + array + ".1").exitCode, 0, 60'000);
        forget(array + ".1");
        const Finished finished = m_drover.shell("drover resubmit --history none --failed " + array);
        QCOMPARE(finished.exitCode, 4);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("2, only "), finished.err);
    }

    void rangesLeaveOutWhatHasNotEnded()
    {
        const QByteArray first = ended("-- true");
        const QByteArray second = ended("-- false");
        const QByteArray held = m_drover.shell("drover submit --hold -- true").out.trimmed();
        const QByteArray range = first + ".." + numberOf(held);
        QCOMPARE(again(range).split('\n').size(), 2);
        QCOMPARE(resubmitted(range + ' ' + first), (QByteArrayList{first + " as ", second + " as "}));
        QCOMPARE(resubmitted("--failed " + range), QByteArrayList{second + " as "});
        isRefused(held + ".." + numberOf(held), 4, "none of these jobs has ended");
        isRefused("default-3..1", 2, "is not a range of jobs");
        isRefused("--connect 127.0.0.1:1 nonsense", 2, "nonsense");
        isRefused("--dedupe once " + range, 2, "--dedupe is for one job, and these are 2");
        const Finished listed = m_drover.shell("drover resubmit --dry-run " + range);
        QVERIFY2(listed.exitCode == 0 && listed.err.contains("2 of 2 matching jobs listed; --dry-run submits none"),
                 listed.err);
        QVERIFY2(listed.out.contains(first) && listed.out.contains(second) && !listed.out.contains(held), listed.out);
        isRefused("--queue nosuch " + range, 3, "no queue \"nosuch\"");
        isRefused("--after-ok default-999999 " + range, 3, "default-999999");
        isRefused("--failed default-999999", 3, "default-999999");
    }

    void membersOfAGangRunTogetherAlone()
    {
        const QByteArray gang = ended("--gang 2 -- true");
        const Finished member = m_drover.shell("drover resubmit " + gang + ".1");
        QVERIFY2(member.exitCode == 4, member.err);
        QVERIFY2(member.complainsOnce() && member.err.contains("resubmit " + gang), member.err);
        isRefused(gang + ".0..1", 4, "resubmit " + gang);
        const QByteArray second = again(gang);
        QCOMPARE(m_drover.shell("drover wait " + second).exitCode, 0);
        QCOMPARE(json(m_drover.shell("drover resubmit --dry-run " + second)).value(QStringLiteral("gang")).toInt(), 2);
    }

    void aMovedJobBelongsToTheOtherQueue()
    {
        const QByteArray id = m_drover.shell("drover submit --hold -- true").out.trimmed();
        QCOMPARE(m_drover.shell("drover move " + id + " other").exitCode, 0);
        const Finished finished = m_drover.shell("drover resubmit " + id);
        QCOMPARE(finished.exitCode, 4);
        QVERIFY2(finished.err.contains("(moved to queue other as other-"), finished.err);
        const QByteArray next = ended("-- true");
        QCOMPARE(resubmitted(id + ".." + numberOf(next)), QByteArrayList{next + " as "});
    }

    void severalAtOnce()
    {
        const QByteArray first = ended("-- true");
        const QByteArray second = ended("-- false");
        const Finished finished = m_drover.shell("drover resubmit " + first + ' ' + second + " default-999999");
        QCOMPARE(finished.exitCode, 3);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("default-999999"), finished.err);
        QCOMPARE(finished.out.count("resubmitted"), 2);
        QVERIFY2(finished.out.contains("succeeded") && finished.out.contains("failed"), finished.out);
    }

    void unfinishedJobsAreRefused()
    {
        const QByteArray id = m_drover.shell("drover submit --hold -- true").out.trimmed();
        const Finished finished = m_drover.shell("drover resubmit " + id);
        QCOMPARE(finished.exitCode, 4);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("has not ended (held)"), finished.err);
        const Finished another = m_drover.shell("drover resubmit --dry-run " + id + " | drover submit --file -");
        QVERIFY2(another.exitCode == 0 && another.out.startsWith("default-"), another.err);
        QCOMPARE(m_drover.shell("drover resubmit default-999999").exitCode, 3);
        QCOMPARE(m_drover.shell("drover resubmit").exitCode, 2);
    }

    void failedTasksAlsoOutOfTheHistory()
    {
        const QByteArray array = ended("--array 1-3 -- sh -c 'test $DROVER_ARRAY_INDEX = 1'");
        for (const char *task : {"", ".1", ".2", ".3"}) {
            const QByteArray id = array + task;
            QTRY_COMPARE_WITH_TIMEOUT(m_drover.shell("drover history " + id).exitCode, 0, 60'000);
            forget(id);
        }
        QCOMPARE(resubmitted("--failed " + array), QByteArrayList{array + ".2..3 as 2-3"});
    }

    void alsoOutOfTheHistory()
    {
        const QByteArray id = ended("--env WORD=past -- sh -c 'echo $WORD'");
        QTRY_COMPARE_WITH_TIMEOUT(m_drover.shell("drover history " + id).exitCode, 0, 60'000);
        m_cluster.remove(m_cluster.layout.done(*jobs::JobId::parse(QString::fromLatin1(id))));
        QCOMPARE(outputOf(again(id)), "past\n");
        const Finished nowhere = m_drover.shell("drover resubmit --queue nosuch " + id);
        QCOMPARE(nowhere.exitCode, 3);
        QVERIFY2(nowhere.err.contains("no queue \"nosuch\""), nowhere.err);
    }
};

QTEST_GUILESS_MAIN(ResubmitTest)

#include "resubmit_test.moc"
