#pragma once

#include "app/cli/output.h"
#include "text/terminal_filter.h"

namespace drover::app {

// Our standard output and standard error, as the place where a job's output goes.
class JobStreams
{
public:
    // SafeOnTerminals: a terminal gets the bytes as TerminalFilter shows them; files and pipes always get them as they
    // are.
    enum class Shown { AsWritten, SafeOnTerminals };

    // `out` must outlive this object.
    JobStreams(const Output &out, Shown shown);
    ~JobStreams(); // gives the terminals their own colours again
    Q_DISABLE_COPY_MOVE(JobStreams)

    // Throws CommandError if standard output takes nothing.
    void write(const QByteArray &output, const QByteArray &error);

private:
    const Output &m_out;
    bool m_filtersOutput;
    bool m_filtersError;
    text::TerminalFilter m_output;
    text::TerminalFilter m_error;
};

} // namespace drover::app
