#include "async/task_group.h"
#include "core/jobs/job_cluster.h"
#include "jobs/client/job_control.h"
#include "jobs/client/prover.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/model/array_progress.h"
#include "jobs/signing/signer.h"
#include "support/closed_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// A client that can write to ZooKeeper puts a job there, and waits for a person who signs it: bob moves, resubmits or
// runs it.
class ProverTest : public QObject
{
    Q_OBJECT

    // A closed cluster with alice, bob and the list of the revoked.
    struct Fixture {
        JobCluster fake{2};
        ClosedCluster closed;
        std::shared_ptr<trust::Credentials> alice = closed.person(QStringLiteral("alice"));
        std::shared_ptr<trust::Credentials> bob = closed.person(QStringLiteral("bob"), [](trust::Certificate &paper) {
            paper.runAs = QStringList{QStringLiteral("deploy")};
        });

        Fixture()
        {
            fake.run(ensureCluster(fake.cluster(), {"gpu"}));
            publish({1, {}});
            for (const auto &person : {alice, bob})
                fake.run(ensureCertificate(of(person)));
        }
        std::chrono::milliseconds now() { return fake[0].loop().wallClock(); }
        Cluster of(const std::shared_ptr<const trust::Credentials> &person) { return {fake[0], fake.layout, person}; }
        void publish(const trust::Revocations &list)
        {
            fake.write(fake.layout.revocations(), list.signedBy(closed.root, closed.clusterId));
        }
        JobId submit(const std::shared_ptr<const trust::Credentials> &person, const JobSpec &spec = JobCluster::spec())
        {
            return fake.run(Submitter(of(person), {}).submit(spec));
        }
        JobRecord signedBy(const std::shared_ptr<const trust::Credentials> &person, JobSpec spec,
                           std::chrono::milliseconds ago = {})
        {
            const Signer signer(person);
            signer.setTerms(spec, now() - ago);
            JobRecord record = spec.record();
            signer.sign(record);
            return record;
        }
        std::shared_ptr<trust::Credentials> known(const std::shared_ptr<trust::Credentials> &person)
        {
            fake.write(fake.layout.certificate(person->ownCertificate().serial), person->certificate);
            return person;
        }
        std::shared_ptr<trust::Credentials> whoMayUseGpuAlone()
        {
            return known(
                closed.person(QStringLiteral("dave"), [](trust::Certificate &paper) { paper.queues = {"gpu"}; }));
        }
        // A daily schedule of that name, which was signed 40 days ago.
        ScheduleEntry nightly(const std::shared_ptr<const trust::Credentials> &person, const JobSpec &spec)
        {
            ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = spec};
            entry.catchUp = ScheduleEntry::CatchUp::None;
            const Signer signer(person);
            signer.setTerms(entry.job, now() - 24h * 40);
            entry.signedText.text = entry.makeText("nightly");
            signer.sign(entry.signedText, trust::Purpose::Schedule);
            return entry;
        }
        QByteArray tickOf(const ScheduleEntry &entry, std::chrono::milliseconds tick)
        {
            return entry.encodeJob(entry.jobAt("nightly", tick));
        }
        // What alice signed, and may not ask for now.
        QByteArray forgedTerms(const QByteArray &how)
        {
            if (how == "too late")
                return signedBy(alice, JobCluster::spec(), Signer::StartWithin).bytes();
            const ScheduleEntry daily = nightly(alice, JobCluster::spec());
            if (how == "of no tick")
                return tickOf(daily, daily.when.next(now() - 24h * 2) + 1min);
            if (how == "of a tick long ago")
                return tickOf(daily, daily.when.next(now() - 24h * 30));
            JobSpec spec = JobCluster::spec();
            if (how == "a task as a job") {
                spec.array = ArrayIndices{0, 9};
                return taskOf(signedBy(alice, spec), 3);
            }
            spec.notes.notBefore = now() + 1h; // "too early"
            JobRecord record = signedBy(alice, spec);
            record.setNotes(versioned({}));
            return record.bytes();
        }
        // A job that a forger has put into the queue, or made of that of alice.
        QByteArray forged(const QByteArray &how)
        {
            JobSpec evil = JobCluster::spec();
            evil.command = QStringList{QStringLiteral("evil")};
            evil.submitter = QStringLiteral("alice");
            if (how == "unsigned")
                return evil.encode();
            JobRecord record = signedBy(alice, JobCluster::spec());
            if (how == "altered")
                record.text.replace("true", "evil");
            if (how == "of another queue") {
                JobSpec ofGpu = JobCluster::spec();
                ofGpu.queue = "gpu";
                record = signedBy(alice, ofGpu);
            }
            if (how == "as a user that is not hers") {
                JobSpec asDeploy = JobCluster::spec();
                asDeploy.runAs = QStringLiteral("deploy");
                record = signedBy(alice, asDeploy);
            }
            if (how == "for a queue that is not his")
                record = signedBy(whoMayUseGpuAlone(), JobCluster::spec());
            if (how == "of a stranger")
                record.certificate = QByteArray(32, 'a');
            if (how == "of a forged root") {
                const auto mallory = closed.person(
                    QStringLiteral("mallory"), [](trust::Certificate &) {}, &alice->key);
                record = signedBy(mallory, JobCluster::spec());
                fake.write(fake.layout.certificate(record.certificate), mallory->certificate);
            }
            if (how == "of a role that may not") {
                const auto worker = closed.person(
                    QStringLiteral("w"), [](trust::Certificate &paper) { paper.roles = {trust::Role::Worker}; });
                record = signedBy(worker, JobCluster::spec());
                fake.write(fake.layout.certificate(record.certificate), worker->certificate);
            }
            if (how == "revoked")
                publish({2, {alice->ownCertificate().serial}});
            return record.bytes();
        }
        FinalRecord ended(const QByteArray &stored, const JobId &id)
        {
            FinalRecord record = FinalRecord::withoutRun(id, JobSpec::decode(stored, id.queue, 5),
                                                         FinalRecord::Outcome::Exited, {}, 1, now());
            record.keepSigned(stored, 5);
            return FinalRecord::decode(record.encode(), id);
        }
    };

    template <class Call>
    static QString refusal(const Call &call)
    {
        try {
            call();
        } catch (const trust::Untrusted &error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }

    static void forgeries()
    {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *how, const char *why) {
            QTest::newRow(how) << QByteArray(how) << QString::fromUtf8(why);
        };
        row("unsigned", "no person has signed it");
        row("altered", "its signature is not one of alice");
        row("of another queue", "alice signed it for another queue");
        row("as a user that is not hers", "alice may not run jobs as deploy");
        row("for a queue that is not his", "dave may not submit to queue default");
        row("of a stranger", "the cluster does not have the certificate of its signer");
        row("of a forged root", "the cluster does not have the certificate of its signer");
        row("of a role that may not", "w lacks the role for it");
        row("revoked", "the certificate of alice is revoked");
    }

