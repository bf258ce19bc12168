#include "gui/widgets/change_dialog.h"

#include "gui/widgets/plain_text.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace drover::gui {

ChangeDialog::ChangeDialog(const QString &title, const Texts &texts, QWidget *parent)
    : QDialog(parent), m_fields(new QFormLayout)
{
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    setMinimumWidth(fontMetrics().averageCharWidth() * 60);
    QLabel *const question = plainLabel(texts.question);
    QFont bold = question->font();
    bold.setBold(true);
    question->setFont(bold);
    QLabel *const meaning = plainLabel(texts.meaning);
    meaning->setVisible(!texts.meaning.isEmpty());
    for (QLabel *const label : {question, meaning})
        label->setWordWrap(true);
    auto *const buttons = new QDialogButtonBox;
    m_yes = buttons->addButton(texts.yes, QDialogButtonBox::AcceptRole);
    m_no = buttons->addButton(texts.no, QDialogButtonBox::RejectRole);
    m_yes->setDefault(true);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 14);
    column->setSpacing(12);
    column->addWidget(question);
    column->addWidget(meaning);
    column->addLayout(m_fields);
    column->addStretch(1);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void ChangeDialog::addField(const QString &label, QWidget *field)
{
    QLabel *const title = plainLabel(label);
    title->setBuddy(field);
    m_fields->addRow(title, field);
    field->setFocus();
}

void ChangeDialog::makeDangerous()
{
    m_yes->setDefault(false);
    m_no->setDefault(true);
    m_no->setFocus();
}

void ChangeDialog::requireTyped(QLineEdit *field, const QString &text)
{
    const auto check = [this, field, text] { m_yes->setEnabled(field->text() == text); };
    connect(field, &QLineEdit::textChanged, this, check);
    check();
}

void ChangeDialog::require(QLineEdit *field, const std::function<QString(const QString &text)> &whyNot)
{
    QLabel *const why = plainLabel();
    why->setForegroundRole(QPalette::PlaceholderText);
    why->setMinimumHeight(fontMetrics().lineSpacing());
    m_fields->addRow(QString(), why);
    const auto check = [this, field, why, whyNot] {
        const QString text = whyNot(field->text());
        why->setText(field->text().isEmpty() ? QString() : text); // an empty field is no mistake yet
        m_yes->setEnabled(text.isEmpty());
    };
    connect(field, &QLineEdit::textChanged, this, check);
    check();
}

} // namespace drover::gui
