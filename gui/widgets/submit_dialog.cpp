#include "gui/widgets/submit_dialog.h"

#include "gui/text/shell_words.h"
#include "gui/text/write_file.h"
#include "gui/widgets/accessible_combo.h"
#include "gui/widgets/code_edit.h"
#include "gui/widgets/job_option_fields.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
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

} // namespace

SubmitDialog::SubmitDialog(const QStringList &queues, QWidget *parent, const jobs::JobOptions *options)
    : QDialog(parent), m_known(options), m_commandLine(plainLabel()),
      m_command(new CodeEdit(2, tr("wc -w /usr/share/common-licenses/GPL-3"))), m_argv(plainLabel()),
      m_rows(new QFormLayout), m_others(plainLabel()), m_name(new QLineEdit), m_comment(new QLineEdit),
      m_queue(new QComboBox), m_priority(new QSpinBox), m_timeLimit(new QLineEdit), m_directory(new QLineEdit),
      m_environment(new CodeEdit(3, tr("NAME=value, one a line; a job inherits nothing"))), m_result(plainLabel())
{
    m_commandLine->setParent(this); // also where no command line is shown
    m_commandLine->hide();
    setWindowTitle(tr("Submit job"));
    setMinimumWidth(fontMetrics().averageCharWidth() * 84);
    m_name->setPlaceholderText(tr("the program's name"));
    m_comment->setPlaceholderText(tr("none; one line for people"));
    m_queue->setEditable(true);
    m_queue->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
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

    auto *const fields = new QWidget;
    auto *const parts = new QVBoxLayout(fields);
    parts->setContentsMargins(0, 0, 8, 0);
    parts->addLayout(m_rows);
    if (m_known) {
        m_options = new JobOptionFields(*m_known, SubmitForm::ownOptions());
        connect(m_options, &JobOptionFields::changed, this, &SubmitDialog::check);
        parts->addWidget(m_options);
    }
    parts->addStretch(1);
    auto *const scroll = new QScrollArea;
    scroll->setWidget(fields);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus); // its fields have it
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto *buttons = new QDialogButtonBox;
    m_submit = buttons->addButton(tr("&Submit"), QDialogButtonBox::AcceptRole);
    m_submit->setDefault(true);
    QPushButton *close = buttons->addButton(QDialogButtonBox::Close);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 14);
    column->setSpacing(12);
    column->addWidget(scroll, 1);
    if (m_known) {
        addFileButtons(*buttons);
        column->addWidget(newCommandLine());
    }
    column->addWidget(m_result);
    column->addWidget(buttons);
    resize(minimumWidth(), fields->sizeHint().height() + (m_known ? 150 : 80));

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
    nameField(*title, *widget);
    m_rows->addRow(title, widget);
    m_rows->addRow(QString(), message);
}

// What the fields mean, for a terminal.
QWidget *SubmitDialog::newCommandLine()
{
    auto *const frame = new QWidget;
    auto *const row = new QHBoxLayout(frame);
    row->setContentsMargins(0, 0, 0, 0);
    m_commandLine->setObjectName(QStringLiteral("command-line"));
    m_commandLine->setFont(fixedFont());
    m_commandLine->setForegroundRole(QPalette::PlaceholderText);
    m_commandLine->setWordWrap(true);
    m_commandLine->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_commandLine->setToolTip(
        tr("The same as a command. In a terminal the job also gets the directory and some variables "
           "of that terminal, if it is not given others."));
    auto *const copy = new QPushButton(tr("C&opy"));
    copy->setAutoDefault(false);
    copy->setToolTip(tr("Copies the command"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_commandLine->property("command").toString()); });
    row->addWidget(m_commandLine, 1);
    m_commandLine->show();
    row->addWidget(copy, 0, Qt::AlignTop);
    return frame;
}

void SubmitDialog::addFileButtons(QDialogButtonBox &buttons)
{
    const std::pair<QString, std::function<void()>> actions[] = {{tr("Op&en…"), [this] { askForFile(false); }},
                                                                 {tr("Sa&ve…"), [this] { askForFile(true); }},
                                                                 {tr("Dry &run"), [this] { showDryRun(); }}};
    for (const auto &[title, act] : actions) {
        QPushButton *const button = buttons.addButton(title, QDialogButtonBox::ResetRole);
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, act);
    }
}

