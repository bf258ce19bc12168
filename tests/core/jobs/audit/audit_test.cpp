#include "core/jobs/job_cluster.h"
#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/limits.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/cluster/root_rotation.h"
#include "jobs/events/audit_log.h"
#include "jobs/schedules/schedules.h"
#include "trust/issuer.h"

#include <QSet>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using trust::Issuer;

namespace {

const QString Alice = QStringLiteral("alice");

using Act = std::function<async::Task<void>(Cluster cluster, JobId id)>;

template <typename T>
async::Task<void> only(async::Task<T> task)
{
    co_await task;
}

ScheduleEntry daily()
{
    return ScheduleEntry{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = JobCluster::spec()};
}

ScheduleEntry weekly()
{
    return ScheduleEntry{.when = CronSchedule::parse(QStringLiteral("@weekly")), .job = JobCluster::spec()};
}

void setPaused(QueueSettings &settings)
{
    settings.paused = true;
}

void setResumed(QueueSettings &settings)
{
    settings.paused = false;
}

// What people do, and how what they do it to is prepared. Prepared things leave entries as well.
struct Deed {
    AuditAction action;
    QString target; // empty: the job
    Act act;
    std::function<void(JobCluster &fake, const JobId &id)> prepare = [](JobCluster &, const JobId &) {};
};

} // namespace

Q_DECLARE_METATYPE(Deed)

// Who has changed what: one entry for each change, none for what was refused, and none that lies.
class AuditTest : public QObject
{
    Q_OBJECT

    const Issuer m_issuer = Issuer::found("test", {});
    const trust::Credentials m_bob = m_issuer.issue({.name = QStringLiteral("bob"), .roles = {trust::Role::Operate}});
    const std::shared_ptr<const trust::Credentials> m_alice = std::make_shared<const trust::Credentials>(
        m_issuer.issue({.name = Alice, .roles = {trust::Role::Submit, trust::Role::Operate}}));

    Cluster ofAlice(JobCluster &fake, int who = 0) const { return {fake[who], fake.layout, m_alice}; }
    std::vector<AuditRecord> entries(JobCluster &fake) const { return fake.run(readAudit(ofAlice(fake))); }
    AuditRecord newest(JobCluster &fake) const { return entries(fake).back(); }

    RootRotation rotation(RootRotation::End end = RootRotation::End::Open) const
    {
        return {.newRoot = m_issuer.root().key.publicKey(), .by = Alice, .end = end};
    }

    void publish(JobCluster &fake) const
    {
        fake.run(publishCertificate(fake.cluster(), *m_alice));
        fake.run(publishCertificate(fake.cluster(), m_bob));
    }

    std::vector<Deed> deeds() const;
    void doUnder(const Deed &deed, FaultInjector &faults) const;

private Q_SLOTS:
    void eachChangeLeavesOneEntryWhateverIsLost_data();
    void eachChangeLeavesOneEntryWhateverIsLost();
    void aRefusedChangeLeavesNoEntry();
    void aCallThatChangesNothingLeavesNoEntry();
    void theClustersOwnCancelsLeaveNone();
    void theFirstEntryMakesItsDirectory();
    void anEntryIsProvenByItsSignature();
    void inAnOpenClusterNothingIsProven();
};

