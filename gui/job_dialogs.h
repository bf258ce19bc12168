#pragma once

#include "gui/feeds/job_actions.h"

#include <QPointer>

class QWidget;

namespace drover::gui {

class ConsoleSession;
class JobDialog;
class OutputFeed;
class SubmitDialog;

// What the user does to jobs: opens the dialogs, asks the session, and gives each answer to the dialog that waits for
// it, or says it. Lives on the thread of its window.
class JobDialogs final : public QObject
{
    Q_OBJECT

public:
    // Dialogs are children of the window and are to be gone before this.
    JobDialogs(ConsoleSession &session, QWidget *window);

    void submit(const QStringList &queues);
    void cancel(const QList<jobs::JobId> &jobs);
    void openDetails(const jobs::JobId &job);

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);

    void submitWanted(int request, const drover::jobs::JobSpec &spec);
    void cancelWanted(int request, const drover::jobs::JobId &id);
    void detailsWanted(int request, const drover::jobs::JobId &id);
    void outputWanted(int request, const drover::jobs::JobId &id, int attempt, const QString &worker);
    void outputUnwanted(int request);

private:
    void wire(const JobActions &actions);
    void wireOutput(const OutputFeed &feed);
    void followOutput(JobDialog *dialog);
    void answerFailure(int request, const QString &why);

    QWidget *m_window;
    int m_lastRequest = 0;
    std::map<int, QPointer<SubmitDialog>> m_submitting;
    std::map<int, QPointer<JobDialog>> m_lookingUp;
    std::map<int, JobDialog *> m_following; // its output; until the dialog is gone
};

} // namespace drover::gui
