#include "jobs/client/submitter.h"
#include "jobs/client/wait_for_job.h"
#include "jobs/model/array_progress.h"
#include "jobs/schedules/schedule_entry.h"
#include "jobs/signing/signer.h"
#include "support/await.h"
#include "support/closed_cluster.h"
#include "support/session_fixture.h"
#include "workers/process/runner_fixture.h"
#include "workers/worker.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// A worker of a closed cluster, with a server and a runner, and a hostile client that writes what it likes to the tree.
class SignedWorkerTest : public QObject
{
    Q_OBJECT

    struct Forged {
        const char *name;
        QByteArray entry; // of its node
        QByteArray data;
        FinalRecord::Outcome outcome = FinalRecord::Outcome::Refused;
        QString reason{};
    };

    // It leaves a file behind, by its name.
    JobSpec job(const QString &name) const
    {
        JobSpec spec;
        spec.command = QStringList{QStringLiteral("/usr/bin/touch"), m_host.folder.filePath(name)};
        spec.environment = {{QStringLiteral("PATH"), QStringLiteral("/usr/bin:/bin")}};
        spec.directory = m_host.folder.path();
        spec.key = name;
        return spec;
    }
    bool ran(const QString &name) const { return QFile::exists(m_host.folder.filePath(name)); }

    static JobRecord signedBy(std::shared_ptr<const trust::Credentials> who, JobSpec spec,
                              std::chrono::milliseconds at = now())
    {
        const Signer signer(std::move(who));
        signer.setTerms(spec, at);
        JobRecord record = spec.record();
        signer.sign(record);
        return record;
    }
    static std::chrono::milliseconds now() { return std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch()); }

    std::vector<Forged> forgedJobs();

    ClosedCluster m_closed;
    std::shared_ptr<trust::Credentials> m_alice = m_closed.person(QStringLiteral("alice"));
    std::shared_ptr<trust::Credentials> m_bob = m_closed.person(QStringLiteral("bob"));
    std::shared_ptr<trust::Credentials> m_worker =
        m_closed.person(QStringLiteral("w1"), [](trust::Certificate &paper) { paper.roles = {trust::Role::Worker}; });
    SessionFixture m_fixture;
    workers::testing::Host m_host;

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*=false"));
        m_fixture.server.start();
    }

    // A forged job ends, none of its commands begins, and the worker goes on with what is signed.
    void onlyWhatIsSignedRuns();
};

