#include "app/cluster/local_servers.h"

#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "app/environment/directories.h"
#include "app/environment/private_server.h"
#include "trust/private_file.h"
#include "zk/server/server_settings.h"

#include <QFile>
#include <QRandomGenerator>
#include <QScopeGuard>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds FirstServerPause = 500ms;
constexpr std::chrono::milliseconds LongestServerPause = 5s;

// Says that the folder has an ensemble, and of how many servers. Written before the first of them starts, and taken
// back if the very first start fails.
QString countFile(const QString &folder)
{
    return folder + QStringLiteral("/servers");
}

QString secretFile(const QString &folder)
{
    return folder + QStringLiteral("/quorum.jaas");
}

void writePrivate(const QString &path, const QByteArray &text)
{
    try {
        trust::writePrivateFile(path, text);
    } catch (const trust::BadCredentials &error) {
        throw CommandError(ExitError, QString::fromUtf8(error.what()));
    }
}

// What an ensemble needs beside the settings of a single server; README.md, "A cluster on many machines", says why.
zk::LocalServerOptions memberOptions(const QString &folder, quint16 port)
{
    zk::LocalServerOptions options = privateServer(folder);
    options.clientPort = port;
    options.jvmFlags.append(QStringLiteral("-Djava.security.auth.login.config=") + secretFile(folder));
    options.extraConfig = {
        QStringLiteral("initLimit=40"), // ticks of half a second
        QStringLiteral("syncLimit=10"),
        zk::setting("forceSnapshotSync").line(),
        QStringLiteral("quorum.auth.enableSasl=true"),
        QStringLiteral("quorum.auth.learnerRequireSasl=true"),
        QStringLiteral("quorum.auth.serverRequireSasl=true"),
    };
    return options;
}

QByteArray makeSecret()
{
    quint32 words[6];
    QRandomGenerator::system()->fillRange(words);
    return QByteArray(reinterpret_cast<const char *>(words), sizeof words).toHex();
}

} // namespace

std::optional<int> LocalServers::countIn(const QString &folder)
{
    QFile file(countFile(folder));
    if (!file.exists())
        return QFile::exists(folder + QStringLiteral("/data")) ? std::optional(1) : std::nullopt;
    const int count = file.open(QIODevice::ReadOnly) ? file.read(16).trimmed().toInt() : 0;
    if (count < 2 || count > Most)
        throw CommandError(ExitError,
                           QStringLiteral("%1 does not say how many ZooKeeper servers there are: write the number of "
                                          "the folders beside it into it")
                               .arg(file.fileName()));
    return count;
}

LocalServers::LocalServers(async::Loop &loop, QString folder, int count, quint16 port)
    : m_loop(loop), m_folder(std::move(folder)), m_count(count)
{
    if (count > 1) {
        m_ensemble.emplace(loop, memberOptions(m_folder, port), count);
    } else {
        zk::LocalServerOptions options = privateServer(m_folder);
        options.clientPort = port;
        m_single.emplace(loop, options);
    }
}

void LocalServers::makeEnsembleFiles() const
{
    writePrivate(countFile(m_folder), QByteArray::number(m_count) + '\n');
    const QByteArray secret = makeSecret();
    const QByteArray module = "org.apache.zookeeper.server.auth.DigestLoginModule required ";
    writePrivate(secretFile(m_folder),
                 "QuorumServer { " + module + "user_drover=\"" + secret + "\"; };\n" + "QuorumLearner { " + module
                     + "username=\"drover\" password=\"" + secret + "\"; };\n");
}

async::Task<void> LocalServers::start()
{
    makeDirectory(m_folder);
    if (m_single) {
        co_await m_single->start();
        co_return;
    }
    for (int i = 0; i < m_count; ++i) // of another `drover up`, which would start them again with our secret
        zk::LocalServer::requireNoneIn(m_ensemble->directoryOf(i));
    const bool isFirstStart = !QFile::exists(countFile(m_folder));
    makeEnsembleFiles();
    auto forget = qScopeGuard([&] { QFile::remove(countFile(m_folder)); });
    if (!isFirstStart)
        forget.dismiss();
    co_await m_ensemble->start();
    forget.dismiss();
}

void LocalServers::keepRunning()
{
    for (int i = 0; i < m_count; ++i)
        m_tasks.spawn(keepServer(i));
}

// A reason that stays the same is written once: the log may be on the full disk that it tells of.
async::Task<void> LocalServers::keepServer(int index)
{
    const QString name = m_count == 1 ? QStringLiteral("ZooKeeper") : QStringLiteral("ZooKeeper %1").arg(index + 1);
    zk::LocalServer &kept = server(index);
    std::chrono::milliseconds pause = FirstServerPause;
    QString told;
    for (;;) {
        co_await async::sleepFor(m_loop, pause);
        if (kept.running())
            continue;
        if (told.isEmpty())
            Output::message(QStringLiteral("%1 has ended; starting it again (its log: %2)").arg(name, kept.logFile()));
        try {
            co_await kept.start();
            if (!std::exchange(told, QString()).isEmpty())
                Output::message(QStringLiteral("%1 runs again").arg(name));
            pause = FirstServerPause;
        } catch (const std::exception &error) {
            const QString trouble = QString::fromUtf8(error.what());
            if (std::exchange(told, trouble) != trouble)
                Output::message(trouble + u"; trying again until it starts"_qs);
            pause = std::min<std::chrono::milliseconds>(2 * pause, LongestServerPause);
        }
    }
}

async::Task<void> LocalServers::stop()
{
    m_tasks.cancelAll();
    if (m_single)
        co_await m_single->stop();
    else
        co_await m_ensemble->stop();
}

} // namespace drover::app
