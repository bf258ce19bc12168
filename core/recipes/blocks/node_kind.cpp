#include "recipes/blocks/node_kind.h"

#include "recipes/blocks/persistent.h"

#include <QUuid>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace drover::recipes {

namespace {

struct Known {
    const char *text;
    NodeKind kind;
};

// Of a name before its sequence number.
constexpr std::array<Known, 7> Endings{{{"__READ__", NodeKind::ReadWriteLock},
                                        {"__WRIT__", NodeKind::ReadWriteLock},
                                        {"__rlock__", NodeKind::KazooReadLock},
                                        {"__lock__", NodeKind::KazooLock},
                                        {"latch-", NodeKind::Latch},
                                        {"lease-", NodeKind::Semaphore},
                                        {"lock-", NodeKind::Mutex}}};

constexpr std::array<Known, 3> Beginnings{
    {{"qn-", NodeKind::Queue}, {"queue-", NodeKind::CuratorQueue}, {"entry-", NodeKind::KazooQueue}}};

// Of nodes that have no sequence number.
constexpr std::array<Known, 5> Names{{{"locks", NodeKind::Semaphore},
                                      {"leases", NodeKind::Semaphore},
                                      {"ready", NodeKind::Barrier},
                                      {"entries", NodeKind::KazooQueue},
                                      {"taken", NodeKind::KazooQueue}}};

// x-<session id>-
bool isWriteLock(const QByteArray &prefix)
{
    bool isNumber = false;
    if (prefix.startsWith("x-") && prefix.endsWith('-') && prefix.size() > 3) // one hyphen is not both
        prefix.mid(2).chopped(1).toLongLong(&isNumber);
    return isNumber;
}

bool isHexadecimal(const QByteArray &name)
{
    return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

// Members of double barriers have a UUID as their name. Its last ten digits may all be decimal: one in a hundred is so.
bool isUuid(const QByteArray &name)
{
    constexpr qsizetype WithHyphens = 36;
    return name.size() == WithHyphens && !QUuid::fromString(QLatin1StringView(name)).isNull();
}

bool isNumbered(const QByteArray &name)
{
    return zk::sequenceOf(name) && !isUuid(name);
}

NodeKind kindOfNumbered(const QByteArray &prefix)
{
    for (const Known &ending : Endings) {
        if (prefix.endsWith(ending.text))
            return ending.kind;
    }
    for (const Known &beginning : Beginnings) {
        if (prefix.startsWith(beginning.text))
            return beginning.kind;
    }
    return isWriteLock(prefix) ? NodeKind::WriteLock : NodeKind::Other;
}

} // namespace

NodeKind kindOf(const QByteArray &name)
{
    constexpr qsizetype SequenceWidth = 10;
    constexpr qsizetype HexadecimalUuid = 32;
    if (name.endsWith("__party__"))
        return NodeKind::Party;
    if (name.size() == HexadecimalUuid && isHexadecimal(name))
        return NodeKind::KazooSemaphore;
    if (isNumbered(name))
        return kindOfNumbered(name.chopped(SequenceWidth));
    const auto named = std::find_if(Names.begin(), Names.end(), [&](const Known &known) { return name == known.text; });
    return named == Names.end() ? NodeKind::Other : named->kind;
}

bool standsInLineOf(NodeKind kind, const QByteArray &name)
{
    const NodeKind found = kindOf(name);
    return found == kind || (found == NodeKind::Other && !isNumbered(name));
}

namespace {

constexpr std::pair<NodeKind, const char *> Descriptions[]{
    {NodeKind::Mutex, "Curator's InterProcessMutex or LeaderSelector"},
    {NodeKind::ReadWriteLock, "Curator's InterProcessReadWriteLock"},
    {NodeKind::Latch, "Curator's LeaderLatch"},
    {NodeKind::Semaphore, "Curator's InterProcessSemaphoreV2"},
    {NodeKind::Barrier, "a double barrier"},
    {NodeKind::WriteLock, "ZooKeeper's WriteLock"},
    {NodeKind::KazooLock, "kazoo's Lock, WriteLock or Election"},
    {NodeKind::KazooReadLock, "kazoo's ReadLock"},
    {NodeKind::KazooSemaphore, "kazoo's Semaphore"},
    {NodeKind::Party, "kazoo's Party"},
    {NodeKind::Queue, "Curator's SimpleDistributedQueue"},
    {NodeKind::CuratorQueue, "Curator's DistributedQueue"},
    {NodeKind::KazooQueue, "kazoo's Queue or LockingQueue"},
};

} // namespace

QString describe(NodeKind kind)
{
    const auto *const found = std::ranges::find(Descriptions, kind, &std::pair<NodeKind, const char *>::first);
    return QLatin1String(found == std::end(Descriptions) ? "another recipe" : found->second);
}

OtherLayout::OtherLayout(const zk::Path &directory, const QByteArray &name)
    : std::runtime_error(QStringLiteral("%1 holds %2, a node of %3")
                             .arg(directory.toString(), QString::fromUtf8(name), describe(kindOf(name)))
                             .toStdString()),
      m_directory(directory), m_kind(kindOf(name))
{
}

void requireOnly(const zk::Path &directory, const QByteArrayList &names, AcceptsName accepts)
{
    QByteArrayList refused = names;
    refused.removeIf(accepts);
    if (refused.isEmpty())
        return;
    const auto known = std::find_if(refused.begin(), refused.end(),
                                    [](const QByteArray &name) { return kindOf(name) != NodeKind::Other; });
    throw OtherLayout(directory, known == refused.end() ? refused.front() : *known);
}

async::Task<void> requireOnly(zk::Client &zk, zk::Path directory, AcceptsName accepts)
{
    const zk::Answer<zk::Children> children = co_await Persistent(zk).afterSync(directory).children(directory);
    requireOnly(directory, children->names, accepts);
}

} // namespace drover::recipes
