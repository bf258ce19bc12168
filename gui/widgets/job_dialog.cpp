#include "gui/widgets/job_dialog.h"

#include "gui/models/job_model.h"
#include "gui/models/submit_form.h"
#include "gui/text/format.h"
#include "gui/text/shell_words.h"
#include "gui/widgets/job_output.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace drover::gui {

using jobs::FinalRecord;

namespace {

constexpr qsizetype MaxAtATime = 128 * 1024; // bytes of each stream that are shown at a time
constexpr qsizetype LittleOutput = 4 * 1024; // bytes that are shown at once
constexpr std::chrono::milliseconds Moment{100};
constexpr int EnvironmentLines = 4; // that are seen without scrolling

QString outcomeText(const FinalRecord &record)
{
    switch (record.outcome) {
    case FinalRecord::Outcome::Exited:
        return JobDialog::tr("exited with code %1").arg(record.code);
    case FinalRecord::Outcome::Signalled:
        return JobDialog::tr("killed by signal %1").arg(record.signal);
    case FinalRecord::Outcome::TimedOut:
        return JobDialog::tr("ran over its time limit");
    case FinalRecord::Outcome::NotStarted:
        return JobDialog::tr("could not be started (code %1)").arg(record.code);
    case FinalRecord::Outcome::Cancelled:
        return JobDialog::tr("cancelled");
    case FinalRecord::Outcome::GaveUp:
        return JobDialog::tr("given up: every attempt was lost with its worker");
    case FinalRecord::Outcome::Refused:
        return JobDialog::tr("refused");
    case FinalRecord::Outcome::Malformed:
        return JobDialog::tr("its specification could not be read");
    }
    return {};
}

QString optionsOf(const jobs::JobSpec &spec)
{
    return SubmitForm::of(spec).otherParts().join(u", ");
}

// What was submitted, as far as the record has it.
std::optional<jobs::JobSpec> specOf(const FinalRecord &record)
{
    try {
        return record.jobToResubmit();
    } catch (const jobs::Malformed &) {
        return {}; // the rest of the record can be read
    }
}

bool isArray(const jobs::JobView &job)
{
    const std::optional<jobs::JobSpec> spec = job.spec || !job.record ? job.spec : specOf(*job.record);
    return spec && spec->array && !job.id.isTask();
}

} // namespace

JobDialog::JobDialog(const jobs::JobId &id, QWidget *parent)
    : QDialog(parent), m_id(id), m_dot(plainLabel()), m_state(plainLabel()), m_lines(new QFormLayout),
      m_outputTitle(plainLabel()), m_output(new JobOutput)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Job %1").arg(id.toString()));
    resize(fontMetrics().averageCharWidth() * 96, fontMetrics().lineSpacing() * 38);
    QFont title = m_state->font();
    title.setBold(true);
    title.setPointSizeF(title.pointSizeF() * 1.15);
    m_state->setFont(title);
    m_state->setText(tr("%1 — loading…").arg(id.toString()));
    m_lines->setVerticalSpacing(5);
    m_lines->setHorizontalSpacing(18);
    m_outputTitle->setForegroundRole(QPalette::PlaceholderText);
    m_outputTitle->setWordWrap(true);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    QPushButton *refresh = buttons->addButton(tr("&Refresh"), QDialogButtonBox::ActionRole);
    m_repeat = buttons->addButton(tr("&Submit again…"), QDialogButtonBox::ActionRole);
    m_repeat->hide();
    for (QPushButton *button : {refresh, m_repeat})
        button->setAutoDefault(false);
    auto *heading = new QHBoxLayout;
    heading->addWidget(m_dot);
    heading->addWidget(m_state, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(10);
    column->addLayout(heading);
    column->addLayout(m_lines);
    column->addWidget(m_outputTitle);
    column->addWidget(m_output, 1);
    column->addStretch(0); // takes the room while there is no output
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_repeat, &QPushButton::clicked, this, [this] {
        m_asked = true; // one answer at a time
        refuseRepeat(m_refusal);
        Q_EMIT repeatWanted();
    });
    connect(&m_second, &QTimer::timeout, this, &JobDialog::countOn);
    m_moment.setSingleShot(true);
    connect(&m_moment, &QTimer::timeout, this, &JobDialog::flush);
    m_second.start(std::chrono::seconds(1));
    connect(refresh, &QPushButton::clicked, this, [this] {
        m_followed = 0; // and its output anew
        m_endShown = false;
        Q_EMIT refreshWanted();
    });
}

void JobDialog::letRepeat()
{
    m_asked = false;
    refuseRepeat(m_refusal);
}

void JobDialog::refuseRepeat(const QString &why)
{
    m_refusal = why;
    m_repeat->setEnabled(!m_asked && m_refusal.isEmpty());
    m_repeat->setToolTip(plainToolTip(m_refusal));
}

