#include "jobs/client/job_control.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/model/array_progress.h"
#include "jobs/signing/signer.h"
#include "support/closed_cluster.h"
#include "workers/worker_cluster.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// What a worker of a closed cluster does with what it finds in a queue. decision_test has the reasons one by one.
class SignedJobsTest : public QObject
{
    Q_OBJECT

    struct Claimed {
        std::vector<qint32> jobs;
        qint64 refused = 0;
    };

    // A person of the closed cluster, in session `who`.
    Cluster clusterOf(WorkerCluster &fake, std::shared_ptr<const trust::Credentials> credentials, int who = 0)
    {
        return {fake[who], fake.layout, std::move(credentials)};
    }

    QByteArray list(qint64 number, std::set<QByteArray> serials) const
    {
        return trust::Revocations{number, std::move(serials)}.signedBy(m_closed.root, m_closed.clusterId);
    }

    JobId submit(WorkerCluster &fake, std::shared_ptr<const trust::Credentials> credentials,
                 const JobSpec &spec = JobCluster::spec())
    {
        if (!fake.exists(fake.layout.revocations()))
            fake.write(fake.layout.revocations(), list(1, {})); // as each closed cluster has one
        Submitter submitter(clusterOf(fake, std::move(credentials)), {});
        return fake.run(submitter.submit(spec));
    }

    Claimed claim(WorkerCluster &fake, std::shared_ptr<const trust::Credentials> worker)
    {
        workers::Claimer claimer(clusterOf(fake, std::move(worker), 1), QStringLiteral("w1"));
        Claimed claimed;
        for (const workers::ClaimedJob &job : fake.run(WorkerCluster::claimAll(claimer, fake.ready())).jobs)
            claimed.jobs.push_back(job.id.number);
        claimed.refused = claimer.refused();
        return claimed;
    }

    static void expectWarnings(int count)
    {
        for (int i = 0; i < count; ++i)
            QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("is refused: ")));
    }

    ClosedCluster m_closed;
    std::shared_ptr<trust::Credentials> m_alice = m_closed.person(QStringLiteral("alice"));
    std::shared_ptr<trust::Credentials> m_worker =
        m_closed.person(QStringLiteral("w1"), [](trust::Certificate &paper) { paper.roles = {trust::Role::Worker}; });

