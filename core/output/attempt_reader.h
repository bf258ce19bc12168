#pragma once

#include "jobs/model/cluster.h"
#include "output/output_source.h"

#include <functional>

namespace drover::output {

// Which streams of an attempt to read, and where to begin.
struct Streams {
    bool output = true;
    bool error = false;
    std::optional<qint64> lastLines{}; // only so many; neither set: all
    std::optional<qint64> lastBytes{};
};

// Reads the output of one attempt, each byte once and in order, even if its worker is unreachable in between. One
// reader may be used with several sessions in turn. It must outlive the tasks that it returns, and lives on the thread
// of the session.
class AttemptReader
{
public:
    // Called with the new bytes of each stream; at least one is not empty.
    using Grew = std::function<void(const QByteArray &output, const QByteArray &error)>;
    // Called with the reason when reading fails, once until it succeeds again.
    using Interrupted = std::function<void(const QString &why)>;

    AttemptReader(const jobs::JobId &id, int attempt, const Streams &streams, Grew grew);

    // Reads the output as it is written until no worker runs the attempt any more, and then the rest. Failures on the
    // way are reported to `interrupted` and retried. Throws OutputLost if the rest cannot be read, and SessionLost.
    // Another call continues where this one stopped.
    async::Task<void> follow(jobs::Cluster cluster, OutputSource &source, Interrupted interrupted);

    // Reads the bytes that exist now. Bytes that are written meanwhile are left out, so that it ends. Throws WorkerGone
    // at once, and OutputLost after five failures, a second apart.
    async::Task<void> readPresent(async::Loop &loop, OutputSource &source);

    const jobs::JobId &id() const { return m_next.id; }
    int attempt() const { return m_next.attempt; }
    bool hasBegun() const { return m_next.outputFrom || m_next.errorFrom; }
    bool isWhole() const { return m_isWhole; } // follow() has read everything
    // The sum of the offsets in both streams, in bytes.
    qint64 position() const { return m_next.outputFrom.value_or(0) + m_next.errorFrom.value_or(0); }

private:
    async::Task<void> begin(OutputSource &source);
    async::Task<qint64> startOf(OutputSource &source, Stream stream) const;
    async::Task<OutputReply> readNext(OutputSource &source, std::chrono::milliseconds wait);
    async::Task<void> readForEver(async::Loop &loop, OutputSource &source, Interrupted interrupted);
    bool isBeyond(const OutputReply &reply) const;

    Streams m_streams;
    Grew m_grew;
    OutputRequest m_next; // offsets not set: the beginning is not known yet
    bool m_isWhole = false;
};

} // namespace drover::output
