#include "output/output_source.h"

namespace drover::output {

namespace {

constexpr qint64 Step = qint64(64) * 1024; // bytes read at a time

} // namespace

async::Task<qint64> startOfLastLines(OutputSource &source, OutputRequest request, Stream stream, qint64 lines)
{
    const auto partOf = [stream](const OutputReply &reply) {
        return (stream == Stream::Output ? reply.output : reply.error).value_or(OutputReply::Part());
    };
    request.outputFrom.reset();
    request.errorFrom.reset();
    request.wait = {};
    std::optional<qint64> &from = stream == Stream::Output ? request.outputFrom : request.errorFrom;
    from = 0;
    request.atMost = 0;
    const OutputReply looked = co_await source.read(request);
    const qint64 size = partOf(looked).size.value_or(0);
    if (lines == 0)
        co_return size;

    qint64 found = 0; // ends of lines, but not that of the last one
    for (qint64 end = size; end > 0;) {
        from = std::max<qint64>(0, end - Step);
        request.atMost = end - *from;
        const OutputReply reply = co_await source.read(request);
        const QByteArray bytes = partOf(reply).bytes;
        for (qsizetype i = bytes.size() - 1; i >= 0; --i) {
            const qint64 next = *from + i + 1;
            if (bytes[i] == '\n' && next != size && ++found == lines)
                co_return next;
        }
        end = *from;
    }
    co_return 0;
}

} // namespace drover::output
