#pragma once

#include "gui/credentials/credentials_dialog.h"
#include "gui/credentials/keyring.h"
#include "gui/data/given_credentials.h"

#include <QPointer>
#include <QTimer>

#include <chrono>
#include <vector>

class QAction;

namespace drover::gui {

class ActionRegistry;
class KnownConnections;

// With which credentials one connection is opened. What the user has given for exactly this connection comes first, as
// long as the tab is there and they were not refused. What the keyring has comes next, unless the user has named a file
// at the start of the program. Then comes what a command would find. If the cluster refuses them the user is asked,
// once for each time that a connection is opened: a reconnection never asks. Who was let in, and is not any more, reads
// a notice. New ones reach the keyring only after a cluster has taken them. Lives on the GUI thread, and never waits
// for the keyring.
class CredentialsControl final : public QObject
{
    Q_OBJECT

public:
    // All of them outlive it. The dialog opens over `window`.
    CredentialsControl(Keyring &keyring, KnownConnections &known, ActionRegistry &actions, QWidget &window);

    // ready() follows, at once or when the keyring has answered. A second call for the same connection meanwhile goes
    // on without the keyring.
    void open(const Target &target);
    void cancel(); // the user does not want the connection any more
    void showStatus(const SessionStatus &status); // what the session says, in its order
    void setSeen(bool seen); // only who is seen asks
    QString whyNoProgram() const; // why a program of its own has not the credentials in use; empty: it finds them
    QString notice() const { return m_notice; } // what the user should know meanwhile; or empty

Q_SIGNALS:
    void ready(const drover::gui::Target &target, const drover::gui::GivenCredentials &given);
    void closeWanted(); // what is open is another connection, or is opened again
    void noticeChanged();
    void knownChanged(); // what the keyring has: the settings should say so at once, the program may be killed
    void said(const QString &text, std::chrono::milliseconds duration);

private:
    // What the user has given for a connection. Nothing given: those that a command would find.
    struct Given {
        Target target;
        GivenCredentials credentials;
        bool isToKeep = false; // in the keyring, once a cluster has taken them
    };

    void takeFromKeyring(const Keyring::Answer &answer);
    void connectWith(const GivenCredentials &given);
    void takeAccess(ClusterAccess access);
    void takeRefusal(ClusterAccess access);
    void ask(const QString &reason);
    void use(const GivenCredentials &given, bool remember);
    QString whyRefused(ClusterAccess access) const;
    Given *givenNow(); // for the connection; null: nothing
    void drop(); // what is given for the connection
    void keep(ClusterAccess access); // if that proves them good
    void forget();
    void setNotice(const QString &notice);

    Keyring &m_keyring;
    KnownConnections &m_known;
    QWidget &m_window;
    QAction *m_ask;
    Target m_target; // its servers are empty until a connection was wanted
    std::vector<Given> m_given; // one for each connection at most
    GivenCredentials m_used; // with which it was opened
    QString m_user; // whose credentials, or whose password of ZooKeeper, the session has; empty: it has none
    QPointer<QObject> m_request; // the answer of the keyring that is awaited
    QTimer m_patience;
    QString m_notice;
    QString m_keyringTrouble; // why the keyring gave none
    bool m_isSeen = true;
    bool m_isOpened = false; // what the session says now is of what was opened last
    bool m_isOpening = false; // the session still has to close what was open before
    bool m_mayAsk = false; // the servers have said nothing of the connection yet, since it was opened
    ClusterAccess m_access = ClusterAccess::Unknown; // said last
    QString m_due; // the reason to ask once it is seen
    QPointer<CredentialsDialog> m_dialog;
};

} // namespace drover::gui
