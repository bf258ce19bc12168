#include "core/jobs/job_cluster.h"
#include "gui/feeds/console_session.h"
#include "gui/servers.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/events/audit_log.h"
#include "jobs/model/array_progress.h"
#include "jobs/signing/signer.h"
#include "support/closed_cluster.h"

#include <QSet>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::CancelResult;
using jobs::JobId;
using jobs::JobSpec;

// What the console does to jobs, and what it says that came of it.
class JobActionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhatACancelCameTo();
    void saysEachResultInItsOwnWords();
    void aCancellationIsInTheAudit();
    void submitsWhatHasEndedAgain();
    void tasksAreSubmittedAsAnArrayOfThese();
    void saysWhatCannotBeSubmittedAgain();
    void submitsSeveralAgain();
    void aJobWaitsForJobsThatExist();
    void saysThatTheEndOfASessionLeftItOpen();
    void eachClusterIsUsedWithItsOwnCredentials();
    void aForgedRecordIsNotSigned();
    void nothingIsSignedInTheFuture();
};

namespace {

using Credentials = std::shared_ptr<trust::Credentials>;

struct Fixture {
    test::JobCluster fake{2};
    test::ProcessLoop loop{fake.world};
    ConsoleSession console;

    // With these credentials the console opens each cluster.
    explicit Fixture(const Credentials &credentials = {})
        : console(loop, [this, credentials](async::Loop &, const Target &, const GivenCredentials &) {
              return OpenedSession{fake.server.connect(loop), credentials};
          })
    {
        console.open({test::Nowhere, fake.layout.clusterName()});
        fake.settle(3s);
    }

    // What the console says of it.
    QString cancel(const JobId &id)
    {
        QSignalSpy acted(&console.changes(), &ClusterChanges::acted);
        console.changes().act(1, {JobVerb::Kind::Cancel}, {id});
        fake.settle(1s);
        const auto outcomes = acted.size() == 1 ? acted[0][1].value<QList<ActedOn>>() : QList<ActedOn>();
        return outcomes.size() == 1 && outcomes[0].why.isEmpty() ? outcomes[0].news : QString();
    }

    QList<Repeated> repeat(const QList<jobs::Resubmission> &repeats)
    {
        QSignalSpy repeated(&console.actions(), &JobActions::repeated);
        console.actions().repeat(1, repeats);
        fake.settle(1s);
        return repeated.size() == 1 ? repeated[0][1].value<QList<Repeated>>() : QList<Repeated>();
    }
};

// A person of a closed cluster, at whose console one sits.
struct ClosedFixture {
    const test::ClosedCluster closed{};
    const Credentials alice = closed.person(u"alice"_qs);
    Fixture f{alice};

    // The list of an administrator, as a secured cluster has it: without it nothing is signed.
    void publishRevocations()
    {
        f.fake.write(f.fake.layout.revocations(), trust::Revocations{1, {}}.signedBy(closed.root, closed.clusterId));
    }
};

JobSpec jobIn(test::JobCluster &fake, const JobId &id)
{
    return *fake.view(id).spec;
}

} // namespace

// An array whose tasks run or have run is not over yet, and without a master it will not be soon.
void JobActionsTest::saysWhatACancelCameTo()
{
    Fixture f;
    test::JobCluster &fake = f.fake;
    const JobId ready = fake.submit();
    const JobId running = fake.submit();
    fake.claim(running, 0);
    QCOMPARE(f.cancel(ready), cancelText(ready, CancelResult::Cancelled));
    QCOMPARE(f.cancel(running), cancelText(running, CancelResult::Asked));

    JobSpec spec = test::JobCluster::spec();
    spec.array = jobs::ArrayIndices{1, 3};
    const JobId array = fake.submit(spec);
    const zk::Path node = fake.layout.job(array.queue, {jobs::QueueEntry::Class::Array, spec.priority, array.number});
    jobs::ArrayProgress progress;
    progress.expand(1, 3);
    progress.begunAt = 1'760'000'000s;
    fake.write(node, progress.mergedInto(fake.node(node).data));
    QCOMPARE(f.cancel(array), cancelText(array, CancelResult::MarkedWithoutMaster));
    fake.write(fake.layout.master() / QByteArrayLiteral("m-latch-0000000000"), {});
    QCOMPARE(f.cancel(array), cancelText(array, CancelResult::Marked));
}

