#pragma once

#include "recipes/blocks/named_node.h"
#include "recipes/blocks/node_kind.h"
#include "recipes/elections/ephemeral_lease.h"

#include <functional>

namespace drover::recipes {

// Our own entry in a group. It exists until we leave, until another program deletes it or the session ends; ended()
// says which.
class Membership : public EphemeralLease
{
public:
    enum class Data { Free, IsTheId };

    explicit Membership(NamedNode node, Data data = Data::Free) : EphemeralLease(std::move(node)), m_data(data) { }

    void leave() { giveUp(); }
    // Changes the data that others read. Returns false, and writes nothing, if the entry is gone. It first reads czxid
    // and version, then writes at that version, so another member's entry of this id is not written. (Unless our entry
    // is replaced between the two by one of equal version.) Two round trips. Throws SessionLost; std::logic_error in a
    // Party, where the data is the id.
    async::Task<bool> setData(QByteArray data);

private:
    Data m_data;
};

struct Member {
    QByteArray id;
    QByteArray data;
    zk::Path path;
};

QByteArrayList idsOf(const std::vector<Member> &members);

struct GroupEvent {
    enum class Type { Joined, Left, DataChanged };
    Type type = Type::Joined;
    Member member;
};

// A group with one ephemeral node for each member, in the layout of Curator's GroupMember or of kazoo's Party.
//
//     <directory>/<id>                       GroupMember: named by the id, data inside
//     <directory>/<uuid hex>__party__        Party: any name, the id inside, and nothing else
//
//     join: create the node
//     if it exists, a create's reply was lost and it is our session's: we have joined
//     if it exists otherwise: an older session or another member has this id; wait until it is gone, then create
//
// Lost reply: as above. Suspended: still a member, as long as the session lives. Expired: Membership::ended() returns
// SessionLost. To stay a member over several sessions, use forEachSession() with stay() as the body. Node or directory
// deleted by another program: ended() returns Deleted, stay() joins again.
//
// Two members of one session and id cannot be distinguished. The second waits for the first, but if its connection
// breaks while it joins, both have one node. If it is cancelled while its create is in progress, it deletes the first
// one's node (see NamedNode). There are no sequence numbers. The names of a Party are unique.
//
// The fence of a GroupMember proves that a member of this id exists; its token identifies the member. The fence of a
// Party's member proves both.
class Group
{
public:
    enum class Layout { GroupMember, Party };

    Group(zk::Client &zk, zk::Path directory, Layout layout = Layout::GroupMember)
        : m_zk(zk), m_directory(std::move(directory)), m_layout(layout)
    {
    }

    // Throws std::invalid_argument, with the reason for people, if no member can have this id. The id of a GroupMember
    // names its znode: it is one name, and not one of another recipe's nodes. A Party takes any id.
    void requireId(const QByteArray &id) const;

    // Throws SessionLost; std::invalid_argument for an id as above, and for data in a Party, which stores only the id.
    async::Task<Membership> join(QByteArray id, QByteArray data = {});

    // Stays a member until the task is destroyed: it joins again when another program deletes our node. Throws
    // SessionLost. The Group must outlive the task.
    async::Task<void> stay(QByteArray id, QByteArray data = {});

    // Whether a child may stand in a directory of this layout. The id of a GroupMember may be any name that is not
    // another recipe's. 32 hexadecimal digits are accepted, although kazoo's Semaphore names its leases so.
    static bool accepts(const QByteArray &name);
    static bool acceptsInParty(const QByteArray &name) { return kindOf(name) == NodeKind::Party; }

    // All members, sorted by their ids. To follow the ids without the data, use followChildren() on a GroupMember's
    // directory. Throws SessionLost.
    async::Task<std::vector<Member>> members();

    // Reports the present members, then each member that joins, leaves or changes its data. It runs until it is
    // destroyed or the session ends (SessionLost). Reading the directory or a member may throw AccessDenied and
    // TooManyWatches.
    // The events are consistent: no member joins twice, or leaves without having joined. A member that was there for a
    // moment only may be left out, and changes in quick succession are one. A member that returns at once, as another
    // node, has left and joined. Uses one watch for the directory and one for each member. `onEvent` must not destroy
    // the task.
    async::Task<void> follow(std::function<void(const GroupEvent &)> onEvent);

private:
    zk::Client &m_zk;
    zk::Path m_directory;
    Layout m_layout;
};

} // namespace drover::recipes
