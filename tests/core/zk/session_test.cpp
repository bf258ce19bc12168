#include "net/delay_relay.h"
#include "support/await.h"
#include "support/co_check.h"
#include "support/zk_server.h"
#include "zk/session.h"

#include <QTest>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using async::Task;

namespace {

using Log = std::vector<QByteArray>;

Task<void> noteEvent(Watch &watch, Log &log)
{
    const WatchEvent event = co_await watch.fired();
    static constexpr const char *Names[] = {"created", "deleted", "changed", "children"};
    log.push_back(QByteArray(Names[static_cast<int>(event.type)]) + ' ' + event.path.bytes());
}

template <typename E>
bool throws(const std::function<void()> &call)
{
    try {
        call();
    } catch (const E &) {
        return true;
    }
    return false;
}

Task<Code> codeOf(Reply<Created> reply)
{
    const Answer<Created> answer = co_await reply;
    co_return answer.code();
}

} // namespace

class SessionTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_server.start(); }

    void init()
    {
        m_session = std::make_unique<Session>(m_loop, options());
        m_session->open();
        test::await(m_session->connected());
        m_root = Path("/" + QByteArray(QTest::currentTestFunction()));
        test::await(m_session->ensurePath(m_root));
    }

    void cleanup()
    {
        if (m_session)
            test::await(m_session->close());
        m_session.reset();
    }

    void everyOperationGivesItsAnswer() { test::await(everyOperation(*m_session, m_root)); }
    void answersAreValues() { test::await(answers(*m_session, m_root)); }
    void requestsAreCarriedOutInOrder() { test::await(ordered(*m_session, m_root)); }
    void transactions() { test::await(transact(*m_session, m_root)); }
    void sequenceNumbersAndModes() { test::await(modes(*m_session, m_root)); }
    void containersAndTtlNodes() { test::await(extendedModes(*m_session, m_root)); }
    void aServerWithoutExtendedTypesRefusesTtl()
    {
        zk::LocalServerOptions plain = test::testServerOptions();
        plain.extraConfig = {QStringLiteral("extendedTypesEnabled=false")};
        test::TestServer server(plain);
        server.start();
        SessionOptions there = options();
        there.servers = server.connectString();
        auto session = connectedSession(there);
        QCOMPARE(test::await(failureOf(session->createWithTtl(Path("/t"), {}, 60s))), Code::Unimplemented);
        QCOMPARE(test::await(failureOf(session->create(Path("/c"), {}, CreateMode::Container))), Code::Ok);
        test::await(session->close());
    }
    void aclsAndCredentials() { test::await(acls(*m_session, m_root)); }
    void aLargeNodeComesBackWhole() { test::await(largeNode(*m_session, m_root)); }
    void theConfigurationIsReadable() { test::await(configuration(*m_session)); }
    void watchesFireOnceByTheRules() { test::await(watchRules(*m_session, m_root)); }
    void anEventComesBeforeTheReplyThatShowsIt() { test::await(eventFirst(*m_session, m_root)); }

    void anAbandonedWatchIsRemovedAtTheServer()
    {
        auto watches = std::make_unique<std::array<Watch, 4>>();
        test::await(armFour(*m_session, m_root, *watches));
        QCOMPARE(watchesAtServer(), 3); // data and exists share one
        (*watches)[0].disarm();
        test::await(roundTrip(*m_session));
        QCOMPARE(watchesAtServer(), 3); // the exists watch still needs it
        watches.reset();
        QTRY_COMPARE_WITH_TIMEOUT(watchesAtServer(), 0, 30'000);
    }

    void aWatchDroppedBeforeItsReplyIsRemovedToo()
    {
        {
            Watch watch;
            const Reply<Node> dropped = m_session->get(m_root, watch);
        }
        test::await(roundTrip(*m_session));
        QTRY_COMPARE_WITH_TIMEOUT(watchesAtServer(), 0, 30'000);
    }

    void callsBeforeTheConnectionWait()
    {
        Session early(m_loop, options());
        const Reply<Stat> reply = early.exists(Path("/"));
        early.open();
        QCOMPARE(early.state(), Coordinator::State::Connecting);
        QTRY_VERIFY_WITH_TIMEOUT(reply.ready(), 30'000);
        QVERIFY(early.sessionId() != 0);
        test::await(early.close());
    }

    void closingDeletesEphemerals()
    {
        auto other = connectedSession(options());
        QCOMPARE(test::await(codeOf(other->create(m_root / "mine", {}, CreateMode::Ephemeral))), Code::Ok);
        test::await(other->close());
        QCOMPARE(other->state(), Coordinator::State::Lost);
        QCOMPARE(test::await(exists(*m_session, m_root / "mine")), Code::NoNode);
    }

    void destroyingDeletesEphemeralsSoon()
    {
        auto other = connectedSession(options());
        QCOMPARE(test::await(codeOf(other->create(m_root / "mine", {}, CreateMode::Ephemeral))), Code::Ok);
        other.reset();
        QTRY_COMPARE_WITH_TIMEOUT(test::await(exists(*m_session, m_root / "mine")), Code::NoNode, 4000);
    }

    void aSessionIsResumedByItsId()
    {
        net::DelayRelay relay(m_server.port(), 0ms);
        SessionOptions relayed = options();
        relayed.servers = QStringLiteral("127.0.0.1:%1").arg(relay.port());
        auto first = connectedSession(relayed);
        QCOMPARE(test::await(codeOf(first->create(m_root / "kept", {}, CreateMode::Ephemeral))), Code::Ok);
        relay.refuse();
        relay.dropConnections();
        SessionOptions resumed = options();
        resumed.resume = first->clientId();
        auto second = connectedSession(resumed);
        QCOMPARE(second->sessionId(), first->sessionId());
        QCOMPARE(test::await(exists(*second, m_root / "kept")), Code::Ok);
        test::await(second->close());
        relay.resume();
        test::await(first->lost());
    }

    void anUnknownSessionIdIsLost()
    {
        SessionOptions unknown = options();
        unknown.resume.session = 0x1234567;
        Session session(m_loop, unknown);
        session.open();
        test::await(session.lost());
    }

    void theFirstServerMayBeDead()
    {
        SessionOptions several = options();
        several.servers = QStringLiteral("127.0.0.1:1,") + m_server.connectString();
        auto session = connectedSession(several);
        QCOMPARE(session->server(), m_server.connectString());
        test::await(session->close());
    }

    void namesAreLookedUp()
    {
        SessionOptions named = options();
        named.servers = QStringLiteral("no-such-host.invalid,localhost:%1").arg(m_server.port());
        auto session = connectedSession(named);
        QVERIFY2(session->lastTrouble().contains(QStringLiteral("cannot resolve no-such-host.invalid")),
                 qPrintable(session->lastTrouble()));
        test::await(session->close());
    }

    void serversCanBeChanged()
    {
        SessionOptions dead = options();
        dead.servers = QStringLiteral("127.0.0.1:1");
        Session session(m_loop, dead);
        session.open();
        QTRY_VERIFY_WITH_TIMEOUT(
            session.lastTrouble().contains(QStringLiteral("127.0.0.1:1: connection refused: no server runs there")),
            30'000);
        session.setServers(m_server.connectString());
        test::await(session.connected());
        test::await(session.close());
    }

    void onlyRealRequestsAreCounted()
    {
        const quint64 before = m_session->counters().requests;
        QTest::qWait(1500); // several heartbeats
        QCOMPARE(m_session->counters().requests, before);
        QVERIFY(m_session->aliveUntil() > async::BootClock::now());
    }

private:
    SessionOptions options() const
    {
        SessionOptions options;
        options.servers = m_server.connectString();
        options.timeout = 4s;
        return options;
    }

    std::unique_ptr<Session> connectedSession(const SessionOptions &options)
    {
        auto session = std::make_unique<Session>(m_loop, options);
        session->open();
        test::await(session->connected());
        return session;
    }

    // wchs counts data watches alone.
    int watchesAtServer()
    {
        for (const QByteArray &line : m_server.ask("mntr").split('\n')) {
            if (line.startsWith("zk_watch_count"))
                return line.split('\t').back().trimmed().toInt();
        }
        return -1;
    }

    static Task<Code> exists(Session &session, Path path)
    {
        const Answer<Nothing> synced = co_await session.sync(Path("/"));
        const Answer<Stat> answer = co_await session.exists(path);
        co_return answer.code();
    }

    static Task<void> roundTrip(Session &session)
    {
        const Answer<Stat> answer = co_await session.exists(Path("/"));
        answer.require();
    }

    static Task<void> everyOperation(Session &session, Path root)
    {
        const Path path = root / "node";
        const Answer<Created> created = co_await session.create(path, "one");
        CO_COMPARE(created.value().path, path);
        CO_COMPARE(created->stat.dataLength, 3);
        CO_VERIFY(created->stat.czxid > 0);
        const Answer<Stat> set = co_await session.set(path, "three", 0);
        CO_COMPARE(set.value().version, 1);
        CO_COMPARE(set->czxid, created->stat.czxid);
        const Answer<Node> got = co_await session.get(path);
        CO_COMPARE(got.value().data, QByteArray("three"));
        CO_COMPARE(got->stat, *set);
        const Answer<Stat> found = co_await session.exists(path);
        CO_COMPARE(found.value(), *set);
        const Answer<Children> listed = co_await session.children(root);
        CO_COMPARE(listed.value().names, QByteArrayList{"node"});
        CO_COMPARE(listed->stat.numChildren, 1);
        const Answer<Nothing> synced = co_await session.sync(root);
        CO_VERIFY(synced.ok());
        const Answer<AclOfNode> acl = co_await session.acl(path);
        CO_COMPARE(acl.value().acl, openAcl());
        const Answer<Nothing> removed = co_await session.remove(path, 1);
        CO_VERIFY(removed.ok());
    }

    static Task<void> answers(Session &session, Path root)
    {
        const Answer<Node> missing = co_await session.get(root / "none");
        CO_COMPARE(missing.code(), Code::NoNode);
        CO_VERIFY(throws<UnexpectedAnswer>([&] { (void)missing.value(); }));
        const Answer<Created> again = co_await session.create(root, {});
        CO_COMPARE(again.code(), Code::NodeExists);
        const Answer<Created> orphan = co_await session.create(root / "no/parent", {});
        CO_COMPARE(orphan.code(), Code::NoNode);
        const Answer<Stat> stale = co_await session.set(root, "x", 17);
        CO_COMPARE(stale.code(), Code::BadVersion);
        const Answer<Created> child = co_await session.create(root / "e", {}, CreateMode::Ephemeral);
        child.require();
        const Answer<Nothing> notEmpty = co_await session.remove(root);
        CO_COMPARE(notEmpty.code(), Code::NotEmpty);
        const Answer<Created> below = co_await session.create(root / "e/child", {});
        CO_COMPARE(below.code(), Code::NoChildrenForEphemerals);
    }

    static Task<void> ordered(Session &session, Path root)
    {
        std::vector<Reply<Stat>> sets;
        const Reply<Created> created = session.create(root / "n", {});
        for (int i = 0; i < 500; ++i)
            sets.push_back(session.set(root / "n", QByteArray::number(i), i));
        const Reply<Node> last = session.get(root / "n");
        for (int i = 0; i < 500; ++i) {
            const Answer<Stat> set = co_await sets[static_cast<std::size_t>(i)];
            CO_COMPARE(set.value().version, i + 1);
        }
        const Answer<Node> got = co_await last;
        CO_COMPARE(got.value().data, QByteArray("499"));
        CO_VERIFY(created.ready());
    }

    static Task<void> transact(Session &session, Path root)
    {
        const Answer<Committed> done =
            co_await session.commit(Transaction()
                                        .create(root / "a", "1")
                                        .create(root / "seq-", {}, CreateMode::EphemeralSequential)
                                        .check(root / "a", 0)
                                        .set(root / "a", "2", 0)
                                        .create(root / "gone", {})
                                        .remove(root / "gone"));
        CO_COMPARE(done.value().results.size(), 6u);
        CO_COMPARE(done->results[1].path, root / "seq-0000000001");
        CO_COMPARE(done->results[3].stat.version, 1);
        CO_COMPARE(done->failedAt(), -1);

        const Answer<Committed> failed = co_await session.commit(
            Transaction().create(root / "b", {}).check(root / "a", 0).remove(root / "a").check(root / "none"));
        CO_COMPARE(failed.code(), Code::BadVersion);
        CO_COMPARE(failed->failedAt(), 1);
        CO_COMPARE(failed->results[0].code, Code::Ok);
        CO_COMPARE(failed->results[2].code, Code::RuntimeInconsistency);
        const Answer<Stat> undone = co_await session.exists(root / "b");
        CO_COMPARE(undone.code(), Code::NoNode);

        const Answer<Committed> missing = co_await session.commit(Transaction().remove(root / "none"));
        CO_COMPARE(missing.code(), Code::NoNode);
        const Answer<Committed> empty = co_await session.commit(Transaction());
        CO_VERIFY(empty.ok());
    }

    static Task<void> modes(Session &session, Path root)
    {
        const Answer<Created> first = co_await session.create(root / "p-", {}, CreateMode::PersistentSequential);
        CO_COMPARE(first.value().path, root / "p-0000000000");
        const Answer<Created> second = co_await session.create(root / "e-", {}, CreateMode::EphemeralSequential);
        CO_COMPARE(sequenceOf(second.value().path.name()), 1);
        CO_COMPARE(second->stat.ephemeralOwner, session.sessionId());
    }

    static Task<void> extendedModes(Session &session, Path root)
    {
        const Answer<Created> container = co_await session.create(root / "c", {}, CreateMode::Container);
        CO_COMPARE(container.value().path, root / "c");
        CO_VERIFY(container->stat.czxid > 0);
        const Answer<Created> ttl = co_await session.createWithTtl(root / "t", "data", 1s);
        CO_COMPARE(ttl.value().path, root / "t");
        const Answer<Created> kept = co_await session.createWithTtl(root / "k-", {}, 1h, CreateMode::TtlSequential);
        CO_COMPARE(kept.value().path, root / "k-0000000002");
        Watch gone;
        const Answer<Stat> there = co_await session.exists(root / "t", gone);
        if (there.ok())
            co_await gone.fired();
        const Answer<Stat> still = co_await session.exists(kept->path);
        CO_VERIFY(still.ok());
    }

    static Task<Code> failureOf(Reply<Created> reply)
    {
        try {
            const Answer<Created> answer = co_await reply;
            co_return answer.code();
        } catch (const Error &error) {
            co_return error.code();
        }
    }

    static Task<void> acls(Session &session, Path root)
    {
        const Answer<Nothing> added = co_await session.addAuth("digest", "ann:secret");
        CO_VERIFY(added.ok());
        const AclList creator = {Acl{31, "auth", ""}};
        const Answer<Created> created = co_await session.create(root / "private", "x", CreateMode::Persistent, creator);
        created.require();
        const Answer<AclOfNode> acl = co_await session.acl(root / "private");
        CO_COMPARE(acl.value().acl.size(), 1u);
        CO_COMPARE(acl->acl[0].scheme, QByteArray("digest"));
        CO_VERIFY(acl->acl[0].id.startsWith("ann:"));
        Session stranger(session.loop(), SessionOptions{session.server(), 4s, {}, {}});
        stranger.open();
        bool denied = false;
        try {
            const Answer<Node> got = co_await stranger.get(root / "private");
        } catch (const AccessDenied &) {
            denied = true;
        }
        CO_VERIFY(denied);
        Session known(session.loop(), SessionOptions{session.server(), 4s, {{"digest", "ann:secret"}}, {}});
        known.open();
        const Answer<Node> got = co_await known.get(root / "private");
        CO_COMPARE(got.value().data, QByteArray("x"));
        const Answer<Stat> opened = co_await known.setAcl(root / "private", openAcl());
        CO_VERIFY(opened.ok());
        const Answer<Node> visible = co_await stranger.get(root / "private");
        CO_VERIFY(visible.ok());
    }

    static Task<void> largeNode(Session &session, Path root)
    {
        const QByteArray data(900'000, 'x');
        const Answer<Stat> set = co_await session.set(root, data);
        CO_COMPARE(set.value().dataLength, 900'000);
        const Answer<Node> got = co_await session.get(root);
        CO_COMPARE(got.value().data, data);
        CO_VERIFY(throws<RequestTooLarge>([&] { (void)session.set(root, QByteArray(1'100'000, 'x')); }));
        const Answer<Stat> still = co_await session.exists(root);
        CO_VERIFY(still.ok());
    }

    static Task<void> configuration(Session &session)
    {
        const Answer<Node> got = co_await session.configuration();
        CO_VERIFY(got.ok());
    }

    static Task<void> watchRules(Session &session, Path root)
    {
        Log log;
        async::TaskGroup group;
        const Path node = root / "n";
        Watch missing;
        const Answer<Node> none = co_await session.get(node, missing);
        CO_COMPARE(none.code(), Code::NoNode);
        CO_VERIFY(!missing.armed());

        Watch exists;
        const Answer<Stat> absent = co_await session.exists(node, exists);
        CO_VERIFY(absent.is(Code::NoNode) && exists.armed());
        Watch children;
        const Answer<Children> empty = co_await session.children(root, children);
        group.spawn(noteEvent(exists, log));
        group.spawn(noteEvent(children, log));
        const Answer<Created> created = co_await session.create(node, {});
        CO_COMPARE(log.size(), 2u);
        CO_VERIFY(exists.hasFired() && !exists.armed());

        Watch data;
        const Answer<Node> got = co_await session.get(node, data);
        group.spawn(noteEvent(data, log));
        const Answer<Stat> set = co_await session.set(node, "1");
        const Answer<Stat> setAgain = co_await session.set(node, "2");
        CO_COMPARE(log.size(), 3u);

        const Answer<Stat> rearmed = co_await session.exists(node, exists); // the same watch, anew
        const Answer<Children> listed = co_await session.children(node, children);
        group.spawn(noteEvent(exists, log));
        group.spawn(noteEvent(children, log));
        const Answer<Nothing> removed = co_await session.remove(node);
        CO_COMPARE(log[2], "changed " + node.bytes());
        CO_COMPARE(log[3], "deleted " + node.bytes());
        CO_COMPARE(log[4], "deleted " + node.bytes());
        CO_COMPARE(log.size(), 5u);
        CO_COMPARE(session.counters().watchEvents, 5u);
        CO_VERIFY(group.empty());
    }

    static Task<void> eventFirst(Session &session, Path root)
    {
        Log log;
        async::TaskGroup group;
        Watch watch;
        const Answer<Node> before = co_await session.get(root, watch);
        group.spawn(noteEvent(watch, log));
        Session other(session.loop(), SessionOptions{session.server(), 4s, {}, {}});
        other.open();
        const Answer<Stat> set = co_await other.set(root, "new");
        for (;;) {
            const Answer<Node> got = co_await session.get(root);
            if (got->data == "new")
                break;
            CO_VERIFY(log.empty());
        }
        CO_COMPARE(log.size(), 1u);
    }

    static Task<void> armFour(Session &session, Path root, std::array<Watch, 4> &watches)
    {
        const Answer<Node> data = co_await session.get(root, watches[0]);
        const Answer<Stat> exists = co_await session.exists(root, watches[1]);
        const Answer<Children> children = co_await session.children(root, watches[2]);
        const Answer<Stat> absent = co_await session.exists(root / "none", watches[3]);
    }

    test::TestServer m_server;
    async::QtLoop m_loop;
    std::unique_ptr<Session> m_session;
    Path m_root;
};

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
