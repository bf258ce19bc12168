#include "support/fake/fake_session.h"

#include <algorithm>
#include <tuple>

// The servers behind the leader: what they have not carried out yet, and who is cut off.
namespace drover::test {

using zk::SessionId;
using zk::WatchEvent;

void FakeZooKeeper::lag(SessionId session, async::Duration duration, const FaultInjector::Decision &fate)
{
    const auto found = m_sessions.find(session);
    if (found == m_sessions.end() || found->second.cut)
        return;
    found->second.harm = fate;
    fallBehind(found->second, viewOf(found->second), duration);
}

void FakeZooKeeper::fallBehind(Session &session, zk::Zxid view, async::Duration duration)
{
    if (!std::exchange(session.view, view))
        session.lagsUntil = m_world.now();
    session.lagsUntil = std::max(session.lagsUntil, m_world.now() + duration);
    session.lagEnd = m_world.after(session.lagsUntil - m_world.now(), [this, id = session.id] { catchUp(id); });
}

void FakeZooKeeper::catchUp(SessionId id)
{
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end() || found->second.cut)
        return;
    advance(found->second);
    found->second.view.reset();
    found->second.harm = {};
    found->second.lagEnd.cancel();
}

void FakeZooKeeper::isolate(SessionId id, async::Duration unnoticed, const FaultInjector::Decision &fate)
{
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end() || found->second.cut || !found->second.connection->open())
        return;
    Session &session = found->second;
    session.view = viewOf(session);
    session.cut = true;
    session.harm = fate;
    silent(id);
    session.connection->client()->unheard();
    session.lagEnd = m_world.after(unnoticed, [connection = session.connection] {
        if (FakeSession *client = connection->client())
            client->disconnectFor({});
    });
}

// The server of this session carries out what the leader has so far; it may fall behind again at once.
void FakeZooKeeper::advance(Session &session)
{
    if (!session.view || session.cut)
        return;
    const auto sees = [id = session.id](SessionId other) { return other == id; };
    const auto isNew = [](zk::Zxid view, const Commit &commit) { return view < commit.zxid; };
    auto missed = std::upper_bound(m_log.begin(), m_log.end(), *session.view, isNew);
    for (; missed != m_log.end(); ++missed) {
        for (const WatchEvent &event : missed->events) {
            if (!m_watches.fire(event, sees).empty()) {
                session.harm.bite();
                tell(session, event, missed->zxid);
            }
        }
    }
    session.view = m_zxid;
}

// The leader has given the write its place: what it proposes later is committed later.
void FakeZooKeeper::proposeLate(SessionId session, const FakeCallPtr &call, const FaultInjector::Decision &fate)
{
    m_late.push_back({session, call, fate});
    m_world.at(m_world.now() + fate.duration, [this] { commitLate(); });
}

void FakeZooKeeper::commitLate()
{
    for (const auto &[id, call, fate] : std::exchange(m_late, {})) {
        const auto found = m_sessions.find(id);
        if (found == m_sessions.end())
            continue;
        serve(found->second, call);
        if (call->response.code == zk::Code::Ok)
            fate.bite();
    }
}

// The answer to a read, if the leader would have given another one.
void FakeZooKeeper::noteStale(const Session &session, const FakeCall &call) const
{
    if (session.harm.fault == Fault::None || viewOf(session) == m_zxid)
        return;
    const auto seen = [](const zk::Response &response) {
        return std::tie(response.code, response.data, response.stat, response.children);
    };
    const zk::Response newest = m_tree.read(call.request, m_zxid, session.digests);
    if (seen(newest) != seen(call.response))
        session.harm.bite();
}

// What was on its way for so long arrives after a write that it would have come before.
void FakeZooKeeper::noteOvertaken(const FaultInjector::Decision &fate) const
{
    if (fate.fault == Fault::Delay && m_committedAt > m_world.now() - fate.duration)
        fate.bite();
}

} // namespace drover::test
