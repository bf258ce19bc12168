#include "workers/dispatch/gang_member_node.h"

#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"

#include <QLoggingCategory>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::GangMember;
using jobs::GangPlaceName;
using jobs::GangStart;
using recipes::Persistent;
using zk::Answer;
using zk::Code;

Q_LOGGING_CATEGORY(lcGangMemberNode, "drover.workers.gang_member_node")

namespace {

constexpr auto GangRetryPause = 5s; // after a senseless answer: its znodes were written by hand

} // namespace

GangMemberNode::GangMemberNode(jobs::Cluster cluster, const ClaimedJob &job, GangMember self)
    : m_zk(cluster.zk), m_gang(job.id.array()), m_size(job.spec.gang),
      m_round(jobs::GangSize{job.spec.gang}.roundOf(job.id.task)), m_name{jobs::GangSize{job.spec.gang}.rankOf(
                                                                              job.id.task),
                                                                          job.claimZxid},
      m_self(std::move(self)), m_path(cluster.layout.gang(job.id, m_round))
{
    m_self.returned = job.spec.notes.returned;
}

GangMemberNode::~GangMemberNode()
{
    if (m_entering)
        m_zk.discard(m_path / m_name.name());
}

async::Task<bool> GangMemberNode::untilBegun()
{
    for (;;) {
        try {
            zk::Watch changed;
            const bool ready = co_await look(changed);
            if (ready && m_start.names(m_name))
                co_return true;
            if (!ready && !m_entered) {
                const bool entered = co_await enter();
                if (!entered)
                    co_return false;
                continue;
            }
            if (!ready) {
                co_await awaitOthers(changed);
                continue;
            }
            const async::Future<zk::WatchEvent> fired = changed.fired();
            co_await fired;
            continue;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            qCWarning(lcGangMemberNode, "a member of %s cannot enter: %s", m_gang.bytes().constData(), error.what());
        }
        co_await async::sleepFor(m_zk.loop(), GangRetryPause);
    }
}

// True if the round has begun, with us or not.
async::Task<bool> GangMemberNode::look(zk::Watch &changed)
{
    const zk::Path path = m_path / GangStart::Name;
    const Answer<zk::Stat> stat = co_await Persistent(m_zk).exists(path, changed);
    if (!stat.ok())
        co_return false;
    const Answer<zk::Node> node = co_await Persistent(m_zk).get(path);
    m_start = {}; // it has begun without us, unless it says otherwise
    try {
        if (node.ok())
            m_start = GangStart::decode(node->data);
    } catch (const jobs::Malformed &error) {
        qCWarning(lcGangMemberNode, "a member of %s does not begin: %s is malformed: %s", m_gang.bytes().constData(),
                  path.c_str(), error.what());
    }
    co_return true;
}

// Returns when it is worth looking again; our place may have been deleted by hand, too.
async::Task<void> GangMemberNode::awaitOthers(zk::Watch &changed)
{
    zk::Watch gone;
    m_entered = co_await isThere(gone);
    if (!m_entered)
        co_return;
    const bool again = co_await complete();
    if (again)
        co_return;
    const async::Future<zk::WatchEvent> fired = changed.fired();
    const async::Future<zk::WatchEvent> left = gone.fired();
    co_await async::anyReady(fired, left);
    if (fired.ready())
        co_await fired; // throws SessionLost
}

async::Task<bool> GangMemberNode::isThere(zk::Watch &gone)
{
    const Answer<zk::Stat> stat = co_await Persistent(m_zk).exists(m_path / m_name.name(), gone);
    co_return stat.ok();
}

// False if there is no such round any more.
async::Task<bool> GangMemberNode::enter()
{
    const zk::Path path = m_path / m_name.name();
    const QByteArray data = m_self.encode();
    m_entering = true;
    const Answer<zk::Created> created = co_await Persistent(m_zk).create(path, data, zk::CreateMode::Ephemeral);
    if (created.is(Code::NoNode))
        co_return false;
    created.requireUnless(Code::NodeExists);
    m_entered = true;
    co_return true;
}

