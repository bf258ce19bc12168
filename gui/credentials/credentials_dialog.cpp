#include "gui/credentials/credentials_dialog.h"

#include "gui/credentials/credentials_text.h"
#include "gui/text/entity_text.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "trust/private_file.h"

#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace drover::gui {

using Kind = Keyring::Answer::Kind;

namespace {

constexpr int Air = 16; // pixels beside the text of a button, in addition to those of the style

QLabel *wrapped(const QString &text = {})
{
    QLabel *const label = plainLabel(text);
    label->setWordWrap(true);
    return label;
}

// Below a radio button, beginning where its text does.
QHBoxLayout *indented(QLayout *part, const QWidget &under)
{
    auto *const row = new QHBoxLayout;
    row->setContentsMargins(under.style()->pixelMetric(QStyle::PM_ExclusiveIndicatorWidth) + 6, 0, 0, 0);
    row->addLayout(part, 1);
    return row;
}

// A password may end in a blank; the end of its line is no part of it.
QByteArray withoutLineEnd(QByteArray text)
{
    if (text.endsWith('\n'))
        text.chop(1);
    if (text.endsWith('\r'))
        text.chop(1);
    return text;
}

} // namespace

CredentialsDialog::CredentialsDialog(const Target &target, bool hasGiven, QWidget *parent)
    : QDialog(parent), m_target(target), m_reason(wrapped()),
      m_cluster(new QRadioButton(tr("Credentials of the &cluster"))),
      m_about(wrapped(tr("“drover user add” makes a file of them."))),
      m_zookeeper(new QRadioButton(tr("A user and a password of &ZooKeeper"))), m_user(new QLineEdit),
      m_password(new QLineEdit), m_usual(new QRadioButton(tr("Those that a comman&d finds, or none"))),
      m_trouble(wrapped()), m_remember(new QCheckBox(tr("&Remember in the keyring"))),
      m_keyring(wrapped(tr("The keyring is being asked…"))), m_forget(new QPushButton(tr("F&orget"))),
      m_connect(new QPushButton(tr("Co&nnect")))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Credentials"));
    setMinimumWidth(fontMetrics().averageCharWidth() * 78);
    layOut(target);
    explain({});
    m_usual->setVisible(hasGiven);
    m_cluster->setChecked(true);
    m_password->setEchoMode(QLineEdit::Password);
    m_remember->setEnabled(false);
    m_forget->hide();
    m_forget->setAutoDefault(false);
    m_trouble->setForegroundRole(QPalette::WindowText);
    for (QLabel *const label : {m_about, m_keyring})
        label->setForegroundRole(QPalette::PlaceholderText);
    join();
    complain({});
    check();
}

void CredentialsDialog::join()
{
    for (QLineEdit *const field : {m_user, m_password}) {
        connect(field, &QLineEdit::textEdited, m_zookeeper, [this] { m_zookeeper->setChecked(true); });
        connect(field, &QLineEdit::textChanged, this, &CredentialsDialog::check);
    }
    connect(m_user, &QLineEdit::textEdited, this, [this](const QString &name) {
        complain(name.contains(u':') ? tr("The name of a user of ZooKeeper has no “:”.") : QString());
    });
    for (const QRadioButton *const way : {m_cluster, m_zookeeper, m_usual})
        connect(way, &QRadioButton::toggled, this, &CredentialsDialog::check);
    connect(m_forget, &QPushButton::clicked, this, [this] {
        m_keyringHas = false;
        m_forget->hide();
        m_remember->setChecked(false);
        m_keyring->setText(tr("The keyring is asked to forget them…"));
        Q_EMIT forgetWanted();
    });
}

void CredentialsDialog::explain(const QString &reason)
{
    m_reason->setText(reason);
    m_reason->setVisible(!reason.isEmpty());
    resizeToText();
}

void CredentialsDialog::suggestUser(const QString &name)
{
    m_user->setText(name);
    m_zookeeper->setChecked(true);
    m_password->setFocus(Qt::OtherFocusReason);
}

void CredentialsDialog::layOut(const Target &target)
{
    QLabel *const question = wrapped(tr("Credentials for %1").arg(targetText(target)));
    QFont bold = question->font();
    bold.setBold(true);
    question->setFont(bold);

    auto *const file = new QPushButton(tr("From a &file…"));
    auto *const clipboard = new QPushButton(tr("&Paste"));
    clipboard->setToolTip(tr("The text of such a file, from the clipboard"));
    connect(file, &QPushButton::clicked, this, &CredentialsDialog::chooseFile);
    connect(clipboard, &QPushButton::clicked, this, &CredentialsDialog::paste);
    auto *const ways = new QHBoxLayout;
    for (QPushButton *const way : {file, clipboard}) {
        way->setAutoDefault(false);
        way->setMinimumWidth(way->sizeHint().width() + Air);
        ways->addWidget(way);
    }
    ways->addStretch(1);
    auto *const ofCluster = new QVBoxLayout;
    ofCluster->addLayout(ways);
    ofCluster->addWidget(m_about);
    auto *const fields = new QFormLayout;
    fields->addRow(tr("&User"), m_user);
    fields->addRow(tr("Pass&word"), m_password);

    auto *const kept = new QHBoxLayout;
    kept->addWidget(m_keyring, 1);
    kept->addWidget(m_forget);
    auto *const buttons = new QDialogButtonBox;
    buttons->addButton(m_connect, QDialogButtonBox::AcceptRole);
    buttons->addButton(QDialogButtonBox::Cancel);
    m_connect->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &CredentialsDialog::finish);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 14);
    column->setSpacing(10);
    column->addWidget(question);
    column->addWidget(m_reason);
    column->addWidget(m_cluster);
    column->addLayout(indented(ofCluster, *this));
    column->addWidget(m_zookeeper);
    column->addLayout(indented(fields, *this));
    column->addWidget(m_usual);
    column->addWidget(m_trouble);
    column->addSpacing(4);
    column->addWidget(m_remember);
    column->addLayout(indented(kept, *this));
    column->addStretch(1);
    column->addWidget(buttons);
}

