#pragma once

#include "gui/feeds/job_actions.h"
#include "jobs/client/job_options.h"

#include <QPointer>

namespace drover::gui {

class ConsoleSession;
class Gateway;
class QueueHistory;
class SubmitDialog;

// Carries out what the user does to jobs. It opens the dialogs, sends requests to the session, and gives each answer to
// the dialog that waits for it. Lives on the thread of its window.
class JobDialogs final : public QObject
{
    Q_OBJECT

public:
    // Dialogs are children of the window and must be destroyed before this object; the arguments outlive it.
    JobDialogs(ConsoleSession &session, const QueueHistory &queues, const Gateway &gateway, QWidget *window);

    void submit();
    // Opens the dialog with what a job file says. Returns what is wrong with the file, or nothing.
    QString submitFile(const QString &path);
    // Submits jobs again. One job, or tasks of one array, open in the dialog first; several are submitted unchanged
    // once the user has confirmed.
    void repeat(const QList<jobs::JobId> &ended);
    void repeatFailed(const QList<jobs::JobId> &jobs); // what has failed of them, as repeat() does
    void setConnected(bool connected) { m_connected = connected; }
    void setTarget(const Target &target) { m_target = target; }
    // What the submit dialogs offer; they outlive this object.
    void setOptions(const jobs::JobOptions &options) { m_options = &options; }
    QString commandFor(const jobs::JobSpec &spec) const; // that submits such a job
    // Another cluster is shown now: answers about the former one open no dialog any more.
    void forget();

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);

    void submitWanted(int request, const drover::jobs::JobSpec &spec);
    void prepareWanted(int request, const drover::jobs::Resubmission &repeat);
    void failedWanted(int request, const QList<drover::jobs::JobId> &jobs);
    void repeatWanted(int request, const QList<drover::jobs::Resubmission> &repeats);

private:
    void wire(const JobActions &actions);
    SubmitDialog *newSubmit();
    void submitFrom(SubmitDialog *dialog, const jobs::JobSpec &spec);
    void prepare(const jobs::Resubmission &repeat);
    void show(const QList<Repeated> &outcomes);
    void confirm(const QList<jobs::Resubmission> &repeats); // and repeat them if the user agrees
    void answerFailure(int request, const QString &why);

    const QueueHistory &m_queues;
    const Gateway &m_gateway;
    QWidget *m_window;
    bool m_connected = false;
    Target m_target;
    const jobs::JobOptions *m_options = nullptr;
    std::map<int, QPointer<SubmitDialog>> m_submitting;
    std::map<int, QString> m_preparing; // which jobs
    std::map<int, qsizetype> m_repeating; // how many jobs
    int m_finding = 0; // the last request for what has failed
};

} // namespace drover::gui
