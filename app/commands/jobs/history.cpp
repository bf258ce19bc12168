#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/history_filter.h"
#include "app/jobs/history_json.h"

namespace drover::app {

namespace {

constexpr qint64 DefaultLimit = 200; // of what a person reads; a program gets all
constexpr qint64 MostLines = 100'000; // at once

std::optional<history::GroupBy> groupingFrom(const Arguments &arguments)
{
    if (!arguments.has("summary"))
        return std::nullopt;
    const std::optional<history::GroupBy> by = history::groupFrom(arguments.value("summary"));
    if (!by)
        throw UsageError(QStringLiteral("--summary: \"%1\" must be one of %2")
                             .arg(arguments.value("summary"), history::groupNames().join(QStringLiteral(", "))));
    return by;
}

// The latest first, unless the user asks for another order.
history::Order orderFrom(const Arguments &arguments)
{
    if (!arguments.has("sort"))
        return {};
    if (arguments.has("summary"))
        throw UsageError(QStringLiteral("--sort is for jobs; a --summary has an order of its own"));
    const std::optional<history::Order> order = history::Order::parse(arguments.value("sort"));
    if (!order)
        throw UsageError(
            QStringLiteral("--sort: \"%1\" must be one of %2, with :desc behind it for the other direction")
                .arg(arguments.value("sort"), history::orderNames().join(QStringLiteral(", "))));
    return *order;
}

// Where nothing matches, it says what could have matched.
void printCoverage(const Context &context, const history::Coverage &coverage)
{
    if (context.out().isTable())
        Output::message(QStringLiteral("nothing matches; the history holds ") + coverageText(coverage));
}

async::Task<qsizetype> printGroups(Context &context, history::History &past, history::Query query, history::GroupBy by,
                                   QJsonObject about)
{
    const std::vector<history::GroupTotals> groups = co_await past.summarize(std::move(query), by);
    QList<QJsonObject> rows;
    for (const history::GroupTotals &group : groups)
        rows.append(groupJson(group, by));
    context.out().list("groups", groupColumns(by), rows, about);
    co_return rows.size();
}

// Nothing was found.
void requireNoneNamed(const history::Query &query)
{
    if (!query.ids.empty())
        throw CommandError(ExitNotFound,
                           QStringLiteral("there is no such job in the history; drover show ID also finds one that has "
                                          "not been archived yet"));
}

async::Task<qsizetype> printJobs(Context &context, history::History &past, history::Query query, QJsonObject about)
{
    const qint64 total = co_await past.count(query);
    if (total == 0)
        requireNoneNamed(query);
    QList<QJsonObject> rows;
    const bool all = !context.out().isTable() && !context.arguments().has("rows");
    do {
        const history::Page page = co_await past.query(query);
        for (const history::ArchivedJob &entry : page.entries)
            rows.append(entryJson(entry));
        query.after = page.next;
    } while (all && query.after);
    about.insert(QStringLiteral("total"), total);
    context.out().list("jobs", EntryColumns, rows, about);
    if (total > rows.size())
        Output::message(QStringLiteral("%1 of %2 jobs shown; --rows N shows more, drover history export all")
                            .arg(rows.size())
                            .arg(total));
    co_return rows.size();
}

// Nothing of one that has not begun. Throws NoHistory if it has to be there.
async::Task<std::optional<history::Coverage>> findCoverage(Context &context, history::History &past, QByteArray cluster)
{
    try {
        co_return co_await past.coverage(cluster);
    } catch (const history::NoHistory &) {
        if (!mayBeMissing(context))
            throw;
    }
    co_return std::nullopt;
}

void printNothing(const Context &context, std::optional<history::GroupBy> by)
{
    QJsonObject about;
    if (!by)
        about.insert(QStringLiteral("total"), 0);
    context.out().list(by ? "groups" : "jobs", by ? groupColumns(*by) : EntryColumns, {}, about);
    if (context.out().isTable())
        Output::message(QStringLiteral("the history has not begun: no job has been archived yet"));
}

async::Task<int> execute(Context &context)
{
    history::Query query = historyQuery(context);
    query.limit = context.arguments().integer("rows", 1, MostLines, context.out().isTable() ? DefaultLimit : MostLines);
    query.order = orderFrom(context.arguments());
    const std::optional<history::GroupBy> by = groupingFrom(context.arguments());
    const history::Location place = co_await findHistory(context);
    history::History past(context.loop(), place, history::OpenMode::Read);

    const std::optional<history::Coverage> coverage = co_await findCoverage(context, past, query.cluster);
    if (!coverage) {
        requireNoneNamed(query);
        printNothing(context, by);
        co_return ExitOk;
    }
    QJsonObject about;
    about.insert(QStringLiteral("coverage"), coverageJson(*coverage));
    qsizetype shown = 0;
    if (by)
        shown = co_await printGroups(context, past, query, *by, about);
    else
        shown = co_await printJobs(context, past, query, about);
    if (shown == 0)
        printCoverage(context, *coverage);
    co_return ExitOk;
}

} // namespace

Command history()
{
    return {
        .name = "history",
        .synopsis = "[OPTIONS] [ID...]",
        .summary = "Show finished jobs, the latest first, or add them up",
        .details =
            "The master moves finished jobs out of ZooKeeper into an SQL database: a SQLite file, which holds what\n"
            "masters on that machine have archived, or one that all machines share (shared:/FILE), or a PostgreSQL\n"
            "database. ZooKeeper need not run for it to be read. What it covers is in -o json, and in a message when\n"
            "nothing matches.\n\n"
            "Jobs that are equal in what --sort names stand in the order of their ends. By ended, id, name and worker "
            "the\n"
            "database reads only what is shown; otherwise it reads all jobs, some seconds for 1,000,000.\n\n"
            "ENDED is how long ago the job ended, RAN how long its last attempt took, PEAK its highest use of memory.",
        .options = historyFilterOptions()
            + QList<QCommandLineOption>{option("summary", "add up by", qPrintable(history::groupNames().join(u'|'))),
                                        option("sort",
                                               "sort by this, ascending, or with :desc behind it descending "
                                               "(default: ended:desc)",
                                               qPrintable(history::orderNames().join(u'|'))),
                                        option("rows", "show at most so many lines (default: 200; json and jsonl: all)",
                                               "N")},
        .takes = {{CompletionKind::EndedJob}},
        .argumentCount = {0, Command::Unlimited},
        .needs = {{trust::Role::Viewer}},
        .examples = {"drover history --since 2h", "drover history --sort ran:desc --rows 10",
                     "drover history --summary worker"},
        .exits = {{"3", "there is no such job, or no history"}},
        .run = execute};
}

} // namespace drover::app
