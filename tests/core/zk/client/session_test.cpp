#include "support/session_test_case.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <map>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using async::Task;
using test::outcome;

namespace {

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

// With data, by the descriptors of this process' TCP connections.
std::map<int, quint32> packetsSent()
{
    std::map<int, quint32> counts;
    for (const QString &name : QDir(QStringLiteral("/proc/self/fd")).entryList(QDir::AllEntries | QDir::System)) {
        ::tcp_info info{};
        ::socklen_t size = sizeof info;
        if (::getsockopt(name.toInt(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0)
            counts[name.toInt()] = info.tcpi_data_segs_out;
    }
    return counts;
}

// On the connection that sent most: sessions of earlier tests may close theirs meanwhile.
quint32 packetsSentSince(const std::map<int, quint32> &before)
{
    quint32 most = 0;
    for (const auto &[descriptor, count] : packetsSent()) {
        const auto found = before.find(descriptor);
        if (found != before.end() && count > found->second)
            most = std::max(most, count - found->second);
    }
    return most;
}

} // namespace

class SessionTest : public test::SessionTestCase
{
    Q_OBJECT

private Q_SLOTS:
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
        SessionOptions there = m_fixture.options();
        there.servers = server.connectString();
        auto session = m_fixture.connected(there);
        QCOMPARE(test::await(outcome(session->createWithTtl(Path("/t"), {}, 60s))), Code::Unimplemented);
        QCOMPARE(test::await(outcome(session->create(Path("/c"), {}, CreateMode::Container))), Code::Ok);
        test::await(session->close());
    }

    void aclsAndCredentials() { test::await(acls(*m_session, m_root)); }
    void aRequestIsOnePacket() { test::await(onePacket(*m_session, m_root)); }

    // Also those of the pass in which the session ends.
    void sentRequestsAreCarriedOutBeforeASessionEnds()
    {
        std::unique_ptr<Session> closed = m_fixture.connected(m_fixture.options());
        test::await(askAndEnd(*m_session, m_root / "closed", closed, true));
        std::unique_ptr<Session> destroyed = m_fixture.connected(m_fixture.options());
        test::await(askAndEnd(*m_session, m_root / "destroyed", destroyed, false));
    }

    void aLargeNodeComesBackWhole() { test::await(largeNode(*m_session, m_root)); }
    void theConfigurationIsReadable() { test::await(configuration(*m_session)); }

private:
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
        const Answer<Created> again = co_await session.create(root, QByteArray());
        CO_COMPARE(again.code(), Code::NodeExists);
        const Answer<Created> orphan = co_await session.create(root / "no/parent", QByteArray());
        CO_COMPARE(orphan.code(), Code::NoNode);
        const Answer<Stat> stale = co_await session.set(root, "x", 17);
        CO_COMPARE(stale.code(), Code::BadVersion);
        const Answer<Created> child = co_await session.create(root / "e", QByteArray(), CreateMode::Ephemeral);
        child.require();
        const Answer<Nothing> notEmpty = co_await session.remove(root);
        CO_COMPARE(notEmpty.code(), Code::NotEmpty);
        const Answer<Created> below = co_await session.create(root / "e/child", QByteArray());
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

    static Task<void> onePacket(Session &session, Path root)
    {
        constexpr int Requests = 200;
        const std::map<int, quint32> before = packetsSent();
        for (int i = 0; i < Requests; ++i) {
            const Answer<Stat> found = co_await session.exists(root);
            CO_VERIFY(found.ok());
        }
        const quint32 sent = packetsSentSince(before);
        CO_VERIFY(sent >= Requests);
        CO_VERIFY(sent < Requests * 3 / 2); // some are of keep-alives
    }

    static Task<void> askAndEnd(Session &other, Path path, std::unique_ptr<Session> &session, bool closes)
    {
        const Answer<Stat> missing = co_await session->exists(path); // the session resumes us
        CO_COMPARE(missing.code(), Code::NoNode);
        const Reply<Created> created = session->create(path, {});
        if (closes)
            co_await session->close();
        session.reset();
        const async::TimePoint deadline = other.loop().now() + 10s;
        for (;;) {
            const Answer<Stat> found = co_await other.exists(path);
            if (found.ok())
                break;
            CO_VERIFY(other.loop().now() < deadline);
        }
    }

    static Task<void> transact(Session &session, Path root)
    {
        const Answer<Committed> done =
            co_await session.commit(Transaction()
                                        .create(root / "a", "1")
                                        .create(root / "seq-", QByteArray(), CreateMode::EphemeralSequential)
                                        .check(root / "a", 0)
                                        .set(root / "a", "2", 0)
                                        .create(root / "gone", QByteArray())
                                        .remove(root / "gone"));
        CO_COMPARE(done.value().results.size(), 6u);
        CO_COMPARE(done->results[1].path, root / "seq-0000000001");
        CO_COMPARE(done->results[3].stat.version, 1);
        CO_VERIFY(!done->refusedAt());

        const Answer<Committed> failed = co_await session.commit(Transaction()
                                                                     .create(root / "b", QByteArray())
                                                                     .check(root / "a", 0)
                                                                     .remove(root / "a")
                                                                     .check(root / "none"));
        CO_COMPARE(failed.code(), Code::BadVersion);
        CO_VERIFY(failed->refusedAt() == 1u);
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
        const Answer<Created> first =
            co_await session.create(root / "p-", QByteArray(), CreateMode::PersistentSequential);
        CO_COMPARE(first.value().path, root / "p-0000000000");
        const Answer<Created> second =
            co_await session.create(root / "e-", QByteArray(), CreateMode::EphemeralSequential);
        CO_COMPARE(sequenceOf(second.value().path.name()), 1);
        CO_COMPARE(second->stat.ephemeralOwner, session.sessionId());
    }

    static Task<void> extendedModes(Session &session, Path root)
    {
        const Answer<Created> container = co_await session.create(root / "c", QByteArray(), CreateMode::Container);
        CO_COMPARE(container.value().path, root / "c");
        CO_VERIFY(container->stat.czxid > 0);
        const Answer<Created> ttl = co_await session.createWithTtl(root / "t", "data", 1s);
        CO_COMPARE(ttl.value().path, root / "t");
        const Answer<Created> kept =
            co_await session.createWithTtl(root / "k-", QByteArray(), 1h, CreateMode::TtlSequential);
        CO_COMPARE(kept.value().path, root / "k-0000000002");
        Watch gone;
        const Answer<Stat> there = co_await session.exists(root / "t", gone);
        if (there.ok())
            co_await gone.fired();
        const Answer<Stat> still = co_await session.exists(kept->path);
        CO_VERIFY(still.ok());
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
        Session stranger(session.loop(), SessionOptions{session.server(), 20s, {}, {}});
        stranger.open();
        bool denied = false;
        try {
            const Answer<Node> got = co_await stranger.get(root / "private");
        } catch (const AccessDenied &) {
            denied = true;
        }
        CO_VERIFY(denied);
        Session known(session.loop(), SessionOptions{session.server(), 20s, {.auth = {{"digest", "ann:secret"}}}, {}});
        known.open();
        const Answer<Node> got = co_await known.get(root / "private");
        CO_COMPARE(got.value().data, QByteArray("x"));
        const Answer<Nothing> opened = co_await known.setAcl(root / "private", openAcl());
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
};

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
