#pragma once

#include "gui/data/snapshots.h"

namespace drover::gui {

// Changes of znodes as the user asks for them. Each but NewNode names the version that the user has seen.
struct NewNode {
    zk::Path path;
    QByteArray data;
    bool sequential = false;
};

struct DataEdit {
    zk::Path path;
    QByteArray data;
    qint32 version = 0;
};

struct AclEdit {
    zk::Path path;
    zk::AclList acl;
    qint32 aversion = 0;
};

struct CopyOfNodes {
    zk::Path from;
    zk::Path to;
    bool move = false; // the original is deleted afterwards
};

struct ImportOfNodes {
    QByteArray json;
    zk::Path to;
    bool overwrite = false; // nodes that exist; else see `keep`
    bool keep = false; // nodes that exist; neither: nothing is written if one exists
    bool ephemeralsAsPersistent = false;
};

// The answer to one request.
struct ZnodeAnswer {
    enum class Kind {
        Done,
        Changed, // another client has changed the node meanwhile: nothing was written; see `present`
        Failed,
    };
    Kind kind = Kind::Done;
    QString text; // one line: what was done, or why not
    ZnodeContents present; // of Changed and of a read
    QByteArray file; // of an export
    qint64 nodes = 0; // of a measurement, as are the next two
    qint64 bytes = 0;
    qint64 ephemerals = 0;
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::ZnodeAnswer)
