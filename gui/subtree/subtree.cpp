#include "gui/subtree/subtree.h"

#include "gui/text/counted.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>

#include <set>

namespace drover::gui {

namespace {

constexpr std::size_t Flight = 32; // nodes at a time

struct SubtreeTexts {
    Q_DECLARE_TR_FUNCTIONS(Subtree)
};

QString shown(const zk::Path &path)
{
    return text::printable(path.bytes());
}

// One round trip for all: the nodes that are still there, and their children.
struct Step {
    Subtree nodes{};
    std::vector<zk::Path> below{};
};

async::Task<Step> readStep(zk::Client &zk, std::vector<zk::Path> paths, SubtreePart part)
{
    std::vector<zk::Reply<zk::Children>> listings;
    std::vector<zk::Reply<zk::Node>> contents;
    std::vector<zk::Reply<zk::AclOfNode>> acls;
    for (const zk::Path &path : paths) {
        listings.push_back(zk.children(path));
        if (part == SubtreePart::Stats)
            continue;
        contents.push_back(zk.get(path));
        acls.push_back(zk.acl(path));
    }
    Step step;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const zk::Answer<zk::Children> listing = co_await listings[i];
        SubtreeNode node{paths[i], {}, {}, listing->stat};
        bool isThere = listing.ok();
        if (part == SubtreePart::All) {
            const zk::Answer<zk::Node> content = co_await contents[i];
            const zk::Answer<zk::AclOfNode> acl = co_await acls[i];
            isThere = isThere && content.ok() && acl.ok();
            node.data = content->data;
            node.acl = acl->acl;
            node.stat = content->stat;
        }
        if (!isThere)
            continue;
        step.nodes.push_back(std::move(node));
        for (const QByteArray &name : listing->names)
            step.below.push_back(paths[i] / name);
    }
    co_return step;
}

void requireBounded(const SubtreeSize &size)
{
    if (size.nodes > qint64(MaxSubtreeNodes) || size.bytes > MaxSubtreeBytes)
        throw SubtreeTrouble(
            SubtreeTexts::tr("it has more than %1 or %2 of data: choose a lower node")
                .arg(counted(qint64(MaxSubtreeNodes), Things::Nodes), text::formatSize(MaxSubtreeBytes)));
}

// The paths of `subtree` that exist; the first is enough for a refusal.
async::Task<void> requireNoneExists(zk::Client &zk, Subtree subtree)
{
    for (std::size_t begin = 0; begin < subtree.size(); begin += Flight) {
        const std::size_t end = std::min(subtree.size(), begin + Flight);
        std::vector<zk::Reply<zk::Stat>> replies;
        for (std::size_t i = begin; i < end; ++i)
            replies.push_back(zk.exists(subtree[i].path));
        for (std::size_t i = begin; i < end; ++i) {
            const zk::Answer<zk::Stat> stat = co_await replies[i - begin];
            if (stat.ok())
                throw SubtreeTrouble(
                    SubtreeTexts::tr("%1 exists already; nothing was written").arg(shown(subtree[i].path)));
        }
    }
}

// An existing node, by the rules.
async::Task<void> meet(zk::Client &zk, SubtreeNode node, Conflict conflict, Written &written)
{
    if (conflict == Conflict::Refuse)
        throw SubtreeTrouble(SubtreeTexts::tr("%1 was created meanwhile by another client").arg(shown(node.path)));
    if (conflict == Conflict::Keep) {
        ++written.kept;
        co_return;
    }
    const zk::Answer<zk::Stat> present = co_await zk.exists(node.path);
    const zk::Answer<zk::Stat> set = co_await zk.set(node.path, node.data, present->version);
    if (!set.ok())
        throw SubtreeTrouble(SubtreeTexts::tr("%1 was changed meanwhile by another client").arg(shown(node.path)));
    ++written.overwritten;
}

} // namespace

SubtreeSize sizeOf(const Subtree &subtree)
{
    SubtreeSize size;
    for (const SubtreeNode &node : subtree) {
        ++size.nodes;
        size.bytes += node.stat.dataLength;
        size.ephemerals += node.isEphemeral() ? 1 : 0;
    }
    return size;
}

