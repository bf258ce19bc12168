#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "app/commands/commands.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/history_filter.h"
#include "app/jobs/history_json.h"
#include "text/printable.h"
#include "text/terminal_filter.h"

#include <QJsonDocument>

namespace drover::app {

namespace {

constexpr qsizetype PageSize = 1000; // jobs in memory at a time

QByteArray jsonLine(const history::ArchivedJob &entry)
{
    QJsonObject object = entryJson(entry);
    object.insert(QStringLiteral("schema"), Output::Schema);
    object.insert(QStringLiteral("output_tail"), QString::fromUtf8(entry.record.tail));
    return text::printableJson(QJsonDocument(object).toJson(QJsonDocument::Compact)) + '\n';
}

// An empty one of a history that has not begun. Throws NoHistory if it has to be there.
async::Task<history::Page> nextPage(Context &context, history::History &past, history::Query query)
{
    try {
        co_return co_await past.query(query);
    } catch (const history::NoHistory &) {
        if (!mayBeMissing(context))
            throw;
    }
    co_return history::Page();
}

async::Task<int> execute(Context &context)
{
    const bool csv = context.out().isTable();
    const bool isFiltered = context.out().terminal().isTerminal && !context.arguments().has("raw");
    text::TerminalFilter filter;
    history::Query query = historyQuery(context);
    query.limit = PageSize;
    const history::Location place = co_await findHistory(context);
    history::History past(context.loop(), place, history::OpenMode::Read);
    for (bool first = true; first || query.after; first = false) {
        const history::Page page = co_await nextPage(context, past, query);
        QByteArray text = first && csv ? csvHeader() : QByteArray();
        for (const history::ArchivedJob &entry : page.entries)
            text += csv ? csvLine(entry) : jsonLine(entry);
        context.out().bytes(isFiltered ? filter.pass(text) : text);
        query.after = page.next;
    }
    if (isFiltered)
        context.out().bytes(filter.finish());
    co_return ExitOk;
}

} // namespace

Command historyExport()
{
    return {.name = "history export",
            .synopsis = "[OPTIONS] [ID...]",
            .summary = "Write finished jobs to standard output, as CSV or JSON lines",
            .details =
                "The latest first, as many as there are, page by page: it needs little memory. -o csv, which is "
                "meant without -o, has a line of names first; -o jsonl has all that is known of a job. A terminal "
                "gets control characters as \\x1b, files and pipes get CSV as it is.",
            .options = historyFilterOptions() + QList<QCommandLineOption>{rawOption()},
            .takes = {{CompletionKind::EndedJob}},
            .argumentCount = {0, Command::Unlimited},
            .forms = "csv|jsonl",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover history export -o jsonl --since 24h"},
            .exits = {{"3", "there is no history"}},
            .run = execute};
}

} // namespace drover::app
