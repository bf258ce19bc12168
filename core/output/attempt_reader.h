#pragma once

#include "jobs/layout.h"
#include "output/output_source.h"
#include "zk/coordinator.h"

#include <functional>

namespace drover::output {

// Which streams of an attempt are read, and how much of what each holds at first.
struct Streams {
    bool output = true;
    bool error = false;
    std::optional<qint64> lastLines{}; // only so many; neither set: all
    std::optional<qint64> lastBytes{};
};

// Reads what one attempt writes, each byte once and in order, however often its worker cannot be reached meanwhile. It
// outlives sessions, and what it returns it has to outlive. Lives on the thread of the session.
class AttemptReader
{
public:
    // What has come of each stream; something has.
    using Grew = std::function<void(const QByteArray &output, const QByteArray &error)>;
    // Why nothing can be read at present: told once until something can.
    using Interrupted = std::function<void(const QString &why)>;

    AttemptReader(const jobs::JobId &id, int attempt, const Streams &streams, Grew grew);

    // Reads as it is written until nobody runs the attempt any more, and then what is left. Trouble on the way is told
    // and waited out. Throws OutputLost if what is left cannot be read, and SessionLost; called again, it goes on.
    async::Task<void> follow(zk::Coordinator &zk, jobs::Layout layout, OutputSource &source, Interrupted interrupted);

    // Reads what is there, and not what is written meanwhile, which might never let it end. Throws OutputLost:
    // WorkerGone at once, everything else when it has failed five times, a second apart.
    async::Task<void> readPresent(async::Loop &loop, OutputSource &source);

    int attempt() const { return m_next.attempt; }
    bool hasBegun() const { return m_next.outputFrom || m_next.errorFrom; }
    bool isWhole() const { return m_isWhole; } // follow() has come to its end
    qint64 position() const { return m_next.outputFrom.value_or(0) + m_next.errorFrom.value_or(0); } // in both streams

private:
    async::Task<void> begin(OutputSource &source);
    async::Task<qint64> startOf(OutputSource &source, Stream stream) const;
    async::Task<OutputReply> readNext(OutputSource &source, std::chrono::milliseconds wait);
    async::Task<void> readForEver(async::Loop &loop, OutputSource &source, Interrupted interrupted);
    bool isBeyond(const OutputReply &reply) const;

    Streams m_streams;
    Grew m_grew;
    OutputRequest m_next; // no offset: where to begin is not known yet
    bool m_isWhole = false;
};

} // namespace drover::output
