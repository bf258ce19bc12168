#pragma once

#include "gui/data/snapshots.h"
#include "zk/client.h"

#include <map>

namespace drover::gui {

// The tickets of one line that were read. Each is read once, because a ticket never changes.
class KnownTickets
{
public:
    // The line has these tickets now: reads the new ones, at most `flight` at a time, and forgets those that have gone.
    // `title` is LockRow::lock of their rows. Throws ConnectionLoss, SessionLost and AccessDenied.
    async::Task<void> read(zk::Client &zk, zk::Path directory, QByteArray title, QByteArrayList order,
                           std::size_t flight);

    // In the order of the line; the places are not set.
    QList<LockRow> rows() const;

private:
    QByteArrayList m_order;
    std::map<QByteArray, LockRow> m_known;
};

} // namespace drover::gui
