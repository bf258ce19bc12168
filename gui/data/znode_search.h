#pragma once

#include "zk/path.h"

#include <QList>
#include <QMetaType>
#include <QString>

namespace drover::gui {

// What the user searches for below a node: a part of a name or of the data, in any case of letters.
struct ZnodeQuery {
    enum class Where { Names, Data };

    zk::Path below;
    QString text;
    Where where = Where::Names;
};

struct ZnodeFinding {
    zk::Path path;
    QString excerpt; // of the data, around the text; empty in a search of names
};

// What a search has found since its last report, and how far it is.
struct ZnodeSearchReport {
    QList<ZnodeFinding> found;
    qint64 visited = 0; // nodes, in all
    qint64 unreadable = 0; // of them, for lack of permission
    bool running = true;
    QString end; // why it ended before it was complete; empty: it is complete, or it is running
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::ZnodeQuery)
