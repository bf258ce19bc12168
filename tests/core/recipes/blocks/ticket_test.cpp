#include "async/or_timeout.h"
#include "core/recipes/holder.h"
#include "recipes/blocks/line.h"
#include "recipes/blocks/node_kind.h"
#include "recipes/blocks/ticket.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/revocation.h"
#include "support/fake/fake_cluster.h"

#include <QRegularExpression>
#include <QTest>

#include <limits>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class TicketTest : public QObject
{
    Q_OBJECT

    const zk::Path m_line{"/drover/test/locks/a"};

    Ticket::Taken take(FakeCluster &fake, int who) { return fake.run(Ticket::take(fake[who], m_line, "lock-", "me")); }

private Q_SLOTS:
    void aNodesNameIdentifiesItsRecipe()
    {
        const std::vector<std::pair<QByteArray, NodeKind>> names = {
            {"_c_5f0c9d5e-0000-0000-0000-000000000000-lock-0000000007", NodeKind::Mutex},
            {"_c_5f0c9d5e-0000-0000-0000-000000000000-lock--000000007", NodeKind::Mutex}, // past the wrap
            {"_c_5f0c9d5e-0000-0000-0000-000000000000-__READ__0000000007", NodeKind::ReadWriteLock},
            {"_c_5f0c9d5e-0000-0000-0000-000000000000-__WRIT__0000000007", NodeKind::ReadWriteLock},
            {"_c_5f0c9d5e-0000-0000-0000-000000000000-latch-0000000007", NodeKind::Latch},
            {"_c_5f0c9d5e-0000-0000-0000-000000000000-lease-0000000007", NodeKind::Semaphore},
            {"leases", NodeKind::Semaphore},
            {"x--72057594037927936-0000000007", NodeKind::WriteLock},
            {"x-ray-0000000007", NodeKind::Other},
            {"5f0c9d5e00000000000000000000000a__lock__0000000007", NodeKind::KazooLock},
            {"5f0c9d5e00000000000000000000000a__rlock__0000000007", NodeKind::KazooReadLock},
            {"5f0c9d5e00000000000000000000000a", NodeKind::KazooSemaphore},
            {"5f0c9d5e00000000000000000000000a__party__", NodeKind::Party},
            {"qn-0000000007", NodeKind::Queue},
            {"queue-0000000007", NodeKind::CuratorQueue},
            {"entry-100-0000000007", NodeKind::KazooQueue},
            {"host-4711", NodeKind::Other},
        };
        for (const auto &[name, kind] : names)
            QVERIFY2(kindOf(name) == kind, name.constData());
    }

    // A double barrier's member, whose last ten digits look like a sequence number.
    void aUuidHasNoSequenceNumber()
    {
        const QByteArray member = "2fd7e506-843a-40e5-bc37-0d1396445228";
        QVERIFY(kindOf(member) == NodeKind::Other);
        QVERIFY(standsInLineOf(NodeKind::Barrier, member));
        QVERIFY(!standsInLineOf(NodeKind::Barrier, "x-ray-0000000007"));
    }

    void isNamedAsCuratorNamesIt()
    {
        FakeCluster fake(1);
        const Ticket::Taken taken = take(fake, 0);
        const QRegularExpression form(QStringLiteral("^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-lock-[0-9]{10}$"));
        QVERIFY2(form.match(QString::fromLatin1(taken.ticket.name())).hasMatch(), taken.ticket.name().constData());
        QCOMPARE(taken.ticket.fence().session, fake[0].sessionId());
        QVERIFY(taken.line->contains(taken.ticket.name()));
    }

    void takesOneRoundTripWhenTheDirectoryIsThere()
    {
        FakeCluster fake(1, {.latency = 5ms});
        fake.run(fake[0].ensurePath(m_line));
        const async::TimePoint before = fake.world.now();
        const quint64 requests = fake[0].counters().requests;
        const Ticket::Taken taken = take(fake, 0);
        QCOMPARE(fake.world.now() - before, async::Duration(10ms));
        QCOMPARE(fake[0].counters().requests - requests, 2u);
    }

    void isGivenUpByItsDestruction()
    {
        FakeCluster fake(1);
        {
            const Ticket::Taken taken = take(fake, 0);
            QCOMPARE(fake.childrenOf(m_line).size(), 1);
        }
        fake.settle();
        QVERIFY(fake.childrenOf(m_line).isEmpty());
        QCOMPARE(fake[0].pendingCleanups(), 0);
    }

    void givenUpItIsOwedUntilItsDeletionIsAnswered()
    {
        FakeCluster fake(1, {.latency = 5ms});
        std::optional<Ticket::Taken> taken = take(fake, 0);
        taken.reset();
        const async::TimePoint before = fake.world.now();
        fake.run(fake[0].cleanupsDone());
        QCOMPARE(fake.world.now() - before, async::Duration(10ms));
        QVERIFY(fake.childrenOf(m_line).isEmpty());
        fake.run(fake[0].cleanupsDone()); // there are none
    }

    // The lesson of CURATOR-45 and 79: a create that succeeded without its caller knowing blocks everybody.
    void aLostReplyIsAdopted_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("request lost") << int(Fault::LoseRequest);
        QTest::newRow("reply lost") << int(Fault::LoseReply);
    }
    void aLostReplyIsAdopted()
    {
        QFETCH(int, fault);
        FaultPlan plan;
        plan.scripted[1] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_line));
        fake.add({.faults = &faults});
        const Ticket::Taken taken = take(fake, 1);
        QCOMPARE(fake.childrenOf(m_line), QByteArrayList{taken.ticket.name()});
        const FakeTree::Znode *node = fake.server.tree().find(taken.ticket.path());
        QCOMPARE(taken.ticket.fence().czxid, node->stat.czxid);
    }

    // ZooKeeper's own names do not tell a create from another of the session, so the data do, whatever is asked there.
    void aLostCreateThatIsRevokedIsAdopted_data()
    {
        QTest::addColumn<bool>("cancelled");
        QTest::newRow("adopted") << false;
        QTest::newRow("deleted, if it was cancelled") << true;
    }
    void aLostCreateThatIsRevokedIsAdopted()
    {
        QFETCH(bool, cancelled);
        FaultPlan plan;
        plan.scripted[1] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_line));
        fake.add({.latency = 50ms, .faults = &faults});
        Holder<Ticket::Taken> taking;
        taking.keep(Ticket::take(fake[1], m_line, Mutex::zooKeeper(), "me"));
        fake.world.runUntil([&] { return !fake.childrenOf(m_line).isEmpty(); });
        const zk::Path node = m_line / fake.childrenOf(m_line).front();
        fake.run(askRevocation(fake[0], node));
        QVERIFY(!taking.has()); // still to be adopted
        if (cancelled)
            taking.cancel();
        fake.settle(2s);
        QCOMPARE(fake.childrenOf(m_line).size(), cancelled ? 0 : 1);
        if (!cancelled) {
            QCOMPARE((*taking).ticket.path(), node);
            fake.run(revocationAsked(fake[1], (*taking).ticket.fence()));
        }
    }

    // CURATOR-18: cancelled while the create is on its way.
    void cancelledOnTheWayItLeavesNothing()
    {
        FakeCluster fake(1, {.latency = 50ms});
        fake.run(fake[0].ensurePath(m_line));
        QVERIFY_THROWS_EXCEPTION(
            async::Timeout,
            fake.run(async::orTimeout(fake.process(0), Ticket::take(fake[0], m_line, "lock-", ""), 60ms)));
        QCOMPARE(fake.childrenOf(m_line).size(), 1); // it had been carried out
        fake.settle(1s);
        QVERIFY(fake.childrenOf(m_line).isEmpty());
    }

    // CURATOR-202: released during an outage, and the same session comes back.
    void releasedDuringAnOutageItIsDeletedAfterIt()
    {
        FakeCluster fake(1);
        std::optional<Ticket::Taken> taken = take(fake, 0);
        fake.session(0).disconnect();
        fake.settle();
        taken.reset();
        fake.settle(1s);
        QCOMPARE(fake.childrenOf(m_line).size(), 1);
        fake.session(0).reconnect();
        fake.settle(1s);
        QVERIFY(fake.childrenOf(m_line).isEmpty());
    }

    void theDirectoryIsMade()
    {
        FakeCluster fake(1);
        const Ticket::Taken taken = take(fake, 0);
        QCOMPARE(taken.ticket.directory(), m_line);
    }

    // Numbers turn negative after 2^31 on servers before ZOOKEEPER-3249.
    void aPlaceBesideAnotherHasItsNumber_data()
    {
        QTest::addColumn<qint32>("number");
        for (const qint32 number : {7, -5, -1234567890, std::numeric_limits<qint32>::min()})
            QTest::addRow("%d", number) << number;
    }
    void aPlaceBesideAnotherHasItsNumber()
    {
        QFETCH(qint32, number);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_line));
        fake.server.tree().setNextSequence(m_line, number);
        const Ticket::Taken taken = fake.run(Ticket::take(fake[0], m_line, "__WRIT__", "me"));
        QCOMPARE(zk::sequenceOf(taken.ticket.name()), number);
        const Ticket beside = fake.run(Ticket::takeBeside(taken.ticket, "__READ__", "me"));
        QCOMPARE(zk::sequenceOf(beside.name()), number);
        QVERIFY(beside.name().endsWith("__READ__" + zk::sequenceText(number)));
    }

    void ordersByNumberAloneAndOverTheWrap()
    {
        const QByteArrayList names{"zzz-lock-0000000002", "no number", "_c_1-lock-0000000010", "aaa-lock-0000000001"};
        QCOMPARE(sortedBySequence(names),
                 (QByteArrayList{"aaa-lock-0000000001", "zzz-lock-0000000002", "_c_1-lock-0000000010"}));
        const QByteArrayList wrapped{"a-lock--2147483648", "b-lock-2147483647", "c-lock--2147483647"};
        QCOMPARE(sortedBySequence(wrapped),
                 (QByteArrayList{"b-lock-2147483647", "a-lock--2147483648", "c-lock--2147483647"}));
    }
};

QTEST_GUILESS_MAIN(TicketTest)
#include "ticket_test.moc"
