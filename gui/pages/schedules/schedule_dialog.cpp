#include "gui/pages/schedules/schedule_dialog.h"

#include "gui/widgets/accessible_combo.h"
#include "gui/widgets/code_edit.h"
#include "gui/widgets/job_option_fields.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QComboBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSpinBox>
#include <QTimeZone>
#include <QVBoxLayout>

namespace drover::gui {

using CatchUp = jobs::ScheduleEntry::CatchUp;
using Overlap = jobs::ScheduleEntry::Overlap;

ScheduleDialog::ScheduleDialog(const QStringList &queues, QWidget *parent, const jobs::JobOptions *options)
    : QDialog(parent), m_name(new QLineEdit), m_when(new QLineEdit), m_zone(new QComboBox), m_catchUp(new QComboBox),
      m_overlap(new QComboBox), m_next(plainLabel()), m_command(new QLineEdit), m_jobName(new QLineEdit),
      m_comment(new QLineEdit), m_queue(new QComboBox), m_priority(new QSpinBox), m_timeLimit(new QLineEdit),
      m_directory(new QLineEdit), m_environment(new CodeEdit(3, tr("NAME=value, one a line; a job inherits nothing"))),
      m_options(options ? new JobOptionFields(*options, ScheduleForm::withoutField()) : nullptr),
      m_others(plainLabel()), m_message(plainLabel()), m_rows(new QFormLayout)
{
    m_job.known = options;
    setWindowTitle(tr("Add a schedule"));
    setMinimumWidth(fontMetrics().averageCharWidth() * 84);
    m_when->setPlaceholderText(tr("minute hour day month weekday: 0 3 * * MON-FRI; or @daily, @every 10m"));
    m_zone->setEditable(true);
    m_zone->addItem(QStringLiteral("UTC"));
    const QList<QByteArray> zones = QTimeZone::availableTimeZoneIds();
    for (const QByteArray &zone : zones)
        m_zone->addItem(QString::fromUtf8(zone));
    m_catchUp->addItem(tr("run the last of them, however late"), int(CatchUp::One));
    m_catchUp->addItem(tr("run none of them"), int(CatchUp::None));
    m_catchUp->addItem(tr("run all of them, the last 100 at most"), int(CatchUp::All));
    m_overlap->addItem(tr("both run"), int(Overlap::Allow));
    m_overlap->addItem(tr("the new one is skipped"), int(Overlap::Skip));
    m_overlap->addItem(tr("the new one replaces it"), int(Overlap::Replace));
    m_queue->setEditable(true);
    m_queue->addItems(queues.isEmpty() ? QStringList{QStringLiteral("default")} : queues);
    m_priority->setRange(0, jobs::JobSpec::MaxPriority);
    m_priority->setValue(m_job.priority);
    for (QComboBox *const field : {m_zone, m_catchUp, m_overlap, m_queue})
        field->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); // as wide as the other fields
    m_comment->setPlaceholderText(tr("none; one line for people"));
    m_command->setFont(fixedFont());
    m_when->setFont(fixedFont());
    m_timeLimit->setPlaceholderText(tr("none; or 90s, 15m, 2h"));
    m_jobName->setPlaceholderText(tr("the program's name"));
    m_directory->setPlaceholderText(tr("a directory of the job's own"));
    for (QLabel *const label : {m_next, m_others, m_message})
        label->setWordWrap(true);
    layOut();
    for (QLineEdit *const field : {m_name, m_when, m_command, m_jobName, m_comment, m_timeLimit, m_directory})
        connect(field, &QLineEdit::textChanged, this, &ScheduleDialog::check);
    for (QComboBox *const field : {m_zone, m_catchUp, m_overlap, m_queue})
        connect(field, &QComboBox::currentTextChanged, this, &ScheduleDialog::check);
    connect(m_environment, &CodeEdit::textChanged, this, &ScheduleDialog::check);
    if (m_options)
        connect(m_options, &JobOptionFields::changed, this, &ScheduleDialog::check);
    check();
}

void ScheduleDialog::layOut()
{
    QWidget *const fields = newFields();
    auto *const scroll = new QScrollArea;
    scroll->setWidget(fields);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus); // its fields have it
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *const buttons = new QDialogButtonBox;
    m_send = buttons->addButton(tr("&Add"), QDialogButtonBox::AcceptRole);
    m_send->setDefault(true);
    connect(m_send, &QPushButton::clicked, this, &ScheduleDialog::send);
    connect(buttons->addButton(QDialogButtonBox::Cancel), &QPushButton::clicked, this, &QDialog::reject);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 14);
    column->setSpacing(12);
    column->addWidget(scroll, 1);
    column->addWidget(m_message);
    column->addWidget(buttons);
    constexpr int Around = 110; // the message, the buttons and the margins; pixels
    constexpr int Left = 80; // for the frame of the window and the bars of a desktop; pixels
    const int most = screen()->availableGeometry().height() - Left;
    resize(minimumWidth(), std::min(fields->sizeHint().height() + Around, most));
}

