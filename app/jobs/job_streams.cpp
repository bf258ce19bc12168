#include "app/jobs/job_streams.h"

#include <exception>

#include <unistd.h>

namespace drover::app {

namespace {

void toStandardError(const QByteArray &bytes)
{
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stderr);
}

} // namespace

JobStreams::JobStreams(const Output &out, Shown shown)
    : m_out(out), m_filtersOutput(shown == Shown::SafeOnTerminals && out.terminal().isTerminal),
      m_filtersError(shown == Shown::SafeOnTerminals && Terminal::of(STDERR_FILENO).isTerminal)
{
}

JobStreams::~JobStreams()
{
    try {
        m_out.bytes(m_output.finish());
    } catch (const std::exception &) { // what came before has been refused as well
    }
    toStandardError(m_error.finish());
}

void JobStreams::write(const QByteArray &output, const QByteArray &error)
{
    m_out.bytes(m_filtersOutput ? m_output.pass(output) : output);
    toStandardError(m_filtersError ? m_error.pass(error) : error);
}

} // namespace drover::app