std::vector<Deed> AuditTest::deeds() const
{
    using Action = AuditAction;
    const QString worker = QStringLiteral("w1");
    const QString queue = QStringLiteral("default");
    const QString name = QStringLiteral("nightly");
    const auto claimed = [](JobCluster &fake, const JobId &id) { fake.claim(id, 0); };
    const auto held = [](JobCluster &fake, const JobId &id) { fake.run(hold(fake.cluster(), id, Alice)); };
    const auto cordoned = [](JobCluster &fake, const JobId &) { fake.run(cordon(fake.cluster(), "w1", {})); };
    const auto limited = [](JobCluster &fake, const JobId &) { fake.run(setLimit(fake.cluster(), "api", 3)); };
    const auto paused = [](JobCluster &fake, const JobId &) {
        fake.run(changeQueue(fake.cluster(), "default", setPaused));
    };
    const auto added = [](JobCluster &fake, const JobId &) {
        fake.run(addSchedule(fake.cluster(), "nightly", daily()));
    };
    const auto other = [](JobCluster &fake, const JobId &) {
        fake.run(ensureCluster(fake.cluster(), QByteArrayList(1, "other")));
    };
    const auto cancelIt = [](Cluster cluster, const JobId &id) { return only(cancel(std::move(cluster), id)); };
    const auto setTicks = [](ScheduleEntry &entry) { entry.paused = !entry.paused; };
    return {
        {Action::JobCancelled, {}, cancelIt},
        {Action::JobCancelled, {}, cancelIt, claimed},
        {Action::JobHeld, {}, [](Cluster c, const JobId &id) { return only(hold(std::move(c), id, Alice)); }},
        {Action::JobReleased, {}, [](Cluster c, const JobId &id) { return only(release(std::move(c), id)); }, held},
        {Action::JobPriority, {}, [](Cluster c, const JobId &id) { return only(setPriority(std::move(c), id, 9)); }},
        {Action::JobRequeued, {}, [](Cluster c, const JobId &id) { return only(requeue(std::move(c), id)); }, claimed},
        {Action::JobSignalled,
         {},
         [](Cluster c, const JobId &id) { return only(sendSignal(std::move(c), id, 10)); },
         claimed},
        {Action::JobMoved,
         {},
         [](Cluster c, const JobId &id) { return only(moveToQueue(std::move(c), id, "other", {})); },
         other},
        {Action::QueuePaused, queue,
         [](Cluster c, const JobId &) { return only(changeQueue(std::move(c), "default", setPaused)); }},
        {Action::QueueResumed, queue,
         [](Cluster c, const JobId &) { return only(changeQueue(std::move(c), "default", setResumed)); }, paused},
        {Action::QueueLimited, queue, [](Cluster c, const JobId &) { return limitQueue(std::move(c), "default", 7); }},
        {Action::LimitSet, QStringLiteral("api"),
         [](Cluster c, const JobId &) { return setLimit(std::move(c), "api", 7); }},
        {Action::LimitSet, QStringLiteral("api"),
         [](Cluster c, const JobId &) { return only(unsetLimit(std::move(c), "api")); }, limited},
        {Action::WorkerCordoned, worker, [](Cluster c, const JobId &) { return cordon(std::move(c), "w1", {}); }},
        {Action::WorkerDrained, worker,
         [](Cluster c, const JobId &) { return cordon(std::move(c), "w1", {}, AuditAction::WorkerDrained); }, cordoned},
        {Action::WorkerUncordoned, worker, [](Cluster c, const JobId &) { return uncordon(std::move(c), "w1"); },
         cordoned},
        {Action::CronAdded, name,
         [](Cluster c, const JobId &) { return addSchedule(std::move(c), "nightly", daily()); }},
        {Action::CronReplaced, name,
         [](Cluster c, const JobId &) { return replaceSchedule(std::move(c), "nightly", weekly()); }, added},
        {Action::CronRemoved, name, [](Cluster c, const JobId &) { return removeSchedule(std::move(c), "nightly"); },
         added},
        {Action::CronPaused, name,
         [setTicks](Cluster c, const JobId &) {
             return editSchedule(std::move(c), "nightly", AuditAction::CronPaused, setTicks);
         },
         added},
        {Action::UserAdded, QStringLiteral("bob"),
         [this](Cluster c, const JobId &) {
             const AuditNote note(c, AuditAction::UserAdded, QStringLiteral("bob"));
             return publishCertificate(std::move(c), m_bob, note);
         }},
        {Action::UserRemoved, QStringLiteral("bob"),
         [this](Cluster c, const JobId &) {
             const AuditNote note(c, AuditAction::UserRemoved, QStringLiteral("bob"));
             const std::set<QByteArray> serials{m_bob.ownCertificate().serial};
             return only(revoke(std::move(c), m_issuer, serials, note));
         }},
        {Action::RevocationsPublished, QStringLiteral("cluster"),
         [this](Cluster c, const JobId &) {
             const AuditNote note(c, AuditAction::RevocationsPublished, QStringLiteral("cluster"));
             const std::set<QByteArray> nobody;
             return only(revoke(std::move(c), m_issuer, nobody, note));
         },
         [](JobCluster &fake, const JobId &) { fake.commit(zk::Transaction().remove(fake.layout.revocations())); }},
        {Action::RootRotationBegun, QStringLiteral("cluster"),
         [this](Cluster c, const JobId &) { return only(claimRotation(std::move(c), rotation())); }},
        {Action::RootRotationEnded, QStringLiteral("cluster"),
         [this](Cluster c, const JobId &) { return releaseRotation(std::move(c), rotation()); },
         [this](JobCluster &fake, const JobId &) { fake.run(claimRotation(fake.cluster(), rotation())); }},
        {Action::RootRotationAbandoned, QStringLiteral("cluster"),
         [this](Cluster c, const JobId &) {
             return releaseRotation(std::move(c), rotation(RootRotation::End::Abandoned));
         },
         [this](JobCluster &fake, const JobId &) {
             fake.run(claimRotation(fake.cluster(), rotation()));
             fake.run(chooseEnd(fake.cluster(), rotation(RootRotation::End::Abandoned)));
         }},
    };
}

