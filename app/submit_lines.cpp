#include "app/submit_lines.h"

#include "app/failure.h"
#include "app/input_lines.h"
#include "app/job_file.h"
#include "app/job_file_json.h"
#include "app/ordered_tasks.h"
#include "app/past_jobs.h"
#include "app/submission.h"
#include "jobs/submitter.h"

namespace drover::app {

namespace {

constexpr qsizetype LongestLine = 4 * jobs::JobSpec::MaxSize; // escapes take more room than what they stand for

// What became of one line: a job, or why there is none.
struct Handled {
    qint64 number = 0;
    QString id;
    QJsonObject dryRun;
    QString refusal;
};

async::Task<Handled> handle(Context &context, zk::Coordinator *zk, jobs::Submitter *submitter, InputLines::Line line)
{
    Handled handled;
    handled.number = line.number;
    try {
        if (line.tooLong)
            throw UsageError(QStringLiteral("longer than %1 bytes").arg(LongestLine));
        const jobs::JobSpec spec = specFrom(context.arguments(), JobFile::parseJson(line.text));
        if (submitter) {
            co_await requireDependencies(context, *zk, spec);
            const jobs::JobId id = co_await submitter->submit(spec);
            handled.id = id.toString();
        } else {
            const QByteArray checked = spec.encode(); // refuses what is too large
            handled.dryRun = jobFileJson(spec);
        }
    } catch (const zk::SessionLost &) {
        throw;
    } catch (const std::exception &) {
        handled.refusal = explain(std::current_exception()).message;
    }
    co_return handled;
}

class Printer
{
public:
    explicit Printer(const Context &context)
        : m_out(context.out()), m_plain(m_out.isTable() || context.arguments().has("id-only"))
    {
    }

    void print(const Handled &handled)
    {
        ++m_lines;
        if (!handled.refusal.isEmpty()) {
            ++m_refused;
            Output::message(QStringLiteral("line %1: %2").arg(QString::number(handled.number), handled.refusal));
        } else if (handled.id.isEmpty()) {
            m_out.event(handled.dryRun);
        } else if (m_plain) {
            m_out.line(handled.id);
        } else {
            m_out.event({{QStringLiteral("id"), handled.id}, {QStringLiteral("line"), handled.number}});
        }
    }

    int finish() const
    {
        if (m_refused == 0)
            return ExitOk;
        Output::message(QStringLiteral("%1 of %2 jobs were refused").arg(m_refused).arg(m_lines));
        return ExitError;
    }

private:
    const Output &m_out;
    bool m_plain;
    qint64 m_lines = 0;
    qint64 m_refused = 0;
};

} // namespace

async::Task<int> submitLines(Context &context)
{
    requireValidOptions(context.arguments());
    zk::Coordinator *zk = nullptr;
    std::optional<jobs::Submitter> submitter;
    if (!context.arguments().has("dry-run")) {
        zk = co_await context.openCluster();
        submitter.emplace(*zk, context.layout(), context.clusterConfig());
    }
    jobs::Submitter *const submit = submitter ? &*submitter : nullptr;

    Printer printer(context);
    OrderedTasks<Handled> tasks(context.loop(), [&printer](const Handled &handled) { printer.print(handled); });
    InputLines input(LongestLine);
    for (;;) {
        const std::optional<InputLines::Line> line = co_await input.next();
        if (!line)
            break;
        if (line->tooLong || !line->text.trimmed().isEmpty())
            co_await tasks.add(handle(context, zk, submit, *line));
    }
    co_await tasks.finish();
    co_return printer.finish();
}

} // namespace drover::app
