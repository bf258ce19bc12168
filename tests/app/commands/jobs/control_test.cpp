#include "app/support/served_test_case.h"
#include "support/send_signal.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <QThread>

#include <csignal>

using namespace drover;
using namespace drover::test;

// What people do to jobs with the real program.
class ControlTest : public ServedTestCase
{
    Q_OBJECT

    QString path(const char *name) const { return m_drover.directory() + u'/' + QLatin1String(name); }
    QByteArray contents(const char *name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    // Sessions that watch the data of that node, or of those below it.
    int watchersOf(const QByteArray &path)
    {
        int count = 0;
        bool counts = false;
        for (const QByteArray &line : m_cluster.server.ask("wchp").split('\n')) {
            if (line.startsWith('/'))
                counts = line.contains(path);
            else if (counts && line.startsWith('\t'))
                ++count;
        }
        return count;
    }
    // A watch that has fired is away until it is set again, so the number is looked at once when it is right.
    bool comeToWatch(int sessions, const QByteArray &path)
    {
        return QTest::qWaitFor([&] { return watchersOf(path) == sessions; }, 60'000);
    }
    static qint32 numberOf(const QString &id) { return id.section(u'-', -1).toInt(); }

private Q_SLOTS:
    void cleanup()
    {
        if (QTest::currentTestFailed())
            qWarning("%s", run("ls --all").out.constData());
    }

    void aHeldJobRunsWhenReleased()
    {
        const QString id = submit("--hold", "exit 5");
        QCOMPARE(stateOf(id), QStringLiteral("held"));
        const Finished twice = run("hold", {id});
        QCOMPARE(twice.exitCode, 4);
        QVERIFY2(twice.complainsOnce() && twice.err.contains("held already"), twice.err);
        const Finished released = run("release -o json", {id});
        QCOMPARE(released.exitCode, 0);
        const QJsonObject row =
            QJsonDocument::fromJson(released.out).object().value(QStringLiteral("jobs"))[0].toObject();
        QCOMPARE(row.value(QStringLiteral("from")).toString(), QStringLiteral("held"));
        QCOMPARE(row.value(QStringLiteral("result")).toString(), QStringLiteral("ready"));
        QCOMPARE(run("wait", {id}).exitCode, 5);
        QCOMPARE(run("release", {id}).exitCode, 4);
    }

    void aDelayedJobIsHeldAndReleasedToItsDelay()
    {
        const QString id = submit("--delay 1h", "true");
        QCOMPARE(stateOf(id), QStringLiteral("waiting"));
        QCOMPARE(run("hold", {id}).exitCode, 0);
        QCOMPARE(stateOf(id), QStringLiteral("held"));
        QVERIFY(run("release", {id}).out.contains("waiting"));
        QCOMPARE(stateOf(id), QStringLiteral("waiting"));
        QCOMPARE(run("cancel", {id}).exitCode, 0);
    }

    void rangesAndFilters()
    {
        QStringList ids;
        for (int i = 0; i < 6; ++i)
            ids.append(submit(i % 2 ? "--hold --tag odd --name job-one" : "--hold --tag even", "true"));
        const QString range = ids[1] + QStringLiteral("..") + QString::number(numberOf(ids[3]));
        const Finished changed = run("priority 3", {range, QStringLiteral("--tag"), QStringLiteral("odd")});
        QCOMPARE(changed.exitCode, 0);
        QCOMPARE(changed.out.count("priority 3"), 2);
        QVERIFY2(changed.err.contains("2 of 2 matching jobs"), changed.err);
        QCOMPARE(run("ls --tag odd --name job-* -o jsonl").out.count('\n'), 3);
        QCOMPARE(run("ls --tag even --name job-* -o jsonl").out.count('\n'), 0);
        QCOMPARE(show(ids[3]).value(QStringLiteral("priority")).toInt(), 3);
        QCOMPARE(show(ids[5]).value(QStringLiteral("priority")).toInt(), 5);

        QCOMPARE(run("release --name job-* --state held --queue default").out.count("ready"), 3);
        QCOMPARE(run("wait", {ids[1], ids[3], ids[5]}).exitCode, 0);
        const Finished rest =
            run("cancel", {ids.first() + QStringLiteral("..") + QString::number(numberOf(ids.last()))});
        QCOMPARE(rest.exitCode, 0);
        QCOMPARE(rest.out.count("cancelled"), 3); // it leaves out the jobs that had ended
        QCOMPARE(run("wait", {ids.first() + QStringLiteral("..") + QString::number(numberOf(ids.last()))}).exitCode,
                 125);
    }

    void allOfARangeAreWaitedFor()
    {
        const QStringList ids{submit("--hold", "true"), submit("--hold", "true"), submit("--hold", "true")};
        const QString range = ids[0] + QStringLiteral("..") + QString::number(numberOf(ids[2]));
        const QString after = submit(qPrintable(QStringLiteral("--after-ok ") + range), "true");
        QCOMPARE(show(after).value(QStringLiteral("after_ok")).toArray().size(), 3);
        QCOMPARE(run("release", {range}).exitCode, 0);
        QCOMPARE(run("wait", {after}).exitCode, 0);
        const Finished many = run("submit --after default-1..1001 -- true");
        QVERIFY2(many.exitCode == 2 && many.complainsOnce() && many.err.contains("more than 1000 jobs"), many.err);
    }

    void impossibleRequestsHaveTheirExitCodes()
    {
        const QString held = submit("--hold --tag alone", "true");
        QCOMPARE(run("hold default-9999").exitCode, 3);
        QCOMPARE(run("hold --tag unused").exitCode, 3);
        QCOMPARE(run("hold --tag alone").exitCode, 4); // it is held already: nothing is affected
        const Finished some = run("release", {held, QStringLiteral("default-9999")});
        QCOMPARE(some.exitCode, 3);
        QVERIFY(some.out.contains(held.toLatin1()));
        QCOMPARE(run("wait", {held}).exitCode, 0);
        for (const char *const command : {"hold", "release", "requeue", "signal TERM", "priority 1", "cancel"}) {
            const Finished ended = run(command, {held});
            QCOMPARE(ended.exitCode, 4);
            QVERIFY2(ended.complainsOnce() && ended.err.contains("already ended"), ended.err);
        }
        QCOMPARE(run("move", {held, QStringLiteral("other")}).exitCode, 4);
    }

    void usage_data()
    {
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char *command, const char *message) {
            QTest::newRow(command) << QByteArray(message);
        };
        row("hold", "no jobs are named");
        row("release nonsense", "is not a job id; an id is a queue and a number: default-42; drover ls has ");
        row("release 7", "is not a job id; an id is a queue and a number: default-7\n");
        row("cancel default-7..3", "is not a range of jobs");
        row("cancel default-7..x", "is not a range of jobs");
        row("hold --state running-away", "--state");
        row("hold --queue A", "--queue");
        row("priority 10 default-1", "the priority");
        row("priority", "too few");
        row("signal NOPE default-1", "is not a signal");
        row("signal 0 default-1", "is not a signal");
        row("move default-1 A_B", "is not a valid queue name");
        row("wait", "no jobs are named");
    }
    void usage()
    {
        QFETCH(QByteArray, message);
        const Finished finished = run(QTest::currentDataTag());
        QCOMPARE(finished.exitCode, 2);
        QVERIFY2(finished.complainsOnce() && finished.err.contains(message), finished.err);
    }

    void aRequeuedJobRunsAgain()
    {
        const QString id = submit("--max-attempts 1", "echo begun >> begun; [ $(wc -l < begun) -ge 2 ] || sleep 1000");
        QTRY_COMPARE_WITH_TIMEOUT(contents("begun"), QByteArray("begun\n"), 60'000);
        const Finished held = run("hold", {id});
        QCOMPARE(held.exitCode, 4);
        QVERIFY2(held.err.contains("drover requeue"), held.err);
        const Finished requeued = run("requeue", {id});
        QVERIFY2(requeued.exitCode == 0 && requeued.out.contains("requeueing"), requeued.err);
        QCOMPARE(run("wait", {id}).exitCode, 0);
        QCOMPARE(contents("begun"), QByteArray("begun\nbegun\n"));
    }

    void signalsReachTheJob()
    {
        const QString id = submit("--tag signals",
                                  "trap 'echo usr1 >> got' USR1; trap 'exit 9' HUP; echo up > up; "
                                  "while :; do sleep 0.05; done");
        QTRY_COMPARE_WITH_TIMEOUT(contents("up"), QByteArray("up\n"), 60'000);
        QVERIFY(run("signal USR1", {id}).out.contains("signalled"));
        QTRY_COMPARE_WITH_TIMEOUT(contents("got"), QByteArray("usr1\n"), 60'000);
        QCOMPARE(run("signal sighup --tag signals").exitCode, 0);
        QCOMPARE(run("wait", {id}).exitCode, 9);
        QCOMPARE(contents("got"), QByteArray("usr1\n"));
    }

    // The worker is the master of "other", too, and no worker runs the tasks that it creates there.
    void anArrayIsHeldWithItsTasks()
    {
        const zk::Path queue = m_cluster.layout.queue("other");
        const QString id = submit("--queue other --array 1-3", "true");
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(queue).size(), 4, 60'000);
        const Finished held = run("hold", {id});
        QVERIFY2(held.exitCode == 0 && held.out.count("held") == 4, held.out);
        QVERIFY2(held.err.contains("4 of 4 matching jobs held"), held.err);
        const QByteArrayList entries = m_cluster.children(queue);
        const auto isHeld = [](const QByteArray &entry) { return entry.startsWith('h'); };
        QCOMPARE(std::count_if(entries.begin(), entries.end(), isHeld), 3); // the array itself is marked
        QCOMPARE(run("release", {id + QStringLiteral(".1..2")}).out.count("ready"), 2);
        QCOMPARE(run("signal TERM", {id}).exitCode, 4); // none of its tasks runs
        QCOMPARE(run("move", {id, QStringLiteral("default")}).exitCode, 4);
        const Finished rest = run("release --queue other --state held"); // the array, which has begun, and its last
        QVERIFY2(rest.exitCode == 0 && rest.out.count("ready") == 1 && rest.out.contains("running"), rest.out);
        QCOMPARE(run("cancel", {id}).exitCode, 0);
        QCOMPARE(run("wait --timeout 60s", {id}).exitCode, 125);
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.children(queue).isEmpty(), 60'000);
    }

    // It was asked to end the job, and never did. No other worker serves that queue.
    void aCancelIsCarriedOutThoughTheWorkerDies()
    {
        const std::unique_ptr<QProcess> worker = m_drover.start(words("worker --queue other --session-timeout 8s"));
        const QString id = submit("--queue other", "sleep 60");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), QStringLiteral("running"), 60'000);
        sendSignal(*worker, SIGSTOP);
        QCOMPARE(run("cancel", {id}).exitCode, 0);
        sendSignal(*worker, SIGKILL);
        DroverProgram::finish(*worker);
        QCOMPARE(run("wait --timeout 60s", {id}).exitCode, 125);
        QCOMPARE(stateOf(id), QStringLiteral("cancelled"));
    }

    void aMovedJobHasAnotherId()
    {
        const QString id = submit("--hold --priority 4", "true");
        const Finished moved = run("move -o json", {id, QStringLiteral("other")});
        QVERIFY2(moved.exitCode == 0, moved.err);
        const QJsonObject row = QJsonDocument::fromJson(moved.out).object().value(QStringLiteral("jobs"))[0].toObject();
        const QString other = row.value(QStringLiteral("new_id")).toString();
        QVERIFY(other.startsWith(u"other-"));
        QCOMPARE(stateOf(other), QStringLiteral("held"));
        QCOMPARE(show(other).value(QStringLiteral("priority")).toInt(), 4);
        QCOMPARE(stateOf(id), QStringLiteral("cancelled"));
        QVERIFY(show(id).value(QStringLiteral("reason")).toString().contains(QStringLiteral("other")));
        QCOMPARE(run("move", {other, QStringLiteral("nowhere")}).exitCode, 3);
        QVERIFY(run("move", {other, QStringLiteral("default")}).out.contains("default-"));
        QCOMPARE(run("release --state held --queue default").exitCode, 0);
    }

    void theOnlyCandidateIsElectedAgain()
    {
        const Finished stepdown = m_drover.run(words("master stepdown"));
        QVERIFY2(stepdown.exitCode == 0, stepdown.err);
        QVERIFY2(stepdown.err.contains("is the only candidate and was elected again"), stepdown.err);
    }

    void waitReturnsTheHighestCode()
    {
        const QString first = submit("--name w", "exit 3");
        const QString second = submit("--name w", "exit 8");
        const QString third = submit("--name w", "exit 5");
        const Finished all = run("wait -o json", {first, second, third});
        QCOMPARE(all.exitCode, 8);
        const QJsonArray rows = QJsonDocument::fromJson(all.out).object().value(QStringLiteral("jobs")).toArray();
        QCOMPARE(rows.size(), 3);
        QCOMPARE(rows[1].toObject().value(QStringLiteral("id")).toString(), second);
        const QString slow = submit("--tag slow", "sleep 1000");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(slow), QStringLiteral("running"), 60'000);
        QCOMPARE(run("wait --timeout 200ms", {first, slow}).exitCode, 124);
        QCOMPARE(run("cancel --tag slow").exitCode, 0);
        QCOMPARE(run("wait", {first, slow}).exitCode, 128 + SIGTERM);
        QCOMPARE(run("wait --tag slow").exitCode, 128 + SIGTERM); // its record tells, too
        QCOMPARE(run("wait --tag none").exitCode, 3);
    }

    // In the queue that it is moved to, where it runs.
    void aMovedJobIsWaitedFor()
    {
        const QStringList shell = words("--queue other -- sh -c");
        const auto submitted = m_drover.start(words("submit --wait") + shell + QStringList(QStringLiteral("exit 3")));
        const auto ran = m_drover.start(words("run") + shell + QStringList(QStringLiteral("echo ran; exit 4")));
        const zk::Path queue = m_cluster.layout.queue("other");
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(queue).size(), 2, 60'000);
        QStringList ids;
        for (const QByteArray &name : m_cluster.children(queue))
            ids.append(QStringLiteral("other-%1").arg(name.mid(3).toInt()));
        const auto waited = m_drover.start(words("wait") + ids);
        const Finished moved = run("move", ids + QStringList(QStringLiteral("default")));
        QVERIFY2(moved.exitCode == 0, moved.err);
        QCOMPARE(DroverProgram::finish(*submitted).exitCode, 3);
        const Finished shown = DroverProgram::finish(*ran);
        QCOMPARE(shown.exitCode, 4);
        QCOMPARE(shown.out, QByteArray("ran\n"));
        QCOMPARE(DroverProgram::finish(*waited).exitCode, 4);
    }

    void theOutputOfAMovedJobIsFollowed()
    {
        const QString id = submit("--queue other", "echo ran");
        const auto follower = m_drover.start(words("logs -f") << id);
        QVERIFY(comeToWatch(1, "queues/other"));
        const Finished moved = run("move", {id, QStringLiteral("default")});
        QVERIFY2(moved.exitCode == 0, moved.err);
        QCOMPARE(DroverProgram::finish(*follower).out, QByteArray("ran\n"));
        QCOMPARE(run("logs", {id}).out, QByteArray("ran\n"));
        QCOMPARE(run("logs -f", {id}).out, QByteArray("ran\n"));
    }

    void aClientThatStoodStillAndSucceedsSaysNothing()
    {
        const QString id = submit("--queue other", "echo ran");
        const auto waiting = m_drover.start(words("logs -f") << id);
        QVERIFY(comeToWatch(1, "queues/other"));
        sendSignal(*waiting, SIGSTOP);
        QThread::sleep(4); // more than a third of the session time-out, and less than all of it
        sendSignal(*waiting, SIGCONT);
        QCOMPARE(run("move", {id, QStringLiteral("default")}).exitCode, 0);
        const Finished finished = DroverProgram::finish(*waiting);
        QCOMPARE(finished.out, QByteArray("ran\n"));
        const bool quiet = finished.err.isEmpty() || finished.err.contains(": no worker serves queue other");
        QVERIFY2(quiet && finished.err.count('\n') <= 1, finished.err); // what it waits for may be said, but no outage
    }

    void serversThatDoNotAnswerAreNamedOnce()
    {
        const Finished refused = run("ls --connect 127.0.0.1:2,127.0.0.1:3,127.0.0.1:4 --connect-timeout 1s");
        QCOMPARE(refused.exitCode, 6);
        QVERIFY2(refused.complainsOnce() && refused.err.count("127.0.0.1:") == 4
                     && refused.err.contains("connection refused"),
                 refused.err);
    }

    // Its claims are counted from 1 again, and so are its attempts.
    void theOutputOfAJobThatIsMovedWhileClaimedIsFollowed()
    {
        // It holds the lock, and has no session that a stall of the machine could end.
        const zk::Path holder =
            m_cluster.layout.lock("busy") / "_c_00000000-0000-0000-0000-000000000000-__WRIT__0000000000";
        m_cluster.write(m_cluster.layout.lock("busy"), {});
        m_cluster.write(holder, {});
        const auto worker = m_drover.start(words("worker --id mover --queue other"));
        const QString id = submit("--queue other --lock busy", "echo ran");
        const QByteArray claim = "claims/" + id.toLatin1();
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.claims()).contains(id.toLatin1()), 60'000);
        QVERIFY(comeToWatch(1, claim)); // its worker
        const auto follower = m_drover.start(words("logs -f") << id);
        QVERIFY(comeToWatch(2, claim));
        const Finished moved = run("move", {id, QStringLiteral("default")});
        QVERIFY2(moved.exitCode == 0, moved.err);
        m_cluster.remove(holder);
        QCOMPARE(DroverProgram::finish(*follower).out, QByteArray("ran\n"));
        worker->terminate();
        QVERIFY(DroverProgram::finish(*worker).exitCode >= 0);
    }
};

QTEST_GUILESS_MAIN(ControlTest)
#include "control_test.moc"
