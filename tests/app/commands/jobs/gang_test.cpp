#include "app/support/drover_on_server.h"
#include "support/send_signal.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// A gang of two on two real workers of one slot each.
class GangTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_first;
    std::unique_ptr<QProcess> m_second;

    QString file(const char *name) const { return m_drover.directory() + u'/' + QLatin1String(name); }

    std::unique_ptr<QProcess> startWorker(const char *id) const
    {
        std::unique_ptr<QProcess> worker = m_drover.start(
            words(QStringLiteral("worker --grace 0s --session-timeout 10s --slots 1 --id ") + QLatin1String(id)));
        QByteArray seen;
        return waitForMessage(*worker, "queues", seen) ? std::move(worker) : nullptr;
    }

    QString submit(const QString &options, const QString &script) const
    {
        const Finished finished = m_drover.run(words(QStringLiteral("submit --id-only --gang 2 ") + options)
                                               << words(QStringLiteral("-- sh -c")) << script);
        return QString::fromUtf8(finished.out).trimmed();
    }

    QJsonObject show(const QString &id) const
    {
        return QJsonDocument::fromJson(m_drover.run(words(QStringLiteral("show -o json ") + id)).out).object();
    }
    QString stateOf(const QString &id) const { return show(id).value(QStringLiteral("state")).toString(); }
    QByteArray why(const QString &id) const { return m_drover.run(words(QStringLiteral("why ") + id)).out; }

    QByteArrayList linesOf(const QString &name) const
    {
        QFile lines(name);
        if (!lines.open(QIODevice::ReadOnly))
            return {};
        QByteArrayList all = lines.readAll().trimmed().split('\n');
        std::sort(all.begin(), all.end());
        return all;
    }

    static void stop(QProcess &worker)
    {
        worker.terminate();
        QVERIFY(worker.waitForFinished(60'000));
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({QByteArrayLiteral("default")});
        m_first = startWorker("first");
        QVERIFY(m_first);
    }

    void cleanupTestCase()
    {
        stop(*m_first);
        if (m_second)
            stop(*m_second);
    }

    void noMemberBeginsAlone()
    {
        const QString script =
            QStringLiteral("echo $DROVER_GANG_RANK $DROVER_GANG_SIZE $DROVER_GANG_ID $DROVER_GANG_PEERS >> %1")
                .arg(file("ran"));
        const QString id = submit(QStringLiteral("--name pair"), script);
        QTRY_VERIFY_WITH_TIMEOUT(why(id).contains("have 1"), 30'000);
        QCOMPARE(linesOf(file("ran")), QByteArrayList());
        m_second = startWorker("second");
        QVERIFY(m_second);
        const Finished waited = m_drover.run(words(QStringLiteral("wait ") + id));
        QVERIFY2(waited.exitCode == 0, waited.err);
        const QByteArrayList lines = linesOf(file("ran"));
        QCOMPARE(lines.size(), 2);
        const QByteArray host = QSysInfo::machineHostName().toUtf8();
        for (int rank = 0; rank < 2; ++rank)
            QCOMPARE(lines[rank], QByteArray::number(rank) + " 2 " + id.toUtf8() + ' ' + host + ',' + host);
        const QJsonObject job = show(id);
        QCOMPARE(job.value(QStringLiteral("reason")).toString(), QStringLiteral("all 2 members have succeeded"));
        QCOMPARE(m_cluster.children(m_cluster.layout.gangs()), QByteArrayList());
    }

    void aGangHasTheExitCodeOfTheMemberThatFailed()
    {
        const QString id = submit(QString::fromLatin1("--grace 1s"),
                                  QStringLiteral("[ $DROVER_GANG_RANK = 0 ] && exec sleep 600; sleep 0.3; exit 7"));
        const Finished waited = m_drover.run(words(QStringLiteral("wait ") + id));
        QVERIFY2(waited.exitCode == 7, waited.err);
        QCOMPARE(stateOf(id + QStringLiteral(".0")), QStringLiteral("cancelled"));
        QCOMPARE(stateOf(id + QStringLiteral(".1")), QStringLiteral("failed"));
        QCOMPARE(m_cluster.children(m_cluster.layout.gangs()), QByteArrayList());
    }

    void aWorkerThatIsKilledBringsAllBack()
    {
        const QString script = QStringLiteral("echo $DROVER_GANG_ROUND.$DROVER_GANG_RANK >> %1; "
                                              "[ $DROVER_GANG_ROUND = 0 ] && exec sleep 600; true")
                                   .arg(file("rounds"));
        const QString id = submit(QString::fromLatin1("--grace 1s"), script);
        QTRY_COMPARE_WITH_TIMEOUT(linesOf(file("rounds")), (QByteArrayList{"0.0", "0.1"}), 60'000);
        QVERIFY(why(id).contains("its 2 members have begun together"));
        QVERIFY(sendSignal(*m_second, SIGKILL));
        QVERIFY(m_second->waitForFinished(60'000));
        QTRY_VERIFY_WITH_TIMEOUT(why(id).contains("round 2"), 60'000);
        QCOMPARE(linesOf(file("rounds")).size(), 2);
        m_second = startWorker("third");
        QVERIFY(m_second);
        const Finished waited = m_drover.run(words(QStringLiteral("wait ") + id));
        QVERIFY2(waited.exitCode == 0, waited.err);
        QCOMPARE(linesOf(file("rounds")), (QByteArrayList{"0.0", "0.1", "1.0", "1.1"}));
        QCOMPARE(m_cluster.children(m_cluster.layout.gangs()), QByteArrayList());
    }

    void cancel()
    {
        const QString id =
            submit(QString::fromLatin1("--grace 1s"), QStringLiteral("echo x >> %1; exec sleep 600").arg(file("long")));
        QTRY_COMPARE_WITH_TIMEOUT(linesOf(file("long")).size(), 2, 60'000);
        QCOMPARE(m_drover.run(words(QStringLiteral("cancel ") + id)).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), QStringLiteral("cancelled"), 60'000);
        QCOMPARE(m_cluster.children(m_cluster.layout.gangs()), QByteArrayList());
    }

    void aGangThatCannotBeginSaysWhy()
    {
        const Finished submitted = m_drover.run(words(QStringLiteral("submit --id-only --gang 40 -- true")));
        const QString tooWide = QString::fromUtf8(submitted.out).trimmed();
        QVERIFY2(submitted.err.startsWith("drover: " + tooWide.toUtf8() + ": its 40 members need a place each"),
                 submitted.err);
        const Finished doctor = m_drover.run(words(QStringLiteral("doctor")));
        QVERIFY2(doctor.out.contains("1 gang can never begin, beginning with " + tooWide.toUtf8()), doctor.out);
        QVERIFY2(!doctor.out.contains("all is well"), doctor.out);
        QCOMPARE(m_drover.run(words(QStringLiteral("cancel ") + tooWide)).exitCode, 0);
        const Finished both = m_drover.run(words(QStringLiteral("submit --gang 2 --array 1-4 -- true")));
        QCOMPARE(both.exitCode, 2);
        QVERIFY2(both.complainsOnce() && both.err.contains("do not go together"), both.err);
        const Finished lock = m_drover.run(words(QStringLiteral("submit --gang 2 --lock db -- true")));
        QCOMPARE(lock.exitCode, 2);
        QVERIFY2(lock.complainsOnce() && lock.err.contains("lock \"db\""), lock.err);
        QCOMPARE(m_drover.run(words(QStringLiteral("submit --gang 257 -- true"))).exitCode, 2);
    }
};

QTEST_GUILESS_MAIN(GangTest)
#include "gang_test.moc"