void CredentialsDialog::showKeyring(const Keyring::Answer &answer, bool wasRefused)
{
    m_canRemember = answer.kind != Kind::Unavailable;
    m_keyringHas = answer.kind == Kind::Done;
    m_forget->setVisible(m_keyringHas);
    m_remember->setChecked(answer.kind == Kind::Done);
    switch (answer.kind) {
    case Kind::Nothing:
        m_keyring->setText(tr("Without it, they count as long as this tab is open."));
        break;
    case Kind::Refused:
        m_keyring->setText(tr("The keyring refuses: %1.").arg(answer.why));
        break;
    case Kind::Unavailable:
        m_keyring->setText(
            tr("There is no keyring here, so they count as long as this tab is open: %1.").arg(answer.why));
        break;
    case Kind::Done:
        m_keyring->setText(wasRefused ? tr("Those that it has were refused.") : tr("It has some for this connection."));
        if (!wasRefused && !m_ofCluster.isGiven() && m_user->text().isEmpty())
            take(answer.secret);
        break;
    }
    check();
}

void CredentialsDialog::showForgotten(const Keyring::Answer &answer)
{
    m_keyringHas = answer.kind != Kind::Done;
    m_forget->setVisible(m_keyringHas);
    m_keyring->setText(m_keyringHas ? tr("The keyring has not forgotten them: %1.").arg(answer.why)
                                    : tr("The keyring has forgotten them."));
    check();
}

void CredentialsDialog::chooseFile()
{
    auto *const files = new QFileDialog(this, tr("Credentials of the cluster"));
    files->setAttribute(Qt::WA_DeleteOnClose);
    files->setFileMode(QFileDialog::ExistingFile);
    connect(files, &QFileDialog::fileSelected, this, [this](const QString &path) {
        try {
            take(withoutLineEnd(trust::readPrivateFile(path)));
        } catch (const trust::BadCredentials &error) {
            complain(QString::fromUtf8(error.what()));
        }
    });
    files->open();
}

void CredentialsDialog::paste()
{
    take(withoutLineEnd(QGuiApplication::clipboard()->text().toUtf8()));
}

void CredentialsDialog::take(const QByteArray &text)
{
    try {
        show(decodeCredentials(text, m_target));
        complain({});
    } catch (const trust::BadCredentials &error) {
        complain(QString::fromUtf8(error.what()));
    }
    check();
}

void CredentialsDialog::show(const GivenCredentials &given)
{
    if (!given.ofCluster) {
        const qsizetype colon = given.digest.indexOf(':');
        m_user->setText(QString::fromUtf8(given.digest.left(colon)));
        m_password->setText(QString::fromUtf8(given.digest.mid(colon + 1)));
        m_zookeeper->setChecked(true);
        return;
    }
    m_ofCluster = given;
    m_cluster->setChecked(true);
    QString about = aboutCredentials(given);
    const QString &servers = given.ofCluster->servers;
    if (!servers.isEmpty() && servers != m_target.connect)
        about += u'\n'
            + tr("They name other servers, %1: their passwords go to %2.")
                  .arg(text::printable(servers), text::printable(m_target.connect));
    m_about->setText(about);
    m_about->setForegroundRole(QPalette::WindowText);
}

void CredentialsDialog::complain(const QString &why)
{
    m_trouble->setText(text::printable(why));
    m_trouble->setVisible(!why.isEmpty());
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, toneColor(Tone::Bad, palette()));
    m_trouble->setPalette(colors);
}

QByteArray CredentialsDialog::digest() const
{
    const QString user = m_user->text();
    const bool isComplete = !user.isEmpty() && !user.contains(u':') && !m_password->text().isEmpty();
    return isComplete ? (user + u':' + m_password->text()).toUtf8() : QByteArray();
}

GivenCredentials CredentialsDialog::chosen() const
{
    if (m_usual->isChecked())
        return {};
    return m_cluster->isChecked() ? m_ofCluster : GivenCredentials{{}, digest()};
}

// Its lines may need more room than before.
void CredentialsDialog::resizeToText()
{
    layout()->activate(); // the layouts in it have the heights of the texts before
    resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void CredentialsDialog::check()
{
    resizeToText();
    m_connect->setEnabled(m_usual->isChecked() || chosen().isGiven());
    m_remember->setEnabled(m_canRemember && !m_usual->isChecked());
}

// It is closed first: what follows may ask again.
void CredentialsDialog::finish()
{
    const GivenCredentials credentials = chosen();
    const bool remember = m_remember->isChecked();
    accept();
    if (credentials.isGiven() && m_keyringHas && !remember)
        Q_EMIT forgetWanted();
    Q_EMIT given(credentials, remember);
}

} // namespace drover::gui
