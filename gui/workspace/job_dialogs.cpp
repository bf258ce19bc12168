#include "gui/workspace/job_dialogs.h"

#include "gui/feeds/console_session.h"
#include "gui/models/queue_history.h"
#include "gui/models/submit_form.h"
#include "gui/shell/gateway.h"
#include "gui/text/shell_words.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/submit_dialog.h"

#include <QMessageBox>
#include <QPushButton>

#include <set>

namespace drover::gui {

using namespace std::chrono_literals;

namespace {

constexpr auto NewsTime = 8s;

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

JobDialogs::JobDialogs(ConsoleSession &session, const QueueHistory &queues, const Gateway &gateway, QWidget *window)
    : m_queues(queues), m_gateway(gateway), m_window(window)
{
    connect(this, &JobDialogs::submitWanted, &session.actions(), &JobActions::submit);
    connect(this, &JobDialogs::prepareWanted, &session.actions(), &JobActions::prepare);
    connect(this, &JobDialogs::failedWanted, &session.actions(), &JobActions::findFailed);
    connect(this, &JobDialogs::repeatWanted, &session.actions(), &JobActions::repeat);
    wire(session.actions());
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
        if (!preparing)
            return;
        SubmitDialog *const dialog = newSubmit();
        dialog->repeat(preparing.mapped(), spec);
        dialog->open();
    });
    connect(&actions, &JobActions::repeated, this, [this](int request, const QList<Repeated> &outcomes) {
        m_repeating.erase(request);
        show(outcomes);
    });
    connect(&actions, &JobActions::failedFound, this, [this](int request, const QList<jobs::JobId> &failed) {
        if (request == m_finding) {
            m_finding = 0;
            repeat(failed);
        }
    });
    connect(&actions, &JobActions::failed, this, &JobDialogs::answerFailure);
}

QString JobDialogs::submitFile(const QString &path)
{
    SubmitDialog *const dialog = newSubmit();
    const QString why = dialog->openFile(path);
    if (why.isEmpty())
        dialog->open();
    else
        delete dialog;
    return why;
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
    const int request = newRequest();
    m_submitting[request] = dialog;
    Q_EMIT submitWanted(request, spec);
}

void JobDialogs::submit()
{
    newSubmit()->open();
}

void JobDialogs::repeat(const QList<jobs::JobId> &ended)
{
    const QList<jobs::Resubmission> repeats = repeatsOf(ended);
    if (repeats.size() == 1)
        prepare(repeats.front());
    else
        confirm(repeats);
}

void JobDialogs::repeatFailed(const QList<jobs::JobId> &jobs)
{
    m_finding = newRequest();
    Q_EMIT failedWanted(m_finding, jobs);
}

void JobDialogs::prepare(const jobs::Resubmission &repeat)
{
    m_preparing.clear(); // the last one counts
    const int request = newRequest();
    m_preparing[request] = repeat.toString();
    Q_EMIT prepareWanted(request, repeat);
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

void JobDialogs::confirm(const QList<jobs::Resubmission> &repeats)
{
    auto *const box =
        new QMessageBox(QMessageBox::Question, tr("Submit jobs again"), {}, QMessageBox::Cancel, m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setText(tr("Submit %1 jobs again?").arg(repeats.size()));
    box->setInformativeText(tr("Each becomes a new job, as it was. Tasks of an array become one array."));
    showPlainly(*box);
    QPushButton *const yes = box->addButton(tr("Submit the jobs"), QMessageBox::AcceptRole);
    box->setDefaultButton(yes);
    connect(yes, &QPushButton::clicked, this, [this, repeats] {
        if (!m_gateway.allows(Gateway::toSubmit()))
            return;
        const int request = newRequest();
        m_repeating[request] = repeats.size();
        Q_EMIT repeatWanted(request, repeats);
    });
    box->open();
}

QString JobDialogs::commandFor(const jobs::JobSpec &spec) const
{
    const QStringList target{QStringLiteral("--connect"), m_target.connect, QStringLiteral("--cluster"),
                             QString::fromUtf8(m_target.cluster)};
    const QStringList words = m_options
        ? SubmitForm::commandFor(spec, *m_options)
        : QStringList{QStringLiteral("drover"), QStringLiteral("submit"), QStringLiteral("--")} + spec.command;
    return joinShellWords(words.first(2) + target + words.mid(2));
}

void JobDialogs::forget()
{
    m_preparing.clear();
    m_repeating.clear();
    m_finding = 0;
}

void JobDialogs::answerFailure(int request, const QString &why)
{
    if (auto submitting = m_submitting.extract(request)) {
        if (submitting.mapped())
            submitting.mapped()->fail(why);
    } else if (const auto preparing = m_preparing.extract(request)) {
        complain(m_window, tr("Submit again"), tr("%1 cannot be submitted again.").arg(preparing.mapped()), {why});
    } else if (const auto repeating = m_repeating.extract(request)) {
        complain(m_window, tr("Submit again"),
                 tr("Submitting %1 jobs again was not completed.").arg(repeating.mapped()), {why});
    } else if (request == m_finding) {
        m_finding = 0;
        complain(m_window, tr("Submit again"), tr("Nothing was submitted again."), {why});
    }
}

} // namespace drover::gui