// Makes `ready` if all are there. True if it is worth looking again.
async::Task<bool> GangMemberNode::complete()
{
    const Answer<zk::Children> names = co_await Persistent(m_zk).children(m_path);
    if (names->names.contains(GangStart::Name))
        co_return true;
    const std::map<int, GangPlaceName> places = jobs::placesIn(names->names);
    if (static_cast<int>(places.size()) < m_size)
        co_return false;
    std::vector<zk::Path> paths;
    for (const auto &[rank, place] : places)
        paths.push_back(m_path / place.name());
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, paths);
    zk::Transaction transaction;
    GangStart start;
    for (const auto &[rank, place] : places) {
        const Answer<zk::Node> &node = nodes[start.places.size()];
        if (!node.ok())
            co_return true;
        const zk::Path &path = paths[start.places.size()];
        transaction.set(path, node->data, node->stat.version);
        try {
            start.places.push_back({place.claimZxid, GangMember::decode(node->data)});
        } catch (const jobs::Malformed &error) {
            qCWarning(lcGangMemberNode, "%s does not begin: %s is malformed: %s", m_gang.bytes().constData(),
                      path.c_str(), error.what());
            co_return false;
        }
    }
    transaction.create(m_path / GangStart::Name, start.encode());
    try {
        const Answer<zk::Committed> committed = co_await m_zk.commit(transaction);
        if (!committed.ok() && !committed->refusedAt())
            committed.require();
    } catch (const zk::ConnectionLoss &) {
        // Whether it was carried out is seen when we look again.
    }
    co_await m_zk.connected();
    co_return true;
}

async::Task<bool> GangMemberNode::hasBegun()
{
    zk::Watch unused;
    const bool ready = co_await look(unused);
    co_return ready &&m_start.names(m_name);
}

async::Task<bool> GangMemberNode::leave()
{
    qint32 version = 0; // as it was made; the beginning of the round raises it
    while (m_entering) {
        try {
            const std::optional<bool> begun = co_await leaveAt(version);
            if (begun)
                co_return *begun;
            continue;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            qCWarning(lcGangMemberNode, "a member of %s cannot leave: %s", m_gang.bytes().constData(), error.what());
        }
        co_await async::sleepFor(m_zk.loop(), GangRetryPause);
    }
    co_return false;
}

// Nothing if its node has another version, which is now known.
async::Task<std::optional<bool>> GangMemberNode::leaveAt(qint32 &version)
{
    const zk::Path path = m_path / m_name.name();
    const Answer<zk::Nothing> removed = co_await Persistent(m_zk).remove(path, version);
    if (removed.ok() || removed.is(Code::NoNode)) {
        m_entering = false;
        co_return false;
    }
    const bool begun = co_await hasBegun();
    if (begun)
        co_return true;
    const Answer<zk::Stat> stat = co_await Persistent(m_zk).exists(path);
    if (stat.ok() && stat->version == version)
        removed.require();
    version = stat.ok() ? stat->version : 0; // another program has written it
    co_return std::nullopt;
}

QList<QByteArray> GangMemberNode::environment() const
{
    QStringList hosts;
    QStringList workers;
    for (const GangStart::Place &place : m_start.places) {
        hosts.append(place.member.host);
        workers.append(place.member.worker);
    }
    return {"DROVER_GANG_ID=" + m_gang.bytes(),
            "DROVER_GANG_ROUND=" + QByteArray::number(m_round),
            "DROVER_GANG_RANK=" + QByteArray::number(m_name.rank),
            "DROVER_GANG_SIZE=" + QByteArray::number(m_size),
            "DROVER_GANG_PEERS=" + hosts.join(u',').toUtf8(),
            "DROVER_GANG_WORKERS=" + workers.join(u',').toUtf8()};
}

} // namespace drover::workers
