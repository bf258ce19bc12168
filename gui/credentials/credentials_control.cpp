#include "gui/credentials/credentials_control.h"

#include "gui/credentials/credentials_text.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/known_connections.h"
#include "gui/widgets/icon.h"
#include "text/printable.h"

#include <QAction>

#include <algorithm>

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
    if (const Given *const given = givenNow()) {
        connectWith(given->credentials);
        return;
    }
    if (!m_known.isInKeyring(target) || m_known.isFileNamed(target) || isAwaited) {
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
    m_used = {};
    m_isOpened = m_isOpening = m_mayAsk = false;
    m_keyringTrouble.clear();
    m_patience.stop();
    setNotice({});
}

CredentialsControl::Given *CredentialsControl::givenNow()
{
    const auto found =
        std::find_if(m_given.begin(), m_given.end(), [this](const Given &one) { return one.target == m_target; });
    return found == m_given.end() ? nullptr : &*found;
}

void CredentialsControl::drop()
{
    std::erase_if(m_given, [this](const Given &one) { return one.target == m_target; });
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
    m_used = given;
    m_isOpened = false;
    m_isOpening = m_mayAsk = true;
    Q_EMIT ready(m_target, given);
}

// The session closes before it opens. What it has said before it said so is of other credentials.
void CredentialsControl::showStatus(const SessionStatus &status)
{
    m_user = status.user.isEmpty() ? status.passwordUser : status.user;
    if (status.phase == SessionStatus::Phase::Disconnected) {
        m_isOpened = std::exchange(m_isOpening, false) || m_isOpened;
        m_access = ClusterAccess::Unknown;
    } else if (m_isOpened && status.access != std::exchange(m_access, status.access)) {
        takeAccess(status.access);
    }
}

void CredentialsControl::takeAccess(ClusterAccess access)
{
    switch (access) {
    case ClusterAccess::Unknown:
        return;
    case ClusterAccess::Refused:
    case ClusterAccess::NotAuthenticated:
        return takeRefusal(access);
    case ClusterAccess::Missing:
    case ClusterAccess::Open:
    case ClusterAccess::Closed:
        if (!m_keyringTrouble.isEmpty())
            Q_EMIT said(m_user.isEmpty() ? tr("Connected without credentials. %1").arg(m_keyringTrouble)
                                         : tr("Connected as %1. %2").arg(text::printable(m_user), m_keyringTrouble),
                        15s);
        m_keyringTrouble.clear();
        break;
    }
    keep(access);
    m_mayAsk = false;
    m_due.clear();
    setNotice({});
}

void CredentialsControl::takeRefusal(ClusterAccess access)
{
    const QString advice = tr("“Credentials of this connection…” in the menu takes others.");
    if (!std::exchange(m_mayAsk, false)) // the user has not asked for a connection just now
        return setNotice((m_user.isEmpty() && !m_used.isGiven()
                              ? tr("The cluster is closed to those without credentials now.")
                              : tr("The cluster refuses the credentials now."))
                         + u' ' + advice);
    drop();
    m_due = whyRefused(access);
    // The dialog may be cancelled. A session that has ended says why by itself.
    setNotice(access == ClusterAccess::NotAuthenticated ? advice : m_due + u' ' + advice);
    if (m_isSeen)
        ask(std::exchange(m_due, {}));
}

QString CredentialsControl::whyNoProgram() const
{
    return m_used.isGiven() ? tr("drover does not have the credentials that the console was given.") : QString();
}