private Q_SLOTS:
    void aForgedJobIsNotMoved_data() { forgeries(); }
    void aForgedJobIsNotMoved()
    {
        QFETCH(QByteArray, how);
        QFETCH(QString, why);
        Fixture f;
        const JobId id = f.submit(f.alice);
        const QByteArray stored = f.forged(how);
        f.fake.write(f.fake.pathOf(id), stored);
        const QString told = refusal([&] { f.fake.run(moveToQueue(f.of(f.bob), id, "gpu", {})); });
        QVERIFY2(told.startsWith(QStringLiteral("job default-0 is not signed in your name: ") + why), qPrintable(told));
        QCOMPARE(f.fake.node(f.fake.pathOf(id)).data, stored);
        f.fake.settle();
        QVERIFY(f.fake.childrenOf(f.fake.layout.queue("gpu")).isEmpty()); // also no reserved number
    }

    // The mover would give it new terms.
    void aJobThatNoWorkerWouldStartIsNotMoved_data()
    {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *how, const char *why) {
            QTest::newRow(how) << QByteArray(how) << QString::fromUtf8(why);
        };
        row("too late", "the time by which alice signed that it starts has passed");
        row("too early", "alice signed it for a later start");
        row("of no tick", "the schedule of alice has no such tick");
        row("of a tick long ago", "its tick of the schedule of alice is too long ago");
        row("a task as a job", "its node is not the one of its task");
    }
    void aJobThatNoWorkerWouldStartIsNotMoved()
    {
        QFETCH(QByteArray, how);
        QFETCH(QString, why);
        Fixture f;
        const JobId id = f.submit(f.alice);
        f.fake.write(f.fake.pathOf(id), f.forgedTerms(how));
        const QString told = refusal([&] { f.fake.run(moveToQueue(f.of(f.bob), id, "gpu", {})); });
        QVERIFY2(told.startsWith(QStringLiteral("job default-0 is not signed in your name: ") + why), qPrintable(told));
        f.fake.settle();
        QVERIFY(f.fake.childrenOf(f.fake.layout.queue("gpu")).isEmpty());
    }

    // Its time comes later, or its tasks run for it.
    void aJobThatStartsLaterMayBeMoved()
    {
        Fixture f;
        JobSpec later = JobCluster::spec();
        later.notes.notBefore = f.now() + 24h * 30;
        JobSpec array = JobCluster::spec();
        array.array = ArrayIndices{0, 9};
        const ScheduleEntry daily = f.nightly(f.alice, JobCluster::spec());
        const QByteArray tick = f.tickOf(daily, daily.when.next(f.now() - 24h * 2));
        Prover prover(f.of(f.bob));
        f.fake.run(prover.learn(f.alice->ownCertificate().serial));
        for (const QByteArray &stored : {f.signedBy(f.alice, later).bytes(), f.signedBy(f.alice, array).bytes(), tick})
            QCOMPARE(refusal([&] { prover.requireWaiting({"default", 7}, stored); }), QString());
    }

    // The documents say that a job which has waited for too long is submitted again.
    void aJobThatIsTooLateMayBeSubmittedAgain()
    {
        Fixture f;
        const JobId id = f.submit(f.alice);
        f.fake.write(f.fake.pathOf(id), f.forgedTerms("too late"));
        Prover prover(f.of(f.bob));
        QCOMPARE(f.fake.run(prover.jobToResubmit(f.fake.view(id), {id})).command, JobCluster::spec().command);
        f.fake.write(f.fake.pathOf(id), f.forged("as a user that is not hers"));
        const JobView waiting = f.fake.view(id);
        const QString told = refusal([&] { f.fake.run(prover.jobToResubmit(waiting, {id})); });
        QVERIFY2(told.contains(u"alice may not run jobs as deploy"), qPrintable(told));
    }

    void aForgedRecordIsNotSubmittedAgain_data() { forgeries(); }
    void aForgedRecordIsNotSubmittedAgain()
    {
        QFETCH(QByteArray, how);
        QFETCH(QString, why);
        Fixture f;
        const JobId id{"default", 7};
        const JobView view = viewOfEnded(f.ended(f.forged(how), id), f.now());
        QVERIFY(jobToResubmit(view)); // it can be shown
        Prover prover(f.of(f.bob));
        const QString told = refusal([&] { f.fake.run(prover.jobToResubmit(view, {id})); });
        QVERIFY2(told.startsWith(QStringLiteral("job default-7 is not signed in your name: ") + why), qPrintable(told));
        QVERIFY2(told.contains(QStringLiteral("drover resubmit --dry-run default-7")), qPrintable(told));
    }

    // What was signed, and not what the record says beside it.
    void theSignedJobIsSubmittedAgain()
    {
        Fixture f;
        JobSpec spec = JobCluster::spec();
        spec.tags = QStringList{QStringLiteral("mine")};
        spec.array = ArrayIndices{0, 9};
        const JobId id = f.submit(f.alice, spec);
        const zk::Path node = f.fake.layout.job("default", {QueueEntry::Class::Array, 5, id.number});
        const QByteArray stored = f.fake.node(node).data;
        FinalRecord record = f.ended(stored, id);
        record.command = QStringList{QStringLiteral("evil")};
        record.name = QStringLiteral("evil");
        Prover prover(f.of(f.bob));
        const JobSpec again = f.fake.run(prover.jobToResubmit(viewOfEnded(record, f.now()), {id}));
        QCOMPARE(again.command, spec.command);
        QCOMPARE(again.tags, spec.tags);
        QCOMPARE(again.array->count(), 10);
        QVERIFY(!again.terms.signedAt.count());
        const Resubmission tasks{id, ArrayIndices::of({2, 3})};
        QCOMPARE(f.fake.run(prover.jobToResubmit(viewOfEnded(record, f.now()), tasks)).array->count(), 2);
        QVERIFY(record.repeat.isEmpty()); // the job is in it once
    }

    // A person whose certificate has ended since may have signed it while it was valid.
    void aCertificateCountsAtTheTimeOfItsSignature()
    {
        Fixture f;
        const auto carol = f.closed.person(QStringLiteral("carol"), [&](trust::Certificate &paper) {
            paper.notAfter = std::chrono::duration_cast<std::chrono::seconds>(f.now()) + 24h;
        });
        const JobId id = f.submit(carol);
        const QByteArray stored = f.fake.node(f.fake.pathOf(id)).data;
        const JobView view = viewOfEnded(f.ended(stored, id), f.now());
        f.fake.settle(48h);
        Prover prover(f.of(f.bob));
        QCOMPARE(f.fake.run(prover.jobToResubmit(view, {id})).command, JobCluster::spec().command);
        QVERIFY(refusal([&] { prover.requireWaiting(id, stored); }).contains(u"the certificate of carol has expired"));
    }

    // The look at who has signed the job was not repeated.
    void aShortDisconnectStopsNoMove()
    {
        Fixture f;
        f.fake.add({.latency = 2ms});
        const Cluster far{f.fake[2], f.fake.layout, f.bob};
        int interrupted = 0;
        for (int after = 0; after < 30; ++after) {
            const JobId id = f.submit(f.alice);
            QString ended;
            async::TaskGroup moving([&](const std::exception_ptr &) { ended = QStringLiteral("failed"); });
            const auto run = [&]() -> async::Task<void> {
                try {
                    co_await moveToQueue(far, id, "gpu", ClusterConfig());
                    ended = QStringLiteral("moved");
                } catch (const WrongState &) { // its reply was lost
                    ended = QStringLiteral("moved before");
                }
            };
            moving.spawn(run());
            f.fake.settle(std::chrono::milliseconds(after));
            interrupted += ended.isEmpty();
            f.fake.session(2).disconnectFor(50ms);
            f.fake.settle(5s);
            QVERIFY2(ended.startsWith(u"moved"), qPrintable(ended));
            QVERIFY(!f.fake.exists(f.fake.pathOf(id)));
        }
        QVERIFY2(interrupted > 5, qPrintable(QString::number(interrupted)));
    }

    void nothingIsSignedWithoutTheListOfTheRevoked()
    {
        Fixture f;
        const JobId id = f.submit(f.alice);
        f.fake.commit(zk::Transaction().remove(f.fake.layout.revocations()));
        QVERIFY(refusal([&] { f.fake.run(moveToQueue(f.of(f.bob), id, "gpu", {})); }).contains(u"list is missing"));
    }

    void aForgedScheduleIsNotRun()
    {
        Fixture f;
        ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = JobCluster::spec()};
        f.fake.run(addSchedule(f.of(f.alice), "nightly", entry));
        Prover prover(f.of(f.bob));
        const auto runIt = [&](const QByteArray &name) {
            const StoredSchedule stored = f.fake.run(findSchedule(f.of(f.bob), name));
            return refusal([&] { f.fake.run(prover.requireSchedule(stored)); });
        };
        QCOMPARE(runIt("nightly"), QString());
        const zk::Path node = f.fake.layout.schedule("nightly");
        const QByteArray stored = f.fake.node(node).data;
        f.fake.write(f.fake.layout.schedule("harmless"), stored);
        QVERIFY(runIt("harmless").contains(u"alice signed it as another schedule"));
        f.fake.write(node, QByteArray(stored).replace("true", "evil"));
        QVERIFY(runIt("nightly").contains(u"its signature is not one of alice"));
        f.fake.write(node, entry.encode());
        QVERIFY(runIt("nightly").contains(u"no person has signed it"));
        JobSpec spec = JobCluster::spec();
        f.fake.write(node, f.nightly(f.whoMayUseGpuAlone(), spec).encode());
        QVERIFY(runIt("nightly").contains(u"dave may not submit to queue default"));
        spec.runAs = QStringLiteral("deploy");
        f.fake.write(node, f.nightly(f.alice, spec).encode());
        QVERIFY(runIt("nightly").contains(u"alice may not run jobs as deploy"));
    }

    void anOpenClusterAsksForNothing()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        Prover prover(fake.cluster());
        prover.requireWaiting(id, fake.node(fake.pathOf(id)).data);
        const JobView view = viewOfEnded(FinalRecord::of(id, JobCluster::spec()), {});
        QCOMPARE(fake.run(prover.jobToResubmit(view, {id})).command, JobCluster::spec().command);
    }
};

QTEST_APPLESS_MAIN(ProverTest)
#include "prover_test.moc"
