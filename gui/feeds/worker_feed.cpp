#include "gui/feeds/worker_feed.h"

#include "gui/subtree/pacing.h"
#include "jobs/cluster/cordon.h"
#include "recipes/blocks/line.h"

#include <algorithm>

namespace drover::gui {

using zk::Answer;
using namespace std::chrono_literals;

namespace {

QString aboutCordon(const QByteArray &data)
{
    const std::optional<jobs::Cordon> cordon = jobs::tryDecode<jobs::Cordon>(data);
    if (!cordon)
        return WorkerFeed::tr("cordoned by a record that cannot be read"); // it holds all the same
    const QString by = WorkerFeed::tr("cordoned by %1").arg(cordon->by);
    return cordon->why.isEmpty() ? by : WorkerFeed::tr("%1: %2", "cordoned by X, why").arg(by, cordon->why);
}

} // namespace

void WorkerFeed::begin()
{
    spawn(followMembers());
    spawn(followMaster());
    spawn(followCordons());
    spawn(publish());
    spawn(lookNowAndThen());
}

// The members that are known stay.
void WorkerFeed::awakeChanged()
{
    m_waking = isAwake();
    for (auto &[name, member] : m_members)
        follow(name, &member);
    m_dirty.set(); // there may be no member
}

void WorkerFeed::follow(const QByteArray &name, Member *member)
{
    member->isFresh = false;
    member->following = isAwake() ? newGroup() : nullptr;
    if (isAwake())
        member->following->spawn(followMember(name, member));
}

bool WorkerFeed::isFresh() const
{
    return std::all_of(m_members.begin(), m_members.end(), [](const auto &entry) { return entry.second.isFresh; });
}

async::Task<void> WorkerFeed::lookNowAndThen()
{
    for (;;) {
        co_await async::sleepFor(cluster().zk.loop(), BetweenLooks);
        if (isAwake())
            continue;
        QByteArrayList members;
        for (const auto &[name, member] : m_members)
            members.append(name);
        co_await look(members);
        co_await cluster().zk.connected();
    }
}

async::Task<void> WorkerFeed::look(QByteArrayList members)
{
    std::vector<zk::Path> paths;
    for (const QByteArray &name : std::as_const(members))
        paths.push_back(cluster().layout.members() / name);
    const auto got = [&](std::size_t i, const Answer<zk::Node> &answer) {
        const auto member = m_members.find(members[qsizetype(i)]);
        if (member != m_members.end())
            note(member->second, answer);
    };
    try {
        co_await readEach(cluster().zk, paths, got);
    } catch (const zk::ConnectionLoss &) { // the next look finds it
    }
    m_dirty.set();
}

void WorkerFeed::note(Member &member, const Answer<zk::Node> &answer)
{
    member.known = true;
    member.isFresh = true;
    member.node = answer.ok() ? std::optional(*answer) : std::nullopt;
}

void WorkerFeed::end()
{
    m_members.clear();
    m_candidates.clear();
    m_cordoned.clear();
    m_cordons.clear();
    m_dirty.reset();
}

void WorkerFeed::clear()
{
    Q_EMIT changed({});
}

async::Task<void> WorkerFeed::followMembers()
{
    const auto show = [this](const Answer<zk::Children> &answer) { update(answer->names); };
    co_await followPaced(cluster().zk, cluster().layout.members(), m_watches, show);
}

void WorkerFeed::update(const QByteArrayList &members)
{
    std::erase_if(m_members, [&](const auto &entry) { return !members.contains(entry.first); });
    QByteArrayList added;
    for (const QByteArray &name : members) {
        const auto [place, isNew] = m_members.try_emplace(name);
        if (!isNew)
            continue;
        follow(name, &place->second);
        added.append(name);
    }
    if (!isAwake() && !added.isEmpty())
        spawn(look(added));
    m_dirty.set();
}

// It says when its machine cannot run jobs; and a worker that comes back has a new node of the same name.
async::Task<void> WorkerFeed::followMember(QByteArray name, Member *member)
{
    const auto show = [this, member](const Answer<zk::Node> &answer) {
        note(*member, answer);
        m_dirty.set();
    };
    co_await followDataPaced(cluster().zk, cluster().layout.members() / name, m_watches, show);
}

async::Task<void> WorkerFeed::followMaster()
{
    const auto show = [this](const Answer<zk::Children> &answer) {
        m_candidates = recipes::sortedBySequence(answer->names);
        m_dirty.set();
    };
    co_await followPaced(cluster().zk, cluster().layout.master(), m_watches, show);
}

async::Task<void> WorkerFeed::followCordons()
{
    const auto show = [this](const Answer<zk::Children> &answer) {
        m_cordoned = answer->names;
        m_dirty.set();
    };
    co_await followPaced(cluster().zk, cluster().layout.cordons(), m_watches, show);
}

// Only when all members are read: a part of them would look as if the others had left.
async::Task<void> WorkerFeed::publish()
{
    for (;;) {
        co_await m_dirty.wait();
        co_await async::sleepFor(cluster().zk.loop(), 100ms);
        m_dirty.reset();
        const bool complete =
            std::all_of(m_members.begin(), m_members.end(), [](const auto &entry) { return entry.second.known; });
        if (!complete)
            continue;
        try {
            const std::optional<zk::Node> master = co_await readMaster();
            co_await readCordons();
            Q_EMIT changed(rows(master));
            if (isFresh() && std::exchange(m_waking, false))
                Q_EMIT woken();
        } catch (const zk::ConnectionLoss &) {
            m_dirty.set();
        }
        co_await cluster().zk.connected();
    }
}

async::Task<std::optional<zk::Node>> WorkerFeed::readMaster()
{
    if (m_candidates.isEmpty())
        co_return std::nullopt;
    const Answer<zk::Node> node = co_await cluster().zk.get(cluster().layout.master() / m_candidates.front());
    co_return node.ok() ? std::optional(*node) : std::nullopt;
}

// A worker's own record changes when it obeys a cordon that replaces another: so they are read with each change.
async::Task<void> WorkerFeed::readCordons()
{
    QByteArrayList workers;
    std::vector<zk::Path> paths;
    for (const QByteArray &worker : std::as_const(m_cordoned)) {
        if (!m_members.contains(worker))
            continue;
        workers.append(worker);
        paths.push_back(cluster().layout.cordon(worker));
    }
    QHash<QByteArray, QString> cordons;
    const auto got = [&](std::size_t i, const Answer<zk::Node> &node) {
        if (node.ok())
            cordons[workers[qsizetype(i)]] = aboutCordon(node->data);
    };
    co_await readEach(cluster().zk, paths, got);
    m_cordons = cordons;
}

QList<WorkerRow> WorkerFeed::rows(const std::optional<zk::Node> &master) const
{
    QList<WorkerRow> rows;
    for (const auto &[name, member] : m_members) {
        if (!member.node)
            continue;
        WorkerRow row;
        row.id = name;
        row.master = master && name == master->data;
        row.masterToken = row.master ? master->stat.czxid : 0;
        row.masterSince = row.master ? master->stat.ctime : 0;
        row.since = member.node->stat.ctime;
        row.cordon = m_cordons.value(name);
        try {
            row.info = jobs::WorkerInfo::decode(member.node->data);
        } catch (const jobs::Malformed &error) {
            row.malformed = QString::fromUtf8(error.what());
        }
        rows.append(row);
    }
    return rows;
}

} // namespace drover::gui
