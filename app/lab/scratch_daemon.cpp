#include "app/lab/scratch_daemon.h"

#include "app/cli/failure.h"
#include "posix/file_descriptor.h"
#include "zk/server/free_port.h"

#include <QFile>
#include <QStandardPaths>

#include <arpa/inet.h>
#include <sys/socket.h>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr int Attempts = 3; // another program may take the port
constexpr auto StartLimit = 15s;

bool accepts(quint16 port)
{
    const posix::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
}

} // namespace

QString ScratchDaemon::find(const QString &program)
{
    const QString found = QStandardPaths::findExecutable(program);
    return found.isEmpty()
        ? QStandardPaths::findExecutable(program, {QStringLiteral("/usr/bin"), QStringLiteral("/usr/sbin")})
        : found;
}

async::Task<void> ScratchDaemon::start(async::Loop &loop, QString program, Arguments arguments)
{
    const QString log = m_directory.filePath(QStringLiteral("log"));
    QString problem;
    for (int attempt = 0; attempt < Attempts; ++attempt) {
        m_port = zk::freePorts(1).first();
        m_process.emplace();
        m_process->setLogFile(log);
        problem = m_process->start(program, arguments(m_port, m_directory.path()));
        const async::TimePoint deadline = loop.now() + StartLimit;
        while (m_process->running() && loop.now() < deadline) {
            if (accepts(m_port))
                co_return;
            co_await async::sleepFor(loop, 20ms);
        }
    }
    QFile file(log);
    if (problem.isEmpty() && file.open(QIODevice::ReadOnly))
        problem = QString::fromUtf8(file.readAll().right(300)).simplified();
    throw CommandError(ExitError, QStringLiteral("%1 does not start: %2").arg(program, problem));
}

} // namespace drover::app
