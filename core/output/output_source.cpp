#include "output/output_source.h"

#include <algorithm>

namespace drover::output {

namespace {

constexpr qint64 Step = qint64(64) * 1024; // bytes read at a time

struct Chunk {
    qint64 begin = 0;
    QByteArray bytes;
    bool isFirst = false; // what was before it was not kept
};

OutputReply::Part partOf(const OutputReply &reply, Stream stream)
{
    return (stream == Stream::Output ? reply.output : reply.error).value_or(OutputReply::Part());
}

// Of that attempt, what one stream holds between two offsets.
OutputRequest between(OutputRequest request, Stream stream, qint64 begin, qint64 end)
{
    request.outputFrom.reset();
    request.errorFrom.reset();
    (stream == Stream::Output ? request.outputFrom : request.errorFrom) = begin;
    request.atMost = end - begin;
    request.wait = {};
    return request;
}

async::Task<qint64> sizeOf(OutputSource &source, OutputRequest request, Stream stream)
{
    const OutputRequest look = between(request, stream, 0, 0);
    const OutputReply reply = co_await source.read(look);
    co_return partOf(reply, stream).size.value_or(0);
}

// The last bytes before `end` that are there without a gap, of at most one step.
async::Task<Chunk> lastChunk(OutputSource &source, OutputRequest request, Stream stream, qint64 end)
{
    Chunk chunk{.begin = std::max<qint64>(0, end - Step), .bytes = {}};
    for (qint64 at = chunk.begin; at < end;) {
        const OutputRequest step = between(request, stream, at, end);
        const OutputReply reply = co_await source.read(step);
        const OutputReply::Part part = partOf(reply, stream);
        const bool isGap = part.skipped > 0 || part.bytes.isEmpty();
        chunk.isFirst = chunk.isFirst || isGap;
        if (isGap || chunk.bytes.isEmpty())
            chunk = {at + part.skipped, {}, chunk.isFirst};
        chunk.bytes += part.bytes.first(std::clamp<qint64>(end - at - part.skipped, 0, part.bytes.size()));
        if (part.bytes.isEmpty())
            break;
        at += part.length();
    }
    co_return chunk;
}

} // namespace

async::Task<qint64> startOfLastLines(OutputSource &source, OutputRequest request, Stream stream, qint64 lines)
{
    const qint64 size = co_await sizeOf(source, request, stream);
    if (lines == 0)
        co_return size;

    qint64 found = 0; // ends of lines, but not that of the last one
    for (qint64 end = size; end > 0;) {
        const Chunk chunk = co_await lastChunk(source, request, stream, end);
        for (qsizetype i = chunk.bytes.size() - 1; i >= 0; --i) {
            const qint64 next = chunk.begin + i + 1;
            if (chunk.bytes[i] == '\n' && next != size && ++found == lines)
                co_return next;
        }
        if (chunk.isFirst)
            co_return chunk.begin;
        end = chunk.begin;
    }
    co_return 0;
}

async::Task<qint64> startOfLastBytes(OutputSource &source, OutputRequest request, Stream stream, qint64 bytes)
{
    const qint64 size = co_await sizeOf(source, request, stream);
    co_return std::max<qint64>(0, size - bytes);
}

} // namespace drover::output
