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

// Which jobs of a queue have the same name, and what it costs to know. What waits by it: promoter_test.
class SameNameJobsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.same_name_jobs=false")); }

    // The one that was waited for has ended last: what else has ended is not looked at one by one.
    void oneListingPassesOverAllThatHaveEnded()
    {
        JobCluster fake(2);
        int told = 0;
        SameNameJobs sameName(jobs::Cluster(fake[1], fake.layout), [&told](const QByteArray &) { ++told; });
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
            SameNameSchedule schedule(plan);
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
        SameNameJobs sameName(jobs::Cluster(fake[1], fake.layout), [&told](const QByteArray &) { ++told; });
        const JobId earlier = fake.submit();
        const JobId singleton = fake.submit();
        const QString name = JobCluster::spec().title();
        QVERIFY(!sameName.before(singleton, name).known);
        fake.settle(62s);
        QCOMPARE(told, 0);
        QVERIFY(!sameName.before(singleton, name).known);
        QCOMPARE(fake[1].counters().requests, quint64(60 / 5 + 1));
        refused = false;
        fake.settle(5s);
        QCOMPARE(told, 1);
        const SameNameJobs::Earlier found = sameName.before(singleton, name);
        QVERIFY(found.known && found.latest == earlier);
    }
};

QTEST_GUILESS_MAIN(SameNameJobsTest)
#include "same_name_jobs_test.moc"
