#include "gui/workspace/job_details.h"

#include "gui/feeds/console_session.h"
#include "gui/inspector/job_panel.h"
#include "gui/models/job_model.h"

namespace drover::gui {

namespace {

constexpr std::chrono::milliseconds BetweenReasons{5000};

} // namespace

JobDetails::JobDetails(ConsoleSession &session, const JobModel &jobs, QObject *parent) : QObject(parent), m_jobs(jobs)
{
    connect(&jobs, &JobModel::shown, this, &JobDetails::lookWhereJobsChanged);
    connect(&m_again, &QTimer::timeout, this, &JobDetails::lookAgain);
    m_again.start(BetweenReasons);
    wire(session);
}

void JobDetails::wire(ConsoleSession &session)
{
    const JobActions *const actions = &session.actions();
    connect(this, &JobDetails::detailsWanted, &session.actions(), &JobActions::lookUp);
    connect(actions, &JobActions::found, this, [this](int request, const jobs::JobView &job, const QStringList &why) {
        if (JobPanel *const panel = withLookUp(request)) {
            m_panels[panel].mayChange = !m_panels[panel].row && !jobs::isFinal(job.state);
            panel->showJob(job, why);
            if (m_panels[panel].tasks == 0)
                askForTasks(panel);
            lookWhereJobsChanged();
        }
    });
    connect(this, &JobDetails::unsuccessfulWanted, &session.actions(), &JobActions::findUnsuccessful);
    connect(actions, &JobActions::unsuccessfulFound, this, [this](int request, const QList<JobRow> &tasks) {
        if (JobPanel *const panel = withTasks(request))
            panel->showUnsuccessful(tasks);
    });
    connect(actions, &JobActions::failed, this, [this](int request, const QString &why) {
        if (JobPanel *const panel = withTasks(request)) // it is tried again
            panel->sayUnsuccessfulUnknown(why);
    });
    connect(actions, &JobActions::failed, this, [this](int request, const QString &why) {
        if (JobPanel *const panel = withLookUp(request)) {
            m_panels[panel].mayChange = true; // it is tried again
            panel->fail(why);
        }
    });
    wireGraphs(session);
    wireOutput(session.output());
}

void JobDetails::wireGraphs(ConsoleSession &session)
{
    const JobActions *const actions = &session.actions();
    connect(this, &JobDetails::neighboursWanted, &session.actions(), &JobActions::findNeighbours);
    connect(actions, &JobActions::neighboursFound, this, [this](int request, const JobGraph &graph) {
        if (JobPanel *const panel = withGraph(request))
            panel->showGraph(graph);
    });
    connect(actions, &JobActions::failed, this, [this](int request, const QString &why) {
        if (JobPanel *const panel = withGraph(request))
            panel->sayGraphUnknown(why);
    });
}

void JobDetails::wireOutput(OutputFeed &feed)
{
    const OutputFeed *const output = &feed;
    connect(this, &JobDetails::outputWanted, &feed, &OutputFeed::follow);
    connect(this, &JobDetails::wholeOutputWanted, &feed, &OutputFeed::readWhole);
    connect(this, &JobDetails::outputUnwanted, &feed, &OutputFeed::stop);
    connect(output, &OutputFeed::readSoFar, this, [this](int request, qint64 bytes) {
        if (JobPanel *const panel = withOutput(request))
            panel->sayRead(bytes);
    });
    connect(output, &OutputFeed::wholeRead, this, [this](int request, const std::shared_ptr<const OutputFile> &file) {
        if (JobPanel *const panel = withOutput(request))
            panel->showWhole(file);
    });
    connect(output, &OutputFeed::wholeNotRead, this, [this](int request, const QString &why) {
        if (JobPanel *const panel = withOutput(request))
            panel->sayNotRead(why);
    });
    connect(output, &OutputFeed::grew, this, [this](int request, const QByteArray &text, const QByteArray &error) {
        if (JobPanel *const panel = withOutput(request))
            panel->addOutput(text, error);
    });
    connect(output, &OutputFeed::interrupted, this, [this](int request, const QString &why) {
        if (JobPanel *const panel = withOutput(request))
            panel->sayInterrupted(why);
    });
    connect(output, &OutputFeed::ended, this, [this](int request) {
        if (JobPanel *const panel = withOutput(request))
            look(panel);
    });
}

void JobDetails::open(JobPanel *panel)
{
    const int request = newRequest();
    m_panels[panel].output = request;
    connect(panel, &JobPanel::refreshWanted, this, [this, panel] { look(panel); });
    connect(panel, &JobPanel::outputWanted, this, [this, panel, request](int attempt, const QString &worker) {
        Q_EMIT outputWanted(request, panel->id(), attempt, worker);
    });
    connect(panel, &JobPanel::graphWanted, this, [this, panel] {
        m_panels[panel].graph = newRequest();
        Q_EMIT neighboursWanted(m_panels[panel].graph, panel->id());
    });
    connect(panel, &JobPanel::wholeOutputWanted, this,
            [this, request](const jobs::FinalRecord &record) { Q_EMIT wholeOutputWanted(request, record); });
    connect(panel, &QObject::destroyed, this, [this, panel, request] {
        m_panels.erase(panel);
        Q_EMIT outputUnwanted(request);
    });
    look(panel);
}

void JobDetails::look(JobPanel *panel)
{
    const JobRow *const row = m_jobs.find(panel->id());
    Panel &known = m_panels[panel];
    known.row = row ? std::optional(*row) : std::nullopt;
    known.lookUp = newRequest();
    Q_EMIT detailsWanted(known.lookUp, panel->id());
}

// One look-up at a time for each: what changes meanwhile is seen when it is answered.
void JobDetails::lookWhereJobsChanged()
{
    for (auto &[panel, known] : m_panels) {
        const JobRow *const row = m_jobs.find(panel->id());
        const bool same = row ? known.row == *row : !known.row;
        if (!same && known.lookUp == 0)
            look(panel);
    }
}

void JobDetails::lookAgain()
{
    for (auto &[panel, known] : m_panels) {
        askForTasks(panel);
        const bool waits = known.row && !jobs::isFinal(known.row->state) && known.row->state != jobs::JobState::Running;
        if ((waits || known.mayChange) && known.lookUp == 0)
            look(panel);
    }
}

void JobDetails::askForTasks(JobPanel *panel)
{
    Panel &known = m_panels[panel];
    if (known.isAsked || !panel->asksForUnsuccessful())
        return;
    known.isAsked = true;
    known.tasks = newRequest();
    Q_EMIT unsuccessfulWanted(known.tasks, panel->id());
}

// The request is answered with that.
JobPanel *JobDetails::withTasks(int request)
{
    for (auto &[panel, known] : m_panels) {
        if (known.isAsked && known.tasks == request) {
            known.isAsked = false;
            return panel;
        }
    }
    return nullptr;
}

JobPanel *JobDetails::withLookUp(int request)
{
    for (auto &[panel, known] : m_panels) {
        if (known.lookUp == request) {
            known.lookUp = 0;
            return panel;
        }
    }
    return nullptr;
}

JobPanel *JobDetails::withGraph(int request)
{
    for (auto &[panel, known] : m_panels) {
        if (known.graph == request) {
            known.graph = 0;
            return panel;
        }
    }
    return nullptr;
}

JobPanel *JobDetails::withOutput(int request) const
{
    for (const auto &[panel, known] : m_panels) {
        if (known.output == request)
            return panel;
    }
    return nullptr;
}

} // namespace drover::gui
