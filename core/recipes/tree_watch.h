#pragma once

#include "async/first_failure.h"
#include "zk/coordinator.h"

#include <functional>
#include <limits>
#include <map>
#include <optional>

namespace drover::recipes {

// A local copy of a node and what is under it, kept up to date (Curator's TreeCache; with depth 0 its NodeCache, with
// depth 1 its PathChildrenCache). Owned by one thread; outlives the sessions that feed it.
//
//     <root>                       depth 0: its data
//         a                        depth 1
//             b                    depth 2 ...
//
//     follow(node): read its data and, above the last depth, its children, each with a watch      -- one round trip
//                   other data than ours: note it, tell it
//                   other children than ours: follow those that have come, forget those that have gone
//                   wait for one of the two watches; read again what it was about
//
// So a node costs one watch on its data and, above the last depth, one on its children; a level costs one round trip,
// however wide it is; a change costs one wake-up and one read. Changes in quick succession are seen as one.
//
// Never back in time: the answers to one session never are, and run() begins with a sync, so the server of the next
// session shows all that the one before has seen. What is older than ours nevertheless is true: somebody has restored
// the ensemble from a backup, or emptied it.
//
// Suspended: the copy stands still; watches that would have fired do so after the reconnection. Expired: run() throws
// SessionLost and the copy stays as it was; run() it with the next session, and the differences are told as changes.
// Cancelled: destroying the task of run() disarms the watches. Root deleted, or its parent: all is told as removed, its
// creation is awaited. Deleted and made again between two reads: told as changed (the czxid shows it). Nothing is
// written, so there is no lost reply and nothing is left behind. Versions are not looked at, so they may overflow.
class TreeWatch
{
public:
    struct Change {
        enum class Kind {
            Added,
            Changed, // of the data
            Removed, // children before their parent; `node` is what it was
            Initialized, // once: all that there was when it began has been told
        };
        Kind kind = Kind::Added;
        zk::Path path;
        zk::Node node{};
    };
    static constexpr int AllLevels = std::numeric_limits<int>::max();

    // `onChange` may look at the copy, which shows the change already, but must not destroy it or the task of run().
    TreeWatch(zk::Path root, int depth, std::function<void(const Change &)> onChange = {});
    TreeWatch(const TreeWatch &) = delete;
    TreeWatch &operator=(const TreeWatch &) = delete;
    ~TreeWatch();

    // Returns only by throwing: SessionLost, TooManyWatches, AccessDenied. One at a time; the copy outlives the task.
    async::Task<void> run(zk::Coordinator &zk);

    bool initialized() const { return m_initialized; }
    int size() const { return m_size; } // nodes in the copy

    // nullptr if it is not in the copy. Valid until the next change.
    const zk::Node *find(const zk::Path &path) const;
    QByteArrayList children(const zk::Path &path) const; // sorted

private:
    struct Branch;
    class Running;

    const Branch *branchOf(const zk::Path &path) const;
    std::unique_ptr<Branch> makeBranch();
    void tell(Change::Kind kind, const zk::Path &path, const zk::Node &node);

    async::Task<void> follow(Branch &branch, zk::Path path, int depth);
    async::Task<bool> look(Branch &branch, zk::Path path, int depth);
    void take(Branch &branch, const zk::Path &path, const zk::Node &node);
    void take(Branch &branch, const zk::Path &path, int depth, const zk::Children &children);
    void adopt(Branch &branch, const zk::Path &path, const QByteArrayList &list);
    void forget(Branch &branch, const zk::Path &path);
    void noteLooked(Branch &branch);
    void stop(Branch &branch);

    const zk::Path m_root;
    const int m_depth;
    const std::function<void(const Change &)> m_onChange;
    int m_unread = 1; // branches that have not been looked at yet; at first the root
    bool m_initialized = false;
    int m_size = 0;

    // Of run().
    zk::Coordinator *m_zk = nullptr;
    std::optional<async::FirstFailure> m_failure;

    std::unique_ptr<Branch> m_tree; // last: its tasks use the rest
};

} // namespace drover::recipes
