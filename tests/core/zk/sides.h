#pragma once

#include "app/bench/relay/delay_relay.h"
#include "async/qt_loop.h"
#include "support/await.h"
#include "support/fake/fake_session.h"
#include "support/run_task.h"
#include "zk/client/session.h"

#include <QTest>

#include <algorithm>
#include <list>

// The fake and a real server, used in the same way, and all that their clients see as text that has to be the same.
namespace drover::test {

// What is the same on both sides: zxids count from the first node of the script, sessions have labels.
class Printer
{
public:
    void setStart(zk::Zxid zxid) { m_start = zxid; }
    void label(zk::SessionId session)
    {
        m_sessions.emplace(session, "session" + QByteArray::number(m_sessions.size()));
    }

    QByteArray zxid(zk::Zxid value) const { return value == 0 ? "none" : QByteArray::number(value - m_start); }
    QByteArray owner(zk::SessionId id) const
    {
        const auto known = m_sessions.find(id);
        return known != m_sessions.end() ? known->second : QByteArray::number(static_cast<quint64>(id), 16);
    }
    QByteArray stat(const zk::Stat &stat) const
    {
        if (stat == zk::Stat{})
            return " -";
        QByteArray text = " czxid " + zxid(stat.czxid) + " mzxid " + zxid(stat.mzxid) + " pzxid " + zxid(stat.pzxid)
            + " owner " + owner(stat.ephemeralOwner);
        for (const qint32 number : {stat.version, stat.cversion, stat.aversion, stat.dataLength, stat.numChildren})
            text += ' ' + QByteArray::number(number);
        return text;
    }
    QByteArray response(zk::Response r) const
    {
        QByteArray text =
            QByteArray::number(static_cast<int>(r.code)) + ' ' + r.path.bytes() + ' ' + r.data + stat(r.stat);
        std::sort(r.children.begin(), r.children.end());
        text += " [" + r.children.join(' ') + ']';
        QByteArrayList acls;
        for (const zk::Acl &acl : r.acl)
            acls += QByteArray::number(acl.permissions) + ':' + acl.scheme + ':' + acl.id;
        std::sort(acls.begin(), acls.end());
        text += acls.join(' ');
        for (const zk::OperationResult &result : r.results)
            text += " {" + QByteArray::number(static_cast<int>(result.code)) + ' ' + result.path.bytes()
                + stat(result.stat) + '}';
        return text;
    }

private:
    zk::Zxid m_start = 0;
    std::map<zk::SessionId, QByteArray> m_sessions;
};

inline async::Task<zk::Response> answerTo(async::Future<zk::Response> future)
{
    co_return co_await future;
}

// One of the two servers, with what it takes to use its sessions from a test that reads from top to bottom. Outlives
// its sessions.
class Side
{
public:
    virtual ~Side() = default;

    virtual std::unique_ptr<zk::Client> connect(std::chrono::milliseconds timeout) = 0;
    virtual void close(zk::Client &session) = 0;
    virtual zk::Response wait(async::Future<zk::Response> future) = 0;
    // Throws if it takes a minute.
    virtual void until(const std::function<bool()> &happened) = 0;
    virtual void pause() = 0; // between two looks at something

    // Breaks the session's connection and keeps it from making another until mend().
    virtual void cut(zk::Client &session) = 0;
    virtual void mend(zk::Client &session) = 0;
    // Call send(), lose its requests on the way, or the replies to them, and break the connection as cut() does. The
    // last of the requests creates `last`.
    virtual void cutRequests(zk::Client &session, const std::function<void()> &send) = 0;
    virtual void cutReplies(zk::Client &session, const std::function<void()> &send, zk::Client &onlooker,
                            const zk::Path &last) = 0;

    zk::Response ask(zk::Client &session, const zk::Request &request) { return wait(session.send(request, nullptr)); }
    void untilNode(zk::Client &onlooker, const zk::Path &path, zk::Code code)
    {
        const auto isSo = [&] {
            ask(onlooker, zk::SyncRequest{path});
            return ask(onlooker, zk::ExistsRequest{path}).code == code;
        };
        for (int looks = 0; !isSo(); ++looks) {
            if (looks == 6000)
                throw TookTooLong();
            pause();
        }
    }
};

class FakeSide final : public Side
{
public:
    explicit FakeSide(FaultInjector *faults = nullptr) : m_faults(faults) { }

