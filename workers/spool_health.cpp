#include "workers/spool_health.h"

#include "async/offload.h"
#include "posix/files.h"

#include <QFile>
#include <QLoggingCategory>

#include <algorithm>
#include <cstring>
#include <utility>

#include <unistd.h>

namespace drover::workers {

Q_LOGGING_CATEGORY(lcSpoolHealth, "drover.workers.spool_health")

namespace {

constexpr std::size_t TrialSize = 4096; // bytes: some file systems keep fewer without a block

// Blocks. Workers that share the spool may try at the same time: none of them minds that the file is gone.
QString writeIn(const QString &spool)
{
    const std::string path = QFile::encodeName(spool).toStdString() + "/.trial";
    posix::makeFolders(path, 0700);
    const posix::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    const bool isWritten = file && posix::writeAll(file, std::string(TrialSize, '\0')) && ::fdatasync(file.get()) == 0;
    const int error = errno;
    if (file)
        ::unlink(path.c_str());
    return isWritten
        ? QString()
        : QStringLiteral("its spool %1 cannot be written: %2").arg(spool, QString::fromLocal8Bit(std::strerror(error)));
}

} // namespace

SpoolHealth::SpoolHealth(async::Loop &loop, Trial trial, OnChange onChange)
    : m_loop(loop), m_trial(std::move(trial)), m_onChange(std::move(onChange))
{
}

void SpoolHealth::fail(const QString &reason)
{
    const bool isNew = m_sickness.isEmpty();
    set(reason);
    if (!isNew)
        return;
    m_attending.cancelAll(); // what was suspected is certain
    m_attending.spawn(attend());
}

void SpoolHealth::suspect()
{
    if (m_attending.empty())
        m_attending.spawn(judge());
}

async::Task<void> SpoolHealth::judge()
{
    const QString sickness = co_await m_trial();
    if (sickness.isEmpty())
        co_return;
    set(sickness);
    co_await attend();
}

async::Task<void> SpoolHealth::attend()
{
    const bool isOldTrouble = m_wellSince != async::TimePoint::min() && m_loop.now() - m_wellSince < LongestPause;
    if (!isOldTrouble)
        m_pause = FirstPause;
    while (!m_sickness.isEmpty()) {
        const std::chrono::seconds pause = std::exchange(m_pause, std::min(2 * m_pause, LongestPause));
        co_await async::sleepFor(m_loop, pause);
        const QString sickness = co_await m_trial();
        set(sickness);
    }
    m_wellSince = m_loop.now();
}

// Another reason for the same sickness is news to people, and not to the log.
void SpoolHealth::set(const QString &sickness)
{
    if (m_sickness == sickness)
        return;
    const bool wasWell = m_sickness.isEmpty();
    m_sickness = sickness;
    if (wasWell)
        qCWarning(lcSpoolHealth, "claims no jobs: %ls", qUtf16Printable(sickness));
    else if (sickness.isEmpty())
        qCWarning(lcSpoolHealth, "claims jobs again: its spool can be written");
    m_onChange(sickness);
}

async::Task<QString> trySpool(async::Loop &loop, QString spool)
{
    const std::function<QString()> work = [spool] { return writeIn(spool); };
    co_return co_await async::offload(loop, work);
}

} // namespace drover::workers
