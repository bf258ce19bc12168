#pragma once

#include "gui/credentials/keyring.h"
#include "gui/data/given_credentials.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;

namespace drover::gui {

// Asks for the credentials of one connection: those of a cluster, from a file or the clipboard, or a user and a password
// of ZooKeeper. It never shows a secret. What it takes is read at once, which blocks for the file.
class CredentialsDialog final : public QDialog
{
    Q_OBJECT

public:
    // `reason`: why it asks; may be empty.
    CredentialsDialog(const Target &target, const QString &reason, QWidget *parent);

    // What the keyring has for this connection. Until then nothing can be remembered.
    void showKeyring(const Keyring::Answer &answer, bool wasRefused);
    void showForgotten(const Keyring::Answer &answer); // what came of forgetWanted()

Q_SIGNALS:
    // `remember`: in the keyring; if not, it is to keep nothing.
    void given(const drover::gui::GivenCredentials &credentials, bool remember);
    void forgetWanted();

private:
    void layOut(const Target &target, const QString &reason);
    void chooseFile();
    void paste();
    void take(const QByteArray &text); // of a file, or of the clipboard
    void show(const GivenCredentials &given);
    void complain(const QString &why); // empty: there is no reason to
    void check();
    void finish();
    QByteArray digest() const; // as typed; empty: it is not complete

    const Target m_target;
    GivenCredentials m_ofCluster; // chosen, and of the connection's cluster
    QRadioButton *m_cluster;
    QLabel *m_about;
    QRadioButton *m_zookeeper;
    QLineEdit *m_user;
    QLineEdit *m_password;
    QLabel *m_trouble;
    QCheckBox *m_remember;
    QLabel *m_keyring;
    bool m_keyringHas = false; // some for this connection
    QPushButton *m_forget;
    QPushButton *m_connect;
};

} // namespace drover::gui
