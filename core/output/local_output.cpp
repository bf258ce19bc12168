#include "output/local_output.h"

#include "async/offload.h"
#include "output/spool_files.h"

#include <system_error>

namespace drover::output {

using namespace std::chrono_literals;

namespace {

constexpr auto PollInterval = 50ms;

OutputReply readOrLose(const SpoolFiles &files, const OutputRequest &request)
{
    try {
        return readSpool(files, request);
    } catch (const std::system_error &error) {
        throw OutputLost(QString::fromLocal8Bit(error.what()));
    }
}

} // namespace

async::Task<OutputReply> LocalOutput::read(OutputRequest request)
{
    const SpoolFiles files = SpoolFiles::of(m_spool, request.id, request.attempt);
    const async::TimePoint end = m_loop.now() + request.wait;
    const std::function<OutputReply()> look = [files, request] { return readOrLose(files, request); };
    for (;;) {
        OutputReply reply = co_await async::offload(m_loop, look);
        if (reply.isNews() || m_loop.now() >= end)
            co_return reply;
        co_await async::sleepFor(m_loop, PollInterval);
    }
}

} // namespace drover::output
