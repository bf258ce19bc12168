#include "app/jobs/history_filter.h"

#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "app/jobs/filter_options.h"
#include "app/jobs/job_json.h"

#include <array>

namespace drover::app {

namespace {

using jobs::FinalRecord;
using jobs::JobState;

// The value among `all` that goes by the name which the option gives.
template <typename Value, std::size_t Count>
std::optional<Value> choice(const Arguments &arguments, const char *option, const std::array<Value, Count> &all,
                            QString (*nameOf)(Value))
{
    if (!arguments.has(option))
        return std::nullopt;
    QStringList names;
    for (const Value value : all) {
        names.append(nameOf(value));
        if (names.last() == arguments.value(option))
            return value;
    }
    throw UsageError(QStringLiteral("--%1: \"%2\" must be one of %3")
                         .arg(QLatin1String(option), arguments.value(option), names.join(QStringLiteral(", "))));
}

std::optional<std::chrono::milliseconds> instant(const Arguments &arguments, const char *option)
{
    if (!arguments.has(option))
        return std::nullopt;
    return parseInstant(arguments.value(option), QStringLiteral("--") + QLatin1String(option));
}

} // namespace

QList<QCommandLineOption> historyFilterOptions()
{
    return QList<QCommandLineOption>{option("queue", "jobs of one queue", "QUEUE")} + filterOptions()
        + QList<QCommandLineOption>{
            option("state", "jobs that ended so", "succeeded|failed|cancelled"),
            option("outcome", "how they ended",
                   "exited|signalled|timed-out|not-started|cancelled|gave-up|malformed|refused"),
            option("worker", "jobs that this worker ran", "WORKER"),
            option("since", "jobs that have ended since then: 2h, 7d, 2024-05-01, 2024-05-01T12:00:00Z", "TIME"),
            option("until", "jobs that had ended before", "TIME"),
            option("text", "jobs with all these words, or words that begin so, in name, command or tags", "WORDS"),
            option("all-clusters", "not only --cluster's"),
        };
}

history::Query historyQuery(const Context &context)
{
    const Arguments &arguments = context.arguments();
    history::Query query;
    if (!arguments.has("all-clusters"))
        query.cluster = context.settings().cluster;
    for (const QString &text : arguments.positional())
        query.ids.push_back(parseJobId(text));
    if (query.ids.size() > history::Query::MaxIds)
        throw UsageError(QStringLiteral("%1 ids are too many; at most %2 can be asked for at once")
                             .arg(query.ids.size())
                             .arg(history::Query::MaxIds));
    query.queue = arguments.name("queue", "");
    query.narrow(jobFilterFrom(arguments));
    query.worker = arguments.value("worker");
    query.state = choice(arguments, "state", std::array{JobState::Succeeded, JobState::Failed, JobState::Cancelled},
                         jobs::stateName);
    using enum FinalRecord::Outcome;
    query.outcome = choice(arguments, "outcome",
                           std::array{Exited, Signalled, TimedOut, NotStarted, Cancelled, GaveUp, Malformed, Refused},
                           jobs::outcomeName);
    query.since = instant(arguments, "since");
    query.until = instant(arguments, "until");
    if (query.since && query.until && *query.since >= *query.until)
        throw UsageError(QStringLiteral("--since %1 is not before --until %2: no job can have ended between them")
                             .arg(arguments.value("since"), arguments.value("until")));
    query.text = arguments.value("text");
    return query;
}

} // namespace drover::app
