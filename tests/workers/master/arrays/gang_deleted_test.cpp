#include "jobs/cluster/cordon.h"
#include "workers/invariants/cluster_invariants.h"
#include "workers/master/arrays/gang_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// Two workers with room for two gangs of 2 whose members run for hours; their master, session 1, runs nothing.
class PairCluster : public WorkerCluster
{
public:
    PairCluster() : WorkerCluster(4)
    {
        m_master = std::make_unique<Working>(*this, 1);
        settle(2s);
        run(cordon(Cluster((*this)[0], layout), "w1", Cordon()));
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

// A gang whose nodes are deleted by hand.
class GangDeletedTest : public QObject
{
    Q_OBJECT

private:
    static zk::Path gangPath(WorkerCluster &fake, const JobId &id)
    {
        return fake.layout.job(id.queue, {QueueEntry::Class::Array, 5, id.number});
    }
    static void removeRound(WorkerCluster &fake, const JobId &id, zk::Transaction transaction = {})
    {
        const zk::Path round = fake.layout.gang(id, 0);
        for (const QByteArray &name : fake.childrenOf(round))
            transaction.remove(round / name);
        fake.commit(transaction.remove(round));
    }

private Q_SLOTS:
    // Its worker kept its place, its claim and the slot for ever.
    void aMemberLeavesItsPlace()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, Working::options(1), 10h);
        const Working second(fake, 2, Working::options(1), 10h);
        fake.settle(2s);
        const JobId id = submitShortOf(fake, 2, gangOf(2));
        fake.settle(2s);
        QVERIFY(whyOf(fake, id).startsWith(QStringLiteral("it assembles: 1 of 2 members have a place\n")));
        for (const QByteArray &name : fake.childrenOf(fake.layout.claims())) {
            const Claim claim = Claim::decode(fake.node(fake.layout.claims() / name).data);
            if (claim.waits == u"the other members of its gang")
                fake.commit(zk::Transaction().remove(fake.layout.queue("default") / claim.entry));
        }
        fake.settle(5s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(fake.childrenOf(fake.layout.claims()), QByteArrayList());
        QCOMPARE(fake.childrenOf(fake.layout.gangs()), QByteArrayList());
        const JobId next = fake.submit();
        fake.settle(1s);
        QVERIFY(first.began(next) || second.began(next));
    }

    // No member could enter it, and no other gang had its turn; who had claimed one gave it back, and claimed it again,
    // as fast as the server answered.
    void aRoundIsWithdrawnAtOnce()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, Working::options(2, {QStringLiteral("a")}), 30s);
        const Working second(fake, 2, 1);
        fake.settle(2s);
        const JobId id = submitShortOf(fake, 1, gangOf(2));
        fake.run(cordon(Cluster(fake[0], fake.layout), "w2", Cordon()));
        fake.settle(1s);
        fake.commit(zk::Transaction().remove(fake.layout.gang(id, 0)));
        fake.run(uncordon(Cluster(fake[0], fake.layout), "w1"));
        fake.run(uncordon(Cluster(fake[0], fake.layout), "w2"));
        fake.settle(5s);
        QVERIFY(runsOf(id, {&first, &second}).empty());
        QCOMPARE(fake.childrenOf(fake.layout.claims()), QByteArrayList());
        fake.settle(2min);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(id).attempts.claimVersion, 2);
        expectNothingLeft(fake);
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
        PairCluster fake;
        const JobId id = fake.submit(gangOf(2));
        fake.settle(2s);
        if (newMaster)
            fake.killMaster();
        removeRound(fake, id);
        fake.settle(2min);
        fake.expectRoundsApart(id, 2);
        QCOMPARE(fake.invariants.violations(), QStringList());
    }

    // The node is deleted after the round has run for longer than a gang has to assemble. That node lists the members
    // that have begun.
    void aRoundOfWhichReadyIsDeletedIsLostToTheNextMaster_data() { aRoundThatRunsIsLost_data(); }
    void aRoundOfWhichReadyIsDeletedIsLostToTheNextMaster()
    {
        QFETCH(bool, newMaster);
        PairCluster fake;
        const JobId id = fake.submit(gangOf(2));
        fake.settle(2min);
        if (newMaster)
            fake.killMaster();
        fake.commit(zk::Transaction().remove(fake.layout.gang(id, 0) / GangStart::Name));
        fake.settle(2min);
        fake.expectRoundsApart(id, newMaster ? 2 : 1);
        QCOMPARE(fake.invariants.violations(), QStringList());
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
        PairCluster fake;
        const JobId id = submitShortOf(fake, 3, gangOf(2));
        fake.settle(2s);
        QCOMPARE(fake.childrenOf(fake.layout.gang(id, 0)).size(), 1);
        fake.process(1).freezeFor(1s);
        fake.run(uncordon(Cluster(fake[0], fake.layout), "w3"));
        fake.settle(500ms);
        fake.expectRoundsApart(id, 1);
        if (whole)
            removeRound(fake, id);
        else
            fake.commit(zk::Transaction().remove(fake.layout.gang(id, 0) / GangStart::Name));
        fake.settle(2min);
        fake.expectRoundsApart(id, 2);
        QCOMPARE(fake.invariants.violations(), QStringList());
    }

    // It waited without one until its round was withdrawn.
    void aMemberWhosePlaceIsDeletedEntersAgain()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, Working::options(1), 2s);
        const Working second(fake, 2, Working::options(1), 2s);
        fake.settle(2s);
        const JobId id = submitShortOf(fake, 2, gangOf(2));
        fake.settle(2s);
        const zk::Path round = fake.layout.gang(id, 0);
        QCOMPARE(fake.childrenOf(round).size(), 1);
        fake.commit(zk::Transaction().remove(round / fake.childrenOf(round).front()));
        fake.run(uncordon(Cluster(fake[0], fake.layout), "w2"));
        fake.settle(5s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        QCOMPARE(fake.recordOf(id).attempts.claimVersion, 1);
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
        WorkerCluster fake(3, {.sabotage = refuse});
        const Working first(fake, 1, Working::options(1), 2s);
        const Working second(fake, 2, Working::options(1), 2s);
        fake.settle(2s);
        const JobId id = submitShortOf(fake, 2, gangOf(2));
        fake.settle(2s);
        QCOMPARE(fake.childrenOf(fake.layout.gang(id, 0)).size(), 1);
        removeRound(fake, id, zk::Transaction().remove(gangPath(fake, id)));
        fake.run(uncordon(Cluster(fake[0], fake.layout), "w2"));
        fake.settle(20s);
        QCOMPARE(refused, 0);
        for (const qint32 member : {0, 1})
            QCOMPARE(fake.stateOf({id.queue, id.number, member}), JobState::Cancelled);
        expectNothingLeft(fake);
    }

    // Found by the schedules: members waited for others for ever, and kept their slots.
    void anAssemblingMemberIsCancelledWithItsGang()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, Working::options(1), 10h);
        const Working second(fake, 2, Working::options(1), 10h);
        fake.settle(2s);
        const JobId id = submitShortOf(fake, 2, gangOf(2));
        fake.settle(2s);
        QCOMPARE(fake.childrenOf(fake.layout.gang(id, 0)).size(), 1);
        fake.commit(zk::Transaction().remove(gangPath(fake, id)));
        fake.settle(3min);
        QCOMPARE(fake.childrenOf(fake.layout.claims()), QByteArrayList());
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")), QByteArrayList());
        QCOMPARE(fake.childrenOf(fake.layout.gangs()), QByteArrayList());
        for (const qint32 member : {0, 1})
            QCOMPARE(fake.stateOf({id.queue, id.number, member}), JobState::Cancelled);
        const JobId next = fake.submit();
        fake.settle(1s);
        QVERIFY(first.began(next) || second.began(next));
    }

    void aRunningMemberIsCancelledWithItsGang()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, Working::options(1), 10h);
        const Working second(fake, 2, Working::options(1), 10h);
        fake.settle(2s);
        const JobId id = fake.submit(gangOf(2));
        fake.settle(2s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        fake.commit(zk::Transaction().remove(gangPath(fake, id)));
        fake.settle(3min);
        for (const qint32 member : {0, 1})
            QCOMPARE(fake.stateOf({id.queue, id.number, member}), JobState::Cancelled);
        expectNothingLeft(fake);
    }

    // Found by the schedules: they were claimed and given back as fast as the server answered, for ever.
    void membersAreCancelledWhoseRoundIsGoneAsWell()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, 2);
        const Working second(fake, 2, 2);
        fake.settle(2s);
        const JobId id = submitShortOf(fake, 1, gangOf(2));
        fake.run(cordon(Cluster(fake[0], fake.layout), "w2", Cordon()));
        fake.settle(1s);
        fake.commit(zk::Transaction().remove(gangPath(fake, id)).remove(fake.layout.gang(id, 0)));
        fake.run(uncordon(Cluster(fake[0], fake.layout), "w1"));
        fake.run(uncordon(Cluster(fake[0], fake.layout), "w2"));
        fake.settle(2s);
        for (const qint32 member : {0, 1}) {
            const JobId task{id.queue, id.number, member};
            QCOMPARE(fake.stateOf(task), JobState::Cancelled);
            QVERIFY(fake.recordOf(task).attempts.notStarted <= 6);
        }
        QVERIFY(runsOf(id, {&first, &second}).empty());
        expectNothingLeft(fake);
    }
};

QTEST_GUILESS_MAIN(GangDeletedTest)
#include "gang_deleted_test.moc"
