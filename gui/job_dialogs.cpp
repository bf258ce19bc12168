#include "gui/job_dialogs.h"

#include "gui/feeds/console_session.h"
#include "gui/text/format.h"
#include "gui/widgets/job_dialog.h"
#include "gui/widgets/submit_dialog.h"

namespace drover::gui {

using namespace std::chrono_literals;

namespace {

constexpr auto NewsTime = 8s;
constexpr auto TroubleTime = 15s;

} // namespace

JobDialogs::JobDialogs(ConsoleSession &session, QWidget *window) : m_window(window)
{
    connect(this, &JobDialogs::submitWanted, &session.actions(), &JobActions::submit);
    connect(this, &JobDialogs::cancelWanted, &session.actions(), &JobActions::cancel);
    connect(this, &JobDialogs::detailsWanted, &session.actions(), &JobActions::lookUp);
    connect(this, &JobDialogs::outputWanted, &session.output(), &OutputFeed::follow);
    connect(this, &JobDialogs::outputUnwanted, &session.output(), &OutputFeed::stop);
    wire(session.actions());
    wireOutput(session.output());
}

void JobDialogs::wire(const JobActions &actions)
{
    connect(&actions, &JobActions::submitted, this, [this](int request, const jobs::JobId &id) {
        if (const auto waiting = m_submitting.extract(request); waiting && waiting.mapped())
            waiting.mapped()->succeed(id);
        Q_EMIT said(tr("Submitted %1.").arg(id.toString()), NewsTime);
    });
    connect(&actions, &JobActions::cancelled, this, [this](int, const jobs::JobId &id, jobs::CancelResult result) {
        Q_EMIT said(cancelText(id, result), NewsTime);
    });
    connect(&actions, &JobActions::found, this, [this](int request, const jobs::JobView &job) {
        if (const auto waiting = m_lookingUp.extract(request); waiting && waiting.mapped())
            waiting.mapped()->show(job);
    });
    connect(&actions, &JobActions::failed, this, &JobDialogs::answerFailure);
}

void JobDialogs::wireOutput(const OutputFeed &feed)
{
    const auto dialogOf = [this](int request) {
        const auto found = m_following.find(request);
        return found == m_following.end() ? nullptr : found->second;
    };
    connect(&feed, &OutputFeed::grew, this, [=](int request, const QByteArray &output, const QByteArray &error) {
        if (JobDialog *const dialog = dialogOf(request))
            dialog->addOutput(output, error);
    });
    connect(&feed, &OutputFeed::interrupted, this, [=](int request, const QString &why) {
        if (JobDialog *const dialog = dialogOf(request))
            dialog->sayInterrupted(why);
    });
    connect(&feed, &OutputFeed::ended, this, [=](int request) {
        if (JobDialog *const dialog = dialogOf(request))
            Q_EMIT dialog->refreshWanted();
    });
}

void JobDialogs::submit(const QStringList &queues)
{
    auto *dialog = new SubmitDialog(queues, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SubmitDialog::submitWanted, this, [this, dialog](const jobs::JobSpec &spec) {
        m_submitting[++m_lastRequest] = dialog;
        Q_EMIT submitWanted(m_lastRequest, spec);
    });
    dialog->open();
}

void JobDialogs::cancel(const QList<jobs::JobId> &jobs)
{
    for (const jobs::JobId &job : jobs)
        Q_EMIT cancelWanted(++m_lastRequest, job);
}

void JobDialogs::openDetails(const jobs::JobId &job)
{
    auto *dialog = new JobDialog(job, m_window);
    const auto ask = [this, dialog] {
        m_lookingUp[++m_lastRequest] = dialog;
        Q_EMIT detailsWanted(m_lastRequest, dialog->id());
    };
    connect(dialog, &JobDialog::refreshWanted, this, ask);
    followOutput(dialog);
    dialog->QDialog::show();
    ask();
}

void JobDialogs::followOutput(JobDialog *dialog)
{
    const int request = ++m_lastRequest;
    m_following[request] = dialog;
    connect(dialog, &JobDialog::outputWanted, this, [this, dialog, request](int attempt, const QString &worker) {
        Q_EMIT outputWanted(request, dialog->id(), attempt, worker);
    });
    connect(dialog, &QObject::destroyed, this, [this, request] {
        m_following.erase(request);
        Q_EMIT outputUnwanted(request);
    });
}

void JobDialogs::answerFailure(int request, const QString &why)
{
    if (auto submitting = m_submitting.extract(request)) {
        if (submitting.mapped())
            submitting.mapped()->fail(why);
    } else if (auto lookingUp = m_lookingUp.extract(request)) {
        if (lookingUp.mapped())
            lookingUp.mapped()->fail(why);
    } else {
        Q_EMIT said(visibleText(why), TroubleTime);
    }
}

} // namespace drover::gui
