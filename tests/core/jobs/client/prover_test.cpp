#include "core/jobs/job_cluster.h"
#include "jobs/client/job_control.h"
#include "jobs/client/prover.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/signing/signer.h"
#include "support/closed_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// A client that can write to ZooKeeper puts a job there, and waits for a person who signs it: bob moves, resubmits or runs it.
class ProverTest : public QObject
{
    Q_OBJECT

    // A closed cluster with alice, bob and the list of the revoked.
    struct Fixture {
        JobCluster fake{2};
        ClosedCluster closed;
        std::shared_ptr<trust::Credentials> alice = closed.person(QStringLiteral("alice"));
        std::shared_ptr<trust::Credentials> bob = closed.person(QStringLiteral("bob"));

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
        JobRecord signedBy(const std::shared_ptr<const trust::Credentials> &person, JobSpec spec)
        {
            const Signer signer(person);
            signer.setTerms(spec, now());
            JobRecord record = spec.record();
            signer.sign(record);
            return record;
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
