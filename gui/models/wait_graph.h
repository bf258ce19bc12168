#pragma once

#include "gui/models/deadlocks.h"

namespace drover::gui {

// The waits and the holders of what is waited for. An arrow leads from a waiter to what it waits for, and from that to
// its holder. From a holder it leads to the drover that its command has started, if that waits or is waited for. Only
// locks with waiters are in it; circles come first, then the locks with the most waiters.
struct WaitGraph {
    enum class Kind { Job, Process, Lock, Limit, Election, Others };
    struct Node {
        Kind kind = Kind::Others;
        QString title; // "default-8", "lock db"
        QString remark; // "session 0x100", "2 wait"
        QByteArray lock; // the row's, of a lock, a limit or an election
        bool isInCircle = false;
    };
    struct Arrow {
        int from = 0; // places in `nodes`
        int to = 0;
        bool waits = false; // otherwise it is held by `to`
        bool isInCircle = false;
    };
    static constexpr qsizetype WaitersShown = 8; // of a lock; one node stands for the others

    std::vector<Node> nodes;
    std::vector<Arrow> arrows;
    qsizetype left = 0; // locks with waiters for which there was no room

    // `rows` are of locks, limits ("limit NAME") and elections ("election NAME").
    static WaitGraph of(const QList<LockRow> &rows, const QList<Deadlock> &deadlocks, std::size_t mostNodes);
};

} // namespace drover::gui
