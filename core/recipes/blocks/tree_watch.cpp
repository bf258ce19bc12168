#include "recipes/blocks/tree_watch.h"

#include "recipes/blocks/persistent.h"

#include <set>
#include <utility>

namespace drover::recipes {

using zk::Answer;

struct TreeWatch::Branch {
    explicit Branch(async::TaskGroup::ErrorHandler onError) : following(std::move(onError)) { }

    std::optional<zk::Node> node; // the newest that we have seen
    bool looked = false;
    std::map<QByteArray, std::unique_ptr<Branch>> children;
    zk::Watch ofData;
    zk::Watch ofChildren;
    async::TaskGroup following; // at most one task; none: not running, or the node was missing when it looked
};

// While run() runs; its end stops all tasks.
class TreeWatch::Running
{
public:
    Running(TreeWatch &owner, zk::Client &zk) : m_owner(owner)
    {
        m_owner.m_zk = &zk;
        m_owner.m_failure.emplace(zk.loop());
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;
    ~Running()
    {
        m_owner.stop(*m_owner.m_tree);
        m_owner.m_zk = nullptr;
        m_owner.m_failure.reset();
    }

private:
    TreeWatch &m_owner;
};

namespace {

// The data too: an ensemble that was emptied counts its transactions anew, and may repeat these.
bool isSame(const zk::Node &known, const zk::Node &node)
{
    return node.stat.czxid == known.stat.czxid && node.stat.mzxid == known.stat.mzxid
        && node.stat.ctime == known.stat.ctime && node.stat.mtime == known.stat.mtime && node.data == known.data;
}

bool isWaiting(const zk::Watch &watch)
{
    return watch.armed() && !watch.hasFired();
}

} // namespace

TreeWatch::TreeWatch(zk::Path root, int depth, std::function<void(const Change &)> onChange, Selection select)
    : m_root(std::move(root)), m_depth(depth), m_onChange(std::move(onChange)), m_select(std::move(select)),
      m_tree(makeBranch())
{
}

TreeWatch::~TreeWatch() = default;

std::unique_ptr<TreeWatch::Branch> TreeWatch::makeBranch()
{
    return std::make_unique<Branch>([this](const std::exception_ptr &error) { m_failure->note(error); });
}

async::Task<void> TreeWatch::run(zk::Client &zk)
{
    const Running running(*this, zk);
    const Answer<zk::Nothing> synced = co_await Persistent(zk).sync(m_root);
    m_tree->following.spawn(follow(*m_tree, m_root, m_depth));
    co_await m_failure->thrown();
}

void TreeWatch::stop(Branch &branch)
{
    branch.following.cancelAll();
    branch.ofData.disarm();
    branch.ofChildren.disarm();
    for (const auto &[name, child] : branch.children)
        stop(*child);
}

// Ends when the node has gone, unless it is the root: its parent's list tells what has become of it.
async::Task<void> TreeWatch::follow(Branch &branch, zk::Path path, int depth)
{
    for (;;) {
        try {
            const bool there = co_await look(branch, path, depth);
            if (!there && path != m_root)
                co_return;
            if (isWaiting(branch.ofData) && isWaiting(branch.ofChildren)) {
                const async::Future<zk::WatchEvent> data = branch.ofData.fired();
                const async::Future<zk::WatchEvent> children = branch.ofChildren.fired();
                co_await async::anyReady(data, children);
            } else if (isWaiting(branch.ofData) && (depth == 0 || !there)) {
                const async::Future<zk::WatchEvent> data = branch.ofData.fired();
                co_await data;
            }
        } catch (const zk::ConnectionLoss &) {
        }
        co_await m_zk->connected();
    }
}

// Reads what no watch stands guard over. False: there is no node. ConnectionLoss is thrown.
async::Task<bool> TreeWatch::look(Branch &branch, zk::Path path, int depth)
{
    std::optional<zk::Reply<zk::Node>> reading;
    std::optional<zk::Reply<zk::Children>> listing;
    if (!isWaiting(branch.ofData))
        reading = m_zk->get(path, branch.ofData);
    if (depth > 0 && !isWaiting(branch.ofChildren))
        listing = m_zk->children(path, branch.ofChildren);
    bool there = true;
    if (reading) {
        try {
            const Answer<zk::Node> node = co_await *reading;
            there = node.ok();
            if (there)
                take(branch, path, *node);
        } catch (const zk::ConnectionLoss &) {
            if (listing) // its answer, if one comes, is not taken: list again
                branch.ofChildren.disarm();
            throw;
        }
    }
    if (listing) {
        const Answer<zk::Children> children = co_await *listing;
        if (children.ok())
            take(branch, path, depth, *children);
    }
    if (!there && path == m_root) {
        const Answer<zk::Stat> missing = co_await m_zk->exists(path, branch.ofData);
        if (missing.ok()) { // it has just appeared
            branch.ofData.disarm();
            co_return co_await look(branch, path, depth);
        }
        forget(branch, path);
    }
    noteLooked(branch);
    co_return there;
}

void TreeWatch::take(Branch &branch, const zk::Path &path, const zk::Node &node)
{
    if (branch.node && isSame(*branch.node, node))
        return;
    const auto kind = branch.node ? Change::Kind::Changed : Change::Kind::Added;
    m_size += branch.node ? 0 : 1;
    branch.node = node;
    tell(kind, path, node);
}

void TreeWatch::take(Branch &branch, const zk::Path &path, int depth, const zk::Children &children)
{
    adopt(branch, path, m_select ? m_select(children.names) : children.names);
    for (const auto &[name, child] : branch.children) {
        if (child->following.empty())
            child->following.spawn(follow(*child, path / name, depth - 1));
    }
}

// Forgets the children that have gone and makes a place for those that have come.
void TreeWatch::adopt(Branch &branch, const zk::Path &path, const QByteArrayList &list)
{
    const std::set<QByteArray> names(list.begin(), list.end());
    for (auto child = branch.children.begin(); child != branch.children.end();) {
        if (names.contains(child->first)) {
            ++child;
            continue;
        }
        const auto gone = branch.children.extract(child++);
        forget(*gone.mapped(), path / gone.key());
    }
    for (const QByteArray &name : names) {
        std::unique_ptr<Branch> &child = branch.children[name];
        if (!child) {
            child = makeBranch();
            ++m_unread;
        }
    }
}

// Children first, as they were deleted. The branch itself stays: it is the caller's.
void TreeWatch::forget(Branch &branch, const zk::Path &path)
{
    const std::map<QByteArray, std::unique_ptr<Branch>> children = std::exchange(branch.children, {});
    for (const auto &[name, child] : children)
        forget(*child, path / name);
    if (const std::optional<zk::Node> node = std::exchange(branch.node, std::nullopt)) {
        --m_size;
        tell(Change::Kind::Removed, path, *node);
    }
    noteLooked(branch);
}

void TreeWatch::noteLooked(Branch &branch)
{
    if (!std::exchange(branch.looked, true) && --m_unread == 0 && !std::exchange(m_initialized, true))
        tell(Change::Kind::Initialized, m_root, {});
}

void TreeWatch::tell(Change::Kind kind, const zk::Path &path, const zk::Node &node)
{
    if (m_onChange)
        m_onChange({kind, path, node});
}

const TreeWatch::Branch *TreeWatch::branchOf(const zk::Path &path) const
{
    if (path == m_root)
        return m_tree.get();
    if (path.isRoot())
        return nullptr;
    const Branch *parent = branchOf(path.parent());
    if (!parent)
        return nullptr;
    const auto found = parent->children.find(path.name());
    return found == parent->children.end() ? nullptr : found->second.get();
}

const zk::Node *TreeWatch::find(const zk::Path &path) const
{
    const Branch *branch = branchOf(path);
    return branch && branch->node ? &*branch->node : nullptr;
}

QByteArrayList TreeWatch::children(const zk::Path &path) const
{
    QByteArrayList names;
    if (const Branch *branch = branchOf(path)) {
        for (const auto &[name, child] : branch->children) {
            if (child->node)
                names.push_back(name);
        }
    }
    return names;
}

} // namespace drover::recipes
