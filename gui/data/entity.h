#pragma once

#include <QByteArray>
#include <QMetaType>

namespace drover::gui {

// Something of the cluster that a cell names, and that a page can show.
struct EntityRef {
    enum class Kind { None, Job, Worker, Queue, Lock, Znode, Schedule, Server, Session };

    Kind kind = Kind::None;
    QByteArray name{}; // as in ZooKeeper: "default-42", "worker-1"; of a znode its path, of a server
        // its address, of a session its number as formatHex() writes it

    bool isNull() const { return kind == Kind::None; }

    friend bool operator==(const EntityRef &, const EntityRef &) = default;
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::EntityRef)
