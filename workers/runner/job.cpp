#include "workers/runner/job.h"

#include "workers/result_slots.h"
#include "workers/runner/clock.h"

#include <cerrno>
#include <limits>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drover::runner {

using namespace workers::protocol;

namespace {

constexpr const char *leaseReason = "the worker could not prove that its session lives";

std::int64_t after(std::int64_t delayNs)
{
    const std::int64_t now = bootNs();
    return delayNs < std::numeric_limits<std::int64_t>::max() - now ? now + delayNs
                                                                    : std::numeric_limits<std::int64_t>::max();
}

Finished neverStarted(const Start &start, How how, const char *reason)
{
    Finished finished;
    finished.token = start.token;
    finished.how = how;
    finished.reason = reason;
    finished.startedMs = finished.finishedMs = wallMs();
    return finished;
}

} // namespace

Job::Job(Start start, int epoll, Children &children)
    : m_start(std::move(start)), m_children(children), m_output(m_start.output, m_start.outputCap, m_tail, epoll),
      m_error(m_start.error, m_start.outputCap, m_tail, epoll), m_startedMs(wallMs()), m_startedNs(bootNs())
{
}

bool Job::spawn(const Spawner &spawner, const Cgroups &cgroups)
{
    const Fd output = m_output.open();
    const Fd error = output ? m_error.open() : Fd();
    if (!error) {
        m_failure = spawnFailure(machineIsShort, "cannot make a pipe", errno);
        return false;
    }
    if (!openCopies(spawner))
        return false;
    if (m_start.memory > 0)
        m_cgroup = cgroups.make(m_start.mark.substr(m_start.mark.find('=') + 1), m_start.memory);
    m_failure = spawner.spawn(m_start, output.get(), error.get(), m_cgroup ? m_cgroup->entrance() : std::string());
    m_pid = m_failure.pid;
    if (m_pid != 0)
        m_children.add(m_start.token, m_pid, m_start.mark, m_cgroup.get());
    // Kept for the whole run, and of no more use.
    m_start.arguments = {};
    m_start.environment = {};
    if (m_pid != 0 && m_start.limitNs > 0)
        m_deadline = after(m_start.limitNs);
    return m_pid != 0;
}

// The open may have taken so long that the files are another attempt's by now.
bool Job::openCopies(const Spawner &spawner)
{
    const auto fail = [this](const std::string &path) {
        m_failure = spawnFailure(126, "cannot write the file '" + path + "'", errno);
        return false;
    };
    const bool one = m_start.errorCopy == m_start.outputCopy;
    std::shared_ptr<const Fd> files[2];
    const std::string *const paths[2] = {&m_start.outputCopy, &m_start.errorCopy};
    for (int i = 0; i < (one ? 1 : 2); ++i) {
        if (paths[i]->empty())
            continue;
        files[i] = std::make_shared<const Fd>(openCopy(*paths[i]));
        if (!*files[i])
            return fail(*paths[i]);
    }
    m_failure.leasePassed = !spawner.mayStart();
    if (m_failure.leasePassed)
        return false;
    for (int i = 0; i < 2; ++i) {
        if (files[i] && ::ftruncate(files[i]->get(), 0) != 0 && errno != EINVAL) // a device has no length
            return fail(*paths[i]);
    }
    m_output.copyTo(files[0], m_start.outputCopy);
    m_error.copyTo(one ? files[0] : files[1], m_start.errorCopy);
    return true;
}

Finished Job::failure() const
{
    Finished finished = report();
    finished.how = m_failure.leasePassed ? How::LeaseExpired : How::FailedToStart;
    finished.exitCode = m_failure.exitCode;
    finished.reason = m_failure.leasePassed ? leaseReason : m_failure.reason;
    return finished;
}

Started Job::started() const
{
    return {.token = m_start.token, .pid = m_pid, .startedMs = m_startedMs};
}

void Job::due()
{
    if (m_ending)
        end(*m_ending, 0);
    else
        end(How::TimedOut, m_start.graceNs);
}

void Job::signal(int number) const
{
    m_children.signal(m_start.token, number);
}

void Job::end(How how, std::int64_t graceNs)
{
    const bool runs = m_children.signal(m_start.token, graceNs > 0 ? SIGTERM : SIGKILL);
    m_deadline = runs && graceNs > 0 ? std::optional(after(graceNs)) : std::nullopt;
    if (runs && !m_ending) // else it has ended by itself, and what it left is being killed
        m_ending = how;
}

Finished Job::finish(const Death &death)
{
    m_output.finish();
    m_error.finish();
    Finished finished = report();
    finished.cpuNs = death.cpuNs;
    finished.peakBytes = death.peakBytes;
    finished.tail = m_tail.take();
    finished.outOfMemory = m_cgroup && m_cgroup->ranOutOfMemory();
    finished.reason = m_output.problem().empty() ? m_error.problem() : m_output.problem();
    if (WIFSIGNALED(death.status))
        finished.signal = WTERMSIG(death.status);
    else
        finished.exitCode = WEXITSTATUS(death.status);
    if (m_ending) {
        finished.how = *m_ending;
    } else if (death.killedByLease && finished.signal == SIGKILL) {
        finished.how = How::LeaseExpired;
        finished.reason = leaseReason;
    } else {
        finished.how = finished.signal != 0 ? How::Signalled : How::Exited;
    }
    keep(finished);
    return finished;
}

// If it cannot be written (a full disk), nobody but the worker will know.
void Job::keep(const Finished &finished) const
{
    if (m_start.note.empty() || !isWorthKeeping(finished.how))
        return;
    const std::string bytes = toSlot(m_start.note, finished);
    [[maybe_unused]] const ssize_t size =
        ::pwrite(runFd, bytes.data(), bytes.size(), off_t(m_start.slot) * off_t(slotSize));
}

Finished Job::report() const
{
    Finished finished;
    finished.token = m_start.token;
    finished.pid = m_pid;
    finished.startedMs = m_startedMs;
    finished.finishedMs = wallMs();
    finished.elapsedNs = bootNs() - m_startedNs;
    finished.outputBytes = m_output.bytes();
    finished.errorBytes = m_error.bytes();
    finished.outputTruncated = m_output.truncated();
    finished.errorTruncated = m_error.truncated();
    return finished;
}

Finished refusedByLease(const Start &start)
{
    return neverStarted(start, How::LeaseExpired, leaseReason);
}

Finished withdrawn(const Start &start)
{
    return neverStarted(start, How::Withdrawn, "");
}

} // namespace drover::runner
