#pragma once

#include "core/zk/sides.h"
#include "support/requests/random_requests.h"

namespace drover::test {

// A session, and all that its client gets, in order. The test owns it and destroys it before its side.
class ScriptedClient
{
public:
    ScriptedClient(Side &side, Printer &printer, std::chrono::milliseconds timeout)
        : m_printer(printer), m_session(side.connect(timeout))
    {
        m_printer.label(m_session->sessionId());
        QObject::connect(m_session.get(), &zk::Client::stateChanged, m_session.get(), [this](zk::Client::State state) {
            m_lines += QByteArray("state ") + QByteArray::number(static_cast<int>(state));
        });
    }
    ScriptedClient(const ScriptedClient &) = delete;
    ScriptedClient &operator=(const ScriptedClient &) = delete;

    zk::Client &session() { return *m_session; }
    bool is(zk::Client::State state) const { return m_session->state() == state; }

    // With a watch, if it is a read that can have one and `watched`.
    void send(const zk::Request &request, bool watched)
    {
        zk::Watch &watch = m_watches.emplace_back();
        async::Future<zk::Response> answer = m_session->send(request, watched ? &watch : nullptr);
        m_open += 1;
        m_tasks.spawn(noteAnswer(std::move(answer), watch, m_sent++));
    }
    void send(const std::vector<zk::Request> &requests, bool watched)
    {
        for (const zk::Request &request : requests)
            send(request, watched);
    }
    bool answered() const { return m_open == 0; }
    // The nodes that the server has confirmed as created by it.
    std::vector<zk::Path> takeCreated() { return std::exchange(m_created, {}); }

    void forgetWatches() { m_watches.clear(); } // when all is answered

    // What is new. Events that come one after the other have no order: a server goes through hash tables.
    QByteArray takeLines()
    {
        const auto isEvent = [](const QByteArray &line) { return line.startsWith("event "); };
        for (auto begin = m_lines.begin(); begin != m_lines.end();) {
            begin = std::find_if(begin, m_lines.end(), isEvent);
            const auto end = std::find_if_not(begin, m_lines.end(), isEvent);
            std::sort(begin, end);
            begin = end;
        }
        return std::exchange(m_lines, {}).join("\n    ");
    }

private:
    async::Task<void> noteAnswer(async::Future<zk::Response> answer, zk::Watch &watch, int number)
    {
        zk::Response response = co_await answer;
        if (response.code == zk::Code::ConnectionLoss || response.code == zk::Code::SessionExpired)
            response.results.clear(); // a refusal is thrown without them
        --m_open;
        m_lines += "answer " + QByteArray::number(number) + ": " + m_printer.response(response);
        if (!response.path.isRoot())
            m_created.push_back(response.path);
        if (watch.armed() || watch.hasFired())
            m_tasks.spawn(noteEvent(watch.fired(), number));
    }

    async::Task<void> noteEvent(async::Future<zk::WatchEvent> fired, int number)
    {
        static constexpr const char *Types[] = {"created", "deleted", "changed", "children"};
        try {
            const zk::WatchEvent event = co_await fired;
            m_lines += "event " + QByteArray(Types[static_cast<int>(event.type)]) + ' ' + event.path.bytes() + " of "
                + QByteArray::number(number);
        } catch (const zk::SessionLost &) {
            m_lines += "event: none will come, of " + QByteArray::number(number);
        } catch (const async::BrokenPromise &) { // forgotten
        }
    }

    Printer &m_printer;
    QByteArrayList m_lines; // outlives the session, whose end is a line, too
    std::unique_ptr<zk::Client> m_session;
    std::list<zk::Watch> m_watches;
    std::vector<zk::Path> m_created;
    int m_sent = 0;
    int m_open = 0;
    async::TaskGroup m_tasks;
};

// A real server judges what follows in the same flight now by the old ACL, now by the new one.
inline bool changesAcl(const zk::Request &request)
{
    return std::holds_alternative<zk::SetAclRequest>(request);
}

// Of the requests that may be lost or wait: credentials are sent anew with each connection, by the client library.
inline std::vector<zk::Request> someRequests(RandomRequests &source, int most)
{
    std::vector<zk::Request> requests;
    for (int count = 1 + source.random().below(most); count > 0; --count) {
        zk::Request request = source.next();
        if (std::holds_alternative<zk::AddAuthRequest>(request))
            continue;
        const bool isLast = changesAcl(request);
        requests.push_back(std::move(request));
        if (isLast)
            break;
    }
    return requests;
}

inline QByteArray describe(const std::vector<zk::Request> &requests)
{
    QByteArray text;
    for (const zk::Request &request : requests)
        text += QByteArray("\n  ") + zk::operationName(request) + ' ' + zk::pathOf(request).bytes();
    return text;
}

} // namespace drover::test
