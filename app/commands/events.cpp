#include "app/commands/commands.h"
#include "app/context.h"
#include "app/job_json.h"
#include "app/units.h"
#include "jobs/event_feed.h"

#include <QDateTime>

#include <algorithm>

namespace drover::app {

namespace {

using jobs::Event;

QJsonObject rowOf(const Event &event)
{
    QJsonObject row{{QStringLiteral("event"), jobs::kindName(event.kind)}};
    if (event.job && event.record) {
        jobs::JobView job;
        job.id = *event.job;
        job.state = event.state;
        job.record = event.record;
        job.attempts = event.attempt;
        row = jobJson(job);
        row.insert(QStringLiteral("event"), jobs::kindName(event.kind));
    } else if (event.job) {
        row.insert(QStringLiteral("id"), event.job->toString());
        row.insert(QStringLiteral("queue"), QString::fromLatin1(event.job->queue));
        if (!event.isNamed())
            row.insert(QStringLiteral("state"), jobs::stateName(event.state));
    }
    if (!event.queue.isEmpty())
        row.insert(QStringLiteral("queue"), QString::fromLatin1(event.queue));
    if (event.kind == Event::Kind::QueueLimited || event.kind == Event::Kind::LimitSet)
        row.insert(QStringLiteral("limit"), event.limit);
    if (event.kind == Event::Kind::Failed)
        row.insert(QStringLiteral("exit_code"), event.exitCode);
    if (event.attempt > 0)
        row.insert(QStringLiteral("attempt"), event.attempt);
    if (!event.worker.isEmpty())
        row.insert(QStringLiteral("worker"), event.worker);
    const auto addText = [&](const char *key, const QString &text) {
        if (!text.isEmpty())
            row.insert(QLatin1String(key), text);
    };
    addText("name", event.name);
    addText("waits_for", event.waits);
    addText("by", event.by);
    addText("why", event.why);
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
    add("limit", "jobs at a time: ");
    add("by", "by ");
    add("why", "");
    if (row.value(QLatin1String("attempt")).toInt() > 1)
        add("attempt", "attempt ");
    if (row.contains(QLatin1String("id")))
        add("worker", "on ");
    return parts.join(QStringLiteral(", "));
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
    const char *const subject = event.isNamed() ? "name"
        : row.contains(QLatin1String("id"))     ? "id"
        : row.contains(QLatin1String("queue"))  ? "queue"
                                                : "worker";
    const QString line = QStringLiteral("%1  %2 %3 %4 %5")
                             .arg(at.toString(QStringLiteral("HH:mm:ss.zzz")))
                             .arg(text("event"), -17)
                             .arg(text(subject), -16)
                             .arg(text("state"), -10)
                             .arg(detailOf(row, event.isNamed()));
    const QString shown = printable(line).trimmed();
    out.line(out.terminal().isTerminal ? elided(shown, out.terminal().width) : shown);
}

// The ends that the cluster still keeps, oldest first; of one queue, or of all if `queue` is empty.
async::Task<void> tellThePast(zk::Coordinator *zk, jobs::Layout layout, QByteArray queue, qsizetype limit,
                              std::function<void(const Event &)> onEvent)
{
    if (limit == 0)
        co_return;
    jobs::JobFilter filter;
    filter.queue = queue;
    filter.unfinished = false;
    filter.finished = true;
    filter.limit = std::numeric_limits<qsizetype>::max();
    jobs::JobList list = co_await jobs::listJobs(*zk, layout, filter);
    std::sort(list.jobs.begin(), list.jobs.end(),
              [](const jobs::JobView &a, const jobs::JobView &b) { return a.since < b.since; });
    const auto count = static_cast<qsizetype>(list.jobs.size());
    for (auto job = list.jobs.begin() + std::max<qsizetype>(0, count - limit); job != list.jobs.end(); ++job) {
        Event event;
        event.kind = Event::Kind::Ended;
        event.at = job->since;
        event.job = job->id;
        event.state = job->state;
        event.attempt = job->attempts;
        event.record = job->record;
        onEvent(event);
    }
}

async::Task<void> follow(zk::Coordinator &zk, jobs::Layout layout, std::function<void(const Event &)> onEvent)
{
    co_await zk.connected();
    jobs::EventFeed feed(zk, std::move(layout), std::move(onEvent));
    co_await feed.run();
}

async::Task<int> execute(Context &context)
{
    constexpr qint64 DefaultPast = 20;
    const Arguments &arguments = context.arguments();
    const QByteArray queue = arguments.name("queue", "");
    const qint64 past = arguments.integer("past", 0, 1'000'000, arguments.has("follow") ? 0 : DefaultPast);
    zk::Coordinator *const zk = co_await context.openCluster();
    if (!queue.isEmpty())
        co_await jobs::requireQueue(*zk, context.layout(), queue);
    const std::function<void(const Event &)> onEvent = [&](const Event &event) {
        if (queue.isEmpty() || event.queue == queue || (event.job && event.job->queue == queue))
            tell(context.out(), event);
    };
    if (context.out().format() == Format::Json && !arguments.has("follow")) {
        QList<QJsonObject> rows;
        const std::function<void(const Event &)> collect = [&rows](const Event &event) { rows.append(rowOf(event)); };
        co_await tellThePast(zk, context.layout(), queue, past, collect);
        context.out().list("events", {}, rows);
        co_return ExitOk;
    }
    co_await tellThePast(zk, context.layout(), queue, past, onEvent);
    if (!arguments.has("follow"))
        co_return ExitOk;
    const recipes::SessionBody body = [&](zk::Coordinator &session) {
        return follow(session, context.layout(), onEvent);
    };
    co_await context.inEverySession(body);
    co_return ExitOk;
}

} // namespace

Command events()
{
    return {
        .name = "events",
        .synopsis = "[OPTIONS]",
        .summary = "Print how jobs have ended, and with -f what happens from now on",
        .details =
            "-f tells as it happens, until interrupted: that jobs are submitted, moved (held, released, made ready),\n"
            "claimed and wait at their worker (for a lock, a limit, room, their gang), started, stopped, failed and\n"
            "are tried again, and have ended; that workers join, leave and are cordoned and a master is elected;\n"
            "that queues are paused, resumed and limited, named limits set; that jobs that recur are added, removed,\n"
            "paused, resumed, run and skipped. It is told in its order; -o jsonl prints each as\n"
            "a line of JSON. Every end is told; of what comes and goes within a tenth of a second only that.",
        .options = {option("f follow", "go on with what happens from now on"),
                    option("past", "ends to begin with (default: 20, with -f none)", "N"),
                    option("queue", "of this queue only", "QUEUE")},
        .run = execute};
}

} // namespace drover::app
