#pragma once

#include "gui/data/snapshots.h"
#include "gui/shell/connection_color.h"

class QSettings;

namespace drover::gui {

// What the user has chosen for one connection.
struct Connection {
    Target target;
    bool isEditing = false;
    ConnectionColor color = ConnectionColor::None;
    bool isInKeyring = false; // the keyring has its credentials; they themselves are nowhere else
};

// The connections of this user, the last used first. One that is not known is read-only.
class KnownConnections
{
public:
    static constexpr qsizetype Most = 20; // older ones are forgotten

    // Puts it first; adds it if it is new.
    Connection &use(const Target &target);
    bool isInKeyring(const Target &target) const;
    void setInKeyring(const Target &target, bool isThere); // of a connection that is known
    const QList<Connection> &all() const { return m_all; }

    void saveTo(QSettings &settings) const;
    void restoreFrom(QSettings &settings);

private:
    QList<Connection> m_all;
};

} // namespace drover::gui