void JobActionsTest::saysEachResultInItsOwnWords()
{
    const JobId id{"default", 42};
    QSet<QString> texts;
    for (const CancelResult result :
         {CancelResult::Cancelled, CancelResult::Asked, CancelResult::Marked, CancelResult::MarkedWithoutMaster}) {
        const QString text = cancelText(id, result);
        QVERIFY(text.contains(u"default-42"_qs));
        texts.insert(text);
    }
    QCOMPARE(texts.size(), 4);
    QVERIFY(cancelText(id, CancelResult::MarkedWithoutMaster).contains(u"start a worker"_qs));
}

// As what the command line cancels: under the name in the certificate, and signed.
void JobActionsTest::aCancellationIsInTheAudit()
{
    ClosedFixture cluster;
    test::JobCluster &fake = cluster.f.fake;
    const jobs::Cluster asAlice(fake[0], fake.layout, cluster.alice);
    fake.run(jobs::publishCertificate(asAlice, *cluster.alice));
    cluster.publishRevocations();
    const JobId job = fake.submit();
    QVERIFY(!cluster.f.cancel(job).isEmpty());
    const std::vector<jobs::AuditRecord> records = fake.run(jobs::readAudit(asAlice));
    QCOMPARE(records.size(), 1u);
    QCOMPARE(records[0].entry.action, u"job-cancelled"_qs);
    QCOMPARE(records[0].entry.target, job.toString());
    QCOMPARE(records[0].entry.by, u"alice"_qs);
    QVERIFY2(records[0].isProven(), qPrintable(records[0].unproven));
}

void JobActionsTest::submitsWhatHasEndedAgain()
{
    Fixture f;
    JobSpec spec = test::JobCluster::spec();
    spec.locks = QStringList(QStringLiteral("db"));
    const JobId old = f.fake.submit(spec);
    f.fake.end(old, jobs::FinalRecord::of(old, spec));
    QSignalSpy prepared(&f.console.actions(), &JobActions::prepared);
    f.console.actions().prepare(1, {old});
    f.fake.settle(1s);
    QCOMPARE(prepared.size(), 1);
    QCOMPARE(prepared[0][1].value<JobSpec>().locks, spec.locks);
    const QList<Repeated> outcomes = f.repeat({{old}});
    QCOMPARE(outcomes.size(), 1);
    const JobSpec again = jobIn(f.fake, *outcomes[0].made);
    QCOMPARE(again.command, spec.command);
    QCOMPARE(again.locks, spec.locks);
    QVERIFY(again.submitter.contains(u'@')); // like that of a job from a shell
    QVERIFY(again.submittedAt > 0s);
}

void JobActionsTest::tasksAreSubmittedAsAnArrayOfThese()
{
    Fixture f;
    JobSpec spec = test::JobCluster::spec();
    spec.array = jobs::ArrayIndices{1, 9};
    const JobId array{"default", 42};
    f.fake.commit(zk::Transaction().create(f.fake.layout.done(array), jobs::FinalRecord::of(array, spec).encode()));
    const QList<Repeated> outcomes = f.repeat({{array, jobs::ArrayIndices::of({2, 7})}});
    QCOMPARE(outcomes.size(), 1);
    QCOMPARE(jobIn(f.fake, *outcomes[0].made).array->toString(), u"2,7"_qs);
}

void JobActionsTest::saysWhatCannotBeSubmittedAgain()
{
    Fixture f;
    QSignalSpy failed(&f.console.actions(), &JobActions::failed);
    f.console.actions().prepare(1, {JobId{"default", 42}});
    f.fake.settle(1s);
    QCOMPARE(failed.size(), 1);
    QVERIFY(failed[0][1].toString().contains(u"default-42"_qs));
    const JobId running = f.fake.submit();
    f.console.actions().prepare(2, {running});
    f.fake.settle(1s);
    QCOMPARE(failed.size(), 2);
    QVERIFY(failed[1][1].toString().contains(u"has not ended"_qs));
}

