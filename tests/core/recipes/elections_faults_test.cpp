#include "recipes/each_session.h"
#include "recipes/leader_selector.h"
#include "recipes/log_election.h"
#include "recipes/master.h"
#include "support/fake_party.h"

#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

enum class Kind { Latch, Selector, Master, Log };

// One process that stands for election in one session after the other, and writes as leader.
class Candidate
{
public:
    Candidate(Kind kind, FakeZooKeeper &server, VirtualLoop &world, FaultInjector &faults, int number)
        : m_kind(kind), m_id(QByteArray::number(number)), m_process(world)
    {
        const auto connect = [this, &server, &faults]() -> std::unique_ptr<zk::Coordinator> {
            return server.connect(m_process, {.latency = 2ms, .faults = &faults});
        };
        m_tasks.spawn(forEachSession(m_process, connect, [this](zk::Coordinator &zk) { return stand(zk); }));
    }

    int terms() const { return m_terms; }
    int writes() const { return m_writes; }

private:
    async::Task<void> stand(zk::Coordinator &zk)
    {
        if (m_kind == Kind::Selector) {
            LeaderSelector selector(zk, zk::Path("/election"));
            const auto take = [&](Leadership &leadership) { return lead(zk, leadership.fence()); };
            const bool ended = co_await selector.run(m_id, take, LeaderSelector::Requeue::Always);
            Q_UNUSED(ended)
        }
        for (;;) {
            std::optional<Leadership> leadership;
            if (m_kind == Kind::Latch) {
                LeaderLatch latch(zk, zk::Path("/election"));
                leadership = co_await latch.campaign(m_id);
            } else if (m_kind == Kind::Master) {
                recipes::Master master(zk, zk::Path("/election/master"));
                leadership = co_await master.campaign(m_id);
            } else {
                LogElection election(zk, zk::Path("/election"), 3);
                const auto number = [this] { return qint64(m_writes); };
                leadership = co_await election.campaign(m_id, number);
            }
            const bool ended = co_await whileCertain(*leadership, lead(zk, leadership->fence()));
            Q_UNUSED(ended)
        }
    }

    // Writes every now and then, for a limited time, careless of doubts; a lost reply leaves it open what was done.
    async::Task<void> lead(zk::Coordinator &zk, Fence fence)
    {
        ++m_terms;
        for (int i = 0; i < 20; ++i) {
            try {
                zk::Transaction transaction;
                fence.guard(transaction).set(zk::Path("/decision"), fence.token() + ' ' + fence.path.bytes());
                const zk::Answer<zk::Committed> committed = co_await zk.commit(transaction);
                m_writes += committed.ok() ? 1 : 0;
            } catch (const zk::ConnectionLoss &) {
            }
            co_await async::sleepFor(m_process, 100ms);
        }
    }

    Kind m_kind;
    QByteArray m_id;
    ParticipantLoop m_process;
    int m_terms = 0;
    int m_writes = 0;
    async::TaskGroup m_tasks;
};

// What each accepted write of a leader has to satisfy.
class Invariants
{
public:
    explicit Invariants(FakeZooKeeper &server) : m_server(server)
    {
        server.onCommit([this](const FakeZooKeeper::Commit &) { check(); });
    }
    QByteArray broken() const { return m_broken; }

private:
    void check()
    {
        const FakeTree::Znode *decision = m_server.tree().find(zk::Path("/decision"));
        if (!decision || decision->stat.mzxid == m_seen || decision->data.isEmpty())
            return;
        m_seen = decision->stat.mzxid;
        const QByteArray &data = decision->data;
        const zk::Zxid token = data.left(data.indexOf(' ')).toLongLong();
        const FakeTree::Znode *node = m_server.tree().find(zk::Path(data.mid(data.indexOf(' ') + 1)));
        if (!node || node->stat.czxid != token)
            m_broken = "a write was accepted whose leader's node was gone: " + data;
        if (token < m_newest)
            m_broken = "a deposed leader's write was accepted: " + data;
        m_newest = std::max(m_newest, token);
    }

    FakeZooKeeper &m_server;
    zk::Zxid m_seen = 0;
    zk::Zxid m_newest = 0;
    QByteArray m_broken;
};

} // namespace

// Every election under every fault, from seeds: no deposed leader's write is accepted, and when the faults stop
// somebody leads and nothing is left behind.
class ElectionsFaultsTest : public QObject
{
    Q_OBJECT

    // What is ephemeral, or was meant to be.
    static QByteArrayList leftovers(const FakeTree &tree)
    {
        QByteArrayList left;
        for (const char *path : {"/election", "/election/candidates"}) {
            const FakeTree::Znode *node = tree.find(zk::Path(path));
            if (node)
                left += QByteArrayList(node->children.begin(), node->children.end());
        }
        left.removeIf(
            [](const QByteArray &name) { return name == "master-epoch" || name == "epoch" || name == "candidates"; });
        return left;
    }

private Q_SLOTS:
    void oneLeaderAtATime_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("LeaderLatch") << int(Kind::Latch);
        QTest::newRow("LeaderSelector") << int(Kind::Selector);
        QTest::newRow("Master") << int(Kind::Master);
        QTest::newRow("LogElection") << int(Kind::Log);
    }
    void oneLeaderAtATime()
    {
        QFETCH(int, kind);
        int terms = 0;
        qint64 sessions = 0;
        quint64 faulted = 0;
        for (quint64 seed = 1; seed <= 150; ++seed) {
            VirtualLoop world;
            FaultPlan plan = FaultPlan::everything(seed, 0.05);
            plan.expire += 0.005; // each costs a session, not just a reply
            FaultInjector faults(plan);
            FakeZooKeeper server(world);
            Invariants invariants(server);
            ParticipantLoop onlookerLoop(world);
            const auto onlooker = server.connect(onlookerLoop);
            runTask(world, onlooker->ensurePath(zk::Path("/decision")));
            std::vector<std::unique_ptr<Candidate>> candidates;
            for (int i = 0; i < 3; ++i)
                candidates.push_back(std::make_unique<Candidate>(Kind(kind), server, world, faults, i));
            world.runFor(60s);
            QVERIFY2(invariants.broken().isEmpty(), "seed " + QByteArray::number(seed) + ": " + invariants.broken());

            faults.heal();
            world.runFor(60s);
            int before = 0;
            for (const auto &candidate : candidates)
                before += candidate->writes();
            world.runFor(10s);
            int after = 0;
            for (const auto &candidate : candidates) {
                after += candidate->writes();
                terms += candidate->terms();
            }
            QVERIFY2(after > before, "seed " + QByteArray::number(seed) + ": nobody leads");
            candidates.clear();
            world.runFor(20s);
            const QByteArrayList left = leftovers(server.tree());
            QVERIFY2(left.isEmpty(), "seed " + QByteArray::number(seed) + " left " + left.join(' '));
            QVERIFY2(invariants.broken().isEmpty(), "seed " + QByteArray::number(seed) + ": " + invariants.broken());
            faulted += faults.log().total();
            sessions += std::count_if(server.log().begin(), server.log().end(), [](const auto &commit) {
                return commit.kind == FakeZooKeeper::Commit::Kind::SessionOpened;
            });
        }
        QVERIFY(faulted > 1000);
        qInfo("%d terms, %lld sessions, %llu faults", terms, sessions, faulted);
        QVERIFY(sessions > 1000); // 600 without a loss
        QVERIFY(terms > 1000);
    }
};

QTEST_GUILESS_MAIN(ElectionsFaultsTest)
#include "elections_faults_test.moc"
