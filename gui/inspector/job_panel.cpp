#include "gui/inspector/job_panel.h"

#include "gui/inspector/array_tasks.h"
#include "gui/inspector/dependency_graph.h"
#include "gui/inspector/entity_facts.h"
#include "gui/inspector/fact_sheet.h"
#include "gui/inspector/job_output.h"
#include "gui/inspector/job_timeline.h"
#include "gui/models/job_model.h"
#include "gui/widgets/plain_text.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QLabel>
#include <QTabWidget>
#include <QVBoxLayout>

namespace drover::gui {

using jobs::FinalRecord;

namespace {

constexpr qsizetype MostWaiting = 128 * 1024; // bytes of each stream that wait to be shown
// Bytes of each stream that are laid out in one turn of the event loop: some 200 lines. All that waits at once is 3,000
// lines, over which the window would stand still.
constexpr qsizetype MostAtOnce = 16 * 1024;
constexpr qsizetype LittleOutput = 4 * 1024; // bytes that are shown at once
constexpr std::chrono::milliseconds Moment{100};
constexpr std::chrono::milliseconds NextTurn{20}; // while more waits

// The beginning of what waits, in whole lines where it has some.
QByteArray takeSome(QByteArray &waiting)
{
    const qsizetype line = waiting.lastIndexOf('\n', std::min(MostAtOnce, waiting.size()) - 1);
    const QByteArray some = waiting.left(waiting.size() <= MostAtOnce || line < 0 ? MostAtOnce : line + 1);
    waiting.remove(0, some.size());
    return some;
}

} // namespace

JobPanel::JobPanel(const jobs::JobId &id, const Sources &sources, QWidget *parent)
    : QWidget(parent), m_id(id), m_sources(sources), m_facts{tr("loading…"), Tone::Muted}, m_tabs(new QTabWidget),
      m_outputPage(new QWidget), m_graph(new DependencyGraph(id, sources.jobs)), m_timeline(new JobTimeline),
      m_sheet(new FactSheet), m_trouble(plainLabel()), m_outputTitle(plainLabel()), m_output(new JobOutput)
{
    layOut();
    m_moment.setSingleShot(true);
    connect(&m_moment, &QTimer::timeout, this, &JobPanel::flush);
    connect(m_sheet, &FactSheet::entityWanted, this, &JobPanel::entityWanted);
    connect(m_graph, &DependencyGraph::entityWanted, this, &JobPanel::entityWanted);
    connect(m_graph, &DependencyGraph::wanted, this, &JobPanel::graphWanted);
    connect(m_tabs, &QTabWidget::currentChanged, this, &JobPanel::askForWhole);
}

void JobPanel::layOut()
{
    for (QLabel *const label : {m_outputTitle, m_trouble}) {
        label->setForegroundRole(QPalette::PlaceholderText);
        label->setWordWrap(true);
    }
    m_trouble->setContentsMargins(14, 8, 14, 0);
    m_trouble->hide();
    m_sheet->setHead(m_timeline);
    auto *const written = new QVBoxLayout(m_outputPage);
    written->setContentsMargins(10, 8, 10, 10);
    written->addWidget(m_outputTitle);
    written->addWidget(m_output, 1);
    written->addStretch(0); // takes the room while there is no output
    m_tabs->addTab(m_sheet, tr("&Details"));
    m_tabs->addTab(m_outputPage, tr("&Output"));
    m_tabs->addTab(m_graph, tr("Depe&ndencies"));
    m_tabs->setDocumentMode(true);
    setFocusProxy(m_tabs);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_trouble);
    column->addWidget(m_tabs, 1);
}

std::optional<jobs::JobSpec> JobPanel::spec() const
{
    return m_job ? specOf(*m_job) : std::nullopt;
}

JobPanel::Tab JobPanel::shownTab() const
{
    const QWidget *const shown = m_tabs->currentWidget();
    return shown == m_outputPage ? Tab::Output : shown == m_graph ? Tab::Graph : Tab::Facts;
}

void JobPanel::showTab(Tab tab)
{
    m_tabs->setCurrentWidget(tab == Tab::Output      ? m_outputPage
                                 : tab == Tab::Graph ? static_cast<QWidget *>(m_graph)
                                                     : m_sheet);
}

void JobPanel::showGraph(const JobGraph &graph)
{
    m_graph->show(graph);
}

void JobPanel::sayGraphUnknown(const QString &why)
{
    m_graph->fail(why);
}

