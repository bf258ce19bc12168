#include "workers/sim_runner.h"

namespace drover::test {

using workers::How;

namespace {

QByteArray variable(const workers::Command &command, const QByteArray &name)
{
    for (const QByteArray &setting : command.environment) {
        if (setting.startsWith(name + '='))
            return setting.mid(name.size() + 1);
    }
    return {};
}

} // namespace

void SimRunner::killAll()
{
    for (const auto &[token, process] : m_processes)
        m_witness[process->witness].until = m_worker.world().now();
    m_processes.clear();
}

void SimRunner::die()
{
    for (const auto &[token, process] : std::exchange(m_processes, {})) {
        m_witness[process->witness].until = m_worker.world().now();
        process->end.cancel();
        m_worker.post([dead = process] {
            const auto error = std::make_exception_ptr(workers::RunnerDied("the runner has died"));
            dead->started.fail(error);
            dead->outcome.fail(error);
        });
    }
}

workers::Running SimRunner::run(workers::Command command)
{
    const workers::Token token = ++m_disk.last;
    const auto process = std::make_shared<Process>();
    workers::Running running{token, process->started.future(), process->outcome.future()};
    VirtualLoop &world = m_worker.world();
    if (world.now() >= m_lease) {
        workers::Outcome never;
        never.how = How::LeaseExpired;
        never.signal = 9;
        tell(process, never);
        return running;
    }
    m_processes.emplace(token, process);
    process->witness = m_witness.size();
    process->note = command.note;
    m_witness.push_back({variable(command, "DROVER_JOB_ID"), variable(command, "DROVER_ATTEMPT").toInt(), m_name,
                         world.now(), async::TimePoint::max(), std::max(1, variable(command, "SLOTS").toInt()),
                         variable(command, "LOCK"), command.environment});
    const auto duration = std::chrono::duration_cast<async::Duration>(m_longest * m_random.unit());
    process->end = world.after(duration, [this, token] { end(token, How::Exited); });
    return running;
}

void SimRunner::signal(workers::Token token, int number)
{
    const auto process = m_processes.find(token);
    if (process != m_processes.end())
        m_witness[process->second->witness].received.push_back(number);
}

void SimRunner::kill(workers::Token token, async::Duration)
{
    if (m_processes.contains(token))
        end(token, How::Killed);
}

void SimRunner::setLease(async::TimePoint until)
{
    m_lease = until;
    m_leaseEnd = m_worker.world().after(until - m_worker.world().now(), [this] {
        while (!m_processes.empty())
            end(m_processes.begin()->first, How::LeaseExpired);
    });
}

void SimRunner::end(workers::Token token, How how)
{
    const std::shared_ptr<Process> process = m_processes.at(token);
    m_processes.erase(token);
    process->end.cancel();
    m_witness[process->witness].until = m_worker.world().now();
    workers::Outcome outcome;
    outcome.how = how;
    outcome.exitCode = how == How::Exited && m_failures > 0 && m_random.chance(m_failures) ? 1 : 0;
    outcome.signal = how == How::Exited ? 0 : 9;
    if (how == How::Exited)
        m_disk.results.emplace(token, workers::KeptRun{token, process->note, outcome});
    tell(process, outcome);
}

// The process is gone already; the worker hears of it when it runs.
void SimRunner::tell(const std::shared_ptr<Process> &process, const workers::Outcome &outcome)
{
    m_worker.post([process, outcome] {
        process->started.set(workers::Started());
        process->outcome.set(outcome);
    });
}

void SimRunner::settle(workers::Token token)
{
    constexpr std::size_t Places = 4;
    auto result = m_disk.results.extract(token);
    if (result.empty())
        return;
    m_disk.settled.push_back(std::move(result.mapped()));
    if (m_disk.settled.size() > Places)
        m_disk.settled.erase(m_disk.settled.begin());
}

std::vector<workers::KeptRun> SimRunner::kept() const
{
    std::vector<workers::KeptRun> results;
    for (const auto &[token, result] : m_disk.results)
        results.push_back(result);
    return results;
}

} // namespace drover::test
