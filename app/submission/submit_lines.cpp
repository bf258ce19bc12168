#include "app/submission/submit_lines.h"

#include "app/cli/failure.h"
#include "app/cli/input_lines.h"
#include "app/cli/parallel_in_order.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/dependencies.h"
#include "app/submission/job_fields.h"
#include "app/submission/job_file.h"
#include "app/submission/submission.h"
#include "jobs/client/own_clock.h"
#include "jobs/client/submitter.h"

namespace drover::app {

namespace {

constexpr qsizetype LongestLine = 4 * jobs::JobSpec::MaxSize; // escapes take more room than what they stand for

// The outcome of one line: a job, or an error, or unknown.
struct Handled {
    qint64 number = 0;
    QString id;
    QJsonObject dryRun;
    QString refusal;
    QString unnamed; // it was submitted, and its id cannot be known
    QString inDoubt; // it may have been submitted or not
    QString unsent; // it was not submitted: there is no ZooKeeper
};

async::Task<Handled> handle(Context &context, std::optional<jobs::Cluster> cluster, jobs::Submitter *submitter,
                            InputLines::Line line)
{
    Handled handled;
    handled.number = line.number;
    try {
        if (line.tooLong)
            throw UsageError(QStringLiteral("longer than %1 bytes").arg(LongestLine));
        const jobs::JobSpec spec = specFrom(context.arguments(), JobFile::parseJson(line.text));
        if (submitter) {
            const jobs::JobSpec job = co_await withDependencies(context, *cluster, spec);
            const jobs::JobId id = co_await submitNamed(context, *submitter, job);
            handled.id = id.toString();
        } else {
            const QByteArray checked = spec.encode(); // refuses what is too large
            handled.dryRun = jobFileJson(spec);
        }
    } catch (const jobs::IdUnknown &error) {
        handled.unnamed = QString::fromUtf8(error.what());
    } catch (const jobs::SubmittedOrNot &error) {
        handled.inDoubt = error.why;
    } catch (const zk::SessionLost &error) {
        handled.unsent = QString::fromUtf8(error.what());
    } catch (const std::exception &) {
        handled.refusal = explain(std::current_exception()).message;
    }
    co_return handled;
}

// "17, 20 to 31": lines, which come in their order.
class Lines
{
public:
    void add(qint64 line)
    {
        if (!m_ranges.isEmpty() && m_ranges.last().second + 1 == line)
            m_ranges.last().second = line;
        else
            m_ranges.append({line, line});
    }
    bool isEmpty() const { return m_ranges.isEmpty(); }
    QString toString() const
    {
        QStringList parts;
        for (const auto &[first, last] : m_ranges)
            parts.append(first == last ? QString::number(first) : QStringLiteral("%1 to %2").arg(first).arg(last));
        const bool isOne = m_ranges.size() == 1 && m_ranges.first().first == m_ranges.first().second;
        return (isOne ? QStringLiteral("line ") : QStringLiteral("lines ")) + parts.join(QStringLiteral(", "));
    }

private:
    QList<std::pair<qint64, qint64>> m_ranges;
};

class Printer
{
public:
    Printer(const Context &context, InputLines &input)
        : m_out(context.out()), m_input(input), m_plain(m_out.isTable() || context.arguments().has("id-only"))
    {
    }

    void print(const Handled &handled)
    {
        ++m_lines;
        m_last = handled.number;
        if (!handled.unnamed.isEmpty()) {
            m_unnamed = true;
            Output::message(QStringLiteral("line %1: %2").arg(QString::number(handled.number), handled.unnamed));
            return;
        }
        if (!handled.inDoubt.isEmpty() || !handled.unsent.isEmpty()) {
            (handled.inDoubt.isEmpty() ? m_unsent : m_inDoubt).add(handled.number);
            m_lost = m_lost.isEmpty() ? handled.inDoubt + handled.unsent : m_lost;
            m_input.stop();
            return;
        }
        if (!handled.refusal.isEmpty()) {
            ++m_refused;
            Output::message(QStringLiteral("line %1: %2").arg(QString::number(handled.number), handled.refusal));
            return;
        }
        try {
            if (!m_trouble)
                write(handled);
        } catch (const CommandError &error) {
            m_trouble = error;
            m_input.stop();
        }
        if (m_trouble && !handled.id.isEmpty())
            m_unprinted.append(handled.id);
    }