// Once it is known to be an array.
void JobPanel::showTasks()
{
    if (!isArray(*m_job))
        return;
    if (!m_tasks) {
        m_tasks = new ArrayTasks(m_id);
        m_tabs->insertTab(0, m_tasks, tr("Tas&ks"));
        if (shownTab() == Tab::Facts)
            m_tabs->setCurrentWidget(m_tasks);
        connect(m_tasks, &ArrayTasks::taskWanted, this, &JobPanel::taskWanted);
    }
    m_tasks->model().show(*m_job, *specOf(*m_job)->array, m_sources.jobs.snapshot().rows);
}

bool JobPanel::asksForUnsuccessful()
{
    if (!m_tasks || !m_tasks->model().wantsEnded())
        return false;
    m_tasks->model().noteAsked();
    return true;
}

void JobPanel::showUnsuccessful(const QList<JobRow> &tasks)
{
    if (m_tasks)
        m_tasks->showEnded(tasks);
}

void JobPanel::sayUnsuccessfulUnknown(const QString &why)
{
    if (m_tasks)
        m_tasks->fail(why);
}

void JobPanel::showJob(const jobs::JobView &job, const QStringList &why)
{
    m_job = job;
    m_why = why;
    m_trouble->hide();
    m_timeline->show(job, attemptsOf(job, m_sources.attempts.of(job.id)));
    refresh();
    if (job.claim && job.state == jobs::JobState::Running)
        showGrowing(*job.claim);
    else
        endOutput(job);
}

void JobPanel::refresh()
{
    m_graph->setStale(m_sources.session.phase != SessionStatus::Phase::Connected);
    if (!m_job)
        return;
    m_facts = jobFacts(m_sources, *m_job, m_why);
    m_sheet->show(m_facts);
    showTasks();
    Q_EMIT changed();
}

void JobPanel::readAgain()
{
    m_followed = 0;
    m_endShown = false;
    Q_EMIT refreshWanted();
}

// The job does not run now, or has ended.
void JobPanel::endOutput(const jobs::JobView &job)
{
    if (m_endShown && job.record)
        return; // it does not change any more, and the output that has come may be more than the record has
    const int followed = std::exchange(m_followed, 0);
    m_endShown = job.record.has_value();
    if (isArray(job))
        sayNoOutput(tr("Its tasks write the output. In a terminal: drover ls --all %1 lists them, and "
                       "drover logs %1.N shows what task N has written.")
                        .arg(m_id.toString()));
    else if (job.record)
        showEnd(*job.record, followed);
    else if (jobs::isFinal(job.state))
        sayNoOutput(tr("What it wrote is not known."));
    else
        sayNoOutput((job.attempts > 0 ? tr("The job is not running now. In a terminal: drover logs -f %1")
                                      : tr("The job has not begun. In a terminal: drover logs -f %1"))
                        .arg(m_id.toString()));
}

void JobPanel::sayNoOutput(const QString &why)
{
    m_outputTitle->setText(why);
    m_output->hide();
}

void JobPanel::showEnd(const FinalRecord &record, int followed)
{
    flush();
    const bool hasCome = !m_output->isEmpty();
    const bool isAllKept = record.tail.size() >= record.outputBytes;
    const bool isAllSeen = m_shown + m_pending.size() + m_pendingErrors.size() >= record.outputBytes
        && m_output->lineCount() < JobOutput::MaxLines;
    m_isFollowedShown = followed != 0 && followed == record.attempts.claimVersion && hasCome && !m_interrupted
        && (isAllSeen || !isAllKept); // it is more than the record holds
    m_isWholeWanted = !record.worker.isEmpty() && !isAllKept && !(m_isFollowedShown && isAllSeen);
    if (m_isFollowedShown) {
        m_outputTitle->setText(tr("Output (%1)").arg(text::formatSize(record.outputBytes)));
        return askForWhole();
    }
    QString title = record.outputBytes == 0
        ? tr("The job wrote no output.")
        : tr("End of the output (%1 of %2)")
              .arg(text::formatSize(record.tail.size()), text::formatSize(record.outputBytes));
    if (record.outputTruncated)
        title += tr("; more was written than is kept");
    m_outputTitle->setText(title);
    m_pending.clear();
    m_pendingErrors.clear();
    m_output->clear();
    m_output->add(QString::fromUtf8(record.tail));
    m_output->setVisible(!record.tail.isEmpty());
    askForWhole();
}

