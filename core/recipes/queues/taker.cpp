#include "recipes/queues/taker.h"

#include "async/first_of.h"
#include "async/pause.h"
#include "recipes/blocks/line.h"
#include "recipes/blocks/persistent.h"
#include "recipes/queues/item_size.h"

#include <QLoggingCategory>
#include <QScopeGuard>

#include <algorithm>

namespace drover::recipes {

using zk::Answer;
using zk::Code;

Q_LOGGING_CATEGORY(lcTaker, "drover.recipes.taker")

namespace {

constexpr char TakerKind[] = "-taker";
constexpr char IdleKind[] = "-idle-";
constexpr std::chrono::seconds LongestNap{10}; // the wall clock may be set meanwhile
constexpr async::PauseAfter Leave{.factor = 2, .shortest = {}};

// Items that are as urgent as each other: of one priority, or due.
qint64 urgencyOf(const ListedItem &entry)
{
    return entry.notBefore.count() > 0 ? 0 : entry.order;
}

} // namespace

struct Taker::Watches {
    zk::Watch items;
    zk::Watch taken;
};

Taker::Taker(zk::Client &zk, QueueProtocol protocol)
    : m_zk(zk), m_alive(&zk), m_protocol(std::move(protocol)),
      m_self(m_protocol.side / (zk.loop().makeUuid().toByteArray(QUuid::WithoutBraces) + TakerKind)),
      m_receipts(zk, m_protocol.side)
{
}

Taker::~Taker()
{
    if (m_alive && m_mayHaveJoined)
        m_alive->discard(m_self);
}

async::Task<Taker::Taken> Taker::take(int atMost, Wait wait)
{
    if (std::exchange(m_taking, true))
        throw std::logic_error("a queue object takes for one caller at a time: make another one");
    const auto done = qScopeGuard([this] {
        m_taking = false;
        m_place.reset();
    });
    m_inDoubt.clear();
    for (;;) {
        std::vector<Item> items;
        try {
            if (stale()) {
                if (wait == Wait::Yes)
                    co_await search();
                else
                    co_await list(nullptr);
                if (m_stock.empty())
                    co_return Taken{};
            }
            items = co_await read(std::clamp(atMost, 1, MaxItems));
        } catch (const zk::ConnectionLoss &) {
            m_stock.clear();
        }
        if (!items.empty()) {
            Taken taken = co_await commit(std::move(items), atMost);
            if (!taken.items.empty())
                co_return taken;
        }
        co_await m_zk.connected();
    }
}

// Listing.

std::vector<ListedItem> Taker::sortedBySequence(const QByteArrayList &names) const
{
    std::vector<ListedItem> entries;
    for (const QByteArray &name : names) {
        if (std::optional<ListedItem> entry = m_protocol.parse(name))
            entries.push_back(std::move(*entry));
    }
    std::sort(entries.begin(), entries.end(), [](const ListedItem &a, const ListedItem &b) {
        return a.order != b.order ? a.order < b.order : zk::sequenceBefore(a.sequence, b.sequence);
    });
    return entries;
}

async::Task<std::vector<ListedItem>> Taker::entries()
{
    const Answer<zk::Children> names = co_await Persistent(m_zk).afterSync(m_protocol.items).children(m_protocol.items);
    co_return sortedBySequence(names->names);
}

// One listing, up to date if it is not a watch that will tell. A directory that is missing is empty, or made if it is
// to be watched. Throws ConnectionLoss.
async::Task<void> Taker::list(Watches *watches)
{
    const async::TimePoint begin = m_zk.loop().now();
    std::optional<zk::Reply<zk::Created>> joining;
    if (!m_joined) {
        m_mayHaveJoined = true;
        joining = m_zk.create(m_self, {}, zk::CreateMode::Ephemeral);
    }
    std::optional<zk::Reply<zk::Nothing>> syncing;
    if (!watches)
        syncing = m_zk.sync(m_protocol.items);
    const auto listing = watches ? m_zk.children(m_protocol.items, watches->items) : m_zk.children(m_protocol.items);
    std::optional<zk::Reply<zk::Children>> listingTaken;
    if (m_protocol.taken)
        listingTaken = watches ? m_zk.children(*m_protocol.taken, watches->taken) : m_zk.children(*m_protocol.taken);
    const auto listingTakers = m_zk.children(m_protocol.side);
    if (joining) {
        const Answer<zk::Created> joined = co_await *joining;
        m_joined = joined.ok() || joined.is(Code::NodeExists);
    }
    if (syncing) { // lost alone, the listings may be another server's
        const Answer<zk::Nothing> synced = co_await *syncing;
    }
    const Answer<zk::Children> items = co_await listing;
    QByteArrayList taken;
    bool takenMissing = false;
    if (listingTaken) {
        const Answer<zk::Children> names = co_await *listingTaken;
        taken = names->names;
        takenMissing = !names.ok();
    }
    const Answer<zk::Children> takers = co_await listingTakers;
    m_listingTook = m_zk.loop().now() - begin;
    if (!takers.ok() || !m_joined) {
        co_await ensureSideDirectory(m_zk, m_protocol.side);
        co_await list(watches);
        co_return;
    }
    fill(*items, taken, takers->names);
    if (!watches || (items.ok() && !takenMissing))
        co_return;
    if (!items.ok())
        co_await m_zk.ensurePath(m_protocol.items);
    if (takenMissing)
        co_await m_zk.ensurePath(*m_protocol.taken);
    co_await list(watches);
}

void Taker::fill(const zk::Children &items, const QByteArrayList &taken, const QByteArrayList &side)
{
    m_stock.clear();
    m_directory = items.stat.czxid;
    m_listedAt = m_zk.loop().now();
    m_nextDue = {};
    const QSet<QByteArray> unavailable(taken.begin(), taken.end());
    const auto now = m_protocol.now ? m_protocol.now() : std::chrono::milliseconds::zero();
    std::vector<qint32> sequences;
    m_tooLarge.intersect(QSet<QByteArray>(items.names.begin(), items.names.end()));
    for (ListedItem &entry : sortedBySequence(items.names)) {
        if (unavailable.contains(entry.name) || m_tooLarge.contains(entry.name))
            continue;
        if (entry.notBefore > now) {
            m_nextDue = entry.notBefore; // ranked by it: the first is the earliest
            break;
        }
        sequences.push_back(entry.sequence);
        m_stock.push_back({std::move(entry), true, {}});
    }
    m_division.update(sequences, sharers(side), m_self.name(), m_listedAt);
    for (Candidate &candidate : m_stock)
        candidate.ours = m_division.isOurs(candidate.entry.sequence);
    std::stable_sort(m_stock.begin(), m_stock.end(), [](const Candidate &a, const Candidate &b) {
        const qint64 urgencyOfA = urgencyOf(a.entry);
        const qint64 urgencyOfB = urgencyOf(b.entry);
        return urgencyOfA != urgencyOfB ? urgencyOfA < urgencyOfB : a.ours > b.ours;
    });
    // Items after our own share belong to other takers by now, or will be found by the next listing.
    const auto own = std::find_if(m_stock.begin(), m_stock.end(), [](const Candidate &c) { return c.ours; });
    m_haveOwn = own != m_stock.end();
    const auto end = std::find_if(
        own, m_stock.end(), [&](const Candidate &c) { return !c.ours || urgencyOf(c.entry) != urgencyOf(own->entry); });
    m_stock.erase(end, m_stock.end());
}

// The takers that share the items: all except the takers behind the first one in the line.
QByteArrayList Taker::sharers(const QByteArrayList &side)
{
    QByteArrayList takers = side;
    takers.removeIf([](const QByteArray &name) { return !name.endsWith(TakerKind); });
    m_joined = takers.contains(m_self.name());
    if (!m_joined)
        takers.push_back(m_self.name());
    m_companions = takers.size() - 1;
    bool first = true;
    for (const QByteArray &idle : recipes::sortedBySequence(side)) {
        const qsizetype end = idle.indexOf(IdleKind);
        if (end < 0)
            continue; // a receipt, whose uuid looks like a number
        const QByteArray name = idle.first(end).last(std::min(end, m_self.name().size()));
        if (!std::exchange(first, false) && name != m_self.name())
            takers.removeOne(name);
    }
    return takers;
}

// Waiting.

// Returns when something is in stock.
async::Task<void> Taker::search()
{
    for (;;) {
        try {
            co_await list(nullptr);
            if (m_haveOwn)
                co_return;
            if (m_companions > 0 && !m_place)
                co_await standInLine();
            Watches watches;
            co_await list(&watches);
            if (!m_haveOwn && !m_stock.empty())
                co_await leaveToOwners();
            else if (m_stock.empty())
                co_await awaitChange(watches);
            if (!m_stock.empty())
                co_return;
            continue;
        } catch (const zk::ConnectionLoss &) {
        } catch (const TicketRevoked &) {
            m_place.reset();
        }
        co_await m_zk.connected();
    }
}

// Gives others the time of two listings to take what is theirs. Then in stock: ours, or what they have left.
async::Task<void> Taker::leaveToOwners()
{
    QSet<QByteArray> before;
    for (const Candidate &candidate : m_stock)
        before.insert(candidate.entry.name);
    co_await async::sleepFor(m_zk.loop(), Leave(m_listingTook));
    co_await list(nullptr);
    if (!m_haveOwn)
        std::erase_if(m_stock, [&](const Candidate &candidate) { return !before.contains(candidate.entry.name); });
}

// Returns when first.
async::Task<void> Taker::standInLine()
{
    const QByteArray kind = m_self.name() + IdleKind;
    Ticket::Taken place = co_await Ticket::take(m_zk, m_protocol.side, kind, QByteArray());
    m_place = std::move(place.ticket);
    co_await awaitTurn(*m_place, std::move(place.line));
}

async::Task<void> Taker::awaitChange(Watches &watches)
{
    std::vector<async::Task<void>> changes;
    changes.push_back(async::asTask(watches.items.fired()));
    if (m_protocol.taken)
        changes.push_back(async::asTask(watches.taken.fired()));
    if (m_nextDue.count() > 0) {
        const async::Duration due = std::max(m_nextDue - m_protocol.now(), std::chrono::milliseconds(1));
        changes.push_back(async::asTask(async::sleepFor(m_zk.loop(), std::min<async::Duration>(due, LongestNap))));
    }
    co_await async::firstOf(m_zk.loop(), std::move(changes));
}

// Taking.

// How many of those in front to try together: of one share, and of others' no more than what would be ours.
std::size_t Taker::nextBatch(int atMost)
{
    const bool ours = m_stock.front().ours;
    const qint64 urgency = urgencyOf(m_stock.front().entry);
    const auto end = std::find_if(m_stock.begin(), m_stock.end(),
                                  [&](const Candidate &c) { return c.ours != ours || urgencyOf(c.entry) != urgency; });
    auto count = static_cast<std::size_t>(end - m_stock.begin());
    if (!ours)
        count = (count + m_division.takers() - 1) / m_division.takers();
    return std::min(count, static_cast<std::size_t>(atMost));
}

// As many as one transaction takes of items like the last ones, so that large items do not fill the memory.
void Taker::readAhead(std::size_t count)
{
    const auto fitting = static_cast<std::size_t>(MaxBytes / std::max<qsizetype>(m_usualSize, 1)) + 1;
    for (std::size_t i = 0; i < std::min({count, fitting, m_stock.size()}); ++i) {
        if (!m_stock[i].reading)
            m_stock[i].reading = m_zk.get(m_protocol.items / m_stock[i].entry.name);
    }
}

// Takes the next items out of stock, with their data; deleted items are left out. Throws ConnectionLoss.
async::Task<std::vector<Taker::Item>> Taker::read(int atMost)
{
    const std::size_t count = nextBatch(atMost);
    std::vector<Item> items;
    qsizetype bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!m_stock.front().reading)
            readAhead(count - i);
        const Answer<zk::Node> node = co_await *m_stock.front().reading;
        if (node.ok())
            m_usualSize = (3 * m_usualSize + node->data.size()) / 4;
        if (node.ok() && !fitsIntoRequests(m_protocol.items, node->data.size())) {
            const QByteArray name = m_stock.front().entry.name;
            qCWarning(lcTaker, "%s stays where it is: its %lld bytes are too many for one request",
                      (m_protocol.items / name).c_str(), static_cast<long long>(node->data.size()));
            m_tooLarge.insert(name);
        } else if (node.ok()) {
            bytes += node->data.size();
            if (bytes > MaxBytes && !items.empty()) {
                m_stock.front().reading.reset();
                break;
            }
            items.push_back({std::move(m_stock.front().entry), node->data, node->stat.version});
        }
        m_stock.pop_front();
    }
    co_return items;
}