// In their order, and one that cannot be submitted keeps none of the others.
void JobActionsTest::submitsSeveralAgain()
{
    Fixture f;
    QList<JobId> old;
    for (int i = 0; i < 4; ++i) {
        old.append(f.fake.submit());
        f.fake.end(old.back(), 1);
    }
    jobs::FinalRecord tooLarge = f.fake.recordOf(old[1]);
    tooLarge.repeat = {};
    f.fake.write(f.fake.layout.done(old[1]), tooLarge.encode());
    f.fake.write(f.fake.layout.done(old[2]), "no record");
    const QList<Repeated> outcomes = f.repeat({{old[0]}, {old[1]}, {old[2]}, {old[3]}});
    QCOMPARE(outcomes.size(), 4);
    QVERIFY(outcomes[0].made && outcomes[3].made && outcomes[0].made->number < outcomes[3].made->number);
    QVERIFY(!outcomes[1].made && outcomes[1].why.contains(u"does not hold all of the job"_qs));
    QVERIFY(!outcomes[2].made && outcomes[2].why.contains(u"cannot be read"_qs));
}

// Of a range, the numbers that are no jobs are left out.
void JobActionsTest::aJobWaitsForJobsThatExist()
{
    Fixture f;
    const JobId first = f.fake.submit();
    const jobs::JobRange range{first, first.number + 3};
    QSignalSpy submitted(&f.console.actions(), &JobActions::submitted);
    QSignalSpy failed(&f.console.actions(), &JobActions::failed);
    const auto submit = [&](std::vector<jobs::Dependency> after) {
        JobSpec spec = test::JobCluster::spec();
        spec.after = std::move(after);
        f.console.actions().submit(1, spec);
        f.fake.settle(1s);
    };
    const JobId absent{"default", 77};
    submit({{.kind = jobs::Dependency::Kind::Ok, .on = absent}});
    QCOMPARE(submitted.size(), 0);
    QVERIFY2(failed.takeFirst()[1].toString().contains(u"default-77"_qs), "names the job");
    submit({{.kind = jobs::Dependency::Kind::Ok, .on = absent, .range = range}});
    QVERIFY(failed.takeFirst()[1].toString().contains(range.toString()));
    submit({{.kind = jobs::Dependency::Kind::Ok, .on = first, .range = range},
            {.kind = jobs::Dependency::Kind::Ok, .on = absent, .range = range}});
    QCOMPARE(submitted.size(), 1);
    const JobSpec made = jobIn(f.fake, submitted[0][1].value<JobId>());
    QCOMPARE(made.after.size(), std::size_t(1));
    QCOMPARE(made.after[0].on, first);
}

void JobActionsTest::saysThatTheEndOfASessionLeftItOpen()
{
    Fixture f;
    const JobId old = f.fake.submit();
    f.fake.end(old, 1);
    QSignalSpy failed(&f.console.actions(), &JobActions::failed);
    f.console.actions().repeat(1, {{old}});
    f.console.close();
    f.fake.settle(1s);
    QCOMPARE(failed.size(), 1);
    QVERIFY(failed[0][1].toString().contains(u"look whether it was carried out"_qs));
}

namespace {

// Of a job that this person has submitted.
jobs::FinalRecord signedRecord(const std::shared_ptr<const trust::Credentials> &person, const JobId &id,
                               std::chrono::milliseconds at)
{
    const jobs::Signer signer(person);
    JobSpec spec = test::JobCluster::spec();
    signer.setTerms(spec, at);
    jobs::JobRecord job = spec.record();
    signer.sign(job);
    jobs::FinalRecord record = jobs::FinalRecord::of(id, spec);
    record.keepSigned(job.bytes(), spec.priority);
    return record;
}

} // namespace

// A cluster that is typed into the window was used with the credentials of the one that the console started with.
void JobActionsTest::eachClusterIsUsedWithItsOwnCredentials()
{
    test::JobCluster fake;
    const jobs::Layout second("second");
    fake.run(jobs::ensureCluster(jobs::Cluster(fake[0], second), {"default"}));
    const test::ClosedCluster closed;
    const std::map<QByteArray, Credentials> people{{fake.layout.clusterName(), closed.person(QStringLiteral("alice"))},
                                                   {second.clusterName(), closed.person(QStringLiteral("bob"))}};
    test::ProcessLoop loop{fake.world};
    ConsoleSession console{loop, [&](async::Loop &, const Target &target, const GivenCredentials &) {
                               return OpenedSession{fake.server.connect(loop), people.at(target.cluster)};
                           }};
    QStringList identities;
    connect(&console, &ConsoleSession::statusChanged, this,
            [&](const SessionStatus &status) { identities.append(status.user + trust::rolesText(status.roles)); });
    for (const jobs::Layout &layout : {fake.layout, second}) {
        console.open({test::Nowhere, layout.clusterName()});
        fake.settle(3s);
        const JobId old{"default", 42};
        const Credentials person = people.at(layout.clusterName());
        fake.write(layout.revocations(), trust::Revocations{1, {}}.signedBy(closed.root, closed.clusterId));
        fake.run(jobs::ensureCertificate(jobs::Cluster(fake[0], layout, person)));
        fake.write(layout.done(old), signedRecord(person, old, fake[0].loop().wallClock()).encode());
        QSignalSpy repeated(&console.actions(), &JobActions::repeated);
        console.actions().repeat(1, {{old}});
        fake.settle(1s);
        QCOMPARE(repeated.size(), 1);
        const JobId made = repeated[0][1].value<QList<Repeated>>()[0].made.value();
        const zk::Path path =
            layout.job(made.queue, {jobs::QueueEntry::Class::Ready, test::JobCluster::spec().priority, made.number});
        const trust::Certificate signer = people.at(layout.clusterName())->ownCertificate();
        QCOMPARE(jobs::JobRecord::parse(fake.node(path).data).certificate, signer.serial);
        QCOMPARE(identities.last(), signer.name + u"submit"_qs);
    }
    console.close();
    QCOMPARE(identities.last(), QString());
}

