#pragma once

#include "jobs/model/job_id.h"

#include <chrono>
#include <optional>

namespace drover::output {

// A reader's request to a worker for the output of an attempt: the bytes of its two streams from an offset on. It names
// a job, never a file.
struct OutputRequest {
    static constexpr qint64 MaxBytes = qint64(128) * 1024; // of one stream in one reply
    static constexpr std::chrono::milliseconds MaxWait{10'000};

    jobs::JobId id{};
    int attempt = 1;
    std::optional<qint64> outputFrom{}; // not set: without this stream
    std::optional<qint64> errorFrom{};
    qint64 atMost = MaxBytes; // of each stream
    // If there is nothing beyond the offsets, the reply waits for output, at most so long.
    std::chrono::milliseconds wait{};

    QByteArray encode() const;
    static OutputRequest decode(const QByteArray &bytes); // throws jobs::Malformed
};

// The bytes that exist. A stream to which nothing was written has no file.
struct OutputReply {
    static constexpr qint64 MaxSize = 2 * OutputRequest::MaxBytes + 1024; // encoded

    struct Part {
        // The stream's length now, with bytes that were not kept. Not set: there is no file.
        std::optional<qint64> size;
        QByteArray bytes;
        qint64 skipped = 0; // not kept: from the requested offset to `bytes`

        // Add this to the offset to get the offset of the next request.
        qint64 length() const { return skipped + bytes.size(); }
        // The bytes for people; if bytes were skipped, a line before them says how many.
        QByteArray text() const;

        friend bool operator==(const Part &, const Part &) = default;
    };
    std::optional<Part> output; // set if requested
    std::optional<Part> error;

    bool isNews() const { return (output && !output->bytes.isEmpty()) || (error && !error->bytes.isEmpty()); }

    // One line of JSON with the sizes, then the bytes.
    QByteArray encode() const;
    static OutputReply decode(const QByteArray &bytes); // throws jobs::Malformed
};

} // namespace drover::output
