#pragma once

#include "app/environment/context.h"
#include "app/launch/host_rows.h"
#include "app/launch/host_script.h"
#include "app/launch/launched_workers.h"
#include "app/launch/programs_archive.h"
#include "app/launch/ssh.h"
#include "async/task_group.h"

#include <memory>

namespace drover::app {

// Starts, stops and replaces workers on the machines of a file, all of them at once with a bound. A machine that fails
// stops no other.
class Launcher
{
public:
    // Waits so long for a worker to join the cluster, and for one to end by itself.
    struct Limits {
        std::chrono::seconds start{30};
        std::chrono::seconds stop{120};
        std::optional<std::chrono::milliseconds> drain{}; // nothing: as long as its jobs take
    };

    Launcher(Context &context, HostsFile file, Limits limits);

    // `verb`: start, status, stop, restart or upgrade. Upgrades are one after the other, until a worker does not come
    // back. Returns the number of hosts that failed. A signal ends an upgrade at the host where it is, and lifts its
    // cordon first; a second one ends it at once.
    async::Task<int> run(QString verb);
    int signal() const { return m_signal; } // 0: none

private:
    // What a host has said of itself.
    struct Look {
        QString release; // which it would start
        bool hasPrograms = false; // of that release
        QString runs; // the release; empty: no worker
        QString pid;
        bool hasOtherSettings = false; // than the file says
    };

    struct Archives {
        ProgramsArchive programs;
        ProgramsArchive tree; // the release is empty if no host needs one

        const ProgramsArchive &of(const LaunchHost &host) const
        {
            return host.programs == LaunchHost::Programs::Tree ? tree : programs;
        }
    };

    QStringList differences(const Look &found) const;
    HostScript scriptFor(const LaunchHost &host) const;
    async::Task<void> takeHosts(QString verb);
    async::Task<void> attempt(qsizetype index, QString verb);
    async::Task<void> carryOut(qsizetype index, QString verb);
    async::Task<Look> look(qsizetype index, bool requiresRoom);
    async::Task<void> install(qsizetype index);
    async::Task<void> prepare(qsizetype index);
    async::Task<QJsonObject> start(qsizetype index, QStringList known);
    async::Task<void> stop(qsizetype index, QString pid);
    async::Task<QJsonObject> upgrade(qsizetype index, Look found);
    async::Task<void> replace(qsizetype index, Look found, QJsonObject &about);
    async::Task<void> interrupted();
    void onSignal(int signal);
    void requireNoneDown() const;

    Context &m_context;
    HostsFile m_file;
    Limits m_limits;
    Ssh m_ssh;
    LaunchedWorkers m_workers;
    HostRows m_rows;
    Archives m_archives;
    qsizetype m_next = 0; // the first host that no task has begun
    QString m_downHost; // where an upgrade has left no worker
    int m_signal = 0; // the first that has come during an upgrade
    async::Event m_interrupted;
    std::optional<UnixSignals::Guard> m_guard;
    async::TaskGroup m_tasks; // last: destroyed first
};

} // namespace drover::app
