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
    // Older ones are forgotten, but for those of which the keyring has credentials.
    static constexpr qsizetype Most = 20;

    // Puts it first; adds it if it is new.
    Connection &use(const Target &target);
    bool isInKeyring(const Target &target) const;
    void setInKeyring(const Target &target, bool isThere);
    // While this program runs: the user has named a file of credentials for the clusters of that name, or none.
    void setFileNamed(const QByteArray &cluster) { m_clusterOfFile = cluster; }
    bool isFileNamed(const Target &target) const { return target.cluster == m_clusterOfFile; }
    const QList<Connection> &all() const { return m_all; }

    // What another program of the user has written there meanwhile stays.
    void saveTo(QSettings &settings) const;
    void restoreFrom(QSettings &settings);

private:
    void writeTo(QSettings &settings) const;
    void takeOver(const KnownConnections &stored);
    void forgetOldest();

    QList<Connection> m_all;
    QList<Target> m_decided; // whose place in the keyring this program has changed
    QByteArray m_clusterOfFile; // empty: no file was named
};

} // namespace drover::gui
