#include "app/environment/up_state.h"

#include "app/cli/failure.h"
#include "app/environment/directories.h"
#include "posix/held_process.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace drover::app {

namespace {

// Between two steps of another process: a reader's lock and its release, the holder's lock and its pid.
constexpr int MomentaryAttempts = 50;
constexpr unsigned MomentMicroseconds = 2000;

QString stateFile()
{
    return runtimeDirectory() + QStringLiteral("/up.json");
}

QByteArray lockFile()
{
    return QFile::encodeName(runtimeDirectory() + QStringLiteral("/up.lock"));
}

// A running `drover up` holds the lock.
bool isLocked()
{
    const posix::FileDescriptor file(::open(lockFile().constData(), O_RDONLY | O_CLOEXEC));
    return file && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

QString errorText()
{
    return QString::fromLocal8Bit(std::strerror(errno));
}

} // namespace

std::optional<UpState> UpState::running()
{
    QFile file(stateFile());
    if (!isLocked() || !file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QJsonObject object = QJsonDocument::fromJson(file.readAll()).object();
    UpState state;
    state.connect = object.value(QLatin1String("connect")).toString();
    state.pid = object.value(QLatin1String("pid")).toInteger();
    state.history = object.value(QLatin1String("history")).toString();
    return state.connect.isEmpty() ? std::nullopt : std::optional(state);
}

qint64 UpState::holder()
{
    for (int attempt = 0; attempt < MomentaryAttempts && isLocked(); ++attempt) {
        QFile file(QFile::decodeName(lockFile()));
        const qint64 pid = file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toLongLong() : 0;
        if (pid > 0 && !posix::HeldProcess(static_cast<pid_t>(pid)).hasEnded())
            return pid;
        ::usleep(MomentMicroseconds); // the holder has not written its pid yet
    }
    return 0;
}

UpLock::UpLock()
{
    makeDirectory(runtimeDirectory());
    m_lock = posix::FileDescriptor(::open(lockFile().constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!m_lock)
        throw CommandError(ExitError,
                           QStringLiteral("cannot write %1: %2; choose another place with XDG_RUNTIME_DIR")
                               .arg(QFile::decodeName(lockFile()), errorText()));
    // The readers' momentary locks must not be taken for a second `drover up`.
    for (int attempt = 0; ::flock(m_lock.get(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
        if (attempt < MomentaryAttempts) {
            ::usleep(MomentMicroseconds);
            continue;
        }
        throw CommandError(
            ExitWrongState,
            QStringLiteral("drover up runs already (process %1); drover down stops it").arg(UpState::holder()));
    }
    QFile::remove(stateFile());
    const QByteArray pid = QByteArray::number(::getpid()) + '\n';
    if (::ftruncate(m_lock.get(), 0) != 0
        || ::pwrite(m_lock.get(), pid.constData(), static_cast<std::size_t>(pid.size()), 0) < 0)
        throw CommandError(ExitError,
                           QStringLiteral("cannot write %1: %2").arg(QFile::decodeName(lockFile()), errorText()));
}

UpLock::~UpLock()
{
    QFile::remove(stateFile());
    // The next process that locks it must not be taken for this one.
    [[maybe_unused]] const int ignored = ::ftruncate(m_lock.get(), 0);
}

void UpLock::publish(const UpState &state)
{
    QSaveFile file(stateFile());
    const QJsonObject object{{QStringLiteral("schema"), 1},
                             {QStringLiteral("connect"), state.connect},
                             {QStringLiteral("pid"), state.pid},
                             {QStringLiteral("history"), state.history}};
    // For its owner alone: the history's URL may hold a password.
    const bool opened = file.open(QIODevice::WriteOnly) && file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    if (!opened || file.write(QJsonDocument(object).toJson()) < 0 || !file.flush() || !file.commit())
        throw CommandError(ExitError, QStringLiteral("cannot write %1: %2").arg(stateFile(), file.errorString()));
}

} // namespace drover::app