std::vector<SignedWorkerTest::Forged> SignedWorkerTest::forgedJobs()
{
    const auto evil = [this] { return job(QStringLiteral("evil")); };
    std::vector<Forged> forged;
    int number = 1000;
    const auto add = [&](const char *name, const QByteArray &data, const char *reason, const QByteArray &entry = {}) {
        const QByteArray own = "q5-000000" + QByteArray::number(number++);
        forged.push_back(
            {name, entry.isEmpty() ? own : entry, data, FinalRecord::Outcome::Refused, QString::fromUtf8(reason)});
    };
    const char *const WrongSignature = "its signature is not one of alice for this job and cluster";
    JobSpec inHerName = evil();
    inHerName.submitter = QStringLiteral("alice");
    add("unsigned", inHerName.encode(), "it is not signed");
    add("of version 1", compactJson(evil().toJson()), "it is not signed");
    JobRecord record = signedBy(m_alice, job(QStringLiteral("other")));
    record.text = evil().record().text;
    add("with the signature of another text", record.bytes(), WrongSignature);
    ClosedCluster elsewhere;
    auto visitor = elsewhere.person(QStringLiteral("alice"));
    record = signedBy(visitor, evil());
    record.certificate = m_alice->ownCertificate().serial;
    add("of another cluster", record.bytes(), WrongSignature);
    JobSpec ofQueue = evil();
    ofQueue.queue = "gpu";
    add("of another queue", signedBy(m_alice, ofQueue).bytes(), "alice signed it for another queue");
    add("expired", signedBy(m_alice, evil(), now() - Signer::StartWithin).bytes(),
        "the time by which alice signed that it starts has passed");
    add("from the future", signedBy(m_alice, evil(), now() + 1h).bytes(),
        "alice signed it in the future, by the clock of this machine");
    add("of a revoked person", signedBy(m_bob, evil()).bytes(), "the certificate of bob is revoked");
    add("of another role", signedBy(m_worker, evil()).bytes(), "w1 lacks the role for it");
    JobSpec array = evil();
    array.array = ArrayIndices{0, 3};
    add("of an array, with another index", taskOf(signedBy(m_alice, array), 4), "the signed array has no task 4",
        "q5-0000002000.4");
    add("of an array, as a job", signedBy(m_alice, array).bytes(), "it is signed as an array, not as a job");
    ScheduleEntry schedule{.when = CronSchedule::parse(QStringLiteral("@yearly")), .job = evil()};
    Signer(m_alice).setTerms(schedule.job, now());
    schedule.signedText.text = schedule.makeText("yearly");
    Signer(m_alice).sign(schedule.signedText, trust::Purpose::Schedule);
    const auto noTick = std::chrono::floor<std::chrono::hours>(now()) - 1min;
    add("of a schedule, with another tick", schedule.encodeJob(schedule.jobAt("yearly", noTick)),
        "the schedule of alice has no such tick");
    record = signedBy(m_alice, job(QStringLiteral("other")));
    record.text.replace("\"cmd\":", "\"cmd\":[\"/usr/bin/touch\",\"evil\"],\"cmd\":");
    add("with a key twice", record.bytes(), WrongSignature);
    add("of a megabyte", "{\"v\":2,\"job\":\"" + QByteArray(900'000, 'x') + "\"}", "");
    forged.back().outcome = FinalRecord::Outcome::Malformed;
    return forged;
}

void SignedWorkerTest::onlyWhatIsSignedRuns()
{
    const Layout layout{"closed"};
    const auto hostile = m_fixture.connected(m_fixture.options());
    const auto client = m_fixture.connected(m_fixture.options());
    const auto session = m_fixture.connected(m_fixture.options());
    await(ensureCluster(Cluster(*hostile, layout), {"default", "gpu"}));
    for (const auto &person : {m_alice, m_bob, m_worker})
        await(ensureCertificate(Cluster(*hostile, layout, person)));
    const auto create = [&](const zk::Path &path, const QByteArray &data) -> async::Task<void> {
        const zk::Answer<zk::Created> created = co_await hostile->create(path, data);
        created.require();
    };
    const trust::Revocations revoked{1, {m_bob->ownCertificate().serial}};
    await(create(layout.revocations(), revoked.signedBy(m_closed.root, m_closed.clusterId)));
    const std::vector<Forged> forged = forgedJobs();
    for (const Forged &one : forged)
        await(create(layout.queue("default") / one.entry, one.data));
    Submitter submitter(Cluster(*client, layout, m_alice), {});
    const JobId good = await(submitter.submit(job(QStringLiteral("good"))));

    workers::WorkerOptions options;
    options.id = QStringLiteral("w1");
    options.slotCount = 2;
    options.spool = m_host.spooled({});
    QDir().mkpath(options.spool);
    workers::Worker worker(Cluster(*session, layout, m_worker), options, m_host.runner);
    async::TaskGroup life;
    life.spawn(worker.run());

    const FinalRecord end = await(waitForEnd(Cluster(*client, layout), good));
    QCOMPARE(end.state(), JobState::Succeeded);
    QCOMPARE(end.submitter, QStringLiteral("alice"));
    QVERIFY(ran(QStringLiteral("good")));
    for (const Forged &one : forged) {
        const JobId id = QueueEntry::parse(one.entry)->idIn("default");
        const FinalRecord record = await(waitForEnd(Cluster(*client, layout), id));
        QVERIFY2(record.outcome == one.outcome, one.name);
        if (!one.reason.isEmpty())
            QVERIFY2(record.reason == one.reason,
                     qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(one.name), record.reason)));
    }
    QVERIFY(!ran(QStringLiteral("evil")) && !ran(QStringLiteral("other")));
    const auto members = [&]() -> async::Task<WorkerInfo> {
        const zk::Answer<zk::Node> node = co_await client->get(layout.members() / "w1");
        co_return WorkerInfo::decode(node->data);
    };
    const qint64 refusals = std::count_if(
        forged.begin(), forged.end(), [](const Forged &one) { return one.outcome == FinalRecord::Outcome::Refused; });
    QTRY_COMPARE_WITH_TIMEOUT(await(members()).refused, refusals, 30'000);

    // After them, as before.
    const JobId later = await(submitter.submit(job(QStringLiteral("later"))));
    QCOMPARE(await(waitForEnd(Cluster(*client, layout), later)).state(), JobState::Succeeded);
    worker.stop();
    await(life.drained());
}

QTEST_GUILESS_MAIN(SignedWorkerTest)
#include "signed_worker_test.moc"
