#pragma once

#include "gui/data/line_name.h"
#include "gui/data/snapshots.h"
#include "zk/path.h"

#include <QMetaType>
#include <QString>

namespace drover::gui {

// The znode of one contender for a lock, as the user has seen it.
struct LockNode {
    zk::Path path;
    zk::Zxid czxid{}; // a node of that name which another transaction has created is another contender's
    QString about; // the contender, for the audit
};

// Whether this is a contender's place, beyond doubt: a session owns its znode, or the name has a number. Any other
// znode may be a record of a program whose directory looks like a double barrier.
inline bool isCertainPlace(const LockRow &row)
{
    return row.session != 0 || zk::sequenceOf(row.ticket).has_value();
}

// Of a row of a named limit of the cluster, its name; of any other row nothing. The own limit of a queue has a colon in
// its name.
inline QByteArray nameOfLimit(const LockRow &row)
{
    const QByteArray name = row.lock.mid(lineName(LineKind::Limit, {}).size());
    return row.permits > 0 && kindOfLine(row.lock) == LineKind::Limit && !name.contains(':') ? name : QByteArray();
}

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::LockNode)