void AuditTest::eachChangeLeavesOneEntryWhateverIsLost_data()
{
    QTest::addColumn<Deed>("deed");
    int number = 0;
    for (const Deed &deed : deeds())
        QTest::addRow("%d %s", ++number, qPrintable(actionName(deed.action))) << deed;
}

void AuditTest::doUnder(const Deed &deed, FaultInjector &faults) const
{
    JobCluster fake(2, {.faults = &faults});
    fake.run(revoke(fake.cluster(), m_issuer, {})); // a closed cluster has a list
    const JobId id = fake.run(Submitter(ofAlice(fake), {}).submit(JobCluster::spec()));
    deed.prepare(fake, id);
    fake.run(fake[1].ensurePath(fake.layout.done())); // it has seen what was before
    QSet<QByteArray> before;
    for (const AuditRecord &known : entries(fake))
        before.insert(known.entry.id);
    fake.run(deed.act(ofAlice(fake, 1), id));
    std::vector<AuditRecord> fresh = entries(fake);
    std::erase_if(fresh, [&](const AuditRecord &record) { return before.contains(record.entry.id); });
    QCOMPARE(fresh.size(), 1u);
    QCOMPARE(fresh[0].entry.action, actionName(deed.action));
    QCOMPARE(fresh[0].entry.target, deed.target.isEmpty() ? id.toString() : deed.target);
    QCOMPARE(fresh[0].entry.by, Alice);
    QCOMPARE(fresh[0].unproven, QString());
}

void AuditTest::eachChangeLeavesOneEntryWhateverIsLost()
{
    QFETCH(Deed, deed);
    int bitten = 0;
    for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply, Fault::LateCommit}) {
        for (quint64 operation = 1;; ++operation) {
            FaultPlan plan;
            plan.longestLag = 4s;
            plan.scripted[operation] = fault;
            FaultInjector faults(plan);
            doUnder(deed, faults);
            QVERIFY2(!QTest::currentTestFailed(),
                     qPrintable(QStringLiteral("%1 at operation %2").arg(QLatin1String(name(fault))).arg(operation)));
            if (faults.log().count(fault) == 0)
                break;
            ++bitten;
        }
    }
    QVERIFY(bitten >= 3);
}

void AuditTest::aRefusedChangeLeavesNoEntry()
{
    JobCluster fake;
    const JobId id = fake.submit();
    fake.claim(id, 0);
    QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(hold(ofAlice(fake), id, Alice)));
    QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(release(ofAlice(fake), id)));
    QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(cancel(ofAlice(fake), {"default", 77})));
    QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(changeQueue(ofAlice(fake), "nosuch", setPaused)));
    QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(removeSchedule(ofAlice(fake), "nosuch")));
    QVERIFY(entries(fake).empty());
}

void AuditTest::aCallThatChangesNothingLeavesNoEntry()
{
    JobCluster fake;
    fake.run(changeQueue(ofAlice(fake), "default", setResumed)); // it is not paused
    fake.run(uncordon(ofAlice(fake), "w1")); // nor is this cordoned
    fake.run(releaseRotation(ofAlice(fake), rotation())); // nor is a root key being replaced
    QVERIFY(entries(fake).empty());
    const JobId id = fake.submit();
    fake.claim(id, 0);
    fake.run(cancel(ofAlice(fake), id));
    fake.run(cancel(ofAlice(fake), id)); // its worker knows already
    QCOMPARE(entries(fake).size(), 1u);
}

void AuditTest::theClustersOwnCancelsLeaveNone()
{
    JobCluster fake;
    const JobId id = fake.submit();
    fake.run(cancelIfThere(ofAlice(fake), id));
    QCOMPARE(fake.stateOf(id), JobState::Cancelled);
    QVERIFY(entries(fake).empty());
}

