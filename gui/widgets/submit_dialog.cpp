#include "gui/widgets/submit_dialog.h"

#include "gui/text/shell_words.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

void setTone(QLabel *label, Tone tone)
{
    QPalette palette = label->parentWidget() ? label->parentWidget()->palette() : label->palette();
    palette.setColor(QPalette::WindowText, toneColor(tone, palette));
    label->setPalette(palette);
}

// The arguments, each on a line of its own, as the program will see them.
QString argvText(const QStringList &words)
{
    constexpr qsizetype MaxWords = 8;
    QStringList lines;
    for (qsizetype i = 0; i < std::min(words.size(), MaxWords); ++i)
        lines << QStringLiteral("[%1]  %2").arg(i).arg(text::printable(words[i].left(200)));
    if (words.size() > MaxWords)
        lines << SubmitDialog::tr("and %1 more").arg(words.size() - MaxWords);
    return lines.join(u'\n');
}

// With no-break spaces, which toPlainText() makes blanks.
QString textIn(const QPlainTextEdit &edit)
{
    return edit.document()->toRawText().replace(QChar::ParagraphSeparator, u'\n').replace(QChar::LineSeparator, u'\n');
}

int linesHigh(const QWidget *widget, int lines)
{
    return widget->fontMetrics().lineSpacing() * lines + 14;
}

} // namespace

SubmitDialog::SubmitDialog(const QStringList &queues, QWidget *parent)
    : QDialog(parent), m_command(new QPlainTextEdit), m_argv(plainLabel()), m_rows(new QFormLayout),
      m_others(plainLabel()), m_name(new QLineEdit), m_comment(new QLineEdit), m_queue(new QComboBox),
      m_priority(new QSpinBox), m_timeLimit(new QLineEdit), m_directory(new QLineEdit),
      m_environment(new QPlainTextEdit), m_result(plainLabel())
{
    setWindowTitle(tr("Submit job"));
    setMinimumWidth(fontMetrics().averageCharWidth() * 84);
    for (QPlainTextEdit *edit : {m_command, m_environment}) {
        edit->setFont(fixedFont());
        edit->setTabChangesFocus(true);
    }
    m_command->setFixedHeight(linesHigh(m_command, 2));
    m_command->setPlaceholderText(tr("wc -w /usr/share/common-licenses/GPL-3"));
    m_environment->setFixedHeight(linesHigh(m_environment, 3));
    m_environment->setPlaceholderText(tr("NAME=value, one a line; a job inherits nothing"));
    m_name->setPlaceholderText(tr("the program's name"));
    m_comment->setPlaceholderText(tr("none; one line for people"));
    m_queue->setEditable(true);
    m_queue->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_queue->addItems(queues.isEmpty() ? QStringList{QStringLiteral("default")} : queues);
    m_priority->setRange(0, jobs::JobSpec::MaxPriority);
    m_priority->setValue(5);
    m_priority->setToolTip(tr("0 is first, 9 is last"));
    m_timeLimit->setPlaceholderText(tr("none; or 90s, 15m, 2h"));
    m_directory->setPlaceholderText(tr("a directory of the job's own"));
    m_argv->setFont(fixedFont());
    for (QLabel *label : {m_argv, m_others, m_result}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_others->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_argv->setForegroundRole(QPalette::PlaceholderText);

    m_rows->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    m_rows->setVerticalSpacing(8);
    m_rows->setHorizontalSpacing(14);
    addRow(Field::Command, tr("&Command"), m_command);
    m_rows->addRow(plainLabel(tr("Arguments")), m_argv);
    addRow(Field::Name, tr("&Name"), m_name);
    addRow(Field::Comment, tr("C&omment"), m_comment);
    addRow(Field::Queue, tr("&Queue"), m_queue);
    addRow(Field::Priority, tr("&Priority"), m_priority);
    addRow(Field::TimeLimit, tr("&Time limit"), m_timeLimit);
    addRow(Field::Directory, tr("&Directory"), m_directory);
    addRow(Field::Environment, tr("&Environment"), m_environment);
    m_rows->addRow(plainLabel(tr("As before")), m_others);
    m_rows->setRowVisible(m_others, false);

    auto *buttons = new QDialogButtonBox;
    m_submit = buttons->addButton(tr("&Submit"), QDialogButtonBox::AcceptRole);
    m_submit->setDefault(true);
    QPushButton *close = buttons->addButton(QDialogButtonBox::Close);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 14);
    column->setSpacing(12);
    column->addLayout(m_rows);
    column->addStretch(1);
    column->addWidget(m_result);
    column->addWidget(buttons);

    connect(m_submit, &QPushButton::clicked, this, &SubmitDialog::submit);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_command, &QPlainTextEdit::textChanged, this, [this] { touch(Field::Command); });
    connect(m_environment, &QPlainTextEdit::textChanged, this, [this] { touch(Field::Environment); });
    connect(m_name, &QLineEdit::textChanged, this, [this] { touch(Field::Name); });
    connect(m_comment, &QLineEdit::textChanged, this, [this] { touch(Field::Comment); });
    connect(m_queue, &QComboBox::currentTextChanged, this, [this] { touch(Field::Queue); });
    connect(m_timeLimit, &QLineEdit::textChanged, this, [this] { touch(Field::TimeLimit); });
    connect(m_directory, &QLineEdit::textChanged, this, [this] { touch(Field::Directory); });
    check();
    m_command->setFocus();
}

