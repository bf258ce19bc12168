#include "gui/znodes/node_change_dialog.h"

#include "gui/text/format.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

constexpr int WidestPath = 70; // characters

} // namespace

NodeChangeDialog::NodeChangeDialog(const QString &title, const QString &confirm, QWidget *parent)
    : QDialog(parent), m_body(new QVBoxLayout), m_form(new QFormLayout), m_trouble(plainLabel())
{
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    m_trouble->setWordWrap(true);
    m_trouble->hide();
    QPalette alarming = palette();
    alarming.setColor(QPalette::WindowText, toneColor(Tone::Bad, palette()));
    m_trouble->setPalette(alarming);
    QFont bold = font();
    bold.setBold(true);
    QLabel *const heading = pathLabel(title, bold);
    heading->setWordWrap(true);
    auto *const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_confirm = buttons->addButton(confirm, QDialogButtonBox::AcceptRole);
    m_confirm->setDefault(true);
    buttons->button(QDialogButtonBox::Cancel)->setAutoDefault(false);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 14);
    column->setSpacing(12);
    m_body->addLayout(m_form);
    column->addWidget(heading);
    column->addLayout(m_body, 1);
    column->addWidget(m_trouble);
    column->addWidget(buttons);
    connect(m_confirm, &QPushButton::clicked, this, [this] { this->confirm(); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void NodeChangeDialog::take(const ZnodeAnswer &answer)
{
    setWaiting(false);
    if (answer.kind != ZnodeAnswer::Kind::Done)
        return say(answer.text);
    Q_EMIT carriedOut(answer.text);
    accept();
}

QLabel *NodeChangeDialog::pathLabel(const QString &text, const QFont &font)
{
    QLabel *const label = plainLabel(elided(text, font));
    label->setFont(font);
    if (label->text() != text)
        label->setToolTip(plainToolTip(text));
    return label;
}

QString NodeChangeDialog::elided(const QString &text, const QFont &font)
{
    const QFontMetrics metrics(font);
    return metrics.elidedText(text, Qt::ElideMiddle, WidestPath * metrics.averageCharWidth());
}

void NodeChangeDialog::addRow(const QString &label, QWidget *field)
{
    QLabel *const name = plainLabel(label);
    name->setBuddy(field);
    m_form->addRow(name, field);
}

void NodeChangeDialog::say(const QString &trouble)
{
    m_trouble->setText(trouble);
    m_trouble->setVisible(!trouble.isEmpty());
}

void NodeChangeDialog::setWaiting(bool waiting)
{
    m_waiting = waiting;
    if (waiting)
        say({});
    showState();
}

void NodeChangeDialog::setConfirmable(bool confirmable)
{
    m_confirmable = confirmable;
    showState();
}

void NodeChangeDialog::showState()
{
    m_confirm->setEnabled(m_confirmable && !m_waiting);
}

} // namespace drover::gui
