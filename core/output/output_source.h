#pragma once

#include "async/task.h"
#include "output/output_request.h"

namespace drover::output {

// Reads the output of jobs.
class OutputSource
{
public:
    virtual ~OutputSource() = default;

    // Returns when there are bytes beyond the request's offsets, or its wait has passed. Throws OutputLost if the
    // output cannot be read at present; the caller may retry.
    virtual async::Task<OutputReply> read(OutputRequest request) = 0;
};

// what() is one line that says why.
class OutputLost : public std::runtime_error
{
public:
    explicit OutputLost(const QString &what) : std::runtime_error(what.toStdString()) { }
};

enum class Stream { Output, Error };

// The offset at which the last `lines` lines of a stream begin, of the lines that exist now. If fewer were kept after a
// gap, it is the first byte behind the gap. Reads backwards, no further than necessary. `request` names the attempt.
async::Task<qint64> startOfLastLines(OutputSource &source, OutputRequest request, Stream stream, qint64 lines);

// The offset at which the last `bytes` bytes of a stream begin, or of the first byte behind a gap.
async::Task<qint64> startOfLastBytes(OutputSource &source, OutputRequest request, Stream stream, qint64 bytes);

} // namespace drover::output