private Q_SLOTS:
    void aSignedJobIsClaimed()
    {
        WorkerCluster fake(2);
        const JobId id = submit(fake, m_alice);
        QCOMPARE(fake.view(id).spec->submitter, QStringLiteral("alice"));
        QCOMPARE(fake.node(fake.layout.certificate(m_alice->ownCertificate().serial)).data, m_alice->certificate);
        const Claimed claimed = claim(fake, m_worker);
        QCOMPARE(claimed.jobs, std::vector<qint32>{id.number});
        QCOMPARE(claimed.refused, 0);
    }

    void aHeldJobNamesItsPerson()
    {
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.notes.heldBy = QStringLiteral("user@host");
        QCOMPARE(fake.view(submit(fake, m_alice, spec)).spec->notes.heldBy, QStringLiteral("alice"));
    }

    // They end, one after the other, and the worker goes on with the job of alice.
    void anUnsignedOrChangedJobIsRefused()
    {
        WorkerCluster fake(2);
        JobSpec evil = JobCluster::spec();
        evil.command = QStringList{QStringLiteral("evil")};
        evil.submitter = QStringLiteral("alice");
        const JobId unsigned_ = fake.submit(evil);
        const JobId good = submit(fake, m_alice);
        const JobId changed = submit(fake, m_alice);
        QByteArray data = fake.node(fake.pathOf(changed)).data;
        fake.write(fake.pathOf(changed), data.replace("true", "evil"));
        const JobId nonsense = submit(fake, m_alice);
        fake.write(fake.pathOf(nonsense), "{");
        const JobId old = submit(fake, m_alice);
        fake.write(fake.pathOf(old), R"({"v":1,"cmd":["evil"]})");
        expectWarnings(3);
        const Claimed claimed = claim(fake, m_worker);
        QCOMPARE(claimed.jobs, std::vector<qint32>{good.number});
        QCOMPARE(claimed.refused, 3);
        QCOMPARE(fake.recordOf(unsigned_).outcome, FinalRecord::Outcome::Refused);
        QCOMPARE(fake.recordOf(unsigned_).reason, QStringLiteral("it is not signed"));
        QCOMPARE(fake.recordOf(unsigned_).command, evil.command);
        QCOMPARE(fake.recordOf(unsigned_).submitter, QString()); // not proven
        QVERIFY(!fake.recordOf(unsigned_).jobToResubmit());
        QCOMPARE(fake.recordOf(unsigned_).exitCode(), 125);
        QCOMPARE(fake.recordOf(unsigned_).state(), JobState::Failed);
        QCOMPARE(fake.recordOf(old).outcome, FinalRecord::Outcome::Refused);
        QCOMPARE(fake.recordOf(nonsense).outcome, FinalRecord::Outcome::Malformed);
        QVERIFY(fake.recordOf(changed).reason.contains(QStringLiteral("not one of alice")));
        QVERIFY(!fake.exists(fake.pathOf(changed)));
    }

    // They have done nothing wrong, and another worker may run them.
    void aWrongClockRefusesNothing()
    {
        WorkerCluster fake(2);
        const JobId id = submit(fake, m_alice);
        fake.write(fake.layout.members() / "w1", "{}");
        zk::ServerClock clock(fake[1].loop());
        workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"), &clock);
        for (const auto ahead : {365 * 24h, -48h}) {
            fake.process(1).setClockAhead(ahead);
            const workers::Candidates found = fake.run(claimer.read("default", fake.ready()));
            QVERIFY(found.jobs.empty());
            QVERIFY2(found.undecided.contains(ahead > 0h ? u"ahead of ZooKeeper's"_qs : u"behind ZooKeeper's"_qs),
                     qPrintable(found.undecided));
            QVERIFY(fake.exists(fake.pathOf(id)));
            QCOMPARE(fake.node(fake.pathOf(id)).stat.version, 0);
        }
        QCOMPARE(claimer.refused(), 0);
        fake.process(1).setClockAhead(0s);
        QCOMPARE(fake.run(claimer.read("default", fake.ready())).jobs.size(), 1u);
    }

    // With the records of this cluster, whatever they say of themselves.
    void aCertificateIsTheRoots()
    {
        WorkerCluster fake(2);
        const auto mallory = m_closed.person(
            QStringLiteral("mallory"), [](trust::Certificate &) {}, &m_alice->key); // by alice's key
        submit(fake, m_alice);
        const JobId id = submit(fake, mallory);
        expectWarnings(1);
        QCOMPARE(claim(fake, m_worker).jobs, std::vector<qint32>{0});
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("the certificate is not signed by the cluster's root key"));

        const JobId unknown = submit(fake, m_closed.person(QStringLiteral("bob")));
        JobRecord record = JobRecord::parse(fake.node(fake.pathOf(unknown)).data);
        record.certificate = "../../zookeeper/config";
        fake.write(fake.pathOf(unknown), record.bytes());
        expectWarnings(1);
        claim(fake, m_worker);
        QCOMPARE(fake.recordOf(unknown).reason,
                 QStringLiteral("the cluster does not have the certificate of its signer"));
    }

    // A forger puts one into the place of another. It is not read again for each job that names it.
    void aCertificateUnderAnotherSerialIsReadOnce()
    {
        WorkerCluster fake(2);
        workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"));
        const auto bob = m_closed.person(QStringLiteral("bob"));
        const zk::Path place = fake.layout.certificate(bob->ownCertificate().serial);
        JobId id = submit(fake, bob);
        fake.write(place, m_alice->certificate);
        expectWarnings(4);
        const auto requestsToRefuse = [&] {
            const quint64 before = fake.requests();
            const bool isClaimed = !fake.run(WorkerCluster::claimAll(claimer, fake.ready())).jobs.empty();
            const quint64 requests = fake.requests() - before;
            const QString reason = isClaimed ? QString() : fake.recordOf(id).reason;
            id = submit(fake, bob);
            return reason.contains(QStringLiteral("another certificate is in the place")) ? requests : 0;
        };
        QVERIFY(requestsToRefuse() > 0);
        const quint64 remembered = requestsToRefuse();
        QVERIFY(remembered > 0);
        QCOMPARE(requestsToRefuse(), remembered);
        fake.settle(61s);
        QCOMPARE(requestsToRefuse(), remembered + 1);

        fake.write(place, bob->certificate); // an administrator mends it
        fake.settle(61s);
        QCOMPARE(fake.run(WorkerCluster::claimAll(claimer, fake.ready())).jobs.size(), 1u);
    }

    void aRevokedCertificateEndsAtOnce()
    {
        WorkerCluster fake(2);
        workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"));
        const JobId first = submit(fake, m_alice);
        QCOMPARE(fake.run(WorkerCluster::claimAll(claimer, fake.ready())).jobs.size(), 1u);
        fake.end(first, 0);
        const JobId second = submit(fake, m_alice);
        const auto write = [&](const trust::Revocations &list, const trust::SigningKey &key) {
            fake.write(fake.layout.revocations(), list.signedBy(key, m_closed.clusterId));
            fake.settle();
        };
        const QByteArray serial = m_alice->ownCertificate().serial;
        write({3, {serial}}, m_closed.root);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("not believed: .* older")));
        write({2, {}}, m_closed.root); // rolled back
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("not believed: .* root key")));
        write({4, {}}, m_alice->key);
        expectWarnings(1);
        QVERIFY(fake.run(WorkerCluster::claimAll(claimer, fake.ready())).jobs.empty());
        QCOMPARE(fake.recordOf(second).reason, QStringLiteral("the certificate of alice is revoked"));
    }

    // Copied into another queue, or put back under another number: the first is refused.
    void aMovedJobIsOfThePersonWhoMovesIt()
    {
        WorkerCluster fake(2);
        fake.run(ensureCluster(fake.cluster(), {"gpu"}));
        const JobId id = submit(fake, m_alice);
        const auto bob = m_closed.person(QStringLiteral("bob"));
        const QByteArray copied = fake.node(fake.pathOf(id)).data;
        const JobChange moved = fake.run(moveToQueue(clusterOf(fake, bob), id, "gpu", {}));
        QCOMPARE(fake.view(moved.id).spec->submitter, QStringLiteral("bob"));
        const zk::Path copy = fake.layout.job("gpu", {QueueEntry::Class::Ready, 5, 99});
        fake.write(copy, copied);
        workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"));
        expectWarnings(1);
        const auto read = [&]() -> async::Task<workers::Candidates> {
            co_return co_await claimer.read("gpu", readyInOrder(fake.childrenOf(fake.layout.queue("gpu"))));
        };
        const workers::Candidates found = fake.run(read());
        QCOMPARE(found.jobs.size(), 1u);
        QCOMPARE(found.jobs.front().id, moved.id);
        std::vector<workers::QueuedRefusal> refused;
        for (const workers::RefusedJob &job : found.refused)
            refused.push_back({"gpu", job});
        QVERIFY(fake.run(claimer.endRefused(refused)).empty());
        QCOMPARE(fake.recordOf({"gpu", 99}).reason, QStringLiteral("alice signed it for another queue"));
    }

    // Each planned stop would look like a trouble.
    void aLostSessionIsNotReportedAsUnreadableRevocations()
    {
        WorkerCluster fake(2);
        workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"));
        submit(fake, m_alice);
        QCOMPARE(fake.run(WorkerCluster::claimAll(claimer, fake.ready())).jobs.size(), 1u);
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        fake.session(1).partition();
        fake.settle(1min);
        QCOMPARE(fake[1].state(), zk::Client::State::Lost);
    }

    void theTasksOfAnArrayAreClaimedByOneSignature()
    {
        WorkerCluster fake(2);
        JobSpec array = JobCluster::spec();
        array.array = ArrayIndices{0, 9};
        const JobId id = submit(fake, m_alice, array);
        const QByteArray stored = fake.node(fake.layout.job("default", {QueueEntry::Class::Array, 5, id.number})).data;
        for (const qint32 index : {0, 9, 10})
            fake.write(fake.layout.job("default", {QueueEntry::Class::Ready, 5, id.number, index}),
                       taskOf(stored, index));
        expectWarnings(1);
        QCOMPARE(claim(fake, m_worker).jobs.size(), 2u);
        QCOMPARE(fake.recordOf({"default", id.number, 10}).reason, QStringLiteral("the signed array has no task 10"));
    }

    void aJobWhoseSignerLacksTheRoleIsRefusedAtOnce()
    {
        WorkerCluster fake(2);
        const JobId id = submit(fake, m_worker); // it may run jobs, and not submit them
        expectWarnings(1);
        QVERIFY(claim(fake, m_worker).jobs.empty());
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("w1 lacks the role for it"));
    }

    // With the signature of its submit, as a forger can who writes to the tree. It is over after as many starts as it
    // may have had by itself, also if the worker's process is another one. Each machine counts for itself.
    void aJobThatIsPutBackRunsNotForEver_data()
    {
        constexpr int Attempts = 3;
        QTest::addColumn<int>("machines");
        QTest::addColumn<bool>("isBrokenOff"); // each run, by its worker
        QTest::addColumn<int>("gang");
        QTest::addColumn<int>("most"); // starts on each machine
        QTest::newRow("on the same machine") << 1 << false << 0 << Attempts;
        QTest::newRow("on another one as well") << 2 << false << 0 << Attempts;
        QTest::newRow("broken off each time") << 1 << true << 0 << Attempts + JobSpec::MaxForgiven;
        QTest::newRow("a gang's member") << 1 << false << 2 << Attempts + JobSpec::MaxForgiven;
    }
    void aJobThatIsPutBackRunsNotForEver()
    {
        QFETCH(int, machines);
        QFETCH(bool, isBrokenOff);
        QFETCH(int, gang);
        QFETCH(int, most);
        const QTemporaryDir spools[2];
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.maxAttempts = 2;
        spec.retry.limit = 1;
        const JobId id = submit(fake, m_alice, spec);
        const QByteArray data = fake.node(fake.pathOf(id)).data;
        int began = 0;
        QString refusal;
        for (int put = 0; put < machines * (most + 1); ++put) {
            const JobId again{"default", id.number + put};
            if (put > 0)
                fake.write(fake.pathOf(again), data);
            workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"), nullptr,
                                     spools[put % machines].path());
            workers::Claims claims = fake.run(WorkerCluster::claimAll(claimer, fake.ready()));
            QCOMPARE(claims.jobs.size(), 1u);
            claims.jobs.front().spec.gang = gang;
            const auto drop = [&](const workers::ClaimedJob &, const std::optional<FinalRecord> &record) {
                refusal = record ? record->reason : QStringLiteral("given back");
            };
            if (put >= machines * most)
                expectWarnings(1);
            const std::vector<workers::ClaimedJob> noted = fake.run(claimer.noteStarts(std::move(claims.jobs), drop));
            began += static_cast<int>(noted.size());
            for (const workers::ClaimedJob &job : noted) {
                job.noted->setMayHaveBegun(true);
                if (isBrokenOff)
                    fake.run(job.noted->forgive(JobSpec::MaxForgiven));
            }
            fake.commit(zk::Transaction().remove(fake.layout.claim(again)), 1);
            fake.commit(zk::Transaction().remove(fake.pathOf(again)));
        }
        QCOMPARE(began, machines * most);
        const int counted = isBrokenOff ? most - JobSpec::MaxForgiven : most;
        QCOMPARE(refusal, QStringLiteral("it has begun %1 times on this machine").arg(counted));
    }

    // Note by note, as a forger can alter them who writes to the tree: core/jobs/model/README.md says what that gains.
    void alteredNotesRunNothingElse_data()
    {
        QTest::addColumn<QByteArray>("note");
        QTest::addColumn<bool>("runs"); // the signed command, as often as the others
        const auto row = [](const char *note, bool runs) { QTest::newRow(note) << QByteArray(note) << runs; };
        row(R"({"returned":100000})", true);
        row(R"({"pending":100000})", true);
        row(R"({"began_last":7})", true);
        row(R"({"roomless":7})", true);
        row(R"({"failed":1000,"failed_code":3})", true);
        row(R"({"cancelled":true})", false);
        row(R"({"ready":true})", true);
        row(R"({"was_singleton":true})", true);
        row(R"({"index":1})", false);
        row(R"({"tick_ms":1700000000000})", false);
        row(R"({"not_before_ms":4000000000000})", true);
        row(R"({"held_by":"me"})", true);
        row(R"({"progress":{"v":1,"next":5}})", true);
        row(R"({"gang_rounds":{"v":1,"round":5}})", true);
        row(R"({"cmd":["evil"],"env":{"LD_PRELOAD":"evil"},"queue":"gpu"})", true);
        row(R"({"returned":-1})", false); // malformed
    }
    void alteredNotesRunNothingElse()
    {
        QFETCH(QByteArray, note);
        QFETCH(bool, runs);
        WorkerCluster fake(2);
        const JobId id = submit(fake, m_alice);
        JobRecord record = JobRecord::parse(fake.node(fake.pathOf(id)).data);
        record.setNotes(versioned(QJsonDocument::fromJson(note).object()));
        fake.write(fake.pathOf(id), record.bytes());
        if (note.contains("index") || note.contains("tick"))
            expectWarnings(1);
        workers::Claimer claimer(clusterOf(fake, m_worker, 1), QStringLiteral("w1"));
        const workers::Claims claims = fake.run(WorkerCluster::claimAll(claimer, fake.ready()));
        QCOMPARE(claims.jobs.size(), runs ? 1u : 0u);
        for (const workers::ClaimedJob &job : claims.jobs) {
            QCOMPARE(job.spec.command, JobCluster::spec().command);
            QVERIFY(job.spec.environment.empty());
        }
        QCOMPARE(fake.exists(fake.layout.done(id)), !runs);
    }

    // Many submits at once keep their order, and each is signed.
    void manyAreSignedInOrder()
    {
        WorkerCluster fake(2);
        Submitter submitter(clusterOf(fake, m_alice), {});
        std::vector<JobId> ids(200);
        async::TaskGroup submitting;
        const auto submitNext = [&](std::size_t i) -> async::Task<void> {
            JobSpec spec = JobCluster::spec();
            spec.name = QString::number(i);
            const JobId id = co_await submitter.submit(spec);
            ids[i] = id;
        };
        for (std::size_t i = 0; i < ids.size(); ++i)
            submitting.spawn(submitNext(i));
        fake.run(submitting.drained());
        for (std::size_t i = 0; i < ids.size(); ++i) {
            QCOMPARE(ids[i].number, static_cast<qint32>(i));
            const QByteArray stored = fake.node(fake.pathOf(ids[i])).data;
            QVERIFY(JobRecord::parse(stored).isSigned());
            QCOMPARE(JobSpec::decode(stored, "default", 5).name, QString::number(i));
        }
        JobSpec large = JobCluster::spec();
        large.key = QStringLiteral("key");
        large.command.append(QString());
        large.command.back() =
            QString(JobSpec::MaxSize - large.record().text.size(), u'x'); // it fits without its terms
        QVERIFY_THROWS_EXCEPTION(SpecTooLarge, fake.run(submitter.submit(large)));
    }
};

QTEST_GUILESS_MAIN(SignedJobsTest)
#include "signed_jobs_test.moc"
