#include "workers/worker.h"

#include "app/cli/failure.h"
#include "app/cluster/listen_address.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/environment/directories.h"
#include "app/environment/programs.h"
#include "app/environment/service_manager.h"
#include "app/jobs/archived_jobs.h"
#include "app/worker/shut_out.h"
#include "app/worker/worker_arguments.h"
#include "app/worker/worker_id.h"
#include "app/worker/worker_log.h"
#include "async/offload.h"
#include "net/endpoint.h"
#include "posix/process.h"
#include "recipes/blocks/each_session.h"
#include "recipes/blocks/follow.h"
#include "recipes/elections/group.h"
#include "text/quantity.h"
#include "workers/claims/reporter.h"
#include "workers/output_server.h"
#include "workers/process/runner_client.h"

#include <QLoggingCategory>
#include <QScopedValueRollback>

#include <optional>

#include <sys/stat.h>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

std::optional<ListenAddress> listeningFrom(const Settings &settings)
{
    return settings.listen.isEmpty() ? std::nullopt : ListenAddress::parse(settings.listen, settings.listenSource);
}

std::unique_ptr<workers::OutputServer> makeOutputServer(const ListenAddress &listening, const QString &spool)
{
    try {
        return std::make_unique<workers::OutputServer>(listening.address, listening.port, spool);
    } catch (const net::CannotListen &error) {
        throw CommandError(ExitError,
                           QStringLiteral("%1; choose another with --listen ADDRESS:PORT, or none")
                               .arg(QString::fromUtf8(error.what())));
    }
}

// For what is followed with a session: its end is handled elsewhere.
void ignoreError(const std::exception_ptr &) { }

// One worker process: one life (a session and a workers::Worker) after the other, until it must stop.
class Daemon
{
public:
    explicit Daemon(Context &context)
        : m_context(context), m_policy(WorkerPolicy::read(context.arguments())),
          m_log(context.loop(), m_policy.logSize), m_settings(settingsFrom(context, m_policy)),
          m_options(workerOptionsFrom(context, m_policy)),
          m_sessionTimeout(sessionTimeoutFrom(context.arguments(), m_policy)),
          m_grace(context.arguments().duration("grace", m_policy.grace.value_or(10s))), m_manager(context.loop()),
          m_guard(context.unixSignals(), [this](int signal) { onSignal(signal); })
    {
        if (!m_options.id.isEmpty() && !recipes::Group::accepts(m_options.id.toUtf8()))
            throw UsageError(QStringLiteral("--id: \"%1\" is what another recipe calls its nodes; choose another")
                                 .arg(m_options.id));
        ::umask(umaskFrom(context.arguments(), m_policy));
        makeDirectory(m_options.spool);
        if (m_options.id.isEmpty())
            m_options.id = m_keptId.emplace(m_options.spool).id();
        m_takenId.emplace(context.loop(), m_options.id, m_keptId ? m_options.spool : QString(), m_sessionTimeout);
        launchRunner();
        if (!m_settings.history.isEmpty())
            keepHistory(history::Location::parse(m_settings.history));
        m_listening = listeningFrom(m_settings);
        if (m_listening)
            listen();
    }

    async::Task<int> run()
    {
        const auto connect = [this] { return m_context.newSession(m_sessionTimeout); };
        const auto live = [this](zk::Client &session) { return runSession(session); };
        const auto tell = [](const zk::SessionLost &error, std::chrono::milliseconds pause) {
            Output::message(QStringLiteral("%1; its jobs may run elsewhere; reconnecting in %2")
                                .arg(QString::fromUtf8(error.what()), text::formatDuration(pause)));
        };
        co_await recipes::forEachSession(m_context.loop(), connect, live, tell);
        co_return ExitOk;
    }

private:
    // Before anything is claimed: what an earlier worker's jobs have left may be of those that are claimed next.
    void launchRunner()
    {
        requireRunner("run jobs");
        m_runner.emplace(runnerOptionsFrom(m_context.arguments(), m_policy, m_options));
        QObject::connect(&*m_runner, &workers::RunnerClient::died, &*m_runner, [this](const QString &reason) {
            Output::message(QStringLiteral("worker %1: %2").arg(m_options.id, reason));
        });
        if (m_runner->leftoversKilled() > 0)
            Output::message(QStringLiteral("killed %1 processes of jobs that an earlier worker had left")
                                .arg(m_runner->leftoversKilled()));
    }