async::Task<Taker::Taken> Taker::commit(std::vector<Item> items, int atMost)
{
    m_place.reset(); // the next in line finds what we leave
    readAhead(static_cast<std::size_t>(atMost));
    while (!items.empty()) {
        zk::Transaction transaction;
        for (const Item &item : items)
            m_protocol.take(transaction, item);
        const std::function<void(Receipts::InDoubt)> onDoubt = [this, &items](Receipts::InDoubt receipt) {
            giveBack(items, std::move(receipt));
        };
        try {
            const Receipts::Result result = co_await m_receipts.commit(transaction, onDoubt);
            const std::size_t refused = result.refusedAt.value_or(0);
            if (result.ok())
                co_return Taken{std::move(items), result.results};
            if (result.receiptGone)
                co_await ensureSideDirectory(m_zk, m_protocol.side);
            else if (m_protocol.taken && result.code == Code::NoNode && refused % m_protocol.operations != 0)
                co_await m_zk.ensurePath(*m_protocol.taken);
            else
                withdraw(items, refused / m_protocol.operations);
        } catch (const zk::SessionLost &) {
            m_inDoubt = std::move(items);
            throw;
        }
    }
    co_return Taken{};
}

// The task of a commit() was destroyed, or its session lost.
void Taker::giveBack(const std::vector<Item> &items, Receipts::InDoubt receipt)
{
    m_zk.retryInBackground(
        [undo = m_protocol.undo, zk = &m_zk, onDoubt = QueueProtocol::InDoubt{items, std::move(receipt), m_directory}] {
            return undo(*zk, onDoubt);
        });
}

// After a collision.
void Taker::withdraw(std::vector<Item> &items, std::size_t gone)
{
    // The faster taker works through these items in this order. The items before the missing one were still there; if
    // the first one is missing, more may be gone.
    const std::size_t keep = gone > 0 ? gone : (items.size() - 1) / 2;
    const auto first = items.begin() + (gone > 0 ? 0 : 1);
    std::vector<Item> kept(std::make_move_iterator(first),
                           std::make_move_iterator(first + static_cast<std::ptrdiff_t>(keep)));
    items = std::move(kept);
    m_stock.clear(); // and list again
}

} // namespace drover::recipes
