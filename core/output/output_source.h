#pragma once

#include "async/task.h"
#include "output/output_request.h"

namespace drover::output {

// Where the output of jobs can be read.
class OutputSource
{
public:
    virtual ~OutputSource() = default;

    // Returns when there is something beyond the request's offsets, or its wait is over. Throws OutputLost if it cannot
    // be read at present: ask again, or do without.
    virtual async::Task<OutputReply> read(OutputRequest request) = 0;
};

// what() is one line that says why.
class OutputLost : public std::runtime_error
{
public:
    explicit OutputLost(const QString &what) : std::runtime_error(what.toStdString()) { }
};

enum class Stream { Output, Error };

// The offset at which the last `lines` lines of a stream begin, of those that are there now; where fewer were kept
// after a gap, that of the first byte behind it. Reads backwards, only as far as it has to. `request` says of which
// attempt.
async::Task<qint64> startOfLastLines(OutputSource &source, OutputRequest request, Stream stream, qint64 lines);

// The same of the last `bytes` bytes.
async::Task<qint64> startOfLastBytes(OutputSource &source, OutputRequest request, Stream stream, qint64 bytes);

} // namespace drover::output