    // The first life must begin in time, so that a wrong address is reported; a later one waits for ZooKeeper for ever.
    async::Task<void> runSession(zk::Client &session)
    {
        if (std::exchange(m_firstLife, false))
            co_await m_context.awaitConnection(session);
        else
            co_await session.connected();
        co_await m_context.renewCredentials(session);
        co_await requireAccess(m_context, session);
        co_await takeHistoryOfCluster(session);
        if (m_settings.listen.isEmpty())
            co_await listenTowardsServers();
        const QString endpoint = co_await endpointForOthers();
        m_options.outputEndpoint = endpoint;
        const jobs::Cluster cluster(session, m_context.layout(), m_context.credentials());
        workers::Worker worker(cluster, m_options, *m_runner, events());
        const QScopedValueRollback<workers::Worker *> present(m_worker, &worker);
        worker.giveBackFirst(std::exchange(m_unanswered, {}));
        async::TaskGroup following(ignoreError);
        following.spawn(followRenewals(session, worker));
        following.spawn(stopOnceShutOut(session));
        try {
            co_await worker.run();
        } catch (const zk::SessionLost &) {
            m_unanswered = worker.unanswered();
            if (!m_stopping)
                throw;
        }
        co_await Context::close(session);
        if (!m_stopping) // it was shut out
            throw CommandError(ExitDenied, m_shutOut.isEmpty() ? m_context.whyDenied() : m_shutOut);
    }

    // Not before it has joined: where there is no cluster yet, the nodes above may be closed, and then it makes none.
    void tellOfOpen()
    {
        if (!m_context.credentials() && !std::exchange(m_toldOfOpen, true))
            Output::message(QStringLiteral("worker %1: cluster %2 is open: all who reach ZooKeeper can run commands "
                                           "as this user")
                                .arg(m_options.id, QString::fromLatin1(m_context.settings().cluster)));
    }

    // As long as its session lives it could still be master, and could not work.
    async::Task<void> stopOnceShutOut(zk::Client &session)
    {
        const QString reason = co_await untilShutOut(m_context, session);
        m_shutOut = reason;
        m_stopTimer = m_context.loop().after(0s, [this] {
            if (!m_worker)
                return; // the session has ended meanwhile
            startGrace();
            m_worker->stop(); // may end run(), and this task before
        });
    }

    // While the cluster's root key and passwords are replaced, running jobs notice nothing.
    async::Task<void> followRenewals(zk::Client &session, workers::Worker &worker)
    {
        const std::shared_ptr<const trust::Credentials> first = m_context.credentials();
        if (!first)
            co_return;
        const zk::Path path = m_context.layout().renewal(first->ownCertificate().serial);
        async::Event changed;
        async::TaskGroup following(ignoreError);
        following.spawn(recipes::followData(session, path, [&changed](const zk::Node *) { changed.set(); }));
        for (;;) {
            co_await changed.wait();
            changed.reset();
            const bool isNew = co_await m_context.renewCredentials(session);
            if (!isNew)
                continue;
            worker.takeCredentials(*m_context.credentials());
            changed.set(); // the file may have had another certificate, whose renewals were not read yet
            Output::message(QStringLiteral("worker %1: its credentials are renewed (step %2)")
                                .arg(m_options.id)
                                .arg(m_context.credentials()->renewal));
        }
    }

    workers::Worker::Events events()
    {
        workers::Worker::Events events;
        events.joined = [this] {
            m_takenId->noMore();
            m_manager.report("READY=1");
            tellOfOpen();
            Output::message(QStringLiteral("worker %1: queues %2, %3, cluster %4 at %5")
                                .arg(m_options.id, QString::fromLatin1(m_options.queues.join(", ")),
                                     text::formatCount(m_options.slotCount, "slot", "slots"),
                                     QString::fromLatin1(m_context.settings().cluster), m_context.settings().connect));
        };
        events.idIsTaken = [this](const jobs::WorkerInfo &other) { m_takenId->by(other); };
        events.previousSessionAlive = [this] { m_takenId->byLastSession(); };
        return events;
    }

    void keepHistory(history::Location place)
    {
        m_options.history = nullptr;
        m_history = std::make_unique<history::History>(m_context.loop(), std::move(place), history::OpenMode::Write);
        m_options.history = m_history.get();
    }

