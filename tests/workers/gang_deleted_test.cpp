#include "jobs/cordon.h"
#include "workers/cluster_invariants.h"
#include "workers/gang_party.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// Two workers with room for two gangs of 2 whose members run for hours; their master, session 1, runs nothing.
class PairParty : public WorkerParty
{
public:
    PairParty() : WorkerParty(4)
    {
        m_master = std::make_unique<Working>(*this, 1);
        settle(2s);
        run(cordon((*this)[0], layout, "w1", Cordon()));
        m_first = std::make_unique<Working>(*this, 2, Working::options(1), 10h);
        m_second = std::make_unique<Working>(*this, 3, Working::options(3), 10h);
        settle(2s);
    }

    void killMaster()
    {
        session(1).crash();
        m_master.reset();
    }

    // So many have begun, each when the one before had ended.
    void expectRoundsApart(const JobId &gang, std::size_t rounds) const
    {
        const std::vector<Execution> runs = runsOf(gang, {m_first.get(), m_second.get()});
        QCOMPARE(runs.size(), 2 * rounds);
        for (std::size_t later = 2; later < runs.size(); ++later) {
            for (std::size_t earlier = 0; earlier < later / 2 * 2; ++earlier)
                QVERIFY(runs[earlier].until <= runs[later].from);
        }
    }

    ClusterInvariants invariants{server, layout, layout.lock("none"), layout.lock("none")};

private:
    std::unique_ptr<Working> m_master;
    std::unique_ptr<Working> m_first;
    std::unique_ptr<Working> m_second;
};

// Makes a worker's cancel of what it has claimed fail with an error that is no answer. False if it is something else.
bool refuseCancel(zk::Request &request)
{
    auto *multi = std::get_if<zk::MultiRequest>(&request);
    const auto cancels = [](const zk::Transaction::Operation &operation) {
        const auto *set = std::get_if<zk::Transaction::Set>(&operation);
        return set && set->path.parent().name() == "claims" && Claim::decode(set->data).cancelled;
    };
    if (!multi || std::none_of(multi->transaction.operations().begin(), multi->transaction.operations().end(), cancels))
        return false;
    multi->transaction.create(zk::Path("/refused"), {}, zk::CreateMode::Persistent, {zk::Acl{1, "unknown", "scheme"}});
    return true;
}

} // namespace