async::Task<Subtree> readSubtree(zk::Client &zk, zk::Path top, SubtreePart part)
{
    Subtree subtree;
    SubtreeSize size;
    std::vector<zk::Path> ahead{top}; // the last is next
    while (!ahead.empty()) {
        co_await zk.connected();
        const std::size_t count = std::min(Flight, ahead.size());
        const std::vector<zk::Path> paths(ahead.end() - std::ptrdiff_t(count), ahead.end());
        std::optional<Step> read;
        try {
            Step step = co_await readStep(zk, paths, part);
            read = std::move(step);
        } catch (const zk::ConnectionLoss &) { // the step is repeated
        }
        if (!read)
            continue;
        ahead.resize(ahead.size() - count);
        ahead.insert(ahead.end(), read->below.begin(), read->below.end());
        const SubtreeSize more = sizeOf(read->nodes);
        size.nodes += more.nodes;
        size.bytes += more.bytes;
        requireBounded(size);
        subtree.insert(subtree.end(), read->nodes.begin(), read->nodes.end());
    }
    if (subtree.empty())
        throw SubtreeTrouble(SubtreeTexts::tr("%1 does not exist").arg(shown(top)));
    co_return subtree;
}

async::Task<void> removeSubtree(zk::Client &zk, Subtree subtree)
{
    for (std::size_t end = subtree.size(); end > 0;) {
        const std::size_t begin = end > Flight ? end - Flight : 0;
        std::vector<zk::Reply<zk::Nothing>> replies;
        for (std::size_t i = end; i > begin; --i)
            replies.push_back(zk.remove(subtree[i - 1].path, subtree[i - 1].stat.version));
        for (std::size_t i = end; i > begin; --i) {
            const zk::Answer<zk::Nothing> removed = co_await replies[end - i];
            if (removed.is(zk::Code::BadVersion) || removed.is(zk::Code::NotEmpty))
                throw SubtreeTrouble(SubtreeTexts::tr("%1 has changed meanwhile: it and what is above it stay")
                                         .arg(shown(subtree[i - 1].path)));
        }
        end = begin;
    }
}

async::Task<Written> writeSubtree(zk::Client &zk, Subtree subtree, WriteRules rules, BeforeWrites begin)
{
    Written written;
    std::set<QByteArray> leftOut;
    const auto staysOut = [&](const SubtreeNode &node) {
        if (!(node.isEphemeral() && !rules.ephemeralsAsPersistent) && !leftOut.contains(node.path.parent().bytes()))
            return false;
        leftOut.insert(node.path.bytes());
        return true;
    };
    const std::size_t all = subtree.size();
    std::erase_if(subtree, staysOut);
    written.leftOut = qint64(all - subtree.size());
    if (rules.conflict == Conflict::Refuse)
        co_await requireNoneExists(zk, subtree);
    if (begin)
        co_await begin();
    for (std::size_t first = 0; first < subtree.size(); first += Flight) {
        const std::size_t end = std::min(subtree.size(), first + Flight);
        std::vector<zk::Reply<zk::Created>> replies;
        for (std::size_t i = first; i < end; ++i)
            replies.push_back(zk.create(subtree[i].path, subtree[i].data, zk::CreateMode::Persistent, subtree[i].acl));
        for (std::size_t i = first; i < end; ++i) {
            const zk::Answer<zk::Created> made = co_await replies[i - first];
            if (made.is(zk::Code::NoNode))
                throw SubtreeTrouble(SubtreeTexts::tr("there is no node %1").arg(shown(subtree[i].path.parent())));
            if (made.is(zk::Code::NoChildrenForEphemerals))
                throw SubtreeTrouble(
                    SubtreeTexts::tr("%1 is ephemeral and cannot have children").arg(shown(subtree[i].path.parent())));
            written.created += made.ok() ? 1 : 0;
            if (made.is(zk::Code::NodeExists))
                co_await meet(zk, subtree[i], rules.conflict, written);
        }
    }
    co_return written;
}

Subtree moved(const Subtree &subtree, const zk::Path &top)
{
    Subtree result = subtree;
    const qsizetype former = subtree.front().path.isRoot() ? 0 : subtree.front().path.bytes().size();
    const QByteArray begin = top.isRoot() ? QByteArray() : top.bytes();
    for (SubtreeNode &node : result) {
        const QByteArray path = begin + (node.path.isRoot() ? QByteArray() : node.path.bytes().mid(former));
        node.path = path.isEmpty() ? zk::Path() : zk::Path(path);
    }
    return result;
}

} // namespace drover::gui
