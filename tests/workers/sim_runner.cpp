#include "workers/sim_runner.h"

#include <QFile>

namespace drover::test {

using workers::How;

namespace {

constexpr async::Duration LongestShort = std::chrono::milliseconds(12);

QByteArrayList environmentOf(const workers::Command &command)
{
    QByteArrayList settings;
    for (const std::string &setting : command.environment)
        settings.append(QByteArray::fromStdString(setting));
    return settings;
}

QByteArray variable(const workers::Command &command, const QByteArray &name)
{
    for (const QByteArray &setting : environmentOf(command)) {
        if (setting.startsWith(name + '='))
            return setting.mid(name.size() + 1);
    }
    return {};
}

// A line with its job's id, if there is a spool.
void writeOutput(const workers::Command &command)
{
    QFile file(QFile::decodeName(QByteArray::fromStdString(command.output)));
    if (file.open(QIODevice::WriteOnly))
        file.write(variable(command, "DROVER_JOB_ID") + '\n');
}

} // namespace

void SimRunner::killAll()
{
    for (const auto &[runId, process] : m_processes)
        m_witness[process.witness].until = m_worker.world().now();
    m_processes.clear();
    m_unheard.clear();
    m_slotQueues = {};
}

void SimRunner::noteEviction()
{
    m_evicted = true;
    for (const auto &[runId, process] : m_processes)
        m_witness[process.witness].evicted = m_worker.world().now();
}

void SimRunner::stop()
{
    m_stopped = true;
    for (auto &[runId, process] : m_processes)
        process.end.cancel();
}

void SimRunner::die()
{
    m_stopped = false;
    const auto dead = std::make_shared<std::vector<Process>>();
    for (auto &[runId, process] : std::exchange(m_processes, {})) {
        m_witness[process.witness].until = m_worker.world().now();
        process.end.cancel();
        dead->push_back(std::move(process));
    }
    std::move(m_unheard.begin(), m_unheard.end(), std::back_inserter(*dead));
    m_unheard.clear();
    for (std::size_t i = 0; i < dead->size(); ++i) {
        if (std::optional<Process> next = m_slotQueues.leave(dead->at(i).slotQueue))
            dead->push_back(std::move(*next));
    }
    m_worker.post([dead] {
        const auto error = std::make_exception_ptr(workers::RunnerDied("the runner has died"));
        for (Process &process : *dead) {
            process.started->fail(error);
            process.outcome.fail(error);
        }
    });
}

workers::RunHandle SimRunner::run(workers::Command command)
{
    const workers::RunId runId = ++m_disk.last;
    const quint32 slotQueue = command.slotQueue;
    Process process{runId, slotQueue, std::move(command)};
    workers::RunHandle running{runId, process.started->future(), process.outcome.future()};
    if (m_processes.empty() && m_noRunner > 0 && m_random.chance(m_noRunner)) {
        ++m_refusals;
        const auto error = std::make_exception_ptr(workers::NoRunner("the runner cannot be started"));
        process.started->fail(error);
        process.outcome.fail(error);
        return running;
    }
    if (m_stopped) {
        m_unheard.push_back(std::move(process));
        return running;
    }
    if (m_slotQueues.enter(process) && !start(std::move(process), false))
        follow(slotQueue);
    return running;
}

void SimRunner::follow(quint32 slotQueue)
{
    m_slotQueues.follow(slotQueue, [this](Process next) { return start(std::move(next), true); });
}

bool SimRunner::start(Process process, bool follows)
{
    const workers::RunId runId = process.runId;
    VirtualLoop &world = m_worker.world();
    if (world.now() >= m_lease) {
        tell(std::move(process), {.how = How::LeaseExpired});
        return false;
    }
    if (m_noProcess > 0 && m_random.chance(m_noProcess)) {
        ++m_refusals;
        tell(
            std::move(process),
            {.how = How::FailedToStart, .exitCode = workers::protocol::machineIsShort, .reason = "no process is left"});
        return false;
    }
    const workers::Command &command = process.command;
    if (m_unmounted && command.directory.starts_with("/mnt/")) {
        ++m_refusals;
        const std::string reason = "cannot enter the directory '" + command.directory + "'";
        tell(std::move(process), {.how = How::FailedToStart, .exitCode = 126, .reason = reason});
        return false;
    }
    process.witness = m_witness.size();
    m_witness.push_back({variable(command, "DROVER_JOB_ID"), variable(command, "DROVER_ATTEMPT").toInt(), m_name,
                         world.now(), async::TimePoint::max(), std::max(1, variable(command, "SLOTS").toInt()),
                         variable(command, "LOCK"), environmentOf(command), follows});
    if (m_evicted)
        m_witness.back().evicted = world.now();
    process.end = world.after(durationOf(command), [this, runId] { end(runId, How::Exited); });
    m_worker.post([started = process.started] { started->set(workers::Started()); });
    m_processes.emplace(runId, std::move(process));
    return true;
}

async::Duration SimRunner::durationOf(const workers::Command &command)
{
    const QByteArray takes = variable(command, "TAKES");
    if (!takes.isEmpty())
        return std::chrono::milliseconds(takes.toInt());
    const async::Duration longest = m_short > 0 && m_random.chance(m_short) ? LongestShort : m_longest;
    return std::chrono::duration_cast<async::Duration>(longest * m_random.unit());
}

void SimRunner::signal(workers::RunId runId, int number)
{
    const auto process = m_processes.find(runId);
    if (process != m_processes.end())
        m_witness[process->second.witness].received.push_back(number);
}

void SimRunner::kill(workers::RunId runId, async::Duration)
{
    if (!m_stopped && !withdraw(runId) && m_processes.contains(runId))
        end(runId, How::Killed);
}

void SimRunner::recall(workers::RunId runId)
{
    withdraw(runId);
}

bool SimRunner::withdraw(workers::RunId runId)
{
    std::optional<Process> waiting = m_slotQueues.withdraw(runId);
    if (!waiting)
        return false;
    tell(std::move(*waiting), {.how = How::Withdrawn});
    return true;
}

void SimRunner::setLease(async::TimePoint until)
{
    m_lease = until;
    m_leaseEnd = m_worker.world().after(until - m_worker.world().now(), [this] {
        while (!m_stopped && !m_processes.empty())
            end(m_processes.begin()->first, How::LeaseExpired);
    });
}

void SimRunner::end(workers::RunId runId, How how)
{
    Process process = std::move(m_processes.extract(runId).mapped());
    process.end.cancel();
    Execution &seen = m_witness[process.witness];
    seen.until = m_worker.world().now();
    workers::Outcome outcome;
    outcome.runId = runId;
    outcome.pid = 1;
    outcome.how = how;
    outcome.elapsed = seen.until - seen.from;
    outcome.exitCode = how == How::Exited && m_failures > 0 && m_random.chance(m_failures) ? 1 : 0;
    outcome.signal = how == How::Exited ? 0 : 9;
    outcome.outputBytes = variable(process.command, "WRITES").toULongLong();
    if (outcome.outputBytes > 0 && !process.command.output.empty())
        writeOutput(process.command);
    outcome.outputTruncated = m_losesOutput;
    outcome.reason = m_losesOutput ? "cannot create its file: No space left on device" : "";
    if (how == How::Exited)
        m_disk.results.emplace(runId, workers::KeptResult{process.command.keptClaim, outcome});
    const quint32 slotQueue = process.slotQueue;
    tell(std::move(process), outcome);
    follow(slotQueue);
}

// The process is gone already, or has never been; the worker hears of it when it runs.
void SimRunner::tell(Process process, workers::Outcome outcome)
{
    outcome.runId = process.runId;
    const auto over = std::make_shared<Process>(std::move(process));
    m_worker.post([over, outcome] {
        if (!over->started->settled())
            over->started->set(std::nullopt);
        over->outcome.set(outcome);
    });
}

void SimRunner::acknowledge(workers::RunId runId)
{
    constexpr std::size_t Places = 4;
    auto result = m_disk.results.extract(runId);
    if (result.empty())
        return;
    m_disk.acknowledged.push_back(std::move(result.mapped()));
    if (m_disk.acknowledged.size() > Places)
        m_disk.acknowledged.erase(m_disk.acknowledged.begin());
}

std::vector<workers::KeptResult> SimRunner::kept() const
{
    std::vector<workers::KeptResult> results;
    for (const auto &[runId, result] : m_disk.results)
        results.push_back(result);
    return results;
}

} // namespace drover::test
