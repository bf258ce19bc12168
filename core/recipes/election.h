#pragma once

#include "recipes/ticket.h"

namespace drover::recipes {

// What campaign() gives: this participant leads until it resigns, is destroyed, or its session ends.
class Leadership
{
public:
    explicit Leadership(Ticket ticket) : m_ticket(std::move(ticket)) { }

    // To be checked in every write that only the leader may make.
    const Fence &fence() const { return m_ticket.fence(); }

    // False as soon as the session is not connected: another may be elected before we hear of it.
    bool certain() const { return m_ticket.coordinator().state() == zk::Coordinator::State::Connected; }

    void resign() { m_ticket.giveUp(); }

private:
    Ticket m_ticket;
};

struct Leader {
    QByteArray id;
    Fence fence;
};

// Election of one leader among participants (Curator's LeaderLatch): a lock whose holder is public.
//
//     <directory>
//         _c_<uuid>-latch-0000000003    ephemeral, data = the participant's id; the lowest number leads
//         _c_<uuid>-latch-0000000005    stands by, watching 3
//
//     campaign: take a ticket with our id; await its turn
//
// Same failures as Mutex. A deposed leader that has not noticed writes nothing, if it guards its writes with the fence.
class Election
{
public:
    Election(zk::Coordinator &zk, zk::Path directory) : m_zk(zk), m_directory(std::move(directory)) { }

    // Returns when elected. Throws SessionLost, TicketRevoked.
    async::Task<Leadership> campaign(QByteArray id);

    // Who leads now, if anybody does. Throws SessionLost.
    async::Task<std::optional<Leader>> leader();

private:
    zk::Coordinator &m_zk;
    zk::Path m_directory;
};

} // namespace drover::recipes