QString CredentialsControl::whyRefused(ClusterAccess access) const
{
    const QString whose = m_used.isGiven() ? aboutCredentials(m_used) : text::printable(m_user);
    if (access == ClusterAccess::NotAuthenticated)
        return whose.isEmpty()
            ? tr("The servers refuse the authentication itself.")
            : tr("%1: the servers refuse the authentication itself, whatever the password is.").arg(whose);
    if (m_used.isGiven())
        return tr("The cluster refuses “%1”: the password is wrong, or not valid any more.").arg(whose);
    const QString why = whose.isEmpty()
        ? tr("This cluster is closed to those without credentials.")
        : tr("The cluster refuses the credentials of %1 that a command would use.").arg(whose);
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
        m_dialog->explain(reason);
        m_dialog->raise();
        m_dialog->activateWindow();
        return;
    }
    m_dialog = new CredentialsDialog(m_target, m_used.isGiven(), &m_window);
    m_dialog->explain(reason);
    if (!reason.isEmpty() && !m_used.digest.isEmpty())
        m_dialog->suggestUser(QString::fromUtf8(m_used.digest.left(m_used.digest.indexOf(':'))));
    connect(m_dialog, &CredentialsDialog::given, this, &CredentialsControl::use);
    connect(m_dialog, &CredentialsDialog::forgetWanted, this, &CredentialsControl::forget);
    const QByteArray refused = reason.isEmpty() || !m_used.isGiven() ? QByteArray() : encodeCredentials(m_used);
    const auto show = [dialog = m_dialog.data(), refused, target = m_target](const Keyring::Answer &answer) {
        dialog->showKeyring(answer, answer.kind == Kind::Done && areAlike(answer.secret, refused, target));
    };
    m_keyring.read(m_target, m_dialog, show);
    m_dialog->open();
}

void CredentialsControl::use(const GivenCredentials &given, bool remember)
{
    m_dialog = nullptr; // it closes
    delete m_request;
    m_patience.stop();
    setNotice({});
    m_keyringTrouble.clear();
    drop();
    m_given.push_back({m_target, given, remember && given.isGiven()});
    connectWith(given);
}

// The settings know of it before the keyring has it: otherwise a program that is killed leaves a secret of which it
// knows nothing. The tab may be closed meanwhile.
void CredentialsControl::keep(ClusterAccess access)
{
    Given *const given = givenNow();
    if (!given || !given->isToKeep)
        return;
    if (access == ClusterAccess::Missing)
        return Q_EMIT said(tr("The keyring gets the credentials once the cluster is there and takes them."), 15s);
    if (access == ClusterAccess::Open && given->credentials.ofCluster)
        return Q_EMIT said(tr("This cluster is open, and has not judged the credentials: the keyring gets them once it "
                              "is closed and takes them."),
                           15s);
    given->isToKeep = false;
    const bool wasThere = m_known.isInKeyring(m_target);
    m_known.setInKeyring(m_target, true);
    Q_EMIT knownChanged();
    const auto then = [known = &m_known, wasThere, target = m_target,
                       living = QPointer(this)](const Keyring::Answer &answer) {
        known->setInKeyring(target, wasThere || answer.kind == Kind::Done); // it may have been asked to forget before
        if (!living)
            return;
        Q_EMIT living->knownChanged();
        if (answer.kind != Kind::Done)
            Q_EMIT living->said(
                tr("The keyring has not kept the credentials: you will be asked again. %1").arg(answer.why), 15s);
    };
    m_keyring.write(m_target, encodeCredentials(given->credentials), &m_keyring, then);
}

void CredentialsControl::forget()
{
    drop();
    const auto then = [known = &m_known, target = m_target, dialog = m_dialog,
                       living = QPointer(this)](const Keyring::Answer &answer) {
        if (answer.kind == Kind::Done)
            known->setInKeyring(target, false);
        if (dialog)
            dialog->showForgotten(answer);
        if (!living)
            return;
        if (answer.kind == Kind::Done)
            Q_EMIT living->knownChanged();
        else
            Q_EMIT living->said(tr("The keyring has not forgotten the credentials. %1").arg(answer.why), 15s);
    };
    m_keyring.forget(m_target, &m_keyring, then);
}

void CredentialsControl::setNotice(const QString &notice)
{
    if (notice == m_notice)
        return;
    m_notice = notice;
    Q_EMIT noticeChanged();
}

} // namespace drover::gui
