#include "gui/output/whole_output.h"

#include "async/offload.h"
#include "output/attempt_reader.h"
#include "output/ended_output.h"

#include <QCoreApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <stdexcept>

namespace drover::gui {

namespace {

struct WholeOutput {
    Q_DECLARE_TR_FUNCTIONS(WholeOutput)
};

constexpr qint64 BetweenReports = 100; // ms
constexpr qint64 MostOfReply = qint64(128) * 1024; // and of the heading

// Writes into a file what another source answers, and answers when it is there.
class KeptOutput final : public output::OutputSource
{
public:
    KeptOutput(async::Loop &loop, output::OutputSource &source, std::shared_ptr<OutputFile> file,
               std::function<void(qint64)> progress)
        : m_loop(loop), m_source(source), m_file(std::move(file)), m_progress(std::move(progress))
    {
        m_sinceReport.start();
    }

    // Stands above what comes next, unless nothing comes.
    void setHeading(const QByteArray &heading) { m_heading = heading; }

    async::Task<output::OutputReply> read(output::OutputRequest request) override
    {
        const output::OutputReply reply = co_await m_source.read(request);
        if (!reply.isNews())
            co_return reply;
        const QByteArray text = std::exchange(m_heading, {}) + reply.output.value_or(output::OutputReply::Part()).text()
            + reply.error.value_or(output::OutputReply::Part()).text();
        const std::function<qint64()> write = [file = m_file, text] {
            file->append(text);
            return file->size();
        };
        const qint64 size = co_await async::offload(m_loop, write);
        if (size > 2 * MostOutput + MostOfReply)
            throw std::runtime_error(WholeOutput::tr("it is more than the console reads; in a terminal: drover logs %1")
                                         .arg(request.id.toString())
                                         .toStdString());
        if (m_sinceReport.elapsed() >= BetweenReports) {
            m_sinceReport.start();
            m_progress(size);
        }
        co_return reply;
    }

private:
    async::Loop &m_loop;
    output::OutputSource &m_source;
    std::shared_ptr<OutputFile> m_file;
    std::function<void(qint64)> m_progress;
    QElapsedTimer m_sinceReport;
    QByteArray m_heading;
};

} // namespace

async::Task<std::shared_ptr<const OutputFile>> readWholeOutput(jobs::Cluster cluster, jobs::FinalRecord record,
                                                               std::function<void(qint64)> progress)
{
    const std::unique_ptr<output::OutputSource> source = co_await output::sourceOfEnded(cluster, record);
    const std::function<std::shared_ptr<OutputFile>()> make = [] { return std::make_shared<OutputFile>(); };
    const std::shared_ptr<OutputFile> file = co_await async::offload(cluster.zk.loop(), make);
    KeptOutput kept(cluster.zk.loop(), *source, file, std::move(progress));
    const int attempt = std::max(1, record.attempts.claimVersion);
    const output::AttemptReader::Grew isInTheFile = [](const QByteArray &, const QByteArray &) {};
    // Where the worker has left something out, offsets count that, too: the last bytes would be without the beginning.
    const std::optional<qint64> most = record.outputTruncated ? std::nullopt : std::optional(MostOutput);
    const output::Streams first{.output = true, .error = false, .lastLines = {}, .lastBytes = most};
    output::AttemptReader written(record.id, attempt, first, isInTheFile);
    co_await written.readPresent(cluster.zk.loop(), kept);
    if (file->size() > 0)
        kept.setHeading("\x1b[0m\n" + WholeOutput::tr("— stderr —").toUtf8() + '\n');
    const output::Streams second{.output = false, .error = true, .lastLines = {}, .lastBytes = most};
    output::AttemptReader errors(record.id, attempt, second, isInTheFile);
    co_await errors.readPresent(cluster.zk.loop(), kept);
    co_return std::shared_ptr<const OutputFile>(file);
}

} // namespace drover::gui
