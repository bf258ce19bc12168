#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exit_codes.h"
#include "app/cli/need.h"
#include "app/cli/output.h"
#include "app/cli/unix_signals.h"
#include "app/environment/credentials_file.h"
#include "async/loop.h"
#include "async/task.h"
#include "jobs/cluster/cluster_config.h"
#include "recipes/blocks/each_session.h"
#include "trust/credentials.h"
#include "zk/client/connect_string.h"

namespace drover::app {

// The settings, output and session of a command. Context and session outlive the command's task. So locks and tickets
// that the task gives up at its end are deleted before the session is closed.
class Context
{
public:
    // `need`: what the command asks of its user in a closed cluster, with these arguments.
    Context(async::Loop &loop, UnixSignals &unixSignals, Arguments arguments, Settings settings,
            std::optional<Need> need);
    ~Context();

    async::Loop &loop() const { return m_loop; }
    UnixSignals &unixSignals() const { return m_signals; }
    const Arguments &arguments() const { return m_arguments; }
    const Settings &settings() const { return m_settings; }
    const Output &out() const { return m_out; }
    // What this user or machine has to join the cluster; null: nothing, it must be open. The file is read at the first
    // call. Throws CommandError (Denied).
    std::shared_ptr<const trust::Credentials> credentials() const;
    // Where they are; empty: nowhere.
    QString credentialsFile() const { return credentials() ? m_credentials->file : QString(); }
    // Takes these instead, for a cluster that this command founds. Call it before connect().
    void useCredentials(std::shared_ptr<const trust::Credentials> credentials)
    {
        m_credentials = {QString(), std::move(credentials)};
    }
    // Takes over what an administrator has replaced of the credentials: writes it to their file, and gives it to this
    // session and to later ones. Returns whether there was anything. A file that cannot be written is reported, on
    // standard error. Waits out lost connections, and throws SessionLost.
    async::Task<bool> renewCredentials(zk::Client &session);
    // Has these from now on, in this session, too. Their file stays the same; it is not written.
    void takeCredentials(std::shared_ptr<const trust::Credentials> credentials, zk::Client &session);
    jobs::Layout layout() const { return jobs::Layout(m_settings.cluster); }

    // Connects the session of this command and returns it. Throws CommandError (Unreachable) if no server answers in
    // time, or no servers are configured.
    async::Task<zk::Client *> connect(std::chrono::milliseconds sessionTimeout = DefaultSessionTimeout);
    // Throws CommandError (Denied) if the certificate has too small a role for the command. Without credentials it
    // passes, because the cluster may be open.
    void requireRole() const;
    // Says that this command uses nothing of the cluster: no role is needed.
    void leaveCluster() { m_need.reset(); }
    // Calls requireRole(), connects, and checks that the cluster exists. Also throws jobs::NotFound, and CommandError
    // (Denied) for a closed cluster whose credentials are missing.
    async::Task<jobs::Cluster> openCluster();
    const jobs::ClusterConfig &clusterConfig() const { return m_clusterConfig; }

    // The servers of the cluster. Throws as connect() does if none are configured, and UsageError if they are invalid.
    zk::ServerList requireServers() const;

    // Makes a further session, for commands that need several. It is not connected yet.
    std::unique_ptr<zk::Client> newSession(std::chrono::milliseconds timeout) const;
    // Returns when `session` is connected and a server has answered a request. A server that accepts the connection and
    // says nothing, or shakes hands and says nothing more, does not answer. Throws the errors of connect().
    async::Task<void> awaitConnection(zk::Client &session) const;

    // Runs `body` with the session of connect(), and with a new session whenever one has ended. It waits without limit
    // for a server, for commands that run until they are interrupted. Returns when the body does.
    async::Task<void> inEverySession(recipes::SessionBody body);

    // Ends the session once its clean-ups are done. Returns within two seconds.
    async::Task<void> close();
    static async::Task<void> close(zk::Client &session);

    static constexpr std::chrono::milliseconds DefaultSessionTimeout{10'000};

    // For people: why the cluster cannot be used.
    QString whyDenied() const;
    // For people: why ZooKeeper has refused something with this error.
    QString whyDenied(const QString &error) const;

private:
    async::Loop &m_loop;
    UnixSignals &m_signals;
    Arguments m_arguments;
    Settings m_settings;
    Output m_out;
    std::optional<Need> m_need;
    mutable std::optional<FoundCredentials> m_credentials; // nothing: not looked for yet
    jobs::ClusterConfig m_clusterConfig;
    std::shared_ptr<zk::Client> m_session;
};

} // namespace drover::app