    std::unique_ptr<zk::Client> connect(std::chrono::milliseconds timeout) override
    {
        auto session = m_server.connect(
            m_process, {.sessionTimeout = timeout, .latency = std::chrono::milliseconds(1), .faults = m_faults});
        runTask(m_loop, session->connected());
        return session;
    }
    void close(zk::Client &session) override { runTask(m_loop, of(session).close()); }
    zk::Response wait(async::Future<zk::Response> future) override
    {
        return runTask(m_loop, answerTo(std::move(future)));
    }
    void until(const std::function<bool()> &happened) override
    {
        if (!m_loop.runUntil(happened, std::chrono::minutes(1)))
            throw Stuck("it does not happen");
    }
    void pause() override { m_loop.runFor(std::chrono::milliseconds(10)); }
    void cut(zk::Client &session) override { of(session).disconnect(); }
    void mend(zk::Client &session) override { of(session).reconnect(); }
    void cutRequests(zk::Client &session, const std::function<void()> &send) override
    {
        send();
        cut(session);
    }
    void cutReplies(zk::Client &session, const std::function<void()> &send, zk::Client &, const zk::Path &last) override
    {
        send();
        until([&] { return m_server.tree().find(last) != nullptr; });
        cut(session);
    }

    FakeZooKeeper &server() { return m_server; }

private:
    static FakeSession &of(zk::Client &session) { return static_cast<FakeSession &>(session); }

    FaultInjector *m_faults;
    VirtualLoop m_loop;
    FakeZooKeeper m_server{m_loop};
    ProcessLoop m_process{m_loop};
};

class RealSide : public Side
{
public:
    explicit RealSide(quint16 port) : m_port(port) { }

    // Through a relay of its own.
    std::unique_ptr<zk::Client> connect(std::chrono::milliseconds timeout) override
    {
        auto relay = std::make_unique<app::DelayRelay>(m_port, std::chrono::nanoseconds(0));
        auto session = open(QStringLiteral("127.0.0.1:%1").arg(relay->port()), timeout);
        m_relays[session.get()] = std::move(relay);
        return session;
    }
    void close(zk::Client &session) override { await(of(session).close()); }
    zk::Response wait(async::Future<zk::Response> future) override { return await(answerTo(std::move(future))); }
    void until(const std::function<bool()> &happened) override
    {
        if (!QTest::qWaitFor(happened, 60'000))
            throw TookTooLong();
    }
    void pause() override { QTest::qWait(10); }
    void cut(zk::Client &session) override
    {
        relayOf(session).refuse();
        relayOf(session).dropConnections();
    }
    void mend(zk::Client &session) override { relayOf(session).resume(); }
    void cutRequests(zk::Client &session, const std::function<void()> &send) override
    {
        relayOf(session).silence(app::DelayRelay::Direction::ToTarget);
        send();
        cut(session);
    }
    void cutReplies(zk::Client &session, const std::function<void()> &send, zk::Client &onlooker,
                    const zk::Path &last) override
    {
        relayOf(session).silence(app::DelayRelay::Direction::FromTarget);
        send();
        untilNode(onlooker, last, zk::Code::Ok);
        cut(session);
    }

protected:
    static zk::Session &of(zk::Client &session) { return static_cast<zk::Session &>(session); }

    std::unique_ptr<zk::Session> open(const QString &servers, std::chrono::milliseconds timeout)
    {
        zk::SessionOptions options;
        options.servers = servers;
        options.timeout = timeout;
        auto session = std::make_unique<zk::Session>(m_loop, options);
        session->open();
        await(session->connected());
        return session;
    }

private:
    app::DelayRelay &relayOf(zk::Client &session) { return *m_relays.at(&session); }

    quint16 m_port;
    std::map<zk::Client *, std::unique_ptr<app::DelayRelay>> m_relays; // of the newest session at each address
    async::QtLoop m_loop; // waits for the sessions' good-byes, which go through the relays
};

} // namespace drover::test
