#include "recipes/barriers/double_barrier.h"

#include "recipes/blocks/persistent.h"
#include "recipes/blocks/until_gone.h"

#include <QScopeGuard>

#include <algorithm>
#include <utility>

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

const char Ready[] = "ready";

QByteArrayList membersOf(const zk::Children &children)
{
    QByteArrayList members = children.names;
    members.removeAll(Ready);
    std::sort(members.begin(), members.end());
    return members;
}

// Whether one of the members was there before the transaction `zxid`. ConnectionLoss is thrown.
async::Task<bool> anyOlder(zk::Client &zk, zk::Path directory, QByteArrayList members, zk::Zxid zxid)
{
    std::vector<zk::Reply<zk::Stat>> replies;
    for (const QByteArray &name : members)
        replies.push_back(zk.exists(directory / name));
    bool found = false;
    for (const zk::Reply<zk::Stat> &reply : replies) {
        const Answer<zk::Stat> stat = co_await reply;
        found = found || (stat.ok() && stat->czxid < zxid);
    }
    co_return found;
}

// What a member learns on its way in. ConnectionLoss is thrown by all: then look again.
class Arrival
{
public:
    Arrival(zk::Client &zk, zk::Path own, QByteArray about, int count)
        : m_zk(zk), m_own(std::move(own)), m_about(std::move(about)), m_count(count)
    {
    }

    const zk::Stat &stat() const { return m_stat; }

    // True: we are in. False: await change().
    async::Task<bool> look()
    {
        std::optional<zk::Reply<zk::Created>> creating;
        if (!m_created)
            creating = m_zk.create(m_own, m_about, zk::CreateMode::Ephemeral);
        const auto readingReady = m_zk.exists(ready(), m_readyWatch);
        const auto readingOwn = m_zk.exists(m_own, m_ownWatch);
        const auto listing = m_zk.children(directory());
        if (creating) {
            const Answer<zk::Created> created = co_await *creating;
            if (created.is(Code::NoNode)) {
                co_await m_zk.ensurePath(directory());
                co_return co_await look();
            }
            created.requireUnless(Code::NodeExists); // it is ours: a reply was lost
            m_created = true;
        }
        const Answer<zk::Stat> ready = co_await readingReady;
        const Answer<zk::Stat> own = co_await readingOwn;
        const Answer<zk::Children> children = co_await listing;
        if (!own.ok() || !children.ok())
            throw EntryRevoked(m_own);
        m_stat = *own;
        const QByteArrayList members = membersOf(*children);
        if (ready.ok() && ready->czxid > m_stat.czxid)
            co_return true;
        if (ready.ok()) {
            const bool begun = co_await anyOlder(m_zk, directory(), members, ready->czxid);
            if (begun)
                co_return true;
        }
        if (members.size() < m_count)
            co_return false;
        co_return co_await makeReady(ready.ok());
    }

    // True: ready has been created since we looked. False: look again.
    async::Task<bool> change()
    {
        const async::Future<zk::WatchEvent> readyFired = m_readyWatch.fired();
        const async::Future<zk::WatchEvent> ownFired = m_ownWatch.fired();
        co_await async::anyReady(readyFired, ownFired);
        if (!readyFired.ready())
            co_return false;
        const zk::WatchEvent event = co_await readyFired;
        co_return event.type == zk::WatchEvent::Type::Created;
    }

private:
    zk::Path directory() const { return m_own.parent(); }
    zk::Path ready() const { return directory() / Ready; }

    async::Task<bool> makeReady(bool replace)
    {
        zk::Transaction transaction;
        if (replace)
            transaction.remove(ready());
        transaction.create(ready(), QByteArray());
        const Answer<zk::Committed> made = co_await m_zk.commit(transaction);
        co_return made.ok() || made.is(Code::NodeExists);
    }

    zk::Client &m_zk;
    zk::Path m_own;
    QByteArray m_about;
    int m_count;
    bool m_created = false;
    zk::Stat m_stat;
    zk::Watch m_readyWatch;
    zk::Watch m_ownWatch;
};

} // namespace

EntryRevoked::EntryRevoked(const zk::Path &path)
    : zk::Error(Code::NoNode,
                QStringLiteral("%1 was deleted by another client before the barrier opened").arg(path.toString()))
{
}

async::Task<BarrierEntry> DoubleBarrier::enter(QByteArray about)
{
    const zk::Path path = m_directory / m_zk.loop().makeUuid().toByteArray(QUuid::WithoutBraces);
    const QPointer<zk::Client> zk = &m_zk;
    auto undo = qScopeGuard([zk, path] {
        if (zk)
            zk->discard(path);
    });
    Arrival arrival(m_zk, path, about, m_count);
    for (bool in = false; !in;) {
        co_await m_zk.connected();
        try {
            in = co_await arrival.look();
            if (!in)
                in = co_await arrival.change();
        } catch (const zk::ConnectionLoss &) {
        }
    }
    undo.dismiss();
    co_return BarrierEntry(Ticket(m_zk, path, arrival.stat()));
}

async::Task<void> BarrierEntry::leave()
{
    zk::Client &zk = m_ticket.client();
    const zk::Path directory = m_ticket.directory();
    const QByteArray own = m_ticket.name();
    std::optional<QByteArrayList> inside; // listed when leave() began; later members are of the next round
    bool given = false; // our node is gone, or will be
    const auto leaveAnyway = qScopeGuard([this] { m_ticket.giveUp(); }); // it may have been kept, being the lowest
    for (;;) {
        const Answer<zk::Children> children = co_await Persistent(zk).afterSync(directory).children(directory);
        QByteArrayList members = children.ok() ? membersOf(*children) : QByteArrayList();
        if (!inside)
            inside = members;
        const auto isOthers = [&](const QByteArray &name) {
            return !std::binary_search(inside->begin(), inside->end(), name) || (given && name == own);
        };
        members.removeIf(isOthers);
        if (members.isEmpty())
            co_return;
        const bool lowest = members.front() == own;
        if (lowest && members.size() == 1) {
            co_await closeBehind();
            co_return;
        }
        if (!lowest && !std::exchange(given, true))
            m_ticket.giveUp();
        const zk::Path awaited = directory / (lowest ? members.back() : members.front());
        co_await untilGone(zk, awaited);
    }
}

// The last one out.
async::Task<void> BarrierEntry::closeBehind()
{
    zk::Client &zk = m_ticket.client();
    zk::Transaction transaction;
    transaction.remove(m_ticket.path()).remove(m_ticket.directory() / Ready);
    const Answer<zk::Committed> done = co_await Persistent(zk).commit(transaction);
    Q_UNUSED(done) // refused if ready is already deleted: then our node is deleted alone
}

} // namespace drover::recipes
