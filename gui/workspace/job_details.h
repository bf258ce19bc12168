#pragma once

#include "gui/data/snapshots.h"
#include "jobs/client/job_lookup.h"

#include <QObject>
#include <QTimer>

#include <map>

namespace drover::gui {

class ConsoleSession;
class JobModel;
class JobPanel;
class OutputFeed;

// Gives each panel that shows a job what it shows. The job is looked up again when its row in the table changes, and
// every few seconds while it waits; its output is followed. Of an array the tasks that had no success are looked for
// when there are more, every few seconds at most. The graph of dependencies is asked for when the panel wants it. Lives
// on the thread of its window.
class JobDetails final : public QObject
{
    Q_OBJECT

public:
    // Both outlive it.
    JobDetails(ConsoleSession &session, const JobModel &jobs, QObject *parent);

    void open(JobPanel *panel); // until the panel is destroyed

Q_SIGNALS:
    void detailsWanted(int request, const drover::jobs::JobId &id);
    void unsuccessfulWanted(int request, const drover::jobs::JobId &array);
    void neighboursWanted(int request, const drover::jobs::JobId &id);
    void outputWanted(int request, const drover::jobs::JobId &id, int attempt, const QString &worker);
    void wholeOutputWanted(int request, const drover::jobs::FinalRecord &record);
    void outputUnwanted(int request);

private:
    struct Panel {
        std::optional<JobRow> row; // at the last look-up, if the table showed it
        int lookUp = 0; // the request under way; 0: none
        bool mayChange = true; // the last look-up has failed, or found a job without a row that has not ended
        int output = 0; // the request
        int tasks = 0; // the latest request for those without success; 0: none yet
        bool isAsked = false; // that request is under way
        int graph = 0; // the request under way for those before and after it; 0: none
    };

    void wire(ConsoleSession &session);
    void wireGraphs(ConsoleSession &session);
    void wireOutput(OutputFeed &feed);
    void look(JobPanel *panel);
    void lookWhereJobsChanged();
    void askForTasks(JobPanel *panel);
    void lookAgain(); // at jobs whose reason or state may change without a change of their row
    JobPanel *withTasks(int request);
    JobPanel *withLookUp(int request);
    JobPanel *withGraph(int request);
    JobPanel *withOutput(int request) const;

    const JobModel &m_jobs;
    std::map<JobPanel *, Panel> m_panels;
    QTimer m_again; // the reasons of a job that waits change although the job does not
};

} // namespace drover::gui
