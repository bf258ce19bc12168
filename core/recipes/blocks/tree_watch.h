#pragma once

#include "async/task_group.h"
#include "zk/client.h"

#include <functional>
#include <limits>
#include <optional>

namespace drover::recipes {

// A local copy of a node and its descendants, kept up to date (Curator's TreeCache; with depth 0 its NodeCache, with
// depth 1 its PathChildrenCache). It lives on one thread and may outlive the sessions that feed it.
//
//     <root>                       depth 0: its data
//         a                        depth 1
//             b                    depth 2 ...
//
//     follow(node): read its data and, above the last depth, its children, each with a watch      -- one round trip
//                   if the data differ: store and report them
//                   if the children differ: follow the new ones, forget the deleted ones
//                   wait for one of the two watches; repeat the read that it belongs to
//
// A node costs one watch on its data and, above the last depth, one on its children. A level costs one round trip,
// however wide it is. A change costs one wake-up and one read. Changes in quick succession are seen as one.
//
// The copy never goes back in time. Answers of one session never do, and run() begins with a sync, so a later session
// shows all that an earlier one has shown. An older state is reported only if the ensemble was restored from a backup,
// or emptied.
//
// Suspended: the copy stands still; watches that would have fired do so after the reconnection. Expired: run() throws
// SessionLost and the copy stays. Call run() with the next session; it reports the differences as changes. Cancelled:
// destroying the task of run() disarms the watches. Root or its parent deleted: all nodes are reported as removed, and
// the creation of the root is awaited. Deleted and created again between two reads: reported as changed (the czxid
// shows it). Nothing is written, so there is no lost reply and nothing is left behind. Versions are not compared, so
// they may overflow.
class TreeWatch
{
public:
    struct Change {
        enum class Kind {
            Added,
            Changed, // of the data
            Removed, // children before their parent; `node` is what it was
            Initialized, // once: all nodes of the beginning have been reported
        };
        Kind kind = Kind::Added;
        zk::Path path;
        zk::Node node{};
    };
    static constexpr int AllLevels = std::numeric_limits<int>::max();
    // Chooses the children to follow of a node that was just listed: other clients may have made more than a session
    // can watch. What it leaves out counts as deleted.
    using Selection = std::function<QByteArrayList(const QByteArrayList &names)>;

    // `onChange` may read the copy, which shows the change already, but must not destroy it or the task of run().
    // Without `select` all children are followed.
    TreeWatch(zk::Path root, int depth, std::function<void(const Change &)> onChange = {}, Selection select = {});
    TreeWatch(const TreeWatch &) = delete;
    TreeWatch &operator=(const TreeWatch &) = delete;
    ~TreeWatch();

    // Ends only by throwing SessionLost, TooManyWatches or AccessDenied. Call one at a time; the copy must outlive the
    // task.
    async::Task<void> run(zk::Client &zk);

    bool initialized() const { return m_initialized; }
    int size() const { return m_size; } // nodes in the copy

    // Returns nullptr if the copy lacks the node. The pointer is valid until the next change.
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
    const Selection m_select;
    int m_unread = 1; // branches not read yet; at first the root
    bool m_initialized = false;
    int m_size = 0;

    // The state of run().
    zk::Client *m_zk = nullptr;
    std::optional<async::FirstFailure> m_failure;

    std::unique_ptr<Branch> m_tree; // last: its tasks use the rest
};

} // namespace drover::recipes
