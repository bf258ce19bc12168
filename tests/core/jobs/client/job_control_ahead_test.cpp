#include "core/jobs/job_cluster.h"
#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

const QString Me = QStringLiteral("me@here");

using Act = std::function<async::Task<JobChange>(zk::Client &zk, Layout layout, JobId id)>;

class AheadCluster : public JobCluster
{
public:
    using JobCluster::JobCluster;

    // As a worker claims for a slot that is not free yet.
    void claimAhead(const JobId &id)
    {
        claim(id, 0);
        Claim ahead = claimOf(id);
        ahead.prefetched = true;
        write(layout.claim(id), ahead.encode());
    }
};

} // namespace

// What people do to jobs that a worker has claimed for slots which are not free yet.
class ControlAheadTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Whatever they write into such a claim would go with it, and to take it away would not keep the job from
    // beginning.
    void aRequestWaitsForAClaimAhead_data()
    {
        QTest::addColumn<bool>("begins");
        QTest::newRow("it begins") << true;
        QTest::newRow("it is given back") << false;
    }
    void aRequestWaitsForAClaimAhead()
    {
        QFETCH(bool, begins);
        const std::vector<Act> acts{
            [](auto &zk, auto layout, auto id) { return hold(Cluster(zk, layout), id, Me); },
            [](auto &zk, auto layout, auto id) { return setPriority(Cluster(zk, layout), id, 1); },
            [](auto &zk, auto layout, auto id) { return moveToQueue(Cluster(zk, layout), id, "other", {}); },
            [](auto &zk, auto layout, auto id) { return sendSignal(Cluster(zk, layout), id, 1); }};
        for (std::size_t i = 0; i < acts.size(); ++i) {
            const bool wantsItToRun = i == 3;
            AheadCluster fake(2);
            fake.run(ensureCluster(fake.cluster(), QByteArrayList(1, "other")));
            const JobId id = fake.submit();
            fake.claimAhead(id);
            std::optional<bool> done;
            async::TaskGroup acting([](const std::exception_ptr &) {});
            const auto run = [&]() -> async::Task<void> {
                try {
                    co_await acts[i](fake[1], fake.layout, id);
                    done = true;
                } catch (const WrongState &) {
                    done = false;
                }
            };
            acting.spawn(run());
            fake.settle(100ms);
            QVERIFY(!done);
            QCOMPARE(fake.claimOf(id).signalCount, 0);
            Claim begun = fake.claimOf(id);
            begun.prefetched = false;
            if (begins)
                fake.write(fake.layout.claim(id), begun.encode());
            else
                fake.commit(
                    zk::Transaction()
                        .set(fake.pathOf(id), noted(fake.node(fake.pathOf(id)).data, &JobNotes::countReturned), 1)
                        .remove(fake.layout.claim(id)));
            fake.settle(10ms);
            QCOMPARE(done, std::optional(begins == wantsItToRun));
            QCOMPARE(fake.exists(fake.layout.claim(id)), begins);
            if (begins)
                QCOMPARE(fake.claimOf(id).signalCount, wantsItToRun ? 1 : 0);
        }
    }

    void noJobWaitsLongForAWorkerThatStandsStill()
    {
        AheadCluster fake(2);
        const JobId id = fake.submit();
        fake.claimAhead(id);
        const async::TimePoint before = fake[0].loop().now();
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(hold(fake.cluster(), id, Me)));
        QVERIFY(fake[0].loop().now() - before <= 2s);
        fake.run(requeue(fake.cluster(), id)); // its worker obeys whether it has begun or not
        QVERIFY(fake.claimOf(id).requeue && fake.claimOf(id).prefetched);
        QCOMPARE(fake.run(cancel(fake.cluster(), id)), CancelResult::Asked);
    }
};

QTEST_GUILESS_MAIN(ControlAheadTest)
#include "job_control_ahead_test.moc"
