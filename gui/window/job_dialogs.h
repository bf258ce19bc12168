#pragma once

#include "gui/feeds/job_actions.h"
#include "jobs/client/job_options.h"

#include <QPointer>
#include <QTimer>

namespace drover::gui {

class ConsoleSession;
class Gateway;
class JobDialog;
class JobModel;
class OutputFeed;
class QueueHistory;
class SubmitDialog;

// Carries out what the user does to jobs. It opens the dialogs, sends requests to the session, and gives each answer to
// the dialog that waits for it. Lives on the thread of its window.
class JobDialogs final : public QObject
{
    Q_OBJECT

public:
    // Dialogs are children of the window and must be destroyed before this object; the arguments outlive it.
    JobDialogs(ConsoleSession &session, const JobModel &jobs, const QueueHistory &queues, const Gateway &gateway,
               QWidget *window);

    void submit();
    // Submits jobs again. One job, or tasks of one array, open in the dialog first; several are submitted unchanged
    // once the user has confirmed.
    void repeat(const QList<jobs::JobId> &ended);
    void openDetails(const jobs::JobId &job);
    void setConnected(bool connected) { m_connected = connected; }
    void setTarget(const Target &target) { m_target = target; }
    // What the submit dialogs offer; they outlive this object.
    void setOptions(const jobs::JobOptions &options) { m_options = &options; }
    // Another cluster is shown now: answers about the former one open no dialog any more.
    void forget();

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);

    void submitWanted(int request, const drover::jobs::JobSpec &spec);
    void prepareWanted(int request, const drover::jobs::Resubmission &repeat);
    void repeatWanted(int request, const QList<drover::jobs::Resubmission> &repeats);
    void detailsWanted(int request, const drover::jobs::JobId &id);
    void outputWanted(int request, const drover::jobs::JobId &id, int attempt, const QString &worker);
    void outputUnwanted(int request);

private:
    void wire(const JobActions &actions);
    void wireOutput(const OutputFeed &feed);
    SubmitDialog *newSubmit();
    void submitFrom(SubmitDialog *dialog, const jobs::JobSpec &spec);
    void prepare(const jobs::Resubmission &repeat, QWidget *asker);
    void show(const QList<Repeated> &outcomes);
    bool confirmsRepeat(qsizetype count);
    void followOutput(JobDialog *dialog);
    void look(JobDialog *dialog);
    void lookWhereJobsChanged();
    void lookAtThoseThatWait();
    void answerLookUp(JobDialog *dialog);
    void answerFailure(int request, const QString &why);

    // The details of one job. They are looked up again when its row in the table changes.
    struct Details {
        std::optional<JobRow> row; // at the last look-up, if the table showed it
        bool underWay = false; // a look-up
    };

    const JobModel &m_jobs;
    const QueueHistory &m_queues;
    const Gateway &m_gateway;
    QWidget *m_window;
    bool m_connected = false;
    Target m_target;
    const jobs::JobOptions *m_options = nullptr;
    int m_lastRequest = 0;
    std::map<int, QPointer<SubmitDialog>> m_submitting;
    struct Preparing {
        QString job;
        QPointer<QWidget> asker; // the window, or the details of that job
    };
    std::map<int, Preparing> m_preparing;
    std::map<int, qsizetype> m_repeating; // how many jobs
    std::map<int, QPointer<JobDialog>> m_lookingUp;
    std::map<JobDialog *, Details> m_details; // until the dialog is gone
    QTimer m_again; // the reasons of a job that waits change although the job does not
    std::map<int, JobDialog *> m_following; // its output; until the dialog is gone
};

} // namespace drover::gui