    int finish() const
    {
        if (m_trouble && m_unprinted.isEmpty())
            throw CommandError(*m_trouble);
        if (m_trouble)
            throw CommandError(m_trouble->code(),
                               QStringLiteral("%1 %2 submitted; %3")
                                   .arg(m_unprinted.join(QStringLiteral(", ")),
                                        m_unprinted.size() == 1 ? QStringLiteral("was") : QStringLiteral("were"),
                                        QString::fromUtf8(m_trouble->what())));
        if (m_refused > 0)
            Output::message(QStringLiteral("%1 of %2 jobs were refused").arg(m_refused).arg(m_lines));
        if (!m_lost.isEmpty())
            tellLost();
        if (!m_lost.isEmpty())
            return ExitUnreachable;
        return m_refused > 0 || m_unnamed ? ExitError : ExitOk;
    }

private:
    void tellLost() const
    {
        if (!m_inDoubt.isEmpty())
            Output::message(
                QStringLiteral("%1 may have been submitted or not; look before you submit them again: drover "
                               "ls --all")
                    .arg(m_inDoubt.toString()));
        if (!m_unsent.isEmpty())
            Output::message(QStringLiteral("%1 were not submitted").arg(m_unsent.toString()));
        Output::message(QStringLiteral("ZooKeeper was lost (%1): the lines after line %2 were not submitted")
                            .arg(m_lost, QString::number(m_last)));
    }

    void write(const Handled &handled) const
    {
        if (handled.id.isEmpty())
            m_out.event(handled.dryRun);
        else if (m_plain)
            m_out.line(handled.id);
        else
            m_out.event({{QStringLiteral("id"), handled.id}, {QStringLiteral("line"), handled.number}});
    }

    const Output &m_out;
    InputLines &m_input;
    bool m_plain;
    std::optional<CommandError> m_trouble; // with standard output
    QStringList m_unprinted;
    qint64 m_lines = 0;
    qint64 m_last = 0; // number
    qint64 m_refused = 0;
    bool m_unnamed = false; // some job's id is not known
    QString m_lost; // why no more is submitted
    Lines m_inDoubt;
    Lines m_unsent;
};

// Turns the first signal into the end of the input. A later one ends the command at once, but for the first second: one
// wish may come as two signals (timeout signals its child and its group).
class StopOnSignal
{
public:
    // `submitter`: null if none is submitted.
    StopOnSignal(Context &context, InputLines &input, jobs::Submitter *submitter)
        : m_loop(context.loop()), m_input(input), m_submitter(submitter),
          m_guard(context.unixSignals(), [this](int signal) { onSignal(signal); })
    {
    }

    int signal() const { return m_signal; }

private:
    void onSignal(int signal)
    {
        if (m_signal) {
            if (m_loop.now() - m_since >= std::chrono::seconds(1))
                m_guard.passOn(signal);
            return;
        }
        m_signal = signal;
        m_since = m_loop.now();
        m_input.stop();
        if (m_submitter)
            m_submitter->stopWaiting();
    }

    async::Loop &m_loop;
    InputLines &m_input;
    jobs::Submitter *m_submitter;
    int m_signal = 0;
    async::TimePoint m_since; // of the first signal
    UnixSignals::Guard m_guard;
};

} // namespace

async::Task<int> submitLines(Context &context)
{
    requireValidOptions(context.arguments());
    outliveReaders();
    std::optional<jobs::Cluster> cluster;
    std::optional<jobs::Submitter> submitter;
    if (!context.arguments().has("dry-run")) {
        const jobs::Cluster opened = co_await context.openCluster();
        co_await jobs::requireClockToSign(opened);
        cluster.emplace(opened);
        submitter.emplace(opened, context.clusterConfig(), whenFull(context));
        submitter->leaveToSession();
    }
    jobs::Submitter *const submit = submitter ? &*submitter : nullptr;

    InputLines input(LongestLine);
    Printer printer(context, input);
    const StopOnSignal interrupt(context, input, submit);
    ParallelInOrder<Handled> tasks(context.loop(), [&printer](const Handled &handled) { printer.print(handled); });
    qint64 last = 0;
    for (;;) {
        const std::optional<InputLines::Line> line = co_await input.next();
        if (!line)
            break;
        last = line->number;
        if (line->tooLong || !line->text.trimmed().isEmpty())
            co_await tasks.add(handle(context, cluster, submit, *line));
    }
    co_await tasks.finish();
    const int code = printer.finish();
    if (!interrupt.signal())
        co_return code;
    Output::message(QStringLiteral("interrupted: the lines after line %1 were not submitted").arg(last));
    co_return ExitSignalBase + interrupt.signal();
}

} // namespace drover::app
