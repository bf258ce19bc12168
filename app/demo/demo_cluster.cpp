#include "app/demo/demo_cluster.h"

#include "app/cli/failure.h"
#include "app/environment/directories.h"
#include "app/environment/up_state.h"

#include <QCoreApplication>
#include <QFile>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

constexpr auto LookInterval = 50ms;
constexpr auto StopLimit = 10s; // for `drover up` to stop its processes

// Submits by schedules, so the cluster itself goes on. Something always runs, waits and fails.
constexpr const char *Work = R"sh(
set -eu
schedule() { name=$1; every=$2; shift 2; drover cron add "$name" "@every $every" --name "$name" "$@"; }
until drover queue ls | grep -q billing; do sleep 0.1; done
drover limit set licences 2
schedule thumbnails 20s --queue images --array '1-24%6' -- sh -c 'sleep 1; echo "picture $DROVER_ARRAY_INDEX"'
schedule resize 3s --queue images --priority 3 --tag photos --limit licences -- sh -c 'sleep 4; echo resized'
schedule totals 9s --queue reports --lock ledger -- sh -c 'for line in 1 2 3 4 5 6 7 8; do echo "line $line"; sleep 1; done'
schedule invoices 8s --queue billing --lock ledger --retries 1 \
    -- sh -c 'sleep 1; echo "customer $(($$ % 7)) has no address" >&2; exit $(($$ % 7 == 0))'
schedule forecast 15s --queue reports --gang 3 -- sh -c 'sleep 2; echo "member $DROVER_GANG_RANK"'
schedule unstable 12s --queue billing -- sh -c 'sleep 1; exit $(($$ % 3))'
schedule nightly 8h --comment 'runs while everybody sleeps' -- true
fetch=$(drover submit --name fetch --queue reports --hold -- true)
parse=$(drover submit --name parse --queue reports --after-ok "$fetch" -- true)
drover submit --name publish --queue reports --after-ok "$parse" -- true
drover submit --name train --label gpu -- true
drover submit --name tomorrow --delay 24h -- true
exec drover lock ledger-report -- sleep infinity
)sh";

QString ownProgram()
{
    return QCoreApplication::applicationDirPath() + QStringLiteral("/drover");
}

} // namespace

DemoCluster::DemoCluster()
{
    if (!m_directory.isValid())
        throw CommandError(ExitError,
                           QStringLiteral("cannot make a temporary directory: %1").arg(m_directory.errorString()));
    for (const char *const name : {"DATA_HOME", "STATE_HOME", "CONFIG_HOME", "RUNTIME_DIR"})
        qputenv(QByteArray("XDG_").append(name).constData(),
                QFile::encodeName(m_directory.filePath(QLatin1String(name))));
    for (const char *const name : {"CONNECT", "CLUSTER", "CREDENTIALS", "HISTORY"})
        qunsetenv(QByteArray("DROVER_").append(name).constData());
    // An empty file of the user hides the one of the system.
    makeDirectory(QFileInfo(userConfigFile()).path());
    QFile config(userConfigFile());
    if (!config.open(QIODevice::WriteOnly))
        throw CommandError(ExitError,
                           QStringLiteral("cannot write %1: %2").arg(config.fileName(), config.errorString()));
    m_poll.setInterval(LookInterval);
    connect(&m_poll, &QTimer::timeout, this, &DemoCluster::lookForIt);
}

DemoCluster::~DemoCluster()
{
    for (ChildProcess *const process : {&m_work, &m_worker, &m_up})
        process->signalGroup(SIGTERM);
    m_up.waitForEnded(StopLimit);
    m_worker.waitForEnded(StopLimit);
}

void DemoCluster::start()
{
    startWith(m_up, ownProgram(),
              {QStringLiteral("up"), QStringLiteral("--workers"), QStringLiteral("3"), QStringLiteral("--slots"),
               QStringLiteral("4")});
    m_poll.start();
}

void DemoCluster::lookForIt()
{
    if (!m_up.running()) {
        m_poll.stop();
        QFile log(m_directory.filePath(QStringLiteral("log")));
        const QByteArray said = log.open(QIODevice::ReadOnly) ? log.readAll().trimmed() : QByteArray();
        Q_EMIT failed(QString::fromUtf8(said.mid(said.lastIndexOf('\n') + 1)));
    } else if (const std::optional<UpState> state = UpState::running(); state && state->pid == m_up.pid()) {
        m_poll.stop();
        beginWork(state->connect);
        Q_EMIT serving(state->connect);
    }
}

void DemoCluster::beginWork(const QString &connect)
{
    m_worker.setVariable("DROVER_CONNECT", connect.toLatin1());
    startWith(m_worker, ownProgram(),
              {QStringLiteral("worker"), QStringLiteral("--id"), QStringLiteral("night-1"), QStringLiteral("--queue"),
               QStringLiteral("images"), QStringLiteral("--queue"), QStringLiteral("reports"),
               QStringLiteral("--queue"), QStringLiteral("billing"), QStringLiteral("--slots"), QStringLiteral("8"),
               QStringLiteral("--label"), QStringLiteral("night"), QStringLiteral("--allow-root"),
               QStringLiteral("--spool"), m_directory.filePath(QStringLiteral("spool"))});
    m_work.setVariable("DROVER_CONNECT", connect.toLatin1());
    m_work.setVariable("PATH", QFile::encodeName(QCoreApplication::applicationDirPath()) + ':' + qgetenv("PATH"));
    startWith(m_work, QStringLiteral("sh"), {QStringLiteral("-c"), QLatin1String(Work)});
}

void DemoCluster::startWith(ChildProcess &process, const QString &program, const QStringList &arguments)
{
    process.setLogFile(m_directory.filePath(QStringLiteral("log")));
    process.setDeathSignal(SIGTERM);
    if (const QString trouble = process.start(program, arguments); !trouble.isEmpty())
        throw CommandError(ExitError, QStringLiteral("cannot start %1: %2").arg(program, trouble));
}

} // namespace drover::app