void SubmitDialog::askForFile(bool save)
{
    if (save && !isComplete())
        return;
    auto *const dialog = new QFileDialog(this, save ? tr("Save a job file") : tr("Open a job file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setNameFilters({save ? tr("Job files (*.json)") : tr("Job files (*.json *.toml)"), tr("All files (*)")});
    if (save) {
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setDefaultSuffix(QStringLiteral("job.json")); // which file managers open with the console
    }
    connect(dialog, &QFileDialog::fileSelected, this, [this, save](const QString &path) {
        const QString why = save ? saveFile(path) : openFile(path);
        setTone(m_result, why.isEmpty() ? Tone::Muted : Tone::Bad);
        m_result->setText(!why.isEmpty() ? text::printable(why)
                              : save     ? tr("Saved in %1.").arg(text::printable(path))
                                         : tr("Opened %1.").arg(text::printable(path)));
    });
    dialog->open();
}

QString SubmitDialog::readFile(const QString &path, const jobs::JobOptions &known, jobs::JobSpec &spec)
{
    constexpr qint64 MaxSize = 1024 * 1024; // read() refuses more
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return tr("Cannot read %1: %2").arg(path, file.errorString());
    return known.read(file.read(MaxSize + 1), path, spec);
}

QString SubmitDialog::openFile(const QString &path)
{
    jobs::JobSpec spec;
    const QString why = readFile(path, *m_known, spec);
    if (why.isEmpty())
        fill(SubmitForm::of(spec, m_known));
    return why;
}

QString SubmitDialog::saveFile(const QString &path)
{
    const QString why = writeFile(path, m_known->write(form().check().spec));
    return why.isEmpty() ? QString() : tr("Cannot write %1: %2").arg(path, why);
}

void SubmitDialog::showDryRun()
{
    if (!isComplete())
        return;
    QDialog *const dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("This would be submitted"));
    auto *const text = new QPlainTextEdit(text::printable(m_known->write(form().check().spec), text::LineEnds::Keep));
    text->setReadOnly(true);
    text->setFont(fixedFont());
    auto *const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto *const column = new QVBoxLayout(dialog);
    column->addWidget(text);
    column->addWidget(buttons);
    dialog->resize(fontMetrics().averageCharWidth() * 72, fontMetrics().lineSpacing() * 26);
    dialog->open();
}

void SubmitDialog::setTarget(const QStringList &words)
{
    m_target = words;
    check();
}

void SubmitDialog::repeat(const QString &job, const jobs::JobSpec &spec)
{
    setWindowTitle(tr("Submit %1 again").arg(job));
    fill(SubmitForm::of(spec, m_known));
}

void SubmitDialog::fill(const SubmitForm &form)
{
    m_base = form.base;
    m_command->setPlainText(form.command);
    m_name->setText(form.name);
    m_comment->setText(form.comment);
    m_queue->setCurrentText(form.queue);
    m_priority->setValue(form.priority);
    m_timeLimit->setText(form.timeLimit);
    m_directory->setText(form.directory);
    m_environment->setPlainText(form.environment);
    if (m_options)
        m_options->setTexts(form.options);
    m_commandShown = m_command->text();
    const QStringList others = m_options ? QStringList() : form.otherParts(); // they have fields
    m_others->setText(others.join(tr(", ")));
    m_rows->setRowVisible(m_others, !others.isEmpty());
    check();
}

SubmitForm SubmitDialog::form() const
{
    const QString command = m_command->text();
    const bool untouched = !m_base.command.isEmpty() && command == m_commandShown;
    return {untouched ? joinShellWords(m_base.command) : command,
            m_name->text(),
            m_comment->text(),
            m_queue->currentText(),
            m_priority->value(),
            m_timeLimit->text(),
            m_directory->text(),
            m_environment->text(),
            m_base,
            m_known,
            m_options ? m_options->texts() : JobOptionFields::Texts()};
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
    if (m_options)
        m_options->showErrors(checked.optionErrors);
    showCommandLine(checked);
}

void SubmitDialog::showCommandLine(const SubmitForm::Checked &checked)
{
    if (!m_known)
        return;
    QStringList words = SubmitForm::commandFor(checked.spec, *m_known);
    for (qsizetype i = 0; i < m_target.size(); ++i)
        words.insert(2 + i, m_target[i]); // after "drover submit"
    m_commandLine->setProperty("command", joinShellWords(words));
    const QString missing = checked.spec.command.isEmpty() ? QStringLiteral(" COMMAND") : QString();
    m_commandLine->setText(text::printable(joinShellWords(words)) + missing);
    setTone(m_result, Tone::Bad);
    m_result->setText(checked.objection.isEmpty() ? QString() : text::printable(checked.objection));
}

bool SubmitDialog::isComplete()
{
    for (const auto &[field, label] : m_messages)
        m_touched[field] = true;
    check();
    return form().check().ok();
}

void SubmitDialog::submit()
{
    if (!isComplete())
        return;
    setBusy(true);
    setTone(m_result, Tone::Muted);
    m_result->setText(tr("Submitting…"));
    Q_EMIT submitWanted(form().check().spec);
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
