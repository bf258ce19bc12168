#include "jobs/cluster/read_nodes.h"
#include "support/fake/fault_injector.h"
#include "support/sanitized.h"
#include "support/schedule_range.h"
#include "workers/master/waiting/same_name_schedule.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using jobs::FinalRecord;
using jobs::JobId;
using workers::SameNameJobs;

constexpr quint64 DefaultSchedules = Sanitized ? 40 : 200;

// What a duty has noted.
struct Noted {
    explicit Noted(JobCluster &fake) : all(fake[1].loop()) { }

    QString first() const
    {
        const std::vector<jobs::ClusterStats::Trouble> troubles = all.first(1);
        return troubles.empty() ? QString() : troubles[0].subject + QStringLiteral(": ") + troubles[0].error;
    }

    workers::Troubles all;
    workers::DutyTroubles ofDuty{all};
};

// Which jobs of a queue have the same name, and what it costs to know. What waits by it: promoter_test.
class SameNameJobsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.troubles=false")); }

    // The one that was waited for has ended last: what else has ended is not looked at one by one.
    void oneListingPassesOverAllThatHaveEnded()
    {
        JobCluster fake(2);
        int told = 0;
        Noted noted(fake);
        SameNameJobs sameName(fake.cluster(1), noted.ofDuty, [&told](const QByteArray &) { ++told; });
        const QString name = JobCluster::spec().title();
        std::vector<JobId> earlier;
        for (int i = 0; i < 100; ++i)
            earlier.push_back(fake.submit());
        const JobId singleton = fake.submit();
        QVERIFY(!sameName.before(singleton, name).known);
        fake.settle(5s);
        QCOMPARE(told, 1);
        const std::optional<JobId> latest = sameName.before(singleton, name).latest;
        QVERIFY(latest == earlier.back());

        for (std::size_t i = 1; i < earlier.size(); ++i)
            fake.end(earlier[i], FinalRecord::of(earlier[i], JobCluster::spec()));
        const quint64 before = fake[1].counters().requests;
        sameName.forget(earlier.back());
        QVERIFY(!sameName.before(singleton, name).known);
        fake.settle(5s);
        QCOMPARE(told, 2);
        QCOMPARE(fake[1].counters().requests - before, quint64(1));
        const std::optional<JobId> left = sameName.before(singleton, name).latest;
        QVERIFY(left == earlier.front());

        sameName.forget(earlier.front()); // no other is known before it: nothing is to be asked
        const SameNameJobs::Earlier none = sameName.before(singleton, name);
        QVERIFY(none.known && !none.latest);
        fake.settle(5s);
        QCOMPARE(fake[1].counters().requests - before, quint64(1));
    }

    void noJobIsReleasedTooEarlyOrForgotten_data()
    {
        QTest::addColumn<Fault>("fault");
        for (const Fault fault :
             {Fault::LoseRequest, Fault::LoseReply, Fault::Delay, Fault::Disconnect, Fault::Expire, Fault::Pause})
            QTest::newRow(name(fault)) << fault;
    }
    void noJobIsReleasedTooEarlyOrForgotten()
    {
        QFETCH(Fault, fault);
        constexpr quint64 steps = 40;
        quint64 bitten = 0;
        for (quint64 step = 1; step <= steps; ++step) {
            FaultPlan plan;
            plan.seed = step;
            plan.scripted[step] = fault;
            SameNameSchedule schedule(plan);
            const QStringList violations = schedule.run();
            QVERIFY2(violations.isEmpty(), qPrintable(QStringLiteral("step %1: ").arg(step) + violations.join(u'\n')));
            QVERIFY(schedule.letGo() > 0);
            bitten += schedule.faults().count(fault);
        }
        QCOMPARE(bitten, steps);
    }

    void manyFaultsAtOnce()
    {
        FaultLog sum;
        const auto [first, count] = scheduleRange(DefaultSchedules);
        for (quint64 seed = first; seed < first + count; ++seed) {
            FaultPlan plan = FaultPlan::everything(seed, 0.2);
            // The schedule tells of jobs itself, those too that a server that lags has not shown; the promoter has
            // listed them.
            plan.lag = plan.behind = plan.isolate = 0;
            SameNameSchedule schedule(plan, seed % 2 == 0);
            const QStringList violations = schedule.run();
            QVERIFY2(violations.isEmpty(), replay(seed, violations.join(u'\n')));
            sum += schedule.faults();
        }
        if (count < DefaultSchedules)
            return;
        for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply, Fault::Delay, Fault::Disconnect, Fault::Expire,
                                  Fault::Pause, Fault::LateCommit, Fault::FailSend})
            QVERIFY2(sum.count(fault) > DefaultSchedules / 20, qPrintable(sum.toString()));
    }

    // A node that looks like a reservation, and stays, has each reading ask once more behind the listing.
    void endsAreToldOfWhateverIsLostBehindTheListing()
    {
        const QString name = JobCluster::spec().title();
        for (quint64 operation = 1;; ++operation) {
            FaultPlan plan;
            plan.scripted[operation] = Fault::LoseReply;
            FaultInjector faults(plan);
            JobCluster fake(2, {.faults = &faults});
            fake.write(fake.layout.queue("default") / "m_0-0000000000", {});
            int told = 0;
            Noted noted(fake);
            SameNameJobs sameName(fake.cluster(1), noted.ofDuty, [&told](const QByteArray &) { ++told; });
            const JobId first = fake.submit();
            const JobId second = fake.submit();
            const JobId singleton = fake.submit();
            QVERIFY(!sameName.before(singleton, name).known);
            fake.settle(30s);
            QCOMPARE(told, 1);

            for (const JobId &id : {first, second})
                fake.end(id, FinalRecord::of(id, JobCluster::spec()));
            sameName.forget(second);
            QVERIFY(!sameName.before(singleton, name).known);
            fake.settle(30s);
            QVERIFY2(told == 2, qPrintable(QStringLiteral("operation %1").arg(operation)));
            const SameNameJobs::Earlier none = sameName.before(singleton, name);
            QVERIFY(none.known && !none.latest);
            if (faults.log().count(Fault::LoseReply) == 0) {
                QVERIFY(operation > 4);
                break;
            }
        }
    }

    void aFailedListingIsRetriedLater()
    {
        bool refused = true;
        const auto refuse = [&refused](zk::Request &request) {
            const auto *const list = std::get_if<zk::ChildrenRequest>(&request);
            if (list && refused)
                request = zk::SetAclRequest{list->path, {}, zk::AnyVersion}; // InvalidAcl: no session gets around it
        };
        JobCluster fake(2, {.sabotage = refuse});
        int told = 0;
        Noted noted(fake);
        SameNameJobs sameName(fake.cluster(1), noted.ofDuty, [&told](const QByteArray &) { ++told; });
        const JobId earlier = fake.submit();
        const JobId singleton = fake.submit();
        const QString name = JobCluster::spec().title();
        QVERIFY(!sameName.before(singleton, name).known);
        fake.settle(62s);
        QCOMPARE(told, 0);
        QVERIFY(!sameName.before(singleton, name).known);
        QCOMPARE(fake[1].counters().requests, quint64(60 / 5 + 1));
        QVERIFY2(noted.first().startsWith(u"singletons of queue default: they wait"), qPrintable(noted.first()));
        refused = false;
        fake.settle(5s);
        QCOMPARE(told, 1);
        QCOMPARE(noted.first(), QString());
        const SameNameJobs::Earlier found = sameName.before(singleton, name);
        QVERIFY(found.known && found.latest == earlier);
    }

    // A job that may not be read may have any name. What comes before it is known, and may end meanwhile.
    void allBeforeAJobThatMayNotBeReadAreKnown()
    {
        JobCluster fake(2);
        Noted noted(fake);
        SameNameJobs sameName(fake.cluster(1), noted.ofDuty, [](const QByteArray &) {});
        const QString name = JobCluster::spec().title();
        std::vector<JobId> ids;
        for (int i = 0; i < 5; ++i)
            ids.push_back(fake.submit());
        fake.setReadable(fake.pathOf(ids[3]), false);
        QVERIFY(!sameName.before(ids[4], name).known);
        fake.settle(1min);
        QVERIFY(!sameName.before(ids[4], name).known);
        QVERIFY2(noted.first().contains(u"job default-3 may not be read"), qPrintable(noted.first()));
        const SameNameJobs::Earlier third = sameName.before(ids[2], name);
        QVERIFY(third.known && third.latest == ids[1]);

        fake.end(ids[1], FinalRecord::of(ids[1], JobCluster::spec()));
        sameName.forget(ids[1]);
        QVERIFY(!sameName.before(ids[2], name).known);
        fake.settle(1s); // it is not before five seconds that it looks at the other again
        const std::optional<JobId> second = sameName.before(ids[2], name).latest;
        QVERIFY(second == ids[0]);

        fake.setReadable(fake.pathOf(ids[3]), true);
        fake.settle(6s);
        const std::optional<JobId> last = sameName.before(ids[4], name).latest;
        QVERIFY(last == ids[3]);
        QCOMPARE(noted.first(), QString());
    }

    // Who may create nodes can make thousands that the master may not read.
    void oneThatMayNotBeReadIsEnough()
    {
        JobCluster fake(2);
        Noted noted(fake);
        SameNameJobs sameName(fake.cluster(1), noted.ofDuty, [](const QByteArray &) {});
        for (int i = 0; i < 300; ++i)
            fake.setReadable(fake.pathOf(fake.submit()), false);
        const JobId singleton = fake.submit();
        QVERIFY(!sameName.before(singleton, JobCluster::spec().title()).known);
        fake.settle(62s);
        const quint64 limit = (60 / 5 + 1) * (jobs::Flight + 1);
        QVERIFY2(fake[1].counters().requests <= limit, qPrintable(QString::number(fake[1].counters().requests)));
    }

    // Another program can make two nodes of one number.
    void twoNodesOfOneNumberAreForgottenTogether()
    {
        JobCluster fake(2);
        Noted noted(fake);
        SameNameJobs sameName(fake.cluster(1), noted.ofDuty, [](const QByteArray &) {});
        const JobId twice = fake.submit();
        jobs::JobSpec other = JobCluster::spec();
        other.name = QStringLiteral("another");
        fake.write(fake.layout.job("default", {jobs::QueueEntry::Class::Ready, 9, twice.number}), other.encode());
        const JobId singleton = fake.submit();
        QVERIFY(!sameName.before(singleton, other.name).known);
        fake.settle(5s);
        for (const QString &name : {JobCluster::spec().title(), other.name}) {
            int asked = 0;
            for (auto earlier = sameName.before(singleton, name); earlier.latest && asked < 3; ++asked) {
                sameName.forget(*earlier.latest);
                earlier = sameName.before(singleton, name);
            }
            QVERIFY(asked < 3);
        }
    }
};

QTEST_GUILESS_MAIN(SameNameJobsTest)
#include "same_name_jobs_test.moc"