// One name=value a line, of which a few are seen: a job that inherited them has dozens.
void JobDialog::addEnvironment(const jobs::Environment &environment)
{
    if (environment.empty())
        return;
    QStringList lines;
    for (const auto &[name, value] : environment)
        lines << text::printable(name + u'=' + value);
    auto *label = plainLabel(tr("Environment"));
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label->setForegroundRole(QPalette::PlaceholderText);
    auto *text = new QPlainTextEdit(lines.join(u'\n'));
    text->setReadOnly(true);
    text->setTabChangesFocus(true);
    text->setLineWrapMode(QPlainTextEdit::NoWrap);
    text->setAccessibleName(tr("Environment"));
    text->setFixedHeight(text->fontMetrics().lineSpacing() * std::min<int>(EnvironmentLines, int(lines.size())) + 14);
    m_lines->addRow(label, text);
}

void JobDialog::addInstant(const QString &name, std::chrono::milliseconds instant)
{
    if (QLabel *const line = addLine(name, formatInstantAndAge(instant.count())))
        m_ages.emplace_back(line, instant.count());
}

void JobDialog::countOn()
{
    for (const auto &[line, instant] : m_ages)
        line->setText(formatInstantAndAge(instant));
}

QLabel *JobDialog::addLine(const QString &name, const QString &value)
{
    if (value.isEmpty())
        return nullptr;
    auto *label = plainLabel(name);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label->setForegroundRole(QPalette::PlaceholderText);
    auto *text = plainLabel(text::printable(value, text::LineEnds::Keep));
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_lines->addRow(label, text);
    return text;
}

void JobDialog::show(const jobs::JobView &job, const QStringList &why)
{
    m_loaded = true;
    m_ages.clear();
    while (m_lines->rowCount() > 0)
        m_lines->removeRow(0);
    m_dot->setPixmap(dot(toneColor(jobStateTone(job.state), palette()), devicePixelRatioF()));
    m_state->setText(tr("%1 — %2", "job, state").arg(m_id.toString(), jobStateText(job.state)));
    addLine(tr("Malformed"), job.malformed);
    addLine(tr("Waits because"), why.join(u'\n'));
    if (job.progress)
        addLine(tr("Tasks"), job.progress->toString(job.spec->array->count()));
    if (job.spec)
        showSpec(*job.spec);
    if (job.record)
        showRecord(*job.record);
    if (job.claim)
        showClaim(job);
    if (job.attempts > 0 && job.state != jobs::JobState::Running && !isArray(job))
        addLine(tr("Attempts"), QString::number(job.attempts));
    if (job.spec)
        addEnvironment(job.spec->environment);
    showOutput(job);
    m_repeat->setVisible(job.record.has_value());
}

// A claimed job that waits for a lock does not run yet; another client may hold that lock for hours.
void JobDialog::showClaim(const jobs::JobView &job)
{
    const bool runs = job.state == jobs::JobState::Running;
    addLine(tr("Worker"), job.claim->worker);
    addLine(tr("Waits for"), job.claim->waits.isEmpty() && !runs ? tr("its turn there") : job.claim->waits);
    addInstant(runs ? tr("Running since") : tr("There since"), job.since);
    if (runs)
        addLine(tr("Attempt"),
                job.spec ? tr("%1 of %2").arg(job.claim->attempts.number()).arg(job.spec->maxAttempts)
                         : QString::number(job.claim->attempts.number()));
}

void JobDialog::showSpec(const jobs::JobSpec &spec)
{
    addLine(tr("Name"), spec.title());
    addLine(tr("Comment"), spec.comment);
    addLine(tr("Command"), joinShellWords(spec.command));
    addLine(tr("Queue"), tr("%1, priority %2").arg(QString::fromLatin1(spec.queue), QString::number(spec.priority)));
    addLine(tr("Options"), optionsOf(spec));
    addLine(tr("Directory"), spec.directory);
    addLine(tr("Time limit"), spec.timeLimit.count() == 0 ? QString() : text::formatDuration(spec.timeLimit));
    addInstant(tr("Submitted"), spec.submittedAt);
    addLine(tr("By"), spec.submitter);
}

void JobDialog::showRecord(const FinalRecord &record)
{
    const std::optional<jobs::JobSpec> spec = specOf(record);
    addLine(tr("Name"), record.name);
    addLine(tr("Comment"), spec ? spec->comment : QString());
    addLine(tr("Command"), joinShellWords(record.command));
    addLine(tr("Options"), spec ? optionsOf(*spec) : QString());
    addLine(tr("Outcome"), outcomeText(record));
    addLine(tr("Reason"), record.reason);
    addLine(tr("Worker"), record.worker);
    addLine(tr("By"), record.submitter);
    addLine(tr("Submitted"), formatInstant(record.submittedAt.count()));
    if (record.startedAt.count() != 0)
        addLine(tr("Ran"),
                tr("%1, for %2")
                    .arg(formatInstant(record.startedAt.count()),
                         text::formatDuration(record.finishedAt - record.startedAt)));
    if (record.peakMemory > 0)
        addLine(tr("Used"),
                tr("%1 of CPU time, %2 of memory at most")
                    .arg(text::formatDuration(record.cpuTime), text::formatSize(record.peakMemory)));
}

