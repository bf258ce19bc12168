#include "jobs/cluster/cordon.h"
#include "support/fake/fault_injector.h"
#include "support/sanitized.h"
#include "workers/master/arrays/gang_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

constexpr int Members = 4;
constexpr quint64 Stride = Sanitized ? 3 : 1; // from one moment of a fault to the next
constexpr auto UntilLate = 59s; // nearly the time that a gang has to assemble

struct Faults {
    FaultInjector faults;
};

// A gang that cannot assemble: the last of the workers with room for its members is cordoned once it is its turn.
// Session 1 is the master's.
class WithdrawalCluster : private Faults, public WorkerCluster // whose sessions end first
{
public:
    explicit WithdrawalCluster(const FaultPlan &plan)
        : Faults{FaultInjector(plan)}, WorkerCluster(4, {.faults = &faults})
    {
        for (const int slotCount : {1, 2, 2}) {
            const int who = static_cast<int>(m_workers.size()) + 1;
            m_workers.push_back(std::make_unique<Working>(*this, who, slotCount));
            settle(2s);
        }
        gang = submitShortOf(*this, 3, gangOf(Members));
        settle(UntilLate);
    }

    quint64 operations() const { return faults.log().operations; }
    quint64 bitten(Fault fault) const { return faults.log().count(fault); }

    void killMaster()
    {
        session(1).crash();
        m_workers.front().reset();
    }
    JobId gang;

private:
    std::vector<std::unique_ptr<Working>> m_workers;
};

} // namespace

// A gang's round that is withdrawn, with a fault at each operation meanwhile.
class GangWithdrawalTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aWithdrawalLeavesNothingWhateverFails_data()
    {
        QTest::addColumn<Fault>("fault");
        QTest::newRow("lost request") << Fault::LoseRequest;
        QTest::newRow("lost reply") << Fault::LoseReply;
        QTest::newRow("delay") << Fault::Delay;
        QTest::newRow("disconnect") << Fault::Disconnect;
        QTest::newRow("death of the master") << Fault::None;
    }
    void aWithdrawalLeavesNothingWhateverFails()
    {
        QFETCH(Fault, fault);
        const quint64 before = WithdrawalCluster(FaultPlan()).operations();
        quint64 bitten = 0;
        for (quint64 step = 1; step <= 60; step += Stride) {
            FaultPlan plan;
            plan.longestOutage = 1s; // its session lives
            if (fault != Fault::None)
                plan.scripted[before + step] = fault;
            WithdrawalCluster fake(plan);
            QCOMPARE(fake.operations(), before);
            if (fault == Fault::None) {
                fake.world.runUntil([&] { return fake.operations() >= before + step; }, 20s);
                fake.killMaster();
                ++bitten;
            }
            fake.settle(40s);
            bitten += fake.bitten(fault);
            makeRoom(fake, 3);
            fake.settle(10min);
            QVERIFY2(fake.exists(fake.layout.done(fake.gang)), qPrintable(QStringLiteral("step %1").arg(step)));
            const FinalRecord record = fake.recordOf(fake.gang);
            QCOMPARE(record.state(), JobState::Succeeded);
            QVERIFY(record.attempts.claimVersion > 1);
            for (int task = 0; task < record.attempts.claimVersion * Members; ++task) {
                const JobId member{fake.gang.queue, fake.gang.number, task};
                QCOMPARE(fake.exists(fake.layout.done(member)), task >= (record.attempts.claimVersion - 1) * Members);
            }
            expectNothingLeft(fake);
        }
        QVERIFY(bitten >= 40 / Stride);
    }
};

QTEST_GUILESS_MAIN(GangWithdrawalTest)
#include "gang_withdrawal_test.moc"
