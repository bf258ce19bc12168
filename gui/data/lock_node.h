#pragma once

#include "zk/path.h"
#include "zk/types.h"

#include <QMetaType>
#include <QString>

namespace drover::gui {

// The znode of one contender for a lock, as the user has seen it.
struct LockNode {
    zk::Path path;
    zk::Zxid czxid{}; // a node of that name which another transaction has created is another contender's
    QString about; // the contender, for the audit
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::LockNode)