QWidget *ScheduleDialog::newFields()
{
    m_rows->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    m_rows->setVerticalSpacing(8);
    m_rows->setHorizontalSpacing(14);
    addRow(tr("&Schedule"), m_name);
    addRow(tr("&When"), m_when);
    addRow(tr("&Zone"), m_zone);
    addRow(tr("Runs"), m_next);
    addRow(tr("If &missed"), m_catchUp);
    addRow(tr("If the last still &runs"), m_overlap);
    addRow(tr("&Command"), m_command);
    addRow(tr("&Name"), m_jobName);
    addRow(tr("C&omment"), m_comment);
    addRow(tr("&Queue"), m_queue);
    addRow(tr("&Priority"), m_priority);
    addRow(tr("&Time limit"), m_timeLimit);
    addRow(tr("&Directory"), m_directory);
    addRow(tr("&Environment"), m_environment);
    addRow(tr("As before"), m_others);
    m_rows->setRowVisible(m_others, false);
    auto *const fields = new QWidget;
    auto *const column = new QVBoxLayout(fields);
    column->setContentsMargins(0, 0, 8, 0);
    column->addLayout(m_rows);
    if (m_options)
        column->addWidget(m_options);
    column->addStretch(1);
    return fields;
}

void ScheduleDialog::addRow(const QString &label, QWidget *widget)
{
    QLabel *const title = plainLabel(label);
    nameField(*title, *widget);
    m_rows->addRow(title, widget);
}

void ScheduleDialog::edit(const jobs::StoredSchedule &stored)
{
    const ScheduleForm form = ScheduleForm::of(stored, m_job.known);
    m_replaces = true;
    m_job = form.job;
    setWindowTitle(tr("Change schedule %1").arg(text::printable(form.name)));
    m_send->setText(tr("&Change"));
    m_name->setText(form.name);
    m_name->setReadOnly(true);
    m_when->setText(form.when);
    m_zone->setCurrentText(form.zone);
    m_catchUp->setCurrentIndex(m_catchUp->findData(int(form.catchUp)));
    m_overlap->setCurrentIndex(m_overlap->findData(int(form.overlap)));
    m_command->setText(form.job.command);
    m_jobName->setText(form.job.name);
    m_comment->setText(form.job.comment);
    m_queue->setCurrentText(form.job.queue);
    m_priority->setValue(form.job.priority);
    m_timeLimit->setText(form.job.timeLimit);
    m_directory->setText(form.job.directory);
    m_environment->setPlainText(form.job.environment);
    QStringList others = form.job.otherParts();
    if (m_options) {
        m_options->setTexts(form.job.options);
        others.clear();
        for (const auto &[option, text] : kept())
            others << text::printable(option + u' ' + text);
    }
    m_others->setText(others.join(QStringLiteral("; ")));
    m_rows->setRowVisible(m_others, !m_others->text().isEmpty());
    check();
}

ScheduleForm ScheduleDialog::form() const
{
    ScheduleForm form;
    form.name = m_name->text();
    form.when = m_when->text().simplified();
    form.zone = m_zone->currentText().trimmed();
    form.catchUp = CatchUp(m_catchUp->currentData().toInt());
    form.overlap = Overlap(m_overlap->currentData().toInt());
    form.job = m_job;
    form.job.command = m_command->text();
    form.job.name = m_jobName->text();
    form.job.comment = m_comment->text();
    form.job.queue = m_queue->currentText();
    form.job.priority = m_priority->value();
    form.job.timeLimit = m_timeLimit->text();
    form.job.directory = m_directory->text();
    form.job.environment = m_environment->text();
    if (m_options) {
        form.job.options = m_options->texts();
        form.job.options.merge(kept());
    }
    return form;
}

// The options that the job had before and that have no field.
std::map<QString, QString> ScheduleDialog::kept() const
{
    std::map<QString, QString> options = m_job.options;
    std::erase_if(options, [](const auto &option) { return !ScheduleForm::withoutField().contains(option.first); });
    return options;
}

void ScheduleDialog::check()
{
    const std::chrono::milliseconds now(QDateTime::currentMSecsSinceEpoch());
    const ScheduleForm::Checked checked = form().check(now);
    m_next->setText(checked.next.isEmpty() ? tr("–") : checked.next.join(u'\n'));
    m_send->setEnabled(checked.entry.has_value());
    if (m_options)
        m_options->showErrors(checked.optionErrors);
    say(firstFault(checked), true);
}

// Of a field that has been filled in. An option says what is wrong with it, too, but may be out of sight.
QString ScheduleDialog::firstFault(const ScheduleForm::Checked &checked) const
{
    const std::pair<Field, QString> filled[] = {{Field::Name, m_name->text()},
                                                {Field::When, m_when->text()},
                                                {Field::Zone, m_zone->currentText()},
                                                {Field::Overlap, m_overlap->currentText()},
                                                {Field::Job, m_command->text()}};
    for (const auto &[field, text] : filled) {
        const auto error = checked.errors.find(field);
        if (error != checked.errors.end() && !text.isEmpty())
            return error->second;
    }
    if (!checked.optionErrors.empty())
        return tr("The option %1 is not right yet.").arg(checked.optionErrors.begin()->first);
    return text::printable(checked.objection);
}

void ScheduleDialog::send()
{
    const std::chrono::milliseconds now(QDateTime::currentMSecsSinceEpoch());
    const ScheduleForm asked = form();
    const ScheduleForm::Checked checked = asked.check(now);
    if (!checked.entry)
        return;
    m_send->setEnabled(false);
    say(tr("Waiting for the cluster…"), false);
    Q_EMIT wanted(asked.name.toUtf8(), *checked.entry, m_replaces);
}

void ScheduleDialog::fail(const QString &why)
{
    m_send->setEnabled(true);
    say(text::printable(why), true);
}

void ScheduleDialog::say(const QString &text, bool isBad)
{
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, isBad ? toneColor(Tone::Bad, colors) : mutedText(colors));
    m_message->setPalette(colors);
    m_message->setText(text);
}

} // namespace drover::gui
