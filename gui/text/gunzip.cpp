#include "gui/text/gunzip.h"

#include <memory>

#include <zlib.h>

namespace drover::gui {

bool isGzip(const QByteArray &data)
{
    return data.startsWith("\x1f\x8b\x08");
}

std::optional<QByteArray> gunzip(const QByteArray &data, qsizetype limit)
{
    constexpr int GzipAlone = 16 + MAX_WBITS;
    constexpr qsizetype Step = 64 * 1024;
    z_stream stream{};
    if (inflateInit2(&stream, GzipAlone) != Z_OK)
        return std::nullopt;
    const std::unique_ptr<z_stream, int (*)(z_stream *)> ending(&stream, inflateEnd);
    QByteArray input = data; // zlib's interface takes no constant
    stream.next_in = reinterpret_cast<Bytef *>(input.data());
    stream.avail_in = uInt(input.size());
    QByteArray output;
    for (int result = Z_OK; result == Z_OK;) {
        const qsizetype begin = output.size();
        if (begin > limit)
            return std::nullopt;
        output.resize(begin + Step);
        stream.next_out = reinterpret_cast<Bytef *>(output.data()) + begin;
        stream.avail_out = uInt(Step);
        result = inflate(&stream, Z_NO_FLUSH);
        output.chop(qsizetype(stream.avail_out));
        if (result != Z_OK && result != Z_STREAM_END)
            return std::nullopt;
    }
    return output.size() > limit ? std::nullopt : std::optional(output);
}

} // namespace drover::gui
