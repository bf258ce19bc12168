#pragma once

#include "recipes/node_kind.h"
#include "recipes/ticket.h"

namespace drover::recipes {

// The children of a line's directory in the order in which they were created. Compared by the sequence number alone:
// the prefixes are of different writers and libraries. Children that carry no number are none of the line's.
QByteArrayList inOrder(QByteArrayList names);

// Who waits for whom. Of those with lower numbers the ones that `blocks` says yes to have to go first. `isFinal`: once
// this one, the only one that blocked us, has gone, nobody new can be ahead of us. That is so as long as numbers only
// grow, and not behind somebody who may call takeBeside().
//
// `accepts`: the names that may be in the directory at all. OtherLayout is thrown for any other, wherever it stands:
// ahead of us it may not be what we wait for, behind us it may not wait for us.
struct Precedence {
    using Test = AcceptsName;
    Test blocks = [](const QByteArray &) { return true; };
    Test isFinal = [](const QByteArray &) { return true; };
    Test accepts = [](const QByteArray &) { return true; };

    // The same for a line that accepts these names alone. It lists the directory before each turn, for a stranger may
    // have come since the last listing.
    Precedence accepting(Test names) const
    {
        return {blocks, [](const QByteArray &) { return false; }, names};
    }
};

// What a line makes of the nodes of other recipes in its directory. Await: it goes by their numbers, which is enough
// among our own recipes. Refuse: OtherLayout, since programs in another language may not go by ours.
enum class Strangers { Await, Refuse };

// Those of the line ahead of the ticket that block it, the nearest last. Throws TicketRevoked if the ticket is not in
// it, OtherLayout.
QByteArrayList aheadOf(const Ticket &ticket, const QByteArrayList &line, const Precedence &precedence = Precedence());

// Waits until nobody who blocks it is ahead of the ticket, watching only the two just ahead: no herd, and two wake-ups
// a release.
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
// Survives lost connections; a deleted predecessor is noticed after reconnection. Throws SessionLost, TicketRevoked,
// OtherLayout.
// `line` is what Ticket::take() returned beside the ticket. The ticket must outlive the task.
async::Task<void> awaitTurn(const Ticket &ticket, std::optional<QByteArrayList> line,
                            Precedence precedence = Precedence());

// Takes a ticket and awaits its turn. Throws SessionLost, TicketRevoked, NumbersUsedUp, OtherLayout; the ticket is
// given up then.
async::Task<Ticket> takeTurn(zk::Coordinator &zk, zk::Path directory, Ticket::Form form, QByteArray data,
                             Precedence precedence = Precedence());

// A ticket if it is its turn at once; else it is given up again. Waits for a server, never for those ahead.
async::Task<std::optional<Ticket>> tryTurn(zk::Coordinator &zk, zk::Path directory, Ticket::Form form, QByteArray data,
                                           Precedence precedence = Precedence());

} // namespace drover::recipes
