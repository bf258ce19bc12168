#include "gui/window/job_dialogs.h"

#include "gui/feeds/console_session.h"
#include "gui/models/job_model.h"
#include "gui/models/queue_history.h"
#include "gui/shell/gateway.h"
#include "gui/widgets/job_dialog.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/submit_dialog.h"
#include "text/printable.h"

#include <QMessageBox>
#include <QPushButton>

#include <set>

namespace drover::gui {

using namespace std::chrono_literals;

namespace {

constexpr auto NewsTime = 8s;
constexpr auto TroubleTime = 15s;
constexpr std::chrono::milliseconds BetweenReasons = 5s;

void letAskAgain(QWidget *asker)
{
    if (auto *const details = qobject_cast<JobDialog *>(asker))
        details->letRepeat();
}

// The oldest of each queue first, whatever the order in which they were selected.
QList<jobs::Resubmission> repeatsOf(const QList<jobs::JobId> &ended)
{
    const std::set<jobs::JobId> ids(ended.begin(), ended.end());
    jobs::ResubmitSelection choice;
    for (const jobs::JobId &id : ids)
        choice.add(id);
    const std::vector<jobs::Resubmission> repeats = choice.all();
    return {repeats.begin(), repeats.end()};
}

} // namespace

JobDialogs::JobDialogs(ConsoleSession &session, const JobModel &jobs, const QueueHistory &queues,
                       const Gateway &gateway, QWidget *window)
    : m_jobs(jobs), m_queues(queues), m_gateway(gateway), m_window(window)
{
    connect(&jobs, &JobModel::shown, this, &JobDialogs::lookWhereJobsChanged);
    connect(&m_again, &QTimer::timeout, this, &JobDialogs::lookAtThoseThatWait);
    m_again.start(BetweenReasons);
    connect(this, &JobDialogs::submitWanted, &session.actions(), &JobActions::submit);
    connect(this, &JobDialogs::prepareWanted, &session.actions(), &JobActions::prepare);
    connect(this, &JobDialogs::repeatWanted, &session.actions(), &JobActions::repeat);
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
    connect(&actions, &JobActions::prepared, this, [this](int request, const jobs::JobSpec &spec) {
        const auto preparing = m_preparing.extract(request);
        if (!preparing || !preparing.mapped().asker)
            return;
        letAskAgain(preparing.mapped().asker);
        SubmitDialog *const dialog = newSubmit();
        dialog->repeat(preparing.mapped().job, spec);
        dialog->open();
    });
    connect(&actions, &JobActions::repeated, this, [this](int request, const QList<Repeated> &outcomes) {
        m_repeating.erase(request);
        show(outcomes);
    });
    connect(&actions, &JobActions::found, this, [this](int request, const jobs::JobView &job, const QStringList &why) {
        if (const auto waiting = m_lookingUp.extract(request); waiting && waiting.mapped()) {
            waiting.mapped()->show(job, why);
            answerLookUp(waiting.mapped());
        }
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

SubmitDialog *JobDialogs::newSubmit()
{
    QStringList queues;
    for (const auto &[queue, depths] : m_queues.series())
        queues.append(QString::fromUtf8(queue));
    auto *dialog = new SubmitDialog(queues, m_window, m_options);
    dialog->setTarget({QStringLiteral("--connect"), m_target.connect, QStringLiteral("--cluster"),
                       QString::fromUtf8(m_target.cluster)});
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SubmitDialog::submitWanted, this,
            [this, dialog](const jobs::JobSpec &spec) { submitFrom(dialog, spec); });
    return dialog;
}

// Editing may have been switched off since the dialog was opened.
void JobDialogs::submitFrom(SubmitDialog *dialog, const jobs::JobSpec &spec)
{
    if (!m_connected)
        return dialog->fail(
            tr("there is no connection to ZooKeeper now. Wait until the line at the bottom of the window "
               "says Connected, or press Connect, and submit then."));
    const QString refusal = m_gateway.refusal(Gateway::toSubmit());
    if (!refusal.isEmpty())
        return dialog->fail(refusal);
    m_submitting[++m_lastRequest] = dialog;
    Q_EMIT submitWanted(m_lastRequest, spec);
}

void JobDialogs::submit()
{
    newSubmit()->open();
}

void JobDialogs::repeat(const QList<jobs::JobId> &ended)
{
    const QList<jobs::Resubmission> repeats = repeatsOf(ended);
    if (repeats.size() == 1) {
        prepare(repeats.front(), m_window);
    } else if (confirmsRepeat(repeats.size()) && m_gateway.allows(Gateway::toSubmit())) {
        m_repeating[++m_lastRequest] = repeats.size();
        Q_EMIT repeatWanted(m_lastRequest, repeats);
    }
}

void JobDialogs::prepare(const jobs::Resubmission &repeat, QWidget *asker)
{
    std::erase_if(m_preparing, [&](const auto &entry) { return entry.second.asker == asker; }); // the last one counts
    m_preparing[++m_lastRequest] = {repeat.toString(), asker};
    Q_EMIT prepareWanted(m_lastRequest, repeat);
}

void JobDialogs::show(const QList<Repeated> &outcomes)
{
    QStringList reasons;
    for (const Repeated &outcome : outcomes) {
        const QString id = outcome.repeat.id.toString();
        if (!outcome.made)
            reasons << (outcome.why.contains(id) ? outcome.why : tr("%1: %2").arg(id, outcome.why));
    }
    const qsizetype count = outcomes.size();
    Q_EMIT said(tr("Submitted again: %1 of %2 jobs.").arg(count - reasons.size()).arg(count), NewsTime);
    if (!reasons.isEmpty())
        complain(m_window, tr("Submit again"), tr("Not submitted again: %1 of %2 jobs.").arg(reasons.size()).arg(count),
                 reasons);
}

bool JobDialogs::confirmsRepeat(qsizetype count)
{
    QMessageBox box(QMessageBox::Question, tr("Submit jobs again"), {}, QMessageBox::Cancel, m_window);
    box.setText(tr("Submit %1 jobs again?").arg(count));
    box.setInformativeText(tr("Each becomes a new job, as it was. Tasks of an array become one array."));
    showPlainly(box);
    QPushButton *yes = box.addButton(tr("Submit the jobs"), QMessageBox::AcceptRole);
    box.setDefaultButton(yes);
    box.exec();
    return box.clickedButton() == yes;
}

void JobDialogs::forget()
{
    m_preparing.clear();
    m_repeating.clear();
}

void JobDialogs::openDetails(const jobs::JobId &job)
{
    auto *dialog = new JobDialog(job, m_window);
    connect(dialog, &JobDialog::refreshWanted, this, [this, dialog] { look(dialog); });
    connect(dialog, &QObject::destroyed, this, [this, dialog] { m_details.erase(dialog); });
    connect(dialog, &JobDialog::repeatWanted, this,
            [this, dialog] { prepare(repeatsOf({dialog->id()}).front(), dialog); });
    const auto obey = [this, dialog] { dialog->refuseRepeat(m_gateway.refusal(Gateway::toSubmit())); };
    connect(&m_gateway, &Gateway::changed, dialog, obey);
    obey();
    followOutput(dialog);
    dialog->QDialog::show();
    look(dialog);
}

void JobDialogs::look(JobDialog *dialog)
{
    const JobRow *const row = m_jobs.find(dialog->id());
    m_details[dialog] = {row ? std::optional(*row) : std::nullopt, true};
    m_lookingUp[++m_lastRequest] = dialog;
    Q_EMIT detailsWanted(m_lastRequest, dialog->id());
}

// One look-up at a time for each: what changes meanwhile is seen when it is answered.
void JobDialogs::lookWhereJobsChanged()
{
    for (auto &[dialog, details] : m_details) {
        const JobRow *const row = m_jobs.find(dialog->id());
        const bool same = row ? details.row == *row : !details.row;
        if (!same && !details.underWay)
            look(dialog);
    }
}

void JobDialogs::lookAtThoseThatWait()
{
    for (auto &[dialog, details] : m_details) {
        const bool waits =
            details.row && !jobs::isFinal(details.row->state) && details.row->state != jobs::JobState::Running;
        if (waits && !details.underWay)
            look(dialog);
    }
}

void JobDialogs::answerLookUp(JobDialog *dialog)
{
    m_details[dialog].underWay = false;
    lookWhereJobsChanged();
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
        if (JobDialog *const dialog = lookingUp.mapped()) {
            dialog->fail(why);
            m_details[dialog].underWay = false; // the next change of its row tries again
        }
    } else if (const auto preparing = m_preparing.extract(request)) {
        if (QWidget *const asker = preparing.mapped().asker) {
            letAskAgain(asker);
            complain(asker, tr("Submit again"), tr("%1 cannot be submitted again.").arg(preparing.mapped().job), {why});
        }
    } else if (const auto repeating = m_repeating.extract(request)) {
        complain(m_window, tr("Submit again"),
                 tr("Submitting %1 jobs again was not completed.").arg(repeating.mapped()), {why});
    } else {
        Q_EMIT said(text::printable(why), TroubleTime);
    }
}

} // namespace drover::gui
