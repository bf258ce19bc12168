#include "app/support/access_of.h"
#include "app/support/drover_on_server.h"
#include "jobs/client/submitter.h"
#include "support/await.h"
#include "support/send_signal.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScopeGuard>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// What people tell queues, limits and workers, and what jobs hold, with real workers.
class OrdersTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;
    std::vector<std::unique_ptr<QProcess>> m_workers;

    QString submit(const QString &script, jobs::JobSpec spec = {})
    {
        spec.command = {QStringLiteral("/bin/sh"), QStringLiteral("-c"), script};
        spec.directory = m_drover.directory();
        jobs::Submitter submitter(signedCluster(m_cluster.zk(), m_cluster.credentials()), {});
        return await(submitter.submit(spec)).toString();
    }

    QJsonObject json(const QString &command) const
    {
        return QJsonDocument::fromJson(m_drover.run(words(command + QStringLiteral(" -o json"))).out).object();
    }
    QJsonObject job(const QString &id) const { return json(QStringLiteral("show ") + id); }
    QString stateOf(const QString &id) const { return job(id).value(QStringLiteral("state")).toString(); }
    QString text(const QJsonObject &object, const char *key) const
    {
        return object.value(QLatin1String(key)).toString();
    }

    void startWorker(const QString &options)
    {
        m_workers.push_back(m_drover.start(words(QStringLiteral("worker --grace 0s ") + options)));
        QByteArray seen;
        QVERIFY(waitForMessage(*m_workers.back(), "queues", seen));
    }

    void make(const char *name) const { QVERIFY(QFile(file(name)).open(QIODevice::WriteOnly)); }
    QString file(const char *name) const { return m_drover.directory() + u'/' + QLatin1String(name); }

    // A script that runs until `name` is made.
    static QString until(const char *name)
    {
        return QStringLiteral("while [ ! -e %1 ]; do sleep 0.05; done").arg(QLatin1String(name));
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({QByteArrayLiteral("default")});
        startWorker(QStringLiteral("--id plain --slots 2"));
        startWorker(QStringLiteral("--id large --slots 3 --memory 1G --labels gpu,ssd"));
    }

    void cleanupTestCase()
    {
        for (const auto &worker : m_workers) {
            sendSignal(*worker, SIGTERM);
            DroverProgram::finish(*worker);
        }
    }

    void workersShowWhatTheyHave()
    {
        const auto listed = [&] {
            return json(QStringLiteral("worker ls")).value(QStringLiteral("workers")).toArray();
        };
        QTRY_COMPARE_WITH_TIMEOUT(listed().size(), 2, 30'000);
        const QJsonObject large = json(QStringLiteral("worker show large"));
        QCOMPARE(large.value(QStringLiteral("slots")).toInt(), 3);
        QCOMPARE(large.value(QStringLiteral("memory")).toInteger(), qint64(1) << 30);
        QCOMPARE(large.value(QStringLiteral("labels")).toArray().size(), 2);
        QCOMPARE(text(large, "state"), QStringLiteral("ready"));
        const QJsonObject plain = json(QStringLiteral("worker show plain"));
        QVERIFY(plain.value(QStringLiteral("memory")).toInteger() > qint64(1) << 28); // the machine's
        const Finished list = m_drover.run(words(QStringLiteral("worker ls")));
        QVERIFY2(list.out.contains("gpu, ssd") || list.out.contains("gpu,ssd") || list.out.contains("gpu ssd"),
                 list.out);
    }

    void aWorkerWhoseIdIsTakenWaitsAndCanBeStopped()
    {
        const std::unique_ptr<QProcess> twin = m_drover.start(words(QStringLiteral("worker --id plain")));
        QByteArray seen;
        QVERIFY2(waitForMessage(*twin, "id plain is taken by ", seen), seen);
        QVERIFY2(!seen.contains("queues"), seen);
        sendSignal(*twin, SIGTERM);
        const Finished finished = DroverProgram::finish(*twin);
        QCOMPARE(finished.exitCode, 0);
        QVERIFY2(finished.err.contains("stopping") && !finished.err.contains("for the jobs"), finished.err);
        QCOMPARE(text(json(QStringLiteral("worker show plain")), "state"), QStringLiteral("ready"));
    }

    void jobsRunWhereTheyFit()
    {
        jobs::JobSpec spec;
        spec.needs = {3, qint64(1) << 29, {QStringLiteral("gpu")}};
        const QString wide = submit(until("wide"), spec);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(wide), QStringLiteral("running"), 30'000);
        QCOMPARE(text(job(wide), "worker"), QStringLiteral("large"));
        const QJsonObject large = json(QStringLiteral("worker show large"));
        QCOMPARE(large.value(QStringLiteral("slots_used")).toInt(), 3);
        QCOMPARE(large.value(QStringLiteral("running")).toInt(), 1);
        const QString narrow = submit(QStringLiteral("true"));
        QCOMPARE(m_drover.run({QStringLiteral("wait"), narrow}).exitCode, 0);
        make("wide");
        QCOMPARE(m_drover.run({QStringLiteral("wait"), wide}).exitCode, 0);
    }

    // `drover lock` in a shell and the locks of jobs are the same.
    void aJobWaitsForALockOfTheShell()
    {
        const std::unique_ptr<QProcess> holder =
            m_drover.start({QStringLiteral("lock"), QStringLiteral("db"), QStringLiteral("--"), QStringLiteral("sh"),
                            QStringLiteral("-c"), QStringLiteral("echo $DROVER_FENCE; ") + until("unlock")});
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "\n", seen));
        jobs::JobSpec spec;
        spec.locks.append(QStringLiteral("db"));
        const QString id = submit(QStringLiteral("echo $DROVER_LOCK_FENCE_DB > fence; ") + until("end"), spec);
        QTRY_COMPARE_WITH_TIMEOUT(text(job(id), "waits_for"), QStringLiteral("lock db"), 30'000);
        QVERIFY(!QFile::exists(file("fence")));
        const auto claimed = [&] { return json(QStringLiteral("master show")).value(QStringLiteral("claimed")); };
        QTRY_COMPARE_WITH_TIMEOUT(claimed().toInt(), 1, 30'000); // which is not to say that it runs
        make("unlock");
        QCOMPARE(DroverProgram::finish(*holder).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file("fence")), 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(!job(id).contains(QStringLiteral("waits_for")), 30'000);
        const Finished tried = m_drover.run(words(QStringLiteral("lock db --try -- true")));
        QCOMPARE(tried.exitCode, 4);
        make("end");
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}).exitCode, 0);
        QCOMPARE(m_drover.run(words(QStringLiteral("lock db --timeout 30s -- true"))).exitCode, 0);
        QFile fence(file("fence"));
        QVERIFY(fence.open(QIODevice::ReadOnly));
        QVERIFY(fence.readAll().trimmed().toLongLong() > seen.trimmed().toLongLong());
    }

    void aJobThatWaitsForALockCanBeHeld()
    {
        const std::unique_ptr<QProcess> holder =
            m_drover.start(words(QStringLiteral("lock store -- sh -c")) + QStringList{until("open")});
        jobs::JobSpec spec;
        spec.locks.append(QStringLiteral("store"));
        QTRY_COMPARE_WITH_TIMEOUT(m_drover.run(words(QStringLiteral("lock store --try -- true"))).exitCode, 4, 30'000);
        const QString id = submit(QStringLiteral("true"), spec);
        QTRY_COMPARE_WITH_TIMEOUT(text(job(id), "waits_for"), QStringLiteral("lock store"), 30'000);
        QCOMPARE(m_drover.run({QStringLiteral("hold"), id}).exitCode, 0);
        QCOMPARE(stateOf(id), QStringLiteral("held"));
        make("open");
        QCOMPARE(DroverProgram::finish(*holder).exitCode, 0);
        QCOMPARE(m_drover.run({QStringLiteral("release"), id}).exitCode, 0);
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}).exitCode, 0);
    }

    void limits()
    {
        QCOMPARE(m_drover.run(words(QStringLiteral("limit set api 2"))).exitCode, 0);
        jobs::JobSpec spec;
        spec.limits.append(QStringLiteral("api"));
        QStringList ids;
        for (int i = 0; i < 3; ++i)
            ids.append(submit(until("api"), spec));
        const auto held = [&] {
            const QJsonArray limits = json(QStringLiteral("limit ls")).value(QStringLiteral("limits")).toArray();
            return limits.size() == 1 ? limits[0].toObject().value(QStringLiteral("held")).toInt() : -1;
        };
        const auto waiting = [&] {
            return std::count_if(ids.begin(), ids.end(),
                                 [&](const QString &id) { return text(job(id), "waits_for") == u"limit api"; });
        };
        QTRY_COMPARE_WITH_TIMEOUT(held(), 2, 30'000);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), 1, 30'000);
        QCOMPARE(m_drover.run(words(QStringLiteral("limit set api 3"))).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), 0, 30'000);
        make("api");
        QCOMPARE(m_drover.run(QStringList{QStringLiteral("wait")} + ids).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(held(), 0, 30'000);
    }

    void aPausedQueue()
    {
        QCOMPARE(m_drover
                     .run({QStringLiteral("queue"), QStringLiteral("pause"), QStringLiteral("default"),
                           QStringLiteral("--why"), QStringLiteral("disk full")})
                     .exitCode,
                 0);
        const Finished submitted = m_drover.run(words(QStringLiteral("submit -- true")));
        QCOMPARE(submitted.exitCode, 0);
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        const Finished waited =
            m_drover.run({QStringLiteral("wait"), id, QStringLiteral("--timeout"), QStringLiteral("1500ms")});
        QCOMPARE(waited.exitCode, 124);
        QCOMPARE(job(id).value(QStringLiteral("attempt")).toInt(), 0);
        const QJsonArray queues = json(QStringLiteral("queue ls")).value(QStringLiteral("queues")).toArray();
        QCOMPARE(text(queues[0].toObject(), "state"), QStringLiteral("paused"));
        QCOMPARE(text(queues[0].toObject(), "paused_why"), QStringLiteral("disk full"));
        QCOMPARE(text(queues[0].toObject(), "paused_by"), QStringLiteral("test"));
        QCOMPARE(m_drover.run(words(QStringLiteral("queue resume default"))).exitCode, 0);
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}).exitCode, 0);
    }

    void aLimitedQueue()
    {
        QCOMPARE(m_drover.run(words(QStringLiteral("queue limit default 1"))).exitCode, 0);
        const QString first = submit(until("one"));
        const QString second = submit(until("one"));
        const auto waiting = [&] { return text(job(first), "waits_for") + text(job(second), "waits_for"); };
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), QStringLiteral("the limit of queue default"), 30'000);
        QCOMPARE(m_drover.run(words(QStringLiteral("queue limit default none"))).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), QString(), 30'000);
        make("one");
        QCOMPARE(m_drover.run({QStringLiteral("wait"), first, second}).exitCode, 0);
    }

    // Two workers stand for election. Either of them, as the master, releases the jobs that wait for their time.
    void stepdown()
    {
        const QJsonObject before = json(QStringLiteral("master show"));
        const QString first = text(before, "master");
        QCOMPARE(before.value(QStringLiteral("in_line")).toArray().size(), 1);
        const QString second = before.value(QStringLiteral("in_line")).toArray().at(0).toString();
        QTRY_VERIFY_WITH_TIMEOUT(!text(json(QStringLiteral("master show")), "master_since").isEmpty(), 30'000);

        jobs::JobSpec later;
        later.notes.notBefore = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch() + 3000);
        const QString waiting = submit(QStringLiteral("true"), later);
        QElapsedTimer clock;
        clock.start();
        const QJsonObject change = json(QStringLiteral("master stepdown"));
        qInfo("the master stepped down in %lld ms", clock.elapsed());
        QCOMPARE(text(change, "was"), first);
        QCOMPARE(text(change, "master"), second);
        QTRY_COMPARE_WITH_TIMEOUT(json(QStringLiteral("master show")).value(QStringLiteral("in_line")).toArray(),
                                  QJsonArray{first}, 30'000);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(waiting), QStringLiteral("succeeded"), 30'000);
        const QJsonObject after = json(QStringLiteral("master show"));
        QCOMPARE(text(after, "master"), second);
        QVERIFY(text(after, "master_since") > text(before, "master_since"));
    }

    // One that hangs is deposed like any other.
    void stepdownOfAMasterThatHangs()
    {
        const QString hanging = text(json(QStringLiteral("master show")), "master");
        const auto pid =
            static_cast<pid_t>(json(QStringLiteral("worker show ") + hanging).value(QStringLiteral("pid")).toInteger());
        QVERIFY(pid > 0);
        QCOMPARE(::kill(pid, SIGSTOP), 0);
        const auto goesOn = qScopeGuard([pid] { ::kill(pid, SIGCONT); });
        const QJsonObject change = json(QStringLiteral("master stepdown"));
        QCOMPARE(text(change, "was"), hanging);
        QVERIFY(text(change, "master") != hanging);
    }

    void cordonAndDrain()
    {
        QCOMPARE(m_drover.run(words(QStringLiteral("worker cordon plain --why maintenance"))).exitCode, 0);
        const QString id = submit(until("drained"));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), QStringLiteral("running"), 30'000);
        QCOMPARE(text(job(id), "worker"), QStringLiteral("large"));
        const QJsonObject plain = json(QStringLiteral("worker show plain"));
        QCOMPARE(text(plain, "state"), QStringLiteral("cordoned"));
        QCOMPARE(text(plain, "cordoned_why"), QStringLiteral("maintenance"));
        QCOMPARE(m_drover.run(words(QStringLiteral("worker drain plain --timeout 30s"))).exitCode, 0);

        const Finished busy = m_drover.run(words(QStringLiteral("worker drain large --timeout 500ms")));
        QCOMPARE(busy.exitCode, 124);
        QVERIFY2(busy.complainsOnce() && busy.err.contains("large"), busy.err);
        const QString later = submit(QStringLiteral("true")); // no worker claims it
        const std::unique_ptr<QProcess> drain = m_drover.start(words(QStringLiteral("worker drain large")));
        QCOMPARE(stateOf(id), QStringLiteral("running"));
        make("drained");
        QCOMPARE(DroverProgram::finish(*drain).exitCode, 0);
        QCOMPARE(stateOf(id), QStringLiteral("succeeded"));
        QCOMPARE(stateOf(later), QStringLiteral("ready"));
        for (const char *const worker : {"plain", "large"})
            QCOMPARE(m_drover.run(words(QStringLiteral("worker uncordon %1").arg(QLatin1String(worker)))).exitCode, 0);
        QCOMPARE(m_drover.run({QStringLiteral("wait"), later}).exitCode, 0);
        QCOMPARE(m_drover.run(words(QStringLiteral("worker uncordon plain"))).exitCode, 4);
    }
};

QTEST_GUILESS_MAIN(OrdersTest)
#include "orders_test.moc"
