#include "async/or_timeout.h"
#include "core/recipes/keeper.h"
#include "recipes/line.h"
#include "recipes/mutex.h"
#include "recipes/node_kind.h"
#include "recipes/revocation.h"
#include "recipes/ticket.h"
#include "support/fake_party.h"

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

    Ticket::Taken take(FakeParty &party, int who) { return party.run(Ticket::take(party[who], m_line, "lock-", "me")); }

private Q_SLOTS:
    void namesTellTheirRecipe()
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

    void isNamedAsCuratorNamesIt()
    {
        FakeParty party(1);
        const Ticket::Taken taken = take(party, 0);
        const QRegularExpression form(QStringLiteral("^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-lock-[0-9]{10}$"));
        QVERIFY2(form.match(QString::fromLatin1(taken.ticket.name())).hasMatch(), taken.ticket.name().constData());
        QCOMPARE(taken.ticket.fence().session, party[0].sessionId());
        QVERIFY(taken.line->contains(taken.ticket.name()));
    }

    void takesOneRoundTripWhenTheDirectoryIsThere()
    {
        FakeParty party(1, {.latency = 5ms});
        party.run(party[0].ensurePath(m_line));
        const async::TimePoint before = party.world.now();
        const quint64 requests = party[0].counters().requests;
        const Ticket::Taken taken = take(party, 0);
        QCOMPARE(party.world.now() - before, async::Duration(10ms));
        QCOMPARE(party[0].counters().requests - requests, 2u);
    }

    void isGivenUpByItsDestruction()
    {
        FakeParty party(1);
        {
            const Ticket::Taken taken = take(party, 0);
            QCOMPARE(party.childrenOf(m_line).size(), 1);
        }
        party.settle();
        QVERIFY(party.childrenOf(m_line).isEmpty());
        QCOMPARE(party[0].obligations(), 0);
    }

    void givenUpItIsOwedUntilItsDeletionIsAnswered()
    {
        FakeParty party(1, {.latency = 5ms});
        std::optional<Ticket::Taken> taken = take(party, 0);
        taken.reset();
        const async::TimePoint before = party.world.now();
        party.run(party[0].obligationsMet());
        QCOMPARE(party.world.now() - before, async::Duration(10ms));
        QVERIFY(party.childrenOf(m_line).isEmpty());
        party.run(party[0].obligationsMet()); // there are none
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
        FakeParty party(1);
        party.run(party[0].ensurePath(m_line));
        party.add({.faults = &faults});
        const Ticket::Taken taken = take(party, 1);
        QCOMPARE(party.childrenOf(m_line), QByteArrayList{taken.ticket.name()});
        const FakeTree::Znode *node = party.server.tree().find(taken.ticket.path());
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
        FakeParty party(1);
        party.run(party[0].ensurePath(m_line));
        party.add({.latency = 50ms, .faults = &faults});
        Keeper<Ticket::Taken> taking;
        taking.keep(Ticket::take(party[1], m_line, Mutex::zooKeeper(), "me"));
        party.world.runUntil([&] { return !party.childrenOf(m_line).isEmpty(); });
        const zk::Path node = m_line / party.childrenOf(m_line).front();
        party.run(askRevocation(party[0], node));
        QVERIFY(!taking.has()); // still to be adopted
        if (cancelled)
            taking.cancel();
        party.settle(2s);
        QCOMPARE(party.childrenOf(m_line).size(), cancelled ? 0 : 1);
        if (!cancelled) {
            QCOMPARE((*taking).ticket.path(), node);
            party.run(revocationAsked(party[1], (*taking).ticket.fence()));
        }
    }

    // CURATOR-18: cancelled while the create is on its way.
    void cancelledOnTheWayItLeavesNothing()
    {
        FakeParty party(1, {.latency = 50ms});
        party.run(party[0].ensurePath(m_line));
        QVERIFY_THROWS_EXCEPTION(
            async::Timeout,
            party.run(async::orTimeout(party.process(0), Ticket::take(party[0], m_line, "lock-", ""), 60ms)));
        QCOMPARE(party.childrenOf(m_line).size(), 1); // it had been carried out
        party.settle(1s);
        QVERIFY(party.childrenOf(m_line).isEmpty());
    }

    // CURATOR-202: released during an outage, and the same session comes back.
    void releasedDuringAnOutageItIsDeletedAfterIt()
    {
        FakeParty party(1);
        std::optional<Ticket::Taken> taken = take(party, 0);
        party.session(0).disconnect();
        party.settle();
        taken.reset();
        party.settle(1s);
        QCOMPARE(party.childrenOf(m_line).size(), 1);
        party.session(0).reconnect();
        party.settle(1s);
        QVERIFY(party.childrenOf(m_line).isEmpty());
    }

    void theDirectoryIsMade()
    {
        FakeParty party(1);
        const Ticket::Taken taken = take(party, 0);
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
        FakeParty party(1);
        party.run(party[0].ensurePath(m_line));
        party.server.tree().setNextSequence(m_line, number);
        const Ticket::Taken taken = party.run(Ticket::take(party[0], m_line, "__WRIT__", "me"));
        QCOMPARE(zk::sequenceOf(taken.ticket.name()), number);
        const Ticket beside = party.run(Ticket::takeBeside(taken.ticket, "__READ__", "me"));
        QCOMPARE(zk::sequenceOf(beside.name()), number);
        QVERIFY(beside.name().endsWith("__READ__" + zk::sequenceText(number)));
    }

    void ordersByNumberAloneAndOverTheWrap()
    {
        const QByteArrayList names{"zzz-lock-0000000002", "no number", "_c_1-lock-0000000010", "aaa-lock-0000000001"};
        QCOMPARE(inOrder(names),
                 (QByteArrayList{"aaa-lock-0000000001", "zzz-lock-0000000002", "_c_1-lock-0000000010"}));
        const QByteArrayList wrapped{"a-lock--2147483648", "b-lock-2147483647", "c-lock--2147483647"};
        QCOMPARE(inOrder(wrapped), (QByteArrayList{"b-lock-2147483647", "a-lock--2147483648", "c-lock--2147483647"}));
    }
};

QTEST_GUILESS_MAIN(TicketTest)
#include "ticket_test.moc"