void SubmitDialog::addRow(Field field, const QString &label, QWidget *widget)
{
    auto *message = plainLabel();
    message->setWordWrap(true);
    message->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    message->hide();
    m_messages[field] = message;
    QLabel *const title = plainLabel(label);
    title->setBuddy(widget);
    m_rows->addRow(title, widget);
    m_rows->addRow(QString(), message);
}

void SubmitDialog::repeat(const QString &job, const jobs::JobSpec &spec)
{
    const SubmitForm form = SubmitForm::of(spec);
    setWindowTitle(tr("Submit %1 again").arg(job));
    m_base = spec;
    m_command->setPlainText(form.command);
    m_name->setText(form.name);
    m_comment->setText(form.comment);
    m_queue->setCurrentText(form.queue);
    m_priority->setValue(form.priority);
    m_timeLimit->setText(form.timeLimit);
    m_directory->setText(form.directory);
    m_environment->setPlainText(form.environment);
    m_commandShown = textIn(*m_command);
    const QStringList others = form.otherParts();
    m_others->setText(others.join(tr(", ")));
    m_rows->setRowVisible(m_others, !others.isEmpty());
    check();
}

SubmitForm SubmitDialog::form() const
{
    const QString command = textIn(*m_command);
    const bool untouched = !m_base.command.isEmpty() && command == m_commandShown;
    return {untouched ? joinShellWords(m_base.command) : command,
            m_name->text(),
            m_comment->text(),
            m_queue->currentText(),
            m_priority->value(),
            m_timeLimit->text(),
            m_directory->text(),
            textIn(*m_environment),
            m_base};
}

void SubmitDialog::touch(Field field)
{
    m_touched[field] = true;
    m_result->clear();
    check();
}

void SubmitDialog::check()
{
    const SubmitForm::Checked checked = form().check();
    m_argv->setText(checked.spec.command.isEmpty() ? tr("none yet") : argvText(checked.spec.command));
    for (const auto &[field, label] : m_messages) {
        const auto error = checked.errors.find(field);
        const bool wrong = error != checked.errors.end() && m_touched[field];
        const bool hinted = field == Field::Command && !checked.hint.isEmpty();
        setTone(label, wrong ? Tone::Bad : Tone::Waiting);
        label->setText(wrong ? error->second : hinted ? checked.hint : QString());
        label->setVisible(wrong || hinted);
    }
    // Wrapped labels have no fixed height, so the window does not grow by itself.
    resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void SubmitDialog::submit()
{
    for (const auto &[field, label] : m_messages)
        m_touched[field] = true;
    check();
    const SubmitForm::Checked checked = form().check();
    if (!checked.ok())
        return;
    setBusy(true);
    setTone(m_result, Tone::Muted);
    m_result->setText(tr("Submitting…"));
    Q_EMIT submitWanted(checked.spec);
}

void SubmitDialog::sayOutOfReach()
{
    setTone(m_result, Tone::Waiting);
    m_result->setText(
        tr("ZooKeeper is out of reach. The job is submitted as soon as the connection is back, even if this "
           "window is closed."));
}

void SubmitDialog::succeed(const jobs::JobId &id)
{
    setBusy(false);
    setTone(m_result, Tone::Good);
    m_result->setText(tr("Submitted as %1: it will not be lost.").arg(id.toString()));
}

void SubmitDialog::fail(const QString &why)
{
    setBusy(false);
    setTone(m_result, Tone::Bad);
    m_result->setText(tr("Not submitted: %1").arg(text::printable(why)));
}

void SubmitDialog::setBusy(bool busy)
{
    m_submit->setEnabled(!busy);
}

} // namespace drover::gui