void JobDialog::showOutput(const jobs::JobView &job)
{
    if (job.claim && job.state == jobs::JobState::Running) {
        showGrowing(*job.claim);
        return;
    }
    if (m_endShown && job.record)
        return; // it does not change any more, and the output that has come may be more than the record has
    const int followed = std::exchange(m_followed, 0);
    m_endShown = job.record.has_value();
    if (isArray(job)) {
        m_outputTitle->setText(tr("Its tasks write the output. In a terminal: drover ls --all %1 lists them, and "
                                  "drover logs %1.N shows what task N has written.")
                                   .arg(m_id.toString()));
        m_output->hide();
        return;
    }
    if (!job.record && jobs::isFinal(job.state)) {
        m_outputTitle->setText(tr("What it wrote is not known."));
        m_output->hide();
        return;
    }
    if (!job.record) {
        m_outputTitle->setText((job.attempts > 0 ? tr("The job is not running now. In a terminal: drover logs -f %1")
                                                 : tr("The job has not begun. In a terminal: drover logs -f %1"))
                                   .arg(m_id.toString()));
        m_output->hide();
        return;
    }
    const FinalRecord &record = *job.record;
    flush();
    const bool hasCome = !m_output->isEmpty();
    if (followed != 0 && followed == record.attempts.claimVersion && hasCome
        && !m_interrupted) { // more than the record holds
        m_outputTitle->setText(tr("Output (%1)").arg(text::formatSize(record.outputBytes)));
        return;
    }
    QString title = record.outputBytes == 0
        ? tr("The job wrote no output.")
        : tr("End of the output (%1 of %2)")
              .arg(text::formatSize(record.tail.size()), text::formatSize(record.outputBytes));
    if (record.outputTruncated)
        title += tr("; more was written than is kept");
    m_outputTitle->setText(title);
    m_output->clear();
    m_output->add(QString::fromUtf8(record.tail));
    m_output->setVisible(!record.tail.isEmpty());
}

void JobDialog::showGrowing(const jobs::Claim &claim)
{
    if (m_followed == claim.attempts.claimVersion)
        return;
    m_followed = claim.attempts.claimVersion;
    m_endShown = false;
    m_interrupted = false;
    m_output->clear();
    m_pending.clear();
    m_pendingErrors.clear();
    m_leftOut = 0;
    m_output->show();
    m_fromOutput.resetState();
    m_fromError.resetState();
    sayGrowing();
    Q_EMIT outputWanted(claim.attempts.claimVersion, claim.worker);
}

void JobDialog::sayGrowing()
{
    m_outputTitle->setText(tr("Output as it comes; in a terminal: drover logs -f %1").arg(m_id.toString()));
}

void JobDialog::addOutput(const QByteArray &output, const QByteArray &error)
{
    if (m_followed == 0)
        return; // it was on its way when the job had ended
    m_interrupted = false;
    sayGrowing();
    m_pending += output;
    m_pendingErrors += error;
    for (QByteArray *const pending : {&m_pending, &m_pendingErrors}) {
        const qsizetype over = pending->size() - MaxAtATime;
        if (over <= 0)
            continue;
        pending->remove(0, over);
        m_leftOut += over;
    }
    const bool little = m_pending.size() + m_pendingErrors.size() <= LittleOutput;
    if (!m_moment.isActive() || little)
        flush();
}

void JobDialog::flush()
{
    if (m_pending.isEmpty() && m_pendingErrors.isEmpty())
        return;
    QString text;
    if (const qint64 leftOut = std::exchange(m_leftOut, 0); leftOut > 0) {
        text = tr("\n(%1 are not shown here: the job writes too fast)\n").arg(text::formatSize(leftOut));
        m_fromOutput.resetState();
        m_fromError.resetState();
    }
    text += QString(m_fromOutput(std::exchange(m_pending, {})));
    text += QString(m_fromError(std::exchange(m_pendingErrors, {})));
    m_output->add(text);
    m_moment.start(Moment);
}

void JobDialog::sayInterrupted(const QString &why)
{
    m_interrupted = true;
    if (m_followed != 0)
        m_outputTitle->setText(tr("The output cannot be read at present: %1").arg(text::printable(why)));
}

void JobDialog::fail(const QString &why)
{
    m_outputTitle->setText(text::printable(why));
    if (m_loaded)
        return;
    m_state->setText(m_id.toString());
    m_output->hide();
}

} // namespace drover::gui
