#pragma once

#include "recipes/ticket.h"

namespace drover::recipes {

// Our node is no longer in the directory although the session lives: somebody deleted it. What it stood for is lost.
class TicketRevoked : public zk::Error
{
public:
    explicit TicketRevoked(const zk::Path &path);
};

// The children of a line's directory in the order in which they were created. Compared by the sequence number alone:
// the prefixes are of different writers and libraries. Children that carry no number are none of the line's.
QByteArrayList inOrder(QByteArrayList names);

// Waits until the ticket is the lowest of its line, watching only those just ahead: no herd, and two wake-ups a
// release.
//
//     loop:
//       list the line (the first time as it was when the ticket was taken)
//       if nobody is ahead: it is our turn
//       watch the nearest ahead, and the one before that
//       when the nearest is gone: if the list showed no other ahead, it is our turn; else list again
//       when the one before it is gone: list again, while the nearest still holds
//
// "Our turn without asking" holds because numbers only grow: when our list showed exactly one lower number, nobody can
// have slipped in below ours. Looking two ahead moves the listing out of the hand-over: the next in line learns that it
// is next while its predecessor works, and the hand-over costs one message. After Hunt et al., "ZooKeeper: Wait-free
// coordination for Internet-scale systems" (USENIX ATC 2010) section 2.4, which looks one ahead and lists after it.
//
// Survives lost connections; a deleted predecessor is noticed after reconnection. Throws SessionLost, TicketRevoked.
// `line` is what Ticket::take() returned beside the ticket. The ticket must outlive the task.
async::Task<void> awaitTurn(const Ticket &ticket, std::optional<QByteArrayList> line);

} // namespace drover::recipes
