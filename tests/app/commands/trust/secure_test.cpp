#include "app/support/drover_program.h"
#include "support/zk_server.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace drover;
using namespace drover::test;

// An open cluster with work in it is closed, and all of the work ends well: by the real program, on a real server.
class SecureTest : public QObject
{
    Q_OBJECT

    TestServer m_server;

    // The words, with the place of the cluster before what is to be run.
    QStringList in(const char *line, const QByteArray &cluster) const
    {
        QStringList all = words(line);
        const QStringList place = words("--connect")
            << m_server.connectString() << words("--cluster") << QString::fromLatin1(cluster);
        const qsizetype command = all.indexOf(u"--"_qs);
        return command < 0 ? all + place : all.first(command) + place + all.sliced(command);
    }
    Finished run(const DroverProgram &machine, const char *line, const QByteArray &cluster) const
    {
        return machine.run(in(line, cluster), 120'000);
    }
    QByteArray submit(const DroverProgram &machine, const QByteArray &options, const QByteArray &script,
                      const QByteArray &cluster) const
    {
        const Finished finished = machine.run(in("submit " + options + (options.isEmpty() ? "--" : " --"), cluster)
                                              << words("sh -c") << QString::fromUtf8(script));
        return finished.exitCode == 0 ? finished.out.trimmed() : finished.err;
    }
    QJsonObject show(const DroverProgram &machine, const QByteArray &id, const QByteArray &cluster) const
    {
        return json(run(machine, "show -o json " + id, cluster));
    }
    bool hasWorker(const DroverProgram &machine, const QByteArray &cluster) const
    {
        return QTest::qWaitFor([&] { return run(machine, "worker ls -o json", cluster).out.contains("slots"); },
                               60'000);
    }
    static QByteArrayList linesOf(const DroverProgram &machine, const char *name)
    {
        QFile file(machine.directory() + u'/' + QLatin1String(name));
        if (!file.open(QIODevice::ReadOnly))
            return {};
        QByteArrayList lines = file.readAll().trimmed().split('\n');
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    static void stop(QProcess &worker)
    {
        worker.terminate();
        DroverProgram::finish(worker);
    }
    // Where the old worker has gone.
    std::unique_ptr<QProcess> startAgain(const DroverProgram &machine, const QByteArray &cluster) const
    {
        const Finished added = run(machine, "worker add again", cluster);
        if (added.exitCode != 0)
            qWarning("%s", added.err.constData());
        return machine.start(in("worker --slots 2 --id again --credentials again.drover", cluster));
    }

private Q_SLOTS:
    void initTestCase() { m_server.start(); }
    void waitingWorkIsSignedAndEndsWell();
    void workThatIsLeftUnsignedIsRefused();
    void anInterruptedCallIsContinued();
};

void SecureTest::waitingWorkIsSignedAndEndsWell()
{
    const QByteArray lab("lab");
    const DroverProgram machine;
    const std::unique_ptr<QProcess> open = machine.start(in("worker --slots 2 --id open", lab));
    QVERIFY(hasWorker(machine, lab));
    const QByteArray running =
        submit(machine, "--slots 2", "until test -e go; do sleep 0.05; done; echo running >> ran", lab);
    QVERIFY(QTest::qWaitFor([&] { return show(machine, running, lab)[u"state"].toString() == u"running"; }, 60'000));
    const QByteArray plain = submit(machine, {}, "echo plain >> ran", lab);
    const QByteArray held = submit(machine, "--hold", "echo held >> ran", lab);
    const QByteArray after = submit(machine, "--after " + plain, "echo after >> ran", lab);
    const QByteArray array = submit(machine, "--array 1-3", "echo task $DROVER_ARRAY_INDEX >> ran", lab);
    const QByteArray gang = submit(machine, "--gang 2", "echo member >> ran", lab);
    const Finished cron = machine.run(words("cron add ticks") << u"@every 1s"_qs << in("--", lab) << words("sh -c")
                                                              << u"echo tick >> ticks"_qs);
    QVERIFY2(cron.exitCode == 0, cron.err);

    const std::unique_ptr<QProcess> closing = machine.start(in("cluster secure --shared --yes", lab));
    QByteArray told;
    QVERIFY2(waitForMessage(*closing, "waiting for 1 running job", told), told);
    const auto ticksThatWait = [&] { return run(machine, "ls", lab).out.count("echo tick"); };
    const qsizetype listed = ticksThatWait();
    QVERIFY(QTest::qWaitFor([&] { return ticksThatWait() > listed + 1; }, 60'000)); // made meanwhile
    QVERIFY(QFile(machine.directory() + u"/go"_qs).open(QIODevice::WriteOnly));
    const Finished closed = DroverProgram::finish(*closing);
    QVERIFY2(closed.exitCode == 0, closed.err);
    QVERIFY2(closed.out.contains("are signed as yours"), closed.out);
    QCOMPARE(show(machine, running, lab)[u"state"].toString(), u"succeeded"_qs);

    const Finished shutOut = DroverProgram::finish(*open); // else it would be master, and could not work
    QVERIFY2(shutOut.exitCode == 5, shutOut.err);
    QVERIFY2(shutOut.err.contains("is closed, and there are no credentials for it"), shutOut.err);
    const std::unique_ptr<QProcess> again = startAgain(machine, lab);
    QCOMPARE(run(machine, "release " + held, lab).exitCode, 0);
    for (const QByteArray &id : {plain, held, after, array, gang}) {
        const Finished waited = run(machine, "wait --timeout 100s " + id, lab);
        QVERIFY2(waited.exitCode == 0, waited.out + waited.err);
    }
    for (const QByteArray &id : {running, plain, held, after}) {
        const QJsonObject job = show(machine, id, lab);
        QCOMPARE(job[u"attempt"].toInt(), 1);
    }
    QCOMPARE(show(machine, plain, lab)[u"submitter"].toString(), u"admin"_qs);
    QCOMPARE(linesOf(machine, "ran"),
             (QByteArrayList{"after", "held", "member", "member", "plain", "running", "task 1", "task 2", "task 3"}));
    const qsizetype ticks = linesOf(machine, "ticks").size();
    QVERIFY(QTest::qWaitFor([&] { return linesOf(machine, "ticks").size() > ticks + 1; }, 60'000));
    const QJsonArray failed = json(run(machine, "ls --all --state failed -o json", lab))[u"jobs"].toArray();
    QVERIFY2(failed.isEmpty(), QJsonDocument(failed).toJson());
    stop(*again);
}

void SecureTest::workThatIsLeftUnsignedIsRefused()
{
    const QByteArray lab("second");
    const DroverProgram machine;
    const std::unique_ptr<QProcess> open = machine.start(in("worker --slots 2 --id open", lab));
    QVERIFY(hasWorker(machine, lab));
    const QByteArray held = submit(machine, "--hold", "true", lab);
    const Finished closed = run(machine, "cluster secure --shared --yes --leave-unsigned", lab);
    QVERIFY2(closed.exitCode == 0, closed.err);
    QVERIFY2(closed.err.contains("1 job or schedule are not signed"), closed.err);
    stop(*open);
    const std::unique_ptr<QProcess> again = startAgain(machine, lab);
    QCOMPARE(run(machine, "release " + held, lab).exitCode, 0);
    const Finished waited = run(machine, "wait --timeout 100s " + held, lab);
    QVERIFY(waited.exitCode != 0);
    QVERIFY2(run(machine, "show " + held, lab).out.contains("refused"), waited.out);
    stop(*again);
}

// It was killed while the queues were paused.
void SecureTest::anInterruptedCallIsContinued()
{
    const QByteArray lab("third");
    const DroverProgram machine;
    const std::unique_ptr<QProcess> open = machine.start(in("worker --slots 1 --id open", lab));
    QVERIFY(hasWorker(machine, lab));
    const QByteArray running = submit(machine, {}, "until test -e go; do sleep 0.05; done", lab);
    QVERIFY(QTest::qWaitFor([&] { return show(machine, running, lab)[u"state"].toString() == u"running"; }, 60'000));
    const QByteArray waiting = submit(machine, {}, "echo waited >> ran", lab);
    const std::unique_ptr<QProcess> closing = machine.start(in("cluster secure --shared --yes", lab));
    QByteArray told;
    QVERIFY2(waitForMessage(*closing, "waiting for 1 running job", told), told);
    closing->kill();
    DroverProgram::finish(*closing);

    const Finished elsewhere = run(machine, "cluster secure --shared --yes", "second");
    QVERIFY2(elsewhere.exitCode == 4, elsewhere.err); // with the keys of another cluster
    QVERIFY(QFile(machine.directory() + u"/go"_qs).open(QIODevice::WriteOnly));
    const Finished closed = run(machine, "cluster secure --shared --yes", lab);
    QVERIFY2(closed.exitCode == 0, closed.err);
    const Finished repeated = run(machine, "cluster secure --shared", lab); // it is closed
    QVERIFY2(repeated.exitCode == 0, repeated.err);
    QVERIFY2(repeated.out.startsWith("cluster third is closed already; 0 nodes"), repeated.out);
    stop(*open);
    const std::unique_ptr<QProcess> again = startAgain(machine, lab);
    const Finished waited = run(machine, "wait --timeout 100s " + waiting, lab);
    QVERIFY2(waited.exitCode == 0, waited.err);
    QCOMPARE(linesOf(machine, "ran"), QByteArrayList{"waited"});
    stop(*again);
}

QTEST_GUILESS_MAIN(SecureTest)
#include "secure_test.moc"