// A gang of which somebody deletes nodes by hand.
class GangDeletedTest : public QObject
{
    Q_OBJECT

private:
    static zk::Path gangPath(WorkerParty &party, const JobId &id)
    {
        return party.layout.job(id.queue, {QueueEntry::Class::Array, 5, id.number});
    }
    static void removeRound(WorkerParty &party, const JobId &id, zk::Transaction transaction = {})
    {
        const zk::Path round = party.layout.gang(id, 0);
        for (const QByteArray &name : party.childrenOf(round))
            transaction.remove(round / name);
        party.commit(transaction.remove(round));
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    // Its worker kept its place, its claim and the slot for ever.
    void aMemberLeavesItsPlace()
    {
        WorkerParty party(3);
        const Working first(party, 1, Working::options(1), 10h);
        const Working second(party, 2, Working::options(1), 10h);
        party.settle(2s);
        const JobId id = submitShortOf(party, 2, gangOf(2));
        party.settle(2s);
        QVERIFY(whyOf(party, id).startsWith(QStringLiteral("it assembles: 1 of 2 members have a place\n")));
        for (const QByteArray &name : party.childrenOf(party.layout.claims())) {
            const Claim claim = Claim::decode(party.node(party.layout.claims() / name).data);
            if (claim.waits == u"the other members of its gang")
                party.commit(zk::Transaction().remove(party.layout.queue("default") / claim.entry));
        }
        party.settle(5s);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(party.childrenOf(party.layout.claims()), QByteArrayList());
        QCOMPARE(party.childrenOf(party.layout.gangs()), QByteArrayList());
        const JobId next = party.submit();
        party.settle(1s);
        QVERIFY(first.began(next) || second.began(next));
    }

    // No member could enter it, and no other gang had its turn; who had claimed one gave it back, and claimed it again,
    // as fast as the server answered.
    void aRoundIsWithdrawnAtOnce()
    {
        WorkerParty party(3);
        const Working first(party, 1, Working::options(2, {QStringLiteral("a")}), 30s);
        const Working second(party, 2, 1);
        party.settle(2s);
        const JobId id = submitShortOf(party, 1, gangOf(2));
        party.run(cordon(party[0], party.layout, "w2", Cordon()));
        party.settle(1s);
        party.commit(zk::Transaction().remove(party.layout.gang(id, 0)));
        party.run(uncordon(party[0], party.layout, "w1"));
        party.run(uncordon(party[0], party.layout, "w2"));
        party.settle(5s);
        QVERIFY(runsOf(id, {&first, &second}).empty());
        QCOMPARE(party.childrenOf(party.layout.claims()), QByteArrayList());
        party.settle(2min);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(party.recordOf(id).attempt, 2);
        expectNothingLeft(party);
    }

    // It was withdrawn, and the next round began beside it.
    void aRoundThatRunsIsLost_data()
    {
        QTest::addColumn<bool>("newMaster");
        QTest::newRow("the master knows that it has begun") << false;
        QTest::newRow("another master comes") << true;
    }
    void aRoundThatRunsIsLost()
    {
        QFETCH(bool, newMaster);
        PairParty party;
        const JobId id = party.submit(gangOf(2));
        party.settle(2s);
        if (newMaster)
            party.killMaster();
        removeRound(party, id);
        party.settle(2min);
        party.expectRoundsApart(id, 2);
        QCOMPARE(party.invariants.violations(), QStringList());
    }

    // The same, once it had run for longer than a gang has to assemble. Who has begun is in that node.
    void aRoundOfWhichReadyIsDeletedIsLostToTheNextMaster_data() { aRoundThatRunsIsLost_data(); }
    void aRoundOfWhichReadyIsDeletedIsLostToTheNextMaster()
    {
        QFETCH(bool, newMaster);
        PairParty party;
        const JobId id = party.submit(gangOf(2));
        party.settle(2min);
        if (newMaster)
            party.killMaster();
        party.commit(zk::Transaction().remove(party.layout.gang(id, 0) / GangStart::Name));
        party.settle(2min);
        party.expectRoundsApart(id, newMaster ? 2 : 1);
        QCOMPARE(party.invariants.violations(), QStringList());
    }

    // Its members were removed while they ran: at once, or when the time was up that a gang has to assemble.
    void aRoundThatBeganUnseenEndsBeforeTheNext_data()
    {
        QTest::addColumn<bool>("whole");
        QTest::newRow("all of it is deleted") << true;
        QTest::newRow("ready is deleted") << false;
    }
    void aRoundThatBeganUnseenEndsBeforeTheNext()
    {
        QFETCH(bool, whole);
        PairParty party;
        const JobId id = submitShortOf(party, 3, gangOf(2));
        party.settle(2s);
        QCOMPARE(party.childrenOf(party.layout.gang(id, 0)).size(), 1);
        party.process(1).freezeFor(1s);
        party.run(uncordon(party[0], party.layout, "w3"));
        party.settle(500ms);
        party.expectRoundsApart(id, 1);
        if (whole)
            removeRound(party, id);
        else
            party.commit(zk::Transaction().remove(party.layout.gang(id, 0) / GangStart::Name));
        party.settle(2min);
        party.expectRoundsApart(id, 2);
        QCOMPARE(party.invariants.violations(), QStringList());
    }

    // It waited without one until its round was withdrawn.
    void aMemberWhosePlaceIsDeletedEntersAgain()
    {
        WorkerParty party(3);
        const Working first(party, 1, Working::options(1), 2s);
        const Working second(party, 2, Working::options(1), 2s);
        party.settle(2s);
        const JobId id = submitShortOf(party, 2, gangOf(2));
        party.settle(2s);
        const zk::Path round = party.layout.gang(id, 0);
        QCOMPARE(party.childrenOf(round).size(), 1);
        party.commit(zk::Transaction().remove(round / party.childrenOf(round).front()));
        party.run(uncordon(party[0], party.layout, "w2"));
        party.settle(5s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        QCOMPARE(party.recordOf(id).attempt, 1);
    }

    // Found by the schedules. What refused it ended its worker's care for the member, which kept its slot for ever.
    void aMemberIsCancelledWhosePlaceRoundAndGangAreDeleted_data()
    {
        QTest::addColumn<int>("refused");
        QTest::newRow("at once") << 0;
        QTest::newRow("when it may be") << 2;
    }
    void aMemberIsCancelledWhosePlaceRoundAndGangAreDeleted()
    {
        QFETCH(int, refused);
        const auto refuse = [&refused](zk::Request &request) { refused -= refused > 0 && refuseCancel(request); };
        WorkerParty party(3, {.sabotage = refuse});
        const Working first(party, 1, Working::options(1), 2s);
        const Working second(party, 2, Working::options(1), 2s);
        party.settle(2s);
        const JobId id = submitShortOf(party, 2, gangOf(2));
        party.settle(2s);
        QCOMPARE(party.childrenOf(party.layout.gang(id, 0)).size(), 1);
        removeRound(party, id, zk::Transaction().remove(gangPath(party, id)));
        party.run(uncordon(party[0], party.layout, "w2"));
        party.settle(20s);
        QCOMPARE(refused, 0);
        for (const qint32 member : {0, 1})
            QCOMPARE(party.stateOf({id.queue, id.number, member}), JobState::Cancelled);
        expectNothingLeft(party);
    }

    // Found by the schedules: members waited for others for ever, and kept their slots.
    void whatAssemblesIsCancelledWithItsGang()
    {
        WorkerParty party(3);
        const Working first(party, 1, Working::options(1), 10h);
        const Working second(party, 2, Working::options(1), 10h);
        party.settle(2s);
        const JobId id = submitShortOf(party, 2, gangOf(2));
        party.settle(2s);
        QCOMPARE(party.childrenOf(party.layout.gang(id, 0)).size(), 1);
        party.commit(zk::Transaction().remove(gangPath(party, id)));
        party.settle(3min);
        QCOMPARE(party.childrenOf(party.layout.claims()), QByteArrayList());
        QCOMPARE(party.childrenOf(party.layout.queue("default")), QByteArrayList());
        QCOMPARE(party.childrenOf(party.layout.gangs()), QByteArrayList());
        for (const qint32 member : {0, 1})
            QCOMPARE(party.stateOf({id.queue, id.number, member}), JobState::Cancelled);
        const JobId next = party.submit();
        party.settle(1s);
        QVERIFY(first.began(next) || second.began(next));
    }

    void whatRunsIsCancelledWithItsGang()
    {
        WorkerParty party(3);
        const Working first(party, 1, Working::options(1), 10h);
        const Working second(party, 2, Working::options(1), 10h);
        party.settle(2s);
        const JobId id = party.submit(gangOf(2));
        party.settle(2s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        party.commit(zk::Transaction().remove(gangPath(party, id)));
        party.settle(3min);
        for (const qint32 member : {0, 1})
            QCOMPARE(party.stateOf({id.queue, id.number, member}), JobState::Cancelled);
        expectNothingLeft(party);
    }

    // Found by the schedules: they were claimed and given back as fast as the server answered, for ever.
    void membersAreCancelledWhoseRoundIsGoneAsWell()
    {
        WorkerParty party(3);
        const Working first(party, 1, 2);
        const Working second(party, 2, 2);
        party.settle(2s);
        const JobId id = submitShortOf(party, 1, gangOf(2));
        party.run(cordon(party[0], party.layout, "w2", Cordon()));
        party.settle(1s);
        party.commit(zk::Transaction().remove(gangPath(party, id)).remove(party.layout.gang(id, 0)));
        party.run(uncordon(party[0], party.layout, "w1"));
        party.run(uncordon(party[0], party.layout, "w2"));
        party.settle(2s);
        for (const qint32 member : {0, 1}) {
            const JobId task{id.queue, id.number, member};
            QCOMPARE(party.stateOf(task), JobState::Cancelled);
            QVERIFY(party.recordOf(task).unbegun <= 6);
        }
        QVERIFY(runsOf(id, {&first, &second}).empty());
        expectNothingLeft(party);
    }
};

QTEST_GUILESS_MAIN(GangDeletedTest)
#include "gang_deleted_test.moc"
