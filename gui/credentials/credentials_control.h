#pragma once

#include "gui/credentials/credentials_dialog.h"
#include "gui/credentials/keyring.h"
#include "gui/data/given_credentials.h"

#include <QPointer>
#include <QTimer>

#include <chrono>

class QAction;

namespace drover::gui {

class ActionRegistry;
class KnownConnections;

// With which credentials one connection is opened. What the keyring has comes first, if the user has put some there for
// exactly this connection, and then what a command would find. If the cluster refuses them the user is asked, once for
// each time that a connection is opened: a reconnection never asks. Who was let in, and is not any more, reads a notice.
// New ones reach the keyring only after the cluster has taken them. Lives on the GUI thread, and never waits for the
// keyring.
class CredentialsControl final : public QObject
{
    Q_OBJECT

public:
    // All of them outlive it. The dialog opens over `window`.
    CredentialsControl(Keyring &keyring, KnownConnections &known, ActionRegistry &actions, QWidget &window);

    // ready() follows, at once or when the keyring has answered. A second call for the same connection meanwhile goes on
    // without the keyring.
    void open(const Target &target);
    void cancel(); // the user does not want the connection any more
    // What the session says, in its order.
    void showStatus(const SessionStatus &status);
    void showAccess(bool isAllowed);
    void setSeen(bool seen); // only who is seen asks
    QString notice() const { return m_notice; } // what the user should know meanwhile; or empty

Q_SIGNALS:
    void ready(const drover::gui::Target &target, const drover::gui::GivenCredentials &given);
    void closeWanted(); // what is open is another connection, or is opened again
    void noticeChanged();
    void said(const QString &text, std::chrono::milliseconds duration);

private:
    void takeFromKeyring(const Keyring::Answer &answer);
    void connectWith(const GivenCredentials &given);
    void ask(const QString &reason);
    void use(const GivenCredentials &given, bool remember);
    QString whyRefused() const;
    void keep();
    void forget();
    void setNotice(const QString &notice);

    Keyring &m_keyring;
    KnownConnections &m_known;
    QWidget &m_window;
    QAction *m_ask;
    Target m_target; // its servers are empty until a connection was wanted
    GivenCredentials m_given; // with which it was opened
    QString m_user; // whose credentials it was opened with; empty: it has none
    bool m_isToKeep = false; // in the keyring, once the cluster has taken them
    QPointer<QObject> m_request; // the answer of the keyring that is awaited
    QTimer m_patience;
    QString m_notice;
    QString m_keyringTrouble; // why the keyring gave none
    bool m_isSeen = true;
    bool m_isOpened = false; // what the session says now is of what was opened last, and the user was not asked yet
    bool m_isOpening = false; // the session still has to close what was open before
    bool m_wasAllowed = false; // to read the cluster, since it was opened
    QString m_due; // the reason to ask once it is seen
    QPointer<CredentialsDialog> m_dialog;
};

} // namespace drover::gui
