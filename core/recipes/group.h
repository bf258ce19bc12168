#pragma once

#include "recipes/fence.h"
#include "zk/coordinator.h"

#include <QPointer>

namespace drover::recipes {

// Our own entry in a group: there until it is destroyed or the session ends.
class Membership
{
public:
    Membership(zk::Coordinator &zk, Fence fence) : m_zk(&zk), m_fence(std::move(fence)) { }
    Membership(Membership &&other) noexcept
        : m_zk(std::exchange(other.m_zk, nullptr)), m_fence(std::move(other.m_fence))
    {
    }
    Membership &operator=(Membership &&other) noexcept
    {
        std::swap(m_zk, other.m_zk);
        std::swap(m_fence, other.m_fence);
        return *this;
    }
    ~Membership() { leave(); }

    const Fence &fence() const { return m_fence; }

    void leave()
    {
        if (m_zk)
            std::exchange(m_zk, nullptr)->discard(m_fence.path);
    }

private:
    QPointer<zk::Coordinator> m_zk;
    Fence m_fence;
};

// Who is there (Curator's GroupMember, kazoo's Party): one ephemeral node a member, named by its id, its data inside.
//
//     <directory>/<id>
//
//     join: create the node
//     if it exists and is ours (a reply was lost): we have joined
//     if it is another session's: an earlier life of this id, or a namesake; wait until it has gone, then create
class Group
{
public:
    Group(zk::Coordinator &zk, zk::Path directory) : m_zk(zk), m_directory(std::move(directory)) { }

    // Throws SessionLost.
    async::Task<Membership> join(QByteArray id, QByteArray data);

    // The ids of all members, sorted. To watch them: followChildren().
    async::Task<QByteArrayList> members();

private:
    zk::Coordinator &m_zk;
    zk::Path m_directory;
};

} // namespace drover::recipes