    // The cluster's config at the start, if this worker is not configured; later lives keep to it, so that all
    // that it archives is in one place.
    async::Task<void> takeHistoryOfCluster(zk::Client &session)
    {
        if (m_historyIsDecided || !m_settings.history.isEmpty() || !m_settings.historySource.isEmpty())
            co_return;
        QString trouble;
        try {
            const jobs::ClusterConfig config =
                co_await jobs::readClusterConfig(jobs::Cluster(session, m_context.layout()));
            m_historyIsDecided = true;
            if (config.history.isEmpty())
                co_return;
            keepHistory(history::Location::fromCluster(config.history, m_settings.historyAllow));
        } catch (const jobs::NotFound &) { // this worker makes the cluster, whose settings say nothing then
            m_historyIsDecided = true;
        } catch (const history::LocationNotListed &error) {
            trouble = QString::fromUtf8(error.what());
        } catch (const history::InvalidLocation &error) {
            trouble = QStringLiteral("%1; mend it with drover history keep --in").arg(QString::fromUtf8(error.what()));
        }
        if (!trouble.isEmpty())
            Output::message(QStringLiteral("no history is kept: %1").arg(trouble));
    }

    void listen()
    {
        m_options.outputServer = nullptr;
        m_outputServer = makeOutputServer(*m_listening, m_options.spool);
        m_options.outputServer = m_outputServer.get();
    }

    // Looked up for each life: machines move. No worker uses the server between two lives. An advertised address may be
    // any of this machine's.
    async::Task<void> listenTowardsServers()
    {
        const std::function<QHostAddress()> look = [connect = m_context.settings().connect] {
            return addressTowardsServers(connect);
        };
        QHostAddress address = QHostAddress::Any;
        if (m_settings.advertise.isEmpty())
            address = co_await async::offload(m_context.loop(), look);
        if (m_listening && m_listening->address == address)
            co_return;
        const std::optional<ListenAddress> before = std::exchange(m_listening, ListenAddress{address, 0});
        try {
            listen();
        } catch (const CommandError &) {
            if (!before) // this is the first life: there is no other server
                throw;
            m_listening = before;
            m_options.outputServer = m_outputServer.get();
        }
    }

    async::Task<QString> endpointForOthers()
    {
        if (!m_outputServer)
            co_return QString();
        const quint16 port = m_outputServer->port();
        const QString said = m_settings.advertise;
        if (net::Endpoint::parse(said))
            co_return said;
        if (!said.isEmpty())
            co_return net::Endpoint{said, port}.toString();
        const std::function<QString()> look = [listening = *m_listening, connect = m_context.settings().connect] {
            return addressForOthers(listening, connect);
        };
        const QString host = co_await async::offload(m_context.loop(), look);
        co_return net::Endpoint{host, port}.toString();
    }

    // The first waits for the jobs, the second kills them, which costs them no attempt; a third ends it whatever
    // happens.
    void onSignal(int signal)
    {
        if (!m_worker || m_signals >= 2) {
            m_guard.passOn(signal);
            return;
        }
        m_stopping = true;
        if (++m_signals == 2) {
            m_worker->killJobs(); // may end run(): last
            return;
        }
        m_manager.stopping(m_grace + m_options.bounds.grace);
        const QString stopping = QStringLiteral("worker %1: stopping").arg(m_options.id);
        Output::message(
            m_worker->running() == 0
                ? stopping
                : QStringLiteral("%1, %2 for the jobs that run").arg(stopping, text::formatDuration(m_grace)));
        startGrace();
        m_worker->stop(); // may end run(): last
    }

    // What runs then is given back.
    void startGrace()
    {
        m_graceTimer = m_context.loop().after(m_grace, [this] {
            if (m_worker)
                m_worker->abandonJobs();
        });
    }

    Context &m_context;
    std::unique_ptr<history::History> m_history;
    std::optional<TakenId> m_takenId;
    std::optional<ListenAddress> m_listening; // none: others cannot read our spool
    std::unique_ptr<workers::OutputServer> m_outputServer;
    WorkerPolicy m_policy;
    WorkerLog m_log;
    Settings m_settings;
    workers::WorkerOptions m_options;
    std::optional<KeptWorkerId> m_keptId; // nothing: the id is given
    std::chrono::milliseconds m_sessionTimeout;
    std::chrono::milliseconds m_grace;
    ServiceManager m_manager;
    bool m_stopping = false;
    int m_signals = 0;
    async::Timer m_graceTimer;
    async::Timer m_stopTimer;
    QString m_shutOut; // why
    std::optional<workers::RunnerClient> m_runner;
    bool m_firstLife = true;
    bool m_toldOfOpen = false;
    bool m_historyIsDecided = false; // by the cluster's config
    workers::Worker *m_worker = nullptr; // between two lives: null
    std::vector<workers::Report> m_unanswered; // of the last of them
    UnixSignals::Guard m_guard;
};

