#pragma once

#include "recipes/node_kind.h"
#include "recipes/tenure.h"

#include <functional>

namespace drover::recipes {

// Our own entry in a group: there until we leave, until somebody deletes it or the session ends; ended() says which.
class Membership : public Tenure
{
public:
    enum class Data { Free, IsTheId };

    explicit Membership(NamedNode node, Data data = Data::Free) : Tenure(std::move(node)), m_data(data) { }

    void leave() { giveUp(); }
    // What others see of us from now on. False if the entry is there no longer, and then nothing is written: a
    // namesake's is told by its czxid, and what is written is written at the version that was read with that. (Who
    // deletes our entry and makes another of that very version between the two, deceives us.) Two round trips. Throws
    // SessionLost; std::logic_error in a Party, where the data is the id.
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

// Who is there: one ephemeral node a member, in the layout of Curator's GroupMember or of kazoo's Party.
//
//     <directory>/<id>                       GroupMember: named by the id, data inside
//     <directory>/<uuid hex>__party__        Party: any name, the id inside, and nothing else
//
//     join: create the node
//     if it exists and a create of ours was lost and it is our session's: we have joined
//     if it exists otherwise: an earlier life of this id, or a namesake; wait until it has gone, then create
//
// Lost reply: as above. Suspended: still a member, as long as the session lives. Expired: Membership::ended() says
// SessionLost; member of a group whatever becomes of its sessions, one is by forEachSession() with stay() as the body.
// Node or directory deleted by another hand: ended() says Deleted, stay() joins again. Two members of one session and
// id are not told apart: the second waits for the first, but if its connection breaks while it joins, both have the
// same node, and cancelled while its create is under way, it takes the first one's node along (see NamedNode). There
// are no sequence numbers. Parties have no namesakes.
//
// The fence of a GroupMember says that a member of this id is there; its token, which. That of a Party says both.
class Group
{
public:
    enum class Layout { GroupMember, Party };

    Group(zk::Coordinator &zk, zk::Path directory, Layout layout = Layout::GroupMember)
        : m_zk(zk), m_directory(std::move(directory)), m_layout(layout)
    {
    }

    // Throws SessionLost; std::invalid_argument for data in a Party, which has none besides the id.
    async::Task<Membership> join(QByteArray id, QByteArray data = {});

    // Member until destroyed: joins again when somebody deletes our node. Throws SessionLost. Group outlives the task.
    async::Task<void> stay(QByteArray id, QByteArray data = {});

    // The children of a directory of each layout. The id of a GroupMember may be any name that is nothing else for sure.
    static bool accepts(const QByteArray &name);
    static bool acceptsInParty(const QByteArray &name) { return kindOf(name) == NodeKind::Party; }

    // All members, sorted by their ids. To watch who there is alone: followChildren() of a GroupMember's directory.
    // Throws SessionLost.
    async::Task<std::vector<Member>> members();

    // Tells who is there, then who comes, goes and changes its data, until destroyed or the session ends (SessionLost).
    // Throws what reading the directory or one of its members throws: AccessDenied, TooManyWatches.
    // Each event follows from the one before it: nobody joins twice or leaves unseen, but who was there for a moment
    // only may be left out, and changes in quick succession are one. A member that comes back at once, as another node,
    // has left and joined. One watch for the directory, one for each member. `onEvent` must not destroy the task.
    async::Task<void> follow(std::function<void(const GroupEvent &)> onEvent);

private:
    zk::Coordinator &m_zk;
    zk::Path m_directory;
    Layout m_layout;
};

} // namespace drover::recipes
