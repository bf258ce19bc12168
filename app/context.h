#pragma once

#include "app/arguments.h"
#include "app/exit_codes.h"
#include "app/output.h"
#include "app/settings.h"
#include "app/unix_signals.h"
#include "async/loop.h"
#include "async/task.h"
#include "jobs/cluster.h"
#include "recipes/each_session.h"

namespace drover::app {

// What a command works with. Outlives the command's task, and so does the session: what the task gives up when it ends
// or is destroyed (locks, tickets) is deleted before the session is closed.
class Context
{
public:
    Context(async::Loop &loop, UnixSignals &unixSignals, Arguments arguments, Settings settings);
    ~Context();

    async::Loop &loop() const { return m_loop; }
    UnixSignals &unixSignals() const { return m_signals; }
    const Arguments &arguments() const { return m_arguments; }
    const Settings &settings() const { return m_settings; }
    const Output &out() const { return m_out; }
    jobs::Layout layout() const { return jobs::Layout(m_settings.cluster); }

    // The session of this command, connected. Throws CommandError (Unreachable) when no server answers in time or
    // nobody said where the servers are.
    async::Task<zk::Coordinator *> connect(std::chrono::milliseconds sessionTimeout = DefaultSessionTimeout);
    // The same, once the cluster is known to exist. Throws jobs::NotFound.
    async::Task<zk::Coordinator *> openCluster();
    const jobs::ClusterConfig &clusterConfig() const { return m_clusterConfig; }

    // A session of its own, for commands that need several; not yet connected.
    std::unique_ptr<zk::Coordinator> newSession(std::chrono::milliseconds timeout) const;
    // Returns when it is connected; errors as of connect().
    async::Task<void> awaitConnection(zk::Coordinator &session) const;

    // Runs `body` with the session of connect() and, whenever that has ended, with a new one, for as long as it takes
    // until there is a server: for commands that go on until they are interrupted. Returns when the body does.
    async::Task<void> inEverySession(recipes::SessionBody body);

    // Ends the session, once what has been given up is deleted; returns within two seconds.
    async::Task<void> close();
    static async::Task<void> close(zk::Coordinator &session);

    static constexpr std::chrono::milliseconds DefaultSessionTimeout{10'000};

private:
    async::Loop &m_loop;
    UnixSignals &m_signals;
    Arguments m_arguments;
    Settings m_settings;
    Output m_out;
    jobs::ClusterConfig m_clusterConfig;
    std::shared_ptr<zk::Coordinator> m_session;
};

} // namespace drover::app
