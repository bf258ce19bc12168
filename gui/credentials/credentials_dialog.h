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

// Asks for the credentials of one connection: those of a cluster, from a file or the clipboard, or a user and a
// password of ZooKeeper. It never shows a secret. What it takes is read at once, which blocks for the file.
class CredentialsDialog final : public QDialog
{
    Q_OBJECT

public:
    // `hasGiven`: the connection has credentials that were given, so those that a command would find are a choice, too.
    CredentialsDialog(const Target &target, bool hasGiven, QWidget *parent);

    void explain(const QString &reason); // why it asks; empty: the user wanted it
    void suggestUser(const QString &name); // of ZooKeeper, whose password was wrong
    // What the keyring has for this connection. Until then nothing can be remembered.
    void showKeyring(const Keyring::Answer &answer, bool wasRefused);
    void showForgotten(const Keyring::Answer &answer); // what came of forgetWanted()

Q_SIGNALS:
    // Nothing is given: those that a command would find. `remember`: in the keyring.
    void given(const drover::gui::GivenCredentials &credentials, bool remember);
    void forgetWanted();

private:
    void layOut(const Target &target);
    void join();
    void chooseFile();
    void paste();
    void take(const QByteArray &text); // of a file, or of the clipboard
    void show(const GivenCredentials &given);
    void complain(const QString &why); // empty: there is no reason to
    void resizeToText();
    void check();
    void finish();
    GivenCredentials chosen() const; // if they are complete
    QByteArray digest() const; // as typed; empty: it is not complete

    const Target m_target;
    GivenCredentials m_ofCluster; // chosen, and of the connection's cluster
    QLabel *m_reason;
    QRadioButton *m_cluster;
    QLabel *m_about;
    QRadioButton *m_zookeeper;
    QLineEdit *m_user;
    QLineEdit *m_password;
    QRadioButton *m_usual; // hidden: it is no choice
    QLabel *m_trouble;
    QCheckBox *m_remember;
    QLabel *m_keyring;
    bool m_canRemember = false; // there is a keyring, which has answered
    bool m_keyringHas = false; // some for this connection
    QPushButton *m_forget;
    QPushButton *m_connect;
};

} // namespace drover::gui
