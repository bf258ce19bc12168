#include "app/cli/failure.h"
#include "app/cli/json_builder.h"
#include "app/cli/units.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/job_json.h"
#include "jobs/events/audit_log.h"
#include "jobs/events/event_feed.h"
#include "text/printable.h"

#include <QDateTime>

#include <algorithm>

namespace drover::app {

namespace {

using jobs::AuditRecord;
using jobs::Event;

// A range of tasks, "default-42.6..8", is of its array's queue.
bool isOfQueue(const AuditRecord &record, const QByteArray &queue)
{
    const jobs::AuditEntry &entry = record.entry;
    if (entry.action.startsWith(u"queue-"))
        return entry.target == QString::fromLatin1(queue);
    const std::optional<jobs::JobId> id = jobs::JobId::parse(entry.target.section(QStringLiteral(".."), 0, 0));
    return entry.action.startsWith(u"job-") && id && id->queue == queue;
}

QJsonObject auditRow(const AuditRecord &record, bool isTable)
{
    const jobs::AuditEntry &entry = record.entry;
    QJsonObject row{{QStringLiteral("at"), formatTime(record.at)},
                    {QStringLiteral("action"), entry.action},
                    {QStringLiteral("target"), entry.target},
                    {QStringLiteral("by"), entry.by},
                    {QStringLiteral("proven"), record.isProven()}};
    JsonBuilder builder(row);
    builder.text("detail", entry.detail);
    builder.text("serial", QString::fromLatin1(record.serial));
    builder.text("unproven", record.unproven);
    if (isTable && !record.isProven())
        row.insert(QStringLiteral("by"), QStringLiteral("%1 (unproven: %2)").arg(entry.by, record.unproven));
    return row;
}

// The options that are for --audit alone.
QList<QCommandLineOption> auditOptions()
{
    return {option("by", "with --audit: what this person or machine has done", "NAME"),
            option("since", "with --audit: since then: 2h, 7d, 2024-05-01, 2024-05-01T12:00:00Z", "TIME")};
}

// Prints who has changed what in the cluster, oldest first: the last `past` entries that the options choose. `queue`:
// of this queue and its jobs alone, unless it is empty. Throws UsageError, SessionLost, AccessDenied.
async::Task<void> listAudit(Context &context, jobs::Cluster cluster, QByteArray queue, qint64 past)
{
    const Arguments &arguments = context.arguments();
    std::chrono::milliseconds since{};
    if (arguments.has("since"))
        since = parseInstant(arguments.value("since"), QStringLiteral("--since"));
    std::vector<AuditRecord> records = co_await jobs::readAudit(cluster);
    std::erase_if(records, [&](const AuditRecord &record) {
        return record.at < since || (!queue.isEmpty() && !isOfQueue(record, queue))
            || (arguments.has("by") && record.entry.by != arguments.value("by"));
    });
    QList<QJsonObject> rows;
    const auto count = static_cast<qint64>(records.size());
    for (auto record = records.begin() + std::max<qint64>(0, count - past); record != records.end(); ++record)
        rows.append(auditRow(*record, context.out().isTable()));
    context.out().list("audit",
                       {{"at", "AGO", Column::Kind::Time},
                        {"action", "ACTION"},
                        {"target", "TARGET"},
                        {"detail", "DETAIL", Column::Kind::Text, true},
                        {"by", "BY"}},
                       rows);
}

// The key of Event::name, which is that of a limit, a recurring job or a job.
const char *nameKey(const Event &event)
{
    return event.kind == Event::Kind::LimitSet ? "limit" : event.isNamed() ? "schedule" : "name";
}

QJsonObject rowOf(const Event &event)
{
    QJsonObject row{{QStringLiteral("event"), jobs::kindName(event.kind)}};
    if (event.job && event.record) {
        jobs::JobView job;
        job.id = *event.job;
        job.state = event.state;
        job.record = event.record;
        job.since = event.at;
        job.attempts = event.attempt;
        row = jobJson(job);
        row.insert(QStringLiteral("event"), jobs::kindName(event.kind));
    } else if (event.job) {
        row.insert(QStringLiteral("id"), event.job->toString());
        row.insert(QStringLiteral("queue"), QString::fromLatin1(event.job->queue));
        if (!event.isNamed())
            row.insert(QStringLiteral("state"), jobs::stateName(event.state));
    }
    JsonBuilder builder(row);
    builder.text("queue", QString::fromLatin1(event.queue));
    if (event.kind == Event::Kind::QueueLimited)
        row.insert(QStringLiteral("max_running"), event.limit);
    if (event.kind == Event::Kind::LimitSet)
        row.insert(QStringLiteral("permits"), event.limit);
    if (event.kind == Event::Kind::Failed)
        row.insert(QStringLiteral("exit_code"), event.exitCode);
    builder.count("attempt", event.attempt);
    builder.count("unseen_starts", event.unseenStarts);
    builder.text("worker", event.worker);
    builder.text(nameKey(event), event.name);
    builder.text("waits_for", event.waits);
    builder.text("by", event.by);
    builder.text("why", event.why);
    const std::chrono::milliseconds now(QDateTime::currentMSecsSinceEpoch());
    row.insert(QStringLiteral("at"), formatTime(event.at.count() > 0 ? event.at : now));
    return row;
}

QString detailOf(const QJsonObject &row, bool isNamed)
{
    QStringList parts;
    const auto add = [&](const char *key, const char *before) {
        const QJsonValue value = row.value(QLatin1String(key));
        if (!value.isUndefined())
            parts.append(QLatin1String(before) + value.toVariant().toString());
    };
    const QString event = row.value(QLatin1String("event")).toString();
    add(isNamed ? "id" : "name", "");
    if (event == u"ended" || event == u"failed")
        add("exit_code", "exit code ");
    if (event == u"ended")
        add("reason", "");
    add("waits_for", "for ");
    add("max_running", "jobs at a time: ");
    add("permits", "jobs at a time: ");
    add("by", "by ");
    add("why", "");
    if (row.value(QLatin1String("attempt")).toInt() > 1)
        add("attempt", "attempt ");
    if (row.value(QLatin1String("attempt")).toInt() > 1) // the end of a first attempt shows that it has started
        add("unseen_starts", "starts not seen: ");
    if (row.contains(QLatin1String("id")))
        add("worker", "on ");
    return parts.join(QStringLiteral(", "));
}

// As wide for an end of an earlier day, which the history tells.
QString timeOf(const QDateTime &at)
{
    const bool isOfToday = at.date() == QDate::currentDate();
    return at.toString(isOfToday ? QStringLiteral("HH:mm:ss.zzz") : QStringLiteral("dd MMM HH:mm"));
}

// "10:15:02.123  ended             default-42  succeeded  make, exit code 0, on w1"
void tell(const Output &out, const Event &event)
{
    const QJsonObject row = rowOf(event);
    if (!out.isTable()) {
        out.event(row);
        return;
    }
    const auto text = [&](const char *key) { return row.value(QLatin1String(key)).toString(); };
    const QDateTime at = QDateTime::fromString(text("at"), Qt::ISODateWithMs).toLocalTime();
    const char *const subject = event.isNamed() ? nameKey(event)
        : row.contains(QLatin1String("id"))     ? "id"
        : row.contains(QLatin1String("queue"))  ? "queue"
                                                : "worker";
    const QString line = QStringLiteral("%1  %2 %3 %4 %5")
                             .arg(timeOf(at), text("event").leftJustified(17), text(subject).leftJustified(16),
                                  text("state").leftJustified(10), detailOf(row, event.isNamed()));
    const QString shown = text::printable(line).trimmed();
    out.line(out.terminal().isTerminal ? elided(shown, out.terminal().width) : shown);
}

Event endOf(const jobs::JobView &job)
{
    Event event;
    event.kind = Event::Kind::Ended;
    event.at = job.since;
    event.job = job.id;
    event.state = job.state;
    event.attempt = job.attempts;
    event.record = job.record;
    return event;
}

// Without a history the ends of the last minute alone are known.
void tellThatSomeMayBeMissing(const Context &context, qsizetype shown, qsizetype limit)
{
    if (shown < limit && !keepsHistory(context))
        Output::message(QStringLiteral("older ends are not known here: no history is kept, or its place is not set "
                                       "(--history, DROVER_HISTORY, drover history keep --in)"));
}

// The last ends, in ZooKeeper and in the history, oldest first; of one queue, or of all if `queue` is empty.
async::Task<void> tellThePast(Context &context, jobs::Cluster cluster, QByteArray queue, qsizetype limit,
                              std::function<void(const Event &)> onEvent)
{
    if (limit == 0)
        co_return;
    jobs::ListFilter filter;
    filter.queue = queue;
    filter.unfinished = false;
    filter.finished = true;
    filter.limit = std::numeric_limits<qsizetype>::max();
    jobs::JobList list = co_await jobs::listJobs(cluster, filter);
    filter.limit = limit;
    if (keepsHistory(context))
        co_await addArchived(context, filter, std::nullopt, jobs::JobFilter(), list);
    std::stable_sort(list.jobs.begin(), list.jobs.end(),
                     [](const jobs::JobView &a, const jobs::JobView &b) { return a.since < b.since; });
    const auto count = static_cast<qsizetype>(list.jobs.size());
    tellThatSomeMayBeMissing(context, count, limit);
    for (auto job = list.jobs.begin() + std::max<qsizetype>(0, count - limit); job != list.jobs.end(); ++job)
        onEvent(endOf(*job));
}

async::Task<void> follow(jobs::Cluster cluster, std::function<void(const Event &)> onEvent)
{
    co_await cluster.zk.connected();
    jobs::EventFeed feed(std::move(cluster), std::move(onEvent));
    co_await feed.run();
}

void requireSense(const Arguments &arguments)
{
    const bool isAudit = arguments.has("audit");
    if (isAudit && arguments.has("follow"))
        throw UsageError(QStringLiteral("--audit lists what has been done: -f does not follow it"));
    for (const char *const option : {"by", "since"}) {
        if (!isAudit && arguments.has(option))
            throw UsageError(QStringLiteral("--%1 is for --audit: drover events --audit --%1 %2")
                                 .arg(QLatin1String(option), arguments.value(option)));
    }
}

async::Task<int> execute(Context &context)
{
    constexpr qint64 DefaultPast = 20;
    constexpr qint64 MostPast = 1'000'000;
    const Arguments &arguments = context.arguments();
    requireSense(arguments);
    const QByteArray queue = arguments.name("queue", "");
    const qint64 byDefault = arguments.has("follow") ? 0 : arguments.has("since") ? MostPast : DefaultPast;
    const qint64 past = arguments.integer("past", 0, MostPast, byDefault);
    const jobs::Cluster cluster = co_await context.openCluster();
    if (!queue.isEmpty())
        co_await jobs::requireQueue(cluster, queue);
    if (arguments.has("audit")) {
        co_await listAudit(context, cluster, queue, past);
        co_return ExitOk;
    }
    const std::function<void(const Event &)> onEvent = [&](const Event &event) {
        if (queue.isEmpty() || event.queue == queue || (event.job && event.job->queue == queue))
            tell(context.out(), event);
    };
    if (context.out().format() == Format::Json && !arguments.has("follow")) {
        QList<QJsonObject> rows;
        const std::function<void(const Event &)> collect = [&rows](const Event &event) { rows.append(rowOf(event)); };
        co_await tellThePast(context, cluster, queue, past, collect);
        context.out().list("events", {}, rows);
        co_return ExitOk;
    }
    co_await tellThePast(context, cluster, queue, past, onEvent);
    if (!arguments.has("follow"))
        co_return ExitOk;
    bool isFirst = true;
    const recipes::SessionBody body = [&](zk::Client &session) {
        if (!std::exchange(isFirst, false))
            Output::message(QStringLiteral("what happened since the last event is not shown: drover ls --all has the "
                                           "jobs as they are now"));
        return follow(jobs::Cluster(session, cluster.layout, cluster.credentials), onEvent);
    };
    co_await context.inEverySession(body);
    co_return ExitOk;
}

} // namespace

Command events()
{
    return {
        .name = "events",
        .summary = "Print how jobs have ended, what happens, or who has changed what",
        .details =
            "Begins with the last ends of jobs: those of the last minute, from ZooKeeper, and older ones from the\n"
            "history. Where no history is kept it knows no older ones, and says so. Other events are not kept.\n"
            "-f tells as it happens, until interrupted: that jobs are submitted, moved (held, released, made ready),\n"
            "claimed and wait at their worker (for a lock, a limit, room, their gang), started, stopped, failed and\n"
            "are tried again, and have ended; that workers join, leave and are cordoned and a master is elected;\n"
            "that queues are paused, resumed and limited, named limits set; that jobs that recur are added, removed,\n"
            "paused, resumed, run and skipped. Events come in their order; -o jsonl prints each as\n"
            "a line of JSON. Every end is shown; what appears and vanishes within 0.1 s may be left out.\n"
            "--audit tells instead who has cancelled, held, released, requeued, signalled and moved jobs and changed\n"
            "their priority, paused, resumed and limited queues, set limits, cordoned and drained workers, deposed\n"
            "masters, changed recurring jobs, settings, users and keys: the last 10,000 changes. In a closed cluster\n"
            "each entry is signed; one whose signature does not prove the name is called unproven.",
        .options = QList{option("f follow", "go on with what happens from now on"),
                         option("audit", "who has changed what, oldest first"),
                         option("past", "ends or changes to begin with (default: 20, with -f none)", "N"),
                         option("queue", "of this queue only", "QUEUE")}
            + auditOptions(),
        .needs = {{trust::Role::Viewer}},
        .examples = {"drover events", "drover events -f -o jsonl --queue default", "drover events --audit --since 2d"},
        .run = execute};
}

} // namespace drover::app
