#include "drover_on_server.h"

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
        const Finished finished = m_drover.shell("drover resubmit -o json " + arguments);
        const QJsonObject row = json(finished).value(QStringLiteral("jobs")).toArray().at(0).toObject();
        return row.value(QStringLiteral("new_id")).toString().toLatin1();
    }

    QByteArray outputOf(const QByteArray &id)
    {
        m_drover.shell("drover wait " + id);
        return m_drover.shell("drover logs " + id).out;
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

    void theSameRunsAgain()
    {
        const QByteArray id = ended("--name greeting --tag t --priority 2 --env WORD=hello --time-limit 1m "
                                    "--dedupe once -- sh -c 'echo $WORD $DROVER_JOB_ID'");
        const QByteArray second = again(id);
        QVERIFY(!second.isEmpty() && second != id);
        QCOMPARE(outputOf(second), "hello " + second + '\n');
        const QJsonObject job = json(m_drover.shell("drover resubmit --dry-run " + second));
        QCOMPARE(job.value(QStringLiteral("name")).toString(), QStringLiteral("greeting"));
        QCOMPARE(job.value(QStringLiteral("priority")).toInt(), 2);
        QCOMPARE(job.value(QStringLiteral("tag")).toArray(), QJsonArray{QStringLiteral("t")});
        QVERIFY(!job.contains(QStringLiteral("dedupe")));
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

    void aTaskRunsAloneWithItsIndex()
    {
        const QByteArray array = ended("--array 3-5 -- sh -c 'echo task $DROVER_ARRAY_INDEX of $DROVER_ARRAY_COUNT; "
                                       "test $DROVER_ARRAY_INDEX != 4'");
        const QByteArray second = again(array + ".4");
        QCOMPARE(outputOf(second + ".4"), "task 4 of 3\n");
        const QByteArray shown = m_drover.shell("drover show " + second + ".4").out;
        QVERIFY2(shown.contains("directory"), shown);
        QCOMPARE(json(m_drover.shell("drover resubmit --dry-run " + array)).value(QStringLiteral("array")).toString(),
                 QStringLiteral("3-5"));
    }

    void membersOfAGangRunTogetherAlone()
    {
        const QByteArray gang = ended("--gang 2 -- true");
        const Finished member = m_drover.shell("drover resubmit " + gang + ".1");
        QCOMPARE(member.exitCode, 4);
        QVERIFY2(member.complainsOnce() && member.err.contains("resubmit " + gang), member.err);
        const QByteArray second = again(gang);
        QCOMPARE(m_drover.shell("drover wait " + second).exitCode, 0);
        QCOMPARE(json(m_drover.shell("drover resubmit --dry-run " + second)).value(QStringLiteral("gang")).toInt(), 2);
    }

    void whatWasMovedIsTheOthers()
    {
        const QByteArray id = m_drover.shell("drover submit --hold -- true").out.trimmed();
        QCOMPARE(m_drover.shell("drover move " + id + " other").exitCode, 0);
        const Finished finished = m_drover.shell("drover resubmit " + id);
        QCOMPARE(finished.exitCode, 4);
        QVERIFY2(finished.err.contains("(moved to queue other)"), finished.err);
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

    void whatHasNotEndedIsRefused()
    {
        const QByteArray id = m_drover.shell("drover submit --hold -- true").out.trimmed();
        const Finished finished = m_drover.shell("drover resubmit " + id);
        QCOMPARE(finished.exitCode, 4);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("has not ended (held)"), finished.err);
        const Finished another = m_drover.shell("drover resubmit --dry-run " + id + " | drover submit --file -");
        QVERIFY2(another.exitCode == 0 && another.out.startsWith("default-"), another.err);
        QCOMPARE(m_drover.shell("drover resubmit default-999999").exitCode, 3);
        QCOMPARE(m_drover.shell("drover resubmit default-1..3").exitCode, 2);
        QCOMPARE(m_drover.shell("drover resubmit").exitCode, 2);
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
