#include "core/jobs/job_party.h"
#include "jobs/cancel.h"
#include "jobs/control.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

const QString Me = QStringLiteral("me@here");

using Act = std::function<async::Task<Change>(zk::Coordinator &zk, Layout layout, JobId id)>;

class AheadParty : public JobParty
{
public:
    using JobParty::JobParty;

    // As a worker claims for a slot that is not free yet.
    void claimAhead(const JobId &id)
    {
        claim(id, 0);
        Claim ahead = claimOf(id);
        ahead.ahead = true;
        write(layout.claim(id), ahead.encode());
    }
};

} // namespace

// What people do to jobs that a worker has claimed for slots which are not free yet.
class ControlAheadTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Whatever they write into such a claim would go with it, and to take it away would not keep the job from beginning.
    void whatIsClaimedAheadIsWaitedFor_data()
    {
        QTest::addColumn<bool>("begins");
        QTest::newRow("it begins") << true;
        QTest::newRow("it is given back") << false;
    }
    void whatIsClaimedAheadIsWaitedFor()
    {
        QFETCH(bool, begins);
        const std::vector<Act> acts{
            [](auto &zk, auto layout, auto id) { return hold(zk, layout, id, Me); },
            [](auto &zk, auto layout, auto id) { return setPriority(zk, layout, id, 1); },
            [](auto &zk, auto layout, auto id) { return moveToQueue(zk, layout, id, "other", {}); },
            [](auto &zk, auto layout, auto id) { return sendSignal(zk, layout, id, 1); }};
        for (std::size_t i = 0; i < acts.size(); ++i) {
            const bool wantsItToRun = i == 3;
            AheadParty party(2);
            party.run(ensureCluster(party[0], party.layout, QByteArrayList(1, "other")));
            const JobId id = party.submit();
            party.claimAhead(id);
            std::optional<bool> done;
            async::TaskGroup acting([](const std::exception_ptr &) {});
            const auto run = [&]() -> async::Task<void> {
                try {
                    co_await acts[i](party[1], party.layout, id);
                    done = true;
                } catch (const WrongState &) {
                    done = false;
                }
            };
            acting.spawn(run());
            party.settle(100ms);
            QVERIFY(!done);
            QCOMPARE(party.claimOf(id).signalCount, 0);
            Claim begun = party.claimOf(id);
            begun.ahead = false;
            if (begins)
                party.write(party.layout.claim(id), begun.encode());
            else
                party.commit(zk::Transaction()
                                 .set(party.pathOf(id), JobSpec::countReturned(party.node(party.pathOf(id)).data), 1)
                                 .remove(party.layout.claim(id)));
            party.settle(10ms);
            QCOMPARE(done, std::optional(begins == wantsItToRun));
            QCOMPARE(party.exists(party.layout.claim(id)), begins);
            if (begins)
                QCOMPARE(party.claimOf(id).signalCount, wantsItToRun ? 1 : 0);
        }
    }

    void nobodyWaitsForLongForAWorkerThatStandsStill()
    {
        AheadParty party(2);
        const JobId id = party.submit();
        party.claimAhead(id);
        const async::TimePoint before = party[0].loop().now();
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(hold(party[0], party.layout, id, Me)));
        QVERIFY(party[0].loop().now() - before <= 2s);
        party.run(requeue(party[0], party.layout, id)); // its worker obeys whether it has begun or not
        QVERIFY(party.claimOf(id).requeue && party.claimOf(id).ahead);
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Asked);
    }
};

QTEST_GUILESS_MAIN(ControlAheadTest)
#include "control_ahead_test.moc"
