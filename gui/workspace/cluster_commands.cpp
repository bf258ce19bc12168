#include "gui/workspace/cluster_commands.h"

#include "gui/feeds/lock_feed.h"
#include "gui/models/change_names.h"
#include "gui/models/job_verbs.h"
#include "gui/pages/locks_page.h"
#include "gui/shell/gateway.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/plain_text.h"
#include "gui/workspace/change_fields.h"
#include "gui/workspace/console_models.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>

namespace drover::gui {

using Kind = JobVerb::Kind;

namespace {

bool isHarmless(Kind kind)
{
    return kind == Kind::Hold || kind == Kind::Release;
}

} // namespace

ClusterCommands::ClusterCommands(ConsoleSession &session, const ConsoleModels &models, const Gateway &gateway,
                                 QWidget *window)
    : m_models(models), m_gateway(gateway), m_window(window)
{
    ClusterChanges &changes = session.changes();
    connect(this, &ClusterCommands::matchWanted, &changes, &ClusterChanges::match);
    connect(this, &ClusterCommands::actWanted, &changes, &ClusterChanges::act);
    connect(this, &ClusterCommands::pauseWanted, &changes, &ClusterChanges::pause);
    connect(this, &ClusterCommands::resumeWanted, &changes, &ClusterChanges::resume);
    connect(this, &ClusterCommands::limitWanted, &changes, &ClusterChanges::limit);
    connect(this, &ClusterCommands::permitsWanted, &changes, &ClusterChanges::setPermits);
    connect(this, &ClusterCommands::cordonWanted, &changes, &ClusterChanges::cordon);
    connect(this, &ClusterCommands::uncordonWanted, &changes, &ClusterChanges::uncordon);
    connect(this, &ClusterCommands::stepDownWanted, &changes, &ClusterChanges::stepDown);
    connect(this, &ClusterCommands::askWanted, &changes, &ClusterChanges::ask);
    connect(this, &ClusterCommands::breakWanted, &changes, &ClusterChanges::breakLock);
    wire(session);
    connect(&models.workers, &QAbstractItemModel::dataChanged, this, &ClusterCommands::sayWhoIsDrained);
    connect(&models.workers, &QAbstractItemModel::rowsRemoved, this, &ClusterCommands::sayWhoIsDrained);
}

void ClusterCommands::wire(ConsoleSession &session)
{
    const ClusterChanges *const changes = &session.changes();
    connect(changes, &ClusterChanges::matched, this, [this](int request, const QList<jobs::JobId> &jobs) {
        const auto matching = m_matching.extract(request);
        if (!matching)
            return;
        if (jobs.isEmpty())
            Q_EMIT said(tr("No job %1 is in a state for that.").arg(describeSearch(matching.mapped().search)),
                        ShortTime);
        else
            ask(matching.mapped().kind, jobs, matching.mapped().search);
    });
    connect(changes, &ClusterChanges::progressed, this, [this](int request, qsizetype done, qsizetype all) {
        if (m_acting.contains(request))
            Q_EMIT said(tr("%1 of %2 jobs…").arg(text::formatCount(done), text::formatCount(all)), ShortTime);
    });
    connect(changes, &ClusterChanges::acted, this, [this](int request, const QList<ActedOn> &outcomes) {
        if (const auto acting = m_acting.extract(request))
            show(acting.mapped(), outcomes);
    });
    connect(changes, &ClusterChanges::changed, this, [this](int request, const QString &remark) {
        if (const auto changing = m_changing.extract(request))
            Q_EMIT said(remark.isEmpty() ? changing.mapped() : changing.mapped() + u' ' + remark, ShortTime);
        sayWhoIsDrained();
    });
    connect(changes, &ClusterChanges::failed, this, [this](int request, const QString &why) {
        m_matching.erase(request);
        m_acting.erase(request);
        m_changing.erase(request);
        Q_EMIT said(text::printable(why), LongTime);
    });
}

void ClusterCommands::act(Kind kind, const QList<jobs::JobId> &jobs)
{
    if (jobs.size() == 1 && isHarmless(kind))
        send({kind}, jobs, false);
    else if (!jobs.isEmpty())
        ask(kind, jobs, {});
}

void ClusterCommands::actOnAll(Kind kind, const JobSearch &search)
{
    m_matching[++m_lastRequest] = {kind, search};
    Q_EMIT said(tr("Counting the jobs %1…").arg(describeSearch(search)), ShortTime);
    Q_EMIT matchWanted(m_lastRequest, {kind}, search);
}

void ClusterCommands::ask(Kind kind, const QList<jobs::JobId> &jobs, const std::optional<JobSearch> &search)
{
    QString meaning = consequenceOf(kind, jobs.size() == 1 && !search);
    if (search)
        meaning = tr("All jobs %1, as far as they are in a state for it. %2", "search, consequence")
                      .arg(describeSearch(*search), meaning);
    auto *const dialog = new ChangeDialog(
        titleOf(kind) + tr(" jobs"),
        {questionOf(kind, jobs), meaning, questionOf(kind, jobs).chopped(1), refusalText(jobs)}, m_window);
    QComboBox *queues = nullptr;
    QSpinBox *priority = nullptr;
    QComboBox *signalToSend = nullptr;
    if (kind == Kind::Move)
        dialog->addField(tr("To the &queue"), queues = newQueues(m_models.queues));
    if (kind == Kind::Priority)
        dialog->addField(tr("&Priority"), priority = newPriority());
    if (kind == Kind::Signal)
        dialog->addField(tr("&Signal"), signalToSend = newSignals());
    if (kind == Kind::Cancel || kind == Kind::Requeue)
        dialog->makeDangerous();
    connect(dialog, &QDialog::accepted, this, [=, this] {
        JobVerb verb{kind};
        if (queues)
            verb.queue = queues->currentData().toByteArray();
        if (priority)
            verb.number = priority->value();
        if (signalToSend)
            verb.number = signalToSend->currentData().toInt();
        send(verb, jobs, search.has_value());
    });
    dialog->open();
}

void ClusterCommands::send(const JobVerb &verb, const QList<jobs::JobId> &jobs, bool isFound)
{
    if (!m_gateway.allows(Gateway::toDo(verb.kind)))
        return;
    m_acting[++m_lastRequest] = {verb.kind, isFound};
    Q_EMIT actWanted(m_lastRequest, verb, jobs);
}

void ClusterCommands::show(const Acting &acting, const QList<ActedOn> &outcomes)
{
    const QString news = outcomes.size() == 1 ? outcomes.front().news : QString();
    Q_EMIT said(news.isEmpty() ? resultOf(acting.kind, outcomes) : news, ShortTime);
    QStringList reasons;
    for (const ActedOn &outcome : outcomes) {
        if (!outcome.why.isEmpty())
            reasons << outcome.why;
    }
    if (reasons.isEmpty() || (acting.isFound && reasons.size() < outcomes.size()))
        return;
    complain(m_window, titleOf(acting.kind) + tr(" jobs"), resultOf(acting.kind, outcomes), reasons);
}

ChangeDialog *ClusterCommands::askWhy(const QString &title, const QString &question, const QString &meaning,
                                      const QString &yes, std::function<void(const QString &why)> act)
{
    auto *const dialog = new ChangeDialog(title, {question, meaning, yes, tr("Leave it as it is")}, m_window);
    auto *const why = new QLineEdit;
    why->setPlaceholderText(tr("for others to read"));
    dialog->addField(tr("&Reason"), why);
    connect(dialog, &QDialog::accepted, this, [this, why, act = std::move(act)] {
        if (m_gateway.allows(Gateway::toOperate()))
            act(why->text().trimmed());
    });
    dialog->open();
    return dialog;
}

void ClusterCommands::pause(const QByteArrayList &queues)
{
    const bool isOne = queues.size() == 1;
    const QString name = isOne ? text::printable(queues.front()) : counted(queues.size(), Things::Queues);
    const QString meaning = isOne
        ? tr("No more of its jobs begin. Those that run go on, and jobs may be submitted to it as before.")
        : tr("No more of their jobs begin. Jobs that run go on, and more may be submitted to them as before.");
    askWhy(isOne ? tr("Pause a queue") : tr("Pause queues"),
           (isOne ? tr("Pause the queue %1?") : tr("Pause %1?", "queues")).arg(name), listOf(queues) + meaning,
           tr("Pause %1").arg(asWritten(name)), [this, queues, isOne, name](const QString &why) {
               m_changing[++m_lastRequest] =
                   (isOne ? tr("Paused the queue %1.") : tr("Paused %1.", "queues")).arg(name);
               Q_EMIT pauseWanted(m_lastRequest, queues, why);
           });
}

void ClusterCommands::resume(const QByteArrayList &queues)
{
    m_changing[++m_lastRequest] = queues.size() == 1
        ? tr("The jobs of the queue %1 begin again.").arg(text::printable(queues.front()))
        : tr("The jobs of %1 begin again.", "queues").arg(counted(queues.size(), Things::Queues));
    Q_EMIT resumeWanted(m_lastRequest, queues);
}

void ClusterCommands::limit(const QByteArray &queue)
{
    const QString name = text::printable(queue);
    auto *const dialog = new ChangeDialog(tr("Limit a queue"),
                                          {tr("How many jobs of the queue %1 may run at a time?").arg(name),
                                           tr("In the whole cluster. Jobs that run go on, even if they are more; the "
                                              "others wait. 0 lifts the limit."),
                                           tr("Set the limit"), tr("Leave it as it is")},
                                          m_window);
    const int seen = limitOf(m_models.queueTable, queue);
    QSpinBox *const field = newLimit(0, seen);
    dialog->addField(tr("&At most"), field);
    connect(dialog, &QDialog::accepted, this, [this, queue, name, seen, field] {
        const int most = field->value();
        if (most == seen || !m_gateway.allows(Gateway::toOperate()))
            return;
        m_changing[++m_lastRequest] = most == 0
            ? tr("The queue %1 has no limit any more.").arg(name)
            : tr("At most %2 jobs of the queue %1 run at a time.").arg(name, text::formatCount(most));
        Q_EMIT limitWanted(m_lastRequest, queue, seen, most);
    });
    dialog->open();
}

void ClusterCommands::setLimit(const LockRow &limit)
{
    const QByteArray limited = nameOfLimit(limit);
    const QString name = text::printable(limited);
    const int seen = limit.permits;
    auto *const dialog =
        new ChangeDialog(tr("Set a limit"),
                         {tr("How many of the jobs that ask for the limit %1 may run at a time?").arg(name),
                          tr("In the whole cluster. Jobs that run go on, even if they are more; the others wait."),
                          tr("Set the limit"), tr("Leave it as it is")},
                         m_window);
    QSpinBox *const field = newLimit(1, seen);
    dialog->addField(tr("&At most"), field);
    connect(dialog, &QDialog::accepted, this, [this, limited, name, seen, field] {
        const int most = field->value();
        if (most == seen || !m_gateway.allows(Gateway::toShare()))
            return;
        m_changing[++m_lastRequest] =
            tr("At most %2 jobs with the limit %1 run at a time.").arg(name, text::formatCount(most));
        Q_EMIT permitsWanted(m_lastRequest, limited, seen, most);
    });
    dialog->open();
}

void ClusterCommands::cordon(const QByteArrayList &workers, bool drain)
{
    const bool isOne = workers.size() == 1;
    const QString name = isOne ? text::printable(workers.front()) : counted(workers.size(), Things::Workers);
    const QString verb = drain ? tr("Drain") : tr("Cordon");
    const QString ofOne = drain
        ? tr("It claims no more jobs. A message says when the last of those that it runs has ended.")
        : tr("It claims no more jobs; those that it runs go on. That stays so until it is uncordoned.");
    const QString ofSeveral = drain
        ? tr(
            "They claim no more jobs. A message says of each when the last of its jobs has ended. One that is cordoned "
            "already keeps its reason.")
        : tr("They claim no more jobs; the jobs that they run go on. That stays so until they are uncordoned.");
    askWhy((isOne ? tr("%1 a worker", "verb") : tr("%1 workers", "verb")).arg(verb),
           (isOne ? tr("%1 the worker %2?", "verb") : tr("%1 %2?", "verb, workers")).arg(verb, name),
           listOf(workers) + (isOne ? ofOne : ofSeveral), tr("%1 %2", "verb, worker").arg(verb, asWritten(name)),
           [this, workers, isOne, name, drain](const QString &why) {
               m_changing[++m_lastRequest] =
                   (isOne ? tr("Worker %1 claims no more jobs.") : tr("%1 claim no more jobs.", "workers")).arg(name);
               if (drain)
                   m_draining.insert(workers.begin(), workers.end());
               Q_EMIT cordonWanted(m_lastRequest, workers, why, drain);
           });
}

void ClusterCommands::uncordon(const QByteArrayList &workers)
{
    for (const QByteArray &worker : workers)
        m_draining.erase(worker);
    m_changing[++m_lastRequest] = workers.size() == 1
        ? tr("Worker %1 claims jobs again.").arg(text::printable(workers.front()))
        : tr("%1 claim jobs again.", "workers").arg(counted(workers.size(), Things::Workers));
    Q_EMIT uncordonWanted(m_lastRequest, workers);
}

void ClusterCommands::stepDown()
{
    const WorkerRow *const master = m_models.workers.master();
    if (!master)
        return;
    const QString name = text::printable(master->id);
    auto *const dialog = new ChangeDialog(tr("Depose the master"),
                                          {tr("Let the next in line be master instead of %1?").arg(name),
                                           tr("%1 is deposed at once, even if it hangs, and stands again behind the "
                                              "others. Its jobs go on. What it had not "
                                              "written yet the next master does.")
                                               .arg(name),
                                           tr("Depose %1").arg(asWritten(name)), tr("Leave it as it is")},
                                          m_window);
    connect(dialog, &QDialog::accepted, this, [this, name, token = master->masterToken] {
        if (!m_gateway.allows(Gateway::toOperate()))
            return;
        m_changing[++m_lastRequest] = tr("%1 is no longer master.", "worker").arg(name);
        Q_EMIT stepDownWanted(m_lastRequest, token);
    });
    dialog->open();
}

void ClusterCommands::serve(LocksPage &page, LockFeed &feed)
{
    connect(&page, &LocksPage::askWanted, this, &ClusterCommands::askToLetGo);
    connect(&page, &LocksPage::breakWanted, this, &ClusterCommands::breakLock);
    connect(&page, &LocksPage::limitWanted, this, &ClusterCommands::setLimit);
    connect(&page, &LocksPage::searchWanted, &feed, &LockFeed::search);
    connect(&page, &LocksPage::stopWanted, &feed, &LockFeed::stopSearch);
    connect(&feed, &LockFeed::searched, &page, &LocksPage::showSearch);
}

void ClusterCommands::askToLetGo(const LockRow &contender)
{
    const QString lock = text::printable(contender.lock);
    auto *const dialog =
        new ChangeDialog(tr("Ask to let go"),
                         {tr("Ask “%1” to let go of %2?", "owner, lock").arg(whoIs(contender), lock),
                          tr("A program that heeds such requests lets go when it can: drover lock --revocable ends its "
                             "command, and Curator tells the holder. Others go on as before."),
                          tr("Ask it"), tr("Leave it as it is")},
                         m_window);
    connect(dialog, &QDialog::accepted, this, [this, contender, lock] {
        if (!m_gateway.allows(Gateway::toShare()))
            return;
        m_changing[++m_lastRequest] = tr("Asked “%1” to let go of %2.", "owner, lock").arg(whoIs(contender), lock);
        Q_EMIT askWanted(m_lastRequest, lockNodeOf(contender));
    });
    dialog->open();
}

void ClusterCommands::breakLock(const LockRow &contender)
{
    const BreakWords words = breakWords(contender);
    const QString name = nameToType(contender);
    auto *const dialog =
        new ChangeDialog(words.title, {words.question, words.meaning, words.yes, tr("Leave it as it is")}, m_window);
    dialog->makeDangerous();
    auto *const typed = new QLineEdit;
    typed->setAccessibleName(words.typed);
    dialog->addField(tr("&Type %1").arg(asWritten(name)), typed);
    dialog->requireTyped(typed, name);
    connect(dialog, &QDialog::accepted, this, [this, contender, done = words.done] {
        if (!m_gateway.allows(Gateway::toShare()))
            return;
        m_changing[++m_lastRequest] = done;
        Q_EMIT breakWanted(m_lastRequest, lockNodeOf(contender));
    });
    dialog->open();
}

// A worker obeys its cordon after its last claim.
void ClusterCommands::sayWhoIsDrained()
{
    std::set<QByteArray> present;
    for (int i = 0; i < m_models.workers.rowCount(); ++i) {
        const QByteArray worker = m_models.workers.row(i).id;
        if (!m_models.workers.isDrained(i))
            present.insert(worker);
        else if (m_draining.erase(worker) > 0)
            Q_EMIT said(tr("Worker %1 is drained: it runs nothing any more.").arg(text::printable(worker)), ShortTime);
    }
    std::erase_if(m_draining, [&](const QByteArray &worker) { return !present.contains(worker); }); // it has gone
}

void ClusterCommands::forget()
{
    m_matching.clear();
    m_acting.clear();
    m_changing.clear();
    m_draining.clear();
}

} // namespace drover::gui