// Of a job that has ended its worker is asked once, and only if its output is looked at.
void JobPanel::askForWhole()
{
    if (!m_isWholeWanted || !isOutputShown() || !m_job || !m_job->record)
        return;
    m_isWholeWanted = false;
    sayRead(0);
    Q_EMIT wholeOutputWanted(*m_job->record);
}

void JobPanel::sayRead(qint64 bytes)
{
    if (m_endShown && m_job && m_job->record)
        m_outputTitle->setText(tr("Reading the output from its worker: %1 of %2")
                                   .arg(text::formatSize(bytes), text::formatSize(m_job->record->outputBytes)));
}

void JobPanel::showWhole(const std::shared_ptr<const OutputFile> &file)
{
    if (!m_endShown || !m_job || !m_job->record)
        return; // it runs again
    const FinalRecord &record = *m_job->record;
    const QString size = text::formatSize(record.outputBytes);
    m_outputTitle->setText(record.outputTruncated
                               ? tr("Output (%1; the worker keeps %2 of it)").arg(size, text::formatSize(file->size()))
                               : file->size() < record.outputBytes
                               ? tr("The last %2 of the output (%1)").arg(size, text::formatSize(file->size()))
                               : tr("Output (%1)").arg(size));
    m_pending.clear();
    m_pendingErrors.clear();
    m_output->setVisible(file->size() > 0);
    m_output->showWhole(file);
}

void JobPanel::sayNotRead(const QString &why)
{
    if (!m_endShown || !m_job || !m_job->record)
        return;
    const FinalRecord &record = *m_job->record;
    const QString size = text::formatSize(record.outputBytes);
    m_outputTitle->setText(m_isFollowedShown
                               ? tr("What was seen of the output (%1): %2").arg(size, text::printable(why))
                               : tr("The last %1 of %2, which the record keeps: %3")
                                     .arg(text::formatSize(record.tail.size()), size, text::printable(why)));
}

void JobPanel::showGrowing(const jobs::Claim &claim)
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
    m_shown = 0;
    m_isWholeWanted = false;
    m_output->show();
    m_fromOutput.resetState();
    m_fromError.resetState();
    sayGrowing();
    Q_EMIT outputWanted(claim.attempts.claimVersion, claim.worker);
}

void JobPanel::sayGrowing()
{
    m_outputTitle->setText(tr("Output as it comes; in a terminal: drover logs -f %1").arg(m_id.toString()));
}

void JobPanel::addOutput(const QByteArray &output, const QByteArray &error)
{
    if (m_followed == 0)
        return; // it was on its way when the job had ended
    m_interrupted = false;
    sayGrowing();
    m_pending += output;
    m_pendingErrors += error;
    for (QByteArray *const pending : {&m_pending, &m_pendingErrors}) {
        const qsizetype over = pending->size() - MostWaiting;
        if (over <= 0)
            continue;
        pending->remove(0, over);
        m_leftOut += over;
    }
    const bool little = m_pending.size() + m_pendingErrors.size() <= LittleOutput;
    if (!m_moment.isActive() || little)
        flush();
}

void JobPanel::flush()
{
    if (m_pending.isEmpty() && m_pendingErrors.isEmpty())
        return;
    QString text;
    if (const qint64 leftOut = std::exchange(m_leftOut, 0); leftOut > 0) {
        text = tr("\n(%1 are not shown here: the job writes too fast)\n").arg(text::formatSize(leftOut));
        m_fromOutput.resetState();
        m_fromError.resetState();
    }
    const qsizetype waiting = m_pending.size() + m_pendingErrors.size();
    text += QString(m_fromOutput(takeSome(m_pending)));
    text += QString(m_fromError(takeSome(m_pendingErrors)));
    m_shown += waiting - m_pending.size() - m_pendingErrors.size();
    m_output->add(text);
    m_moment.start(m_pending.isEmpty() && m_pendingErrors.isEmpty() ? Moment : NextTurn);
}

void JobPanel::sayInterrupted(const QString &why)
{
    m_interrupted = true;
    if (m_followed != 0)
        m_outputTitle->setText(tr("The output cannot be read at present: %1").arg(text::printable(why)));
}

void JobPanel::fail(const QString &why)
{
    m_trouble->setText(text::printable(why));
    m_trouble->show();
    if (m_job)
        return;
    m_facts.state = tr("not known");
    sayNoOutput(text::printable(why));
    Q_EMIT changed();
}

} // namespace drover::gui
