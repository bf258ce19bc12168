#include "workers/runner/job.h"

#include "posix/clock.h"
#include "posix/pipe.h"
#include "workers/process/result_file.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drover::runner {

using namespace posix;
using std::chrono::nanoseconds;
using namespace workers::protocol;

namespace {

constexpr const char *leaseReason = "the worker could not prove that its session lives";

std::int64_t after(std::int64_t delayNs)
{
    const std::int64_t now = bootNs();
    return delayNs < std::numeric_limits<std::int64_t>::max() - now ? now + delayNs
                                                                    : std::numeric_limits<std::int64_t>::max();
}

// How long the copies of a job that was asked to end may take: its grace, limited to this range.
constexpr std::int64_t leastCopyPatienceNs = 200'000'000;
constexpr std::int64_t mostCopyPatienceNs = 5'000'000'000;
// For the death of a killed writer. A system call that hangs may hold it for as long as a file server does not answer.
constexpr std::int64_t writerDeathNs = 100'000'000;
constexpr std::int64_t copyLookNs = 500'000'000; // between two looks whether a copy has taken something
constexpr const char *outOfTime = "it did not take all of it in time";

void setFailure(Outcome &outcome, const StartFailure &failure)
{
    outcome.how = failure.leasePassed ? How::LeaseExpired : How::FailedToStart;
    outcome.exitCode = failure.exitCode;
    outcome.reason = failure.leasePassed ? leaseReason : failure.reason;
}

Outcome neverStarted(const Command &command, How how, const char *reason)
{
    Outcome outcome;
    outcome.runId = command.runId;
    outcome.how = how;
    outcome.reason = reason;
    outcome.startedAt = outcome.finishedAt = wallTime();
    return outcome;
}

} // namespace

Job::Job(Command command, int epoll, Children &children)
    : m_command(std::move(command)), m_children(children), m_epoll(epoll),
      m_output(m_command.output, m_command.outputCap, m_tail, epoll),
      m_error(m_command.error, m_command.outputCap, m_tail, epoll), m_startedAt(wallTime()), m_startedNs(bootNs())
{
}

bool Job::spawn(Spawner &spawner, const Cgroups &cgroups)
{
    const bool copies = !m_command.outputCopy.empty() || !m_command.errorCopy.empty();
    const FileDescriptor output = m_output.open();
    const FileDescriptor error = output ? m_error.open() : FileDescriptor();
    const FileDescriptor status = error && copies ? m_status.open() : FileDescriptor();
    Pipe go = status ? Pipe::make() : Pipe();
    if (!error || (copies && !go))
        return failToSpawn("cannot make a pipe");
    if (copies && !startCopies(spawner, status.get(), go.writer.get()))
        return failToSpawn("cannot start a process");
    go.writer.reset(); // it ends when the copies' processes have
    if (m_command.memory > 0)
        m_cgroup = cgroups.make(m_command.tag.substr(m_command.tag.find('=') + 1), m_command.memory);
    const CommandStart::Ends ends{.descriptors = {.streams = {-1, output.get(), error.get()}, .go = go.reader.get()},
                                  .copies = int(m_copies.size())};
    m_start = spawner.prepare(m_command, ends, m_cgroup ? m_cgroup->entrance() : std::string());
    const auto launch = [this] { return m_start->launch(); };
    const pid_t pid = m_start ? m_children.add(m_command.runId, launch, m_command.tag, m_cgroup.get()) : -1;
    if (pid < 0)
        return failToSpawn("cannot start a process");
    m_pid = pid;
    m_isUnbounded = spawner.leavesUnbounded(m_command);
    // Kept for the whole run, and of no more use.
    m_command.arguments.resize(1);
    m_command.environment = {};
    if (m_command.timeLimit.count() > 0)
        m_deadline = m_timeLimit = after(m_command.timeLimit.count());
    return true;
}

bool Job::failToSpawn(const char *what)
{
    m_failure = startFailure(machineIsShort, what, errno);
    m_failure->exitCode = machineIsShort;
    return false;
}

bool Job::startCopies(const Spawner &spawner, int status, int go)
{
    const auto start = [&](const std::string &path, CopyStep step) {
        CopyWriter::Place place{.path = path, .folders = m_command.outputFolders, .user = JobUser::of(m_command)};
        auto copy = std::make_unique<CopyWriter>(std::move(place), step, m_command.runId, m_children, m_epoll);
        m_copies.push_back(std::move(copy));
        return m_copies.back()->start(spawner, status, go);
    };
    if (!m_command.outputCopy.empty()) {
        if (!start(m_command.outputCopy, CopyStep::Output))
            return false;
        m_output.copyTo(m_copies.back().get());
    }
    if (m_command.errorCopy.empty())
        return true;
    if (m_command.errorCopy != m_command.outputCopy && !start(m_command.errorCopy, CopyStep::Error))
        return false;
    m_error.copyTo(m_copies.back().get());
    return true;
}