void AuditTest::theFirstEntryMakesItsDirectory()
{
    JobCluster fake;
    fake.commit(zk::Transaction().remove(fake.layout.audit())); // a cluster from before there were entries
    QVERIFY(entries(fake).empty());
    fake.run(hold(ofAlice(fake), fake.submit(), Alice));
    QCOMPARE(entries(fake).size(), 1u);
}

void AuditTest::anEntryIsProvenByItsSignature()
{
    JobCluster fake;
    const auto writeOver = [&](const QByteArray &id, const SignedEntry &entry) {
        fake.write(fake.layout.audit() / id, entry.encode());
        return newest(fake).unproven;
    };
    fake.run(hold(ofAlice(fake), fake.submit(), Alice));
    QCOMPARE(newest(fake).unproven, QStringLiteral("the revocation list is missing")); // she may be on it
    fake.run(revoke(fake.cluster(), m_issuer, {}));
    QVERIFY(newest(fake).unproven.startsWith(u"there is no certificate"));
    publish(fake);
    const AuditRecord proven = newest(fake);
    QVERIFY2(proven.isProven(), qPrintable(proven.unproven));
    QCOMPARE(proven.serial, m_alice->ownCertificate().serial);

    const QByteArray id = proven.entry.id;
    const SignedEntry stored = SignedEntry::decode(fake.node(fake.layout.audit() / id).data);
    SignedEntry changed = stored;
    changed.text.replace(QStringLiteral("job-held"), QStringLiteral("job-moved"));
    QCOMPARE(writeOver(id, changed), QStringLiteral("the signature is not that of alice"));
    changed = stored;
    changed.certificate = m_bob.ownCertificate().serial;
    QCOMPARE(writeOver(id, changed), QStringLiteral("the signature is not that of bob"));
    changed = stored;
    changed.signature.clear();
    QCOMPARE(writeOver(id, changed), QStringLiteral("not signed"));
    AuditEntry longest = proven.entry; // a line of it would push the names of all others out of sight
    longest.target = QString(AuditEntry::MaxDetail + 1, u'x');
    changed.text = QString::fromUtf8(longest.encode());
    QCOMPARE(writeOver(id, changed), QStringLiteral("malformed: a text of it is too long"));
    QVERIFY(newest(fake).entry.target.isEmpty());
    fake.write(fake.layout.audit() / id, "nonsense");
    QVERIFY(newest(fake).unproven.startsWith(u"malformed"));
    QCOMPARE(writeOver(id, stored), QString());

    QCOMPARE(writeOver("0123", stored), QStringLiteral("copied from another entry"));
    fake.commit(zk::Transaction().remove(fake.layout.audit() / "0123"));

    const auto bobs = std::make_shared<trust::Credentials>(
        m_issuer.issue({.name = QStringLiteral("bob"), .roles = {trust::Role::Operate}}));
    fake.run(publishCertificate(fake.cluster(), *bobs));
    AuditEntry claim = proven.entry; // of alice, signed by bob
    const QByteArray text = claim.encode();
    changed.text = QString::fromUtf8(text);
    changed.certificate = bobs->ownCertificate().serial;
    changed.signature = trust::toText(
        trust::SignedText::sign(bobs->key, trust::Purpose::Audit, m_issuer.anchors().clusterId, text).signature);
    QCOMPARE(writeOver(id, changed), QStringLiteral("signed by bob"));
    fake.write(fake.layout.audit() / id, stored.encode());

    fake.run(revoke(fake.cluster(), m_issuer, std::set<QByteArray>{m_alice->ownCertificate().serial}));
    QCOMPARE(newest(fake).unproven, QStringLiteral("the certificate is revoked"));
}

void AuditTest::inAnOpenClusterNothingIsProven()
{
    JobCluster fake;
    fake.run(hold(fake.cluster(), fake.submit(), Alice));
    const std::vector<AuditRecord> records = fake.run(readAudit(fake.cluster()));
    QCOMPARE(records.size(), 1u);
    QCOMPARE(records[0].entry.by, submitterName());
    QCOMPARE(records[0].unproven, QStringLiteral("not signed"));
}

QTEST_GUILESS_MAIN(AuditTest)
#include "audit_test.moc"