// A client that can write to ZooKeeper puts a record there, and waits for a person who repeats the job.
void JobActionsTest::aForgedRecordIsNotSigned()
{
    ClosedFixture cluster;
    test::JobCluster &fake = cluster.f.fake;
    cluster.publishRevocations();
    const JobId old{"default", 42};
    fake.write(fake.layout.done(old), jobs::FinalRecord::of(old, test::JobCluster::spec()).encode());
    const QList<Repeated> outcomes = cluster.f.repeat({{old}});
    QCOMPARE(outcomes.size(), 1);
    const Repeated &outcome = outcomes[0];
    QVERIFY2(!outcome.made && outcome.why.contains(u"no person has signed it"), qPrintable(outcome.why));
    QVERIFY(fake.childrenOf(fake.layout.queue("default")).isEmpty());
}

// It was shown as submitted, and workers refused it.
void JobActionsTest::nothingIsSignedInTheFuture()
{
    ClosedFixture cluster;
    test::JobCluster &fake = cluster.f.fake;
    ConsoleSession &console = cluster.f.console;
    cluster.publishRevocations();
    const JobId old{"default", 42};
    fake.write(fake.layout.done(old), signedRecord(cluster.alice, old, fake[0].loop().wallClock()).encode());
    fake.write(fake.layout.queue("other"), {});
    const auto jobsIn = [&fake](const QByteArray &queue) { return fake.childrenOf(fake.layout.queue(queue)).size(); };

    QSignalSpy submitted(&console.actions(), &JobActions::submitted);
    QSignalSpy repeated(&console.actions(), &JobActions::repeated);
    QSignalSpy failed(&console.actions(), &RequestFeed::failed);
    const auto submit = [&] {
        console.actions().submit(1, test::JobCluster::spec());
        fake.settle(1s);
    };
    submit();
    QCOMPARE(submitted.size(), 1);
    const auto made = submitted[0][1].value<JobId>();
    cluster.f.loop.setClockAhead(10min);
    submit();
    console.actions().repeat(2, {{old}});
    fake.settle(1s);
    QCOMPARE(submitted.size(), 1);
    QCOMPARE(repeated.size(), 0);
    QCOMPARE(failed.size(), 2);
    for (const QVariantList &why : failed)
        QVERIFY2(why[1].toString().contains(u"ahead of ZooKeeper's"_qs), qPrintable(why[1].toString()));

    QSignalSpy acted(&console.changes(), &ClusterChanges::acted);
    QSignalSpy refused(&console.changes(), &RequestFeed::failed);
    const auto move = [&] {
        console.changes().act(3, {JobVerb::Kind::Move, "other"}, {made});
        fake.settle(1s);
    };
    move();
    QCOMPARE(acted.size(), 0);
    QCOMPARE(refused.size(), 1);
    QVERIFY(refused[0][1].toString().contains(u"ahead of ZooKeeper's"_qs));
    QCOMPARE(jobsIn("default"), 1);
    QCOMPARE(jobsIn("other"), 0);

    cluster.f.loop.setClockAhead(2min); // workers take it
    move();
    QCOMPARE(acted.size(), 1);
    QCOMPARE(jobsIn("other"), 1);
}

QTEST_GUILESS_MAIN(JobActionsTest)
#include "job_actions_test.moc"
