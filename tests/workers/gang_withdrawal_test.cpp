#include "jobs/cordon.h"
#include "support/fault_injector.h"
#include "support/sanitized.h"
#include "workers/gang_party.h"

#include <QLoggingCategory>
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
class WithdrawalParty : private Faults, public WorkerParty // whose sessions end first
{
public:
    explicit WithdrawalParty(const FaultPlan &plan) : Faults{FaultInjector(plan)}, WorkerParty(4, {.faults = &faults})
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
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void itLeavesNothingWhateverHappens_data()
    {
        QTest::addColumn<Fault>("fault");
        QTest::newRow("lost request") << Fault::LoseRequest;
        QTest::newRow("lost reply") << Fault::LoseReply;
        QTest::newRow("delay") << Fault::Delay;
        QTest::newRow("disconnect") << Fault::Disconnect;
        QTest::newRow("death of the master") << Fault::None;
    }
    void itLeavesNothingWhateverHappens()
    {
        QFETCH(Fault, fault);
        const quint64 before = WithdrawalParty(FaultPlan()).operations();
        quint64 bitten = 0;
        for (quint64 step = 1; step <= 60; step += Stride) {
            FaultPlan plan;
            plan.longestOutage = 1s; // its session lives
            if (fault != Fault::None)
                plan.scripted[before + step] = fault;
            WithdrawalParty party(plan);
            QCOMPARE(party.operations(), before);
            if (fault == Fault::None) {
                party.world.runUntil([&] { return party.operations() >= before + step; }, 20s);
                party.killMaster();
                ++bitten;
            }
            party.settle(40s);
            bitten += party.bitten(fault);
            makeRoom(party, 3);
            party.settle(10min);
            QVERIFY2(party.exists(party.layout.done(party.gang)), qPrintable(QStringLiteral("step %1").arg(step)));
            const FinalRecord record = party.recordOf(party.gang);
            QCOMPARE(record.state(), JobState::Succeeded);
            QVERIFY(record.attempt > 1);
            for (int task = 0; task < record.attempt * Members; ++task) {
                const JobId member{party.gang.queue, party.gang.number, task};
                QCOMPARE(party.exists(party.layout.done(member)), task >= (record.attempt - 1) * Members);
            }
            expectNothingLeft(party);
        }
        QVERIFY(bitten >= 40 / Stride);
    }
};

QTEST_GUILESS_MAIN(GangWithdrawalTest)
#include "gang_withdrawal_test.moc"
