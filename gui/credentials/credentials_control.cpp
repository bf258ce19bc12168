#include "gui/credentials/credentials_control.h"

#include "gui/credentials/credentials_text.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/known_connections.h"
#include "gui/widgets/icon.h"
#include "text/printable.h"

#include <QAction>

namespace drover::gui {

using namespace std::chrono_literals;
using Kind = Keyring::Answer::Kind;

namespace {

constexpr auto Patience = 2s; // with the keyring, until the window says that it is awaited

// Another program or an older release may have written the secret in other words.
bool areAlike(const QByteArray &secret, const QByteArray &encoded, const Target &target)
{
    try {
        return encodeCredentials(decodeCredentials(secret, target)) == encoded;
    } catch (const trust::BadCredentials &) {
        return false;
    }
}

} // namespace

CredentialsControl::CredentialsControl(Keyring &keyring, KnownConnections &known, ActionRegistry &actions,
                                       QWidget &window)
    : m_keyring(keyring), m_known(known), m_window(window),
      m_ask(actions.add("connection.credentials", lineIcon(QStringLiteral("key")),
                        tr("C&redentials of this connection…"), {}, [this] { ask({}); }))
{
    m_ask->setEnabled(false);
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        setNotice(
            tr("The keyring has not answered yet. It may ask you to unlock it. Connect again to go on without it."));
    });
}

void CredentialsControl::open(const Target &target)
{
    const bool isAwaited = m_request && target == m_target;
    if (isAwaited && m_patience.isActive()) // a double click
        return;
    cancel();
    m_target = target;
    m_ask->setEnabled(true);
    m_keyringTrouble.clear();
    if (!m_known.isInKeyring(target) || isAwaited) {
        connectWith({});
        return;
    }
    Q_EMIT closeWanted();
    m_patience.start(Patience);
    m_request = new QObject(this);
    m_keyring.read(target, m_request, [this](const Keyring::Answer &answer) { takeFromKeyring(answer); });
}

void CredentialsControl::cancel()
{
    delete m_request;
    delete m_dialog;
    m_due.clear();
    m_given = {};
    m_isOpened = m_isOpening = m_isToKeep = m_wasAllowed = false;
    m_patience.stop();
    setNotice({});
}

void CredentialsControl::takeFromKeyring(const Keyring::Answer &answer)
{
    m_request->deleteLater();
    m_request = nullptr;
    m_patience.stop();
    setNotice({});
    GivenCredentials given;
    try {
        if (answer.kind == Kind::Done)
            given = decodeCredentials(answer.secret, m_target);
        else
            m_keyringTrouble = answer.kind == Kind::Nothing
                ? tr("The keyring has no credentials for it, or was not unlocked.")
                : tr("There is no keyring: %1.").arg(answer.why);
    } catch (const trust::BadCredentials &error) {
        m_keyringTrouble =
            tr("What the keyring has cannot be used: %1.").arg(text::printable(QString::fromUtf8(error.what())));
    }
    connectWith(given);
}

void CredentialsControl::connectWith(const GivenCredentials &given)
{
    m_given = given;
    m_isOpened = m_wasAllowed = false;
    m_isOpening = true;
    Q_EMIT ready(m_target, given);
}

// The session closes before it opens. What it has said before it said so is of other credentials.
void CredentialsControl::showStatus(const SessionStatus &status)
{
    m_user = status.user;
    if (status.phase == SessionStatus::Phase::Disconnected && std::exchange(m_isOpening, false))
        m_isOpened = true;
}

void CredentialsControl::showAccess(bool isAllowed)
{
    if (!m_isOpened)
        return;
    if (isAllowed) {
        m_wasAllowed = true;
        setNotice({});
        return keep();
    }
    if (m_wasAllowed) // the user has not asked for a connection just now
        return setNotice(tr("The cluster refuses the credentials now. “Credentials of this connection…” in the menu "
                            "takes others."));
    m_isOpened = false;
    m_due = whyRefused();
    if (m_isSeen)
        ask(std::exchange(m_due, {}));
}

QString CredentialsControl::whyRefused() const
{
    if (m_given.isGiven())
        return tr("The cluster refuses “%1”: the password is wrong, or not valid any more.")
            .arg(aboutCredentials(m_given));
    const QString why = m_user.isEmpty()
        ? tr("This cluster is closed to those without credentials.")
        : tr("The cluster refuses the credentials of %1 in the usual file.").arg(text::printable(m_user));
    return m_keyringTrouble.isEmpty() ? why : why + u' ' + m_keyringTrouble;
}

void CredentialsControl::setSeen(bool seen)
{
    m_isSeen = seen;
    if (seen && !m_due.isEmpty())
        ask(std::exchange(m_due, {}));
}

void CredentialsControl::ask(const QString &reason)
{
    if (m_dialog) {
        m_dialog->raise();
        m_dialog->activateWindow();
        return;
    }
    m_dialog = new CredentialsDialog(m_target, reason, &m_window);
    connect(m_dialog, &CredentialsDialog::given, this, &CredentialsControl::use);
    connect(m_dialog, &CredentialsDialog::forgetWanted, this, &CredentialsControl::forget);
    const QByteArray refused = reason.isEmpty() || !m_given.isGiven() ? QByteArray() : encodeCredentials(m_given);
    const auto show = [dialog = m_dialog.data(), refused, target = m_target](const Keyring::Answer &answer) {
        dialog->showKeyring(answer, answer.kind == Kind::Done && areAlike(answer.secret, refused, target));
    };
    m_keyring.read(m_target, m_dialog, show);
    m_dialog->open();
}

void CredentialsControl::use(const GivenCredentials &given, bool remember)
{
    delete m_request;
    m_patience.stop();
    setNotice({});
    m_keyringTrouble.clear();
    m_isToKeep = remember;
    connectWith(given);
}

void CredentialsControl::keep()
{
    if (!std::exchange(m_isToKeep, false))
        return;
    const auto then = [this, target = m_target](const Keyring::Answer &answer) {
        if (answer.kind == Kind::Done)
            m_known.setInKeyring(target, true);
        else
            Q_EMIT said(tr("The keyring has not kept the credentials: you will be asked again. %1").arg(answer.why),
                        15s);
    };
    m_keyring.write(m_target, encodeCredentials(m_given), this, then);
}

void CredentialsControl::forget()
{
    const auto then = [this, target = m_target, dialog = m_dialog](const Keyring::Answer &answer) {
        if (answer.kind == Kind::Done)
            m_known.setInKeyring(target, false);
        else
            Q_EMIT said(tr("The keyring has not forgotten the credentials. %1").arg(answer.why), 15s);
        if (dialog)
            dialog->showForgotten(answer);
    };
    m_keyring.forget(m_target, this, then);
}

void CredentialsControl::setNotice(const QString &notice)
{
    if (notice == m_notice)
        return;
    m_notice = notice;
    Q_EMIT noticeChanged();
}

} // namespace drover::gui
