#pragma once

#include "jobs/job_id.h"

#include <chrono>
#include <optional>

namespace drover::output {

// What a reader asks of whoever keeps the output of an attempt: the bytes of its two streams from an offset on. It
// names a job, never a file.
struct OutputRequest {
    static constexpr qint64 MaxBytes = qint64(128) * 1024; // of one stream in one reply
    static constexpr std::chrono::milliseconds MaxWait{10'000};

    jobs::JobId id{};
    int attempt = 1;
    std::optional<qint64> outputFrom{}; // not set: this stream is not asked for
    std::optional<qint64> errorFrom{};
    qint64 atMost = MaxBytes; // of each stream
    // While there is nothing beyond the offsets the reply comes later, but no later than this.
    std::chrono::milliseconds wait{};

    QByteArray encode() const;
    static OutputRequest decode(const QByteArray &bytes); // throws jobs::Malformed
};

// What there is. A stream that wrote nothing has no file.
struct OutputReply {
    static constexpr qint64 MaxSize = 2 * OutputRequest::MaxBytes + 1024; // encoded

    struct Part {
        std::optional<qint64> size; // of the stream at this moment, kept or not; not set: there is no file
        QByteArray bytes;
        qint64 skipped = 0; // before them: from the offset asked for on, so many were not kept

        // How much further the next request has to begin.
        qint64 length() const { return skipped + bytes.size(); }
        // The bytes for people, after a line that says how many were not kept.
        QByteArray text() const;

        friend bool operator==(const Part &, const Part &) = default;
    };
    std::optional<Part> output; // set if asked for
    std::optional<Part> error;

    bool isNews() const { return (output && !output->bytes.isEmpty()) || (error && !error->bytes.isEmpty()); }

    // One line of JSON with the sizes, then the bytes.
    QByteArray encode() const;
    static OutputReply decode(const QByteArray &bytes); // throws jobs::Malformed
};

} // namespace drover::output