void Job::endCopies(const std::string &reason)
{
    for (const auto &copy : m_copies)
        copy->kill(reason);
    m_endsCopies = true;
    if (m_death)
        m_deadline = after(writerDeathNs);
}

// The patience begins anew whenever a copy has taken something.
void Job::awaitCopies()
{
    const std::int64_t now = bootNs();
    const std::size_t rest = restOfCopies();
    if (rest != m_restOfCopies || m_copyTookAt == 0)
        m_copyTookAt = now;
    m_restOfCopies = rest;
    if (m_command.copyLimit.count() > 0)
        m_deadline = std::min({m_copyTookAt + m_command.copyLimit.count(), now + copyLookNs,
                               m_timeLimit.value_or(std::numeric_limits<std::int64_t>::max())});
}

std::size_t Job::restOfCopies() const
{
    std::size_t rest = 0;
    for (const auto &copy : m_copies)
        rest += copy->rest();
    return rest;
}

// The tree has ended, and a copy still has not.
void Job::copiesDue()
{
    if (m_endsCopies) {
        for (const auto &copy : m_copies)
            copy->abandon();
        return;
    }
    const bool inTime = !m_timeLimit || bootNs() < *m_timeLimit;
    if (m_ending || m_death->killedByLease || !inTime)
        return endCopies(outOfTime);
    if (restOfCopies() != m_restOfCopies || bootNs() < m_copyTookAt + m_command.copyLimit.count())
        return awaitCopies();
    const std::string seconds = std::to_string(m_command.copyLimit.count() / 1'000'000'000);
    endCopies("it has taken nothing for " + seconds + " s since the command ended, and is incomplete");
}

bool Job::hasBegun()
{
    if (m_death)
        return m_report.pid != 0;
    if (!m_start)
        return true;
    m_status.look();
    if (m_start->hasExecuted()) {
        m_start.reset();
        return true;
    }
    const std::int64_t age = bootNs() - m_startedNs;
    if (m_command.startLimit.count() > 0 && age >= m_command.startLimit.count() && m_hung.empty()) {
        m_hung = whatHangs();
        m_children.signal(m_command.runId, SIGKILL);
        endCopies(outOfTime);
    }
    return false;
}

std::optional<StartFailure> Job::startFailed() const
{
    if (m_status.failure() || !m_start)
        return m_status.failure();
    return m_start->failure();
}

std::string Job::whatHangs() const
{
    const auto quoted = [](const char *what, const std::string &path) { return what + (" '" + path + "'"); };
    using Step = CommandStart::Step;
    switch (m_start ? m_start->step() : Step::Exec) {
    case Step::Copies:
        if (m_status.step() != CopyStep::Nothing)
            return quoted("the file", m_status.step() == CopyStep::Output ? m_command.outputCopy : m_command.errorCopy);
        break;
    case Step::Directory:
        return quoted("the directory", m_command.directory);
    case Step::Input:
        return quoted("the input file", m_command.input);
    case Step::Secrets:
        return quoted("the file of a secret,", m_start->secretPath());
    case Step::Search:
    case Step::Exec:
        return quoted("the program", m_command.arguments.front());
    case Step::Cgroup:
    case Step::User:
    case Step::Policy:
    case Step::Limits:
    case Step::Lease:
        break;
    }
    return "the new process";
}

Started Job::started() const
{
    return {.runId = m_command.runId, .pid = m_pid, .startedAt = m_startedAt, .unbounded = m_isUnbounded};
}

void Job::due()
{
    if (m_death)
        copiesDue();
    else if (m_ending)
        end(*m_ending, 0);
    else
        end(How::TimedOut, m_command.grace.count());
}

// What has ended by itself has: only what it left is being killed, and what its copies have not taken is given up.
void Job::end(How how, std::int64_t graceNs)
{
    const bool runs = m_children.signal(m_command.runId, graceNs > 0 ? SIGTERM : SIGKILL);
    m_deadline = runs && graceNs > 0 ? std::optional(after(graceNs)) : std::nullopt;
    m_endGraceNs = graceNs;
    if (runs && !m_ending)
        m_ending = how;
    if (m_death)
        endCopies(outOfTime);
}

// The report is of this instant, although the job may wait for its copies.
void Job::treeEnded(const Death &death)
{
    m_death = death;
    m_status.look();
    m_output.finish();
    m_error.finish();
    m_report = reportEnd(death);
    for (const auto &copy : m_copies)
        copy->close();
    if (m_report.pid == 0 || m_endsCopies)
        endCopies(outOfTime);
    else if (m_ending || death.killedByLease)
        m_deadline = after(std::clamp(m_endGraceNs, leastCopyPatienceNs, mostCopyPatienceNs));
    else if (!isOver())
        awaitCopies();
}

void Job::helperDied(const HelperDeath &death)
{
    for (const auto &copy : m_copies) {
        if (copy->pid() == death.pid)
            copy->onDeath(death.status);
    }
}

bool Job::isOver() const
{
    return m_death && std::all_of(m_copies.begin(), m_copies.end(), [](const auto &copy) { return copy->isOver(); });
}

Outcome Job::finish()
{
    if (m_failure) {
        m_report = report();
        setFailure(m_report, *m_failure);
        return m_report;
    }
    for (const auto &copy : m_copies) {
        if (m_report.pid != 0 && m_report.how != How::LeaseExpired && !copy->problem().empty())
            m_report.reason += (m_report.reason.empty() ? "" : "; ") + copy->problem();
    }
    keep(m_report);
    return m_report;
}

Outcome Job::reportEnd(const Death &death)
{
    Outcome outcome = report();
    if (startFailed() || death.neverExecuted) {
        reportNoBeginning(outcome, death);
        return outcome;
    }
    outcome.cpu = nanoseconds(death.cpuNs);
    outcome.peakBytes = death.peakBytes;
    outcome.tail = m_tail.take();
    outcome.outOfMemory = m_cgroup && m_cgroup->ranOutOfMemory();
    outcome.reason = m_output.problem().empty() ? m_error.problem() : m_output.problem();
    if (WIFSIGNALED(death.status))
        outcome.signal = WTERMSIG(death.status);
    else
        outcome.exitCode = WEXITSTATUS(death.status);
    if (m_ending) {
        outcome.how = *m_ending;
    } else if (death.killedByLease && outcome.signal == SIGKILL) {
        outcome.how = How::LeaseExpired;
        outcome.reason = leaseReason;
    } else {
        outcome.how = outcome.signal != 0 ? How::Signalled : How::Exited;
    }
    return outcome;
}

// The command has never run.
void Job::reportNoBeginning(Outcome &outcome, const Death &death) const
{
    outcome.pid = 0;
    if (const std::optional<StartFailure> failure = startFailed())
        return setFailure(outcome, *failure);
    if (death.killedByLease)
        return setFailure(outcome, {.leasePassed = true});
    const std::int64_t seconds = duration_cast<std::chrono::seconds>(outcome.elapsed).count();
    const std::string hung = m_hung.empty() ? whatHangs() : m_hung;
    const std::string reason = "it has not begun: " + hung + " has not answered for " + std::to_string(seconds) + " s";
    if (m_ending) {
        outcome.how = *m_ending;
        outcome.signal = WTERMSIG(death.status);
        outcome.reason = seconds > 0 ? reason : std::string();
    } else if (!m_hung.empty()) {
        setFailure(outcome, {.exitCode = machineIsShort, .reason = reason});
    } else {
        setFailure(outcome, {.exitCode = machineIsShort, .reason = "the new process was killed before it could begin"});
    }
}

// If it cannot be written (a full disk), only the worker gets the report.
void Job::keep(const Outcome &outcome) const
{
    if (m_command.keptClaim.empty() || !isWorthKeeping(outcome.how))
        return;
    const std::string bytes = encodeResult(m_command.keptClaim, outcome);
    [[maybe_unused]] const ssize_t size =
        ::pwrite(stateFd, bytes.data(), bytes.size(), off_t(m_command.resultIndex) * off_t(resultSize));
}

Outcome Job::report() const
{
    Outcome outcome;
    outcome.runId = m_command.runId;
    outcome.pid = m_pid;
    outcome.startedAt = m_startedAt;
    outcome.finishedAt = wallTime();
    outcome.elapsed = nanoseconds(bootNs() - m_startedNs);
    outcome.outputBytes = m_output.bytes();
    outcome.errorBytes = m_error.bytes();
    outcome.outputTruncated = m_output.truncated();
    outcome.errorTruncated = m_error.truncated();
    return outcome;
}

Outcome refusedByLease(const Command &command)
{
    return neverStarted(command, How::LeaseExpired, leaseReason);
}

Outcome withdrawn(const Command &command)
{
    return neverStarted(command, How::Withdrawn, "");
}

} // namespace drover::runner