async::Task<int> execute(Context &context)
{
    posix::hideFromOthers(); // its jobs are of the same user
    QLoggingCategory::setFilterRules(QStringLiteral("drover.*.debug=false\ndrover.*.info=false"));
    context.requireRole();
    Daemon daemon(context);
    co_return co_await daemon.run();
}

} // namespace

Command worker()
{
    return {.name = "worker",
            .summary = "Run a worker: claim jobs and run them until stopped",
            .details = "SIGTERM or Ctrl-C: it claims no more and waits for its jobs as long as --grace says. Those "
                       "that still run get SIGTERM, SIGKILL after their own grace, and run elsewhere; it does not "
                       "count as one of their attempts. A second signal kills them at once, a third ends the worker "
                       "whatever happens. Jobs that run may write twice their --output-limit each, beside "
                       "--spool-size. For a bound, give the spool a file system of its own. What jobs write is read "
                       "from other machines at --listen, encrypted and with this worker's key alone. With "
                       "--credentials - standard input hands the credentials over, so that the file need not be "
                       "readable for the worker's user, who is that of its jobs as well.",
            .options =
                {option("queue", "queue to serve, may be repeated (default: default)", "QUEUE"),
                 option("slots", "jobs run at a time (default: the number of processors)", "N"),
                 option("memory", "for jobs that say how much they need (default: all that this machine has)", "SIZE"),
                 option("label labels", "labels that jobs may ask for, e.g. gpu,ssd; may be repeated", "LABEL,..."),
                 option("id", "name in the cluster (default: the host and a number, kept in the spool)", "NAME"),
                 option("spool", "directory for the output of jobs", "DIR"),
                 option("spool-keep", "how long the output of ended jobs stays there (default: 7d)", "DURATION"),
                 option("spool-size", "limit of that output; the oldest is removed first (default: 1G)", "SIZE"),
                 option("spool-reserve",
                        "claim no jobs while the disk of the spool has less left; 0: claim always (default: 5 % of "
                        "the disk, 1G at most)",
                        "SIZE"),
                 option("listen",
                        "where other machines read it: an address, * for all, or none (default: the address towards "
                        "ZooKeeper, a free port)",
                        "ADDRESS[:PORT]"),
                 option("advertise", "how they reach that (default: the address that ZooKeeper sees)", "HOST[:PORT]"),
                 option("session-timeout",
                        "after so long without ZooKeeper its jobs are run by others (default: "
                        "10s)",
                        "DURATION"),
                 option("host-pids", "let jobs see and signal all processes of this machine, also as root"),
                 option("policy",
                        "the worker's file: these options, which override it, and what jobs may do; or none "
                        "(default: /etc/drover/worker.toml, if it is there)",
                        "FILE"),
                 option("default", "what a key says that the file does not have; may be repeated, and the last counts",
                        "KEY=VALUE"),
                 option("allow-root", "run jobs as root, if the worker is started as root; else it refuses to start"),
                 option("allow-setuid", "let jobs gain privileges by set-user-ID programs, such as sudo"),
                 option("job-credentials",
                        "file with which drover in its jobs joins the closed cluster; jobs can read it", "FILE"),
                 option("umask", "what the files that jobs make lack (default: 022)", "MASK"),
                 option("max-output", "a job's --output-limit counts up to this (default: 1G)", "SIZE"),
                 option("max-grace", "a job's --grace counts up to this (default: 1h)", "DURATION"),
                 option("max-memory", "a job's --memory counts up to this, and one without it has this (default: none)",
                        "SIZE"),
                 option("max-processes",
                        "processes and threads of all its jobs, and of each with --memory by itself, where control "
                        "groups are available; 0: any number (default: 1000 a slot, at least 4000)",
                        "N"),
                 option("grace", "how long it waits for its jobs when stopped (default: 10s)", "DURATION")},
            .takesCredentialsOfInput = true,
            .needs = {{trust::Role::Worker}},
            .examples = {"drover worker", "drover worker --queue default --queue night --slots 8 --label gpu"},
            .run = execute};
}

} // namespace drover::app
