#include "workers/spool_sweeper.h"

#include "output/segment.h"
#include "posix/file_descriptor.h"
#include "workers/attempts/command_translation.h"
#include "workers/process/worker_state_file.h"

#include <QDateTime>
#include <QFile>
#include <QSet>

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace drover::workers {

using namespace std::chrono_literals;
using posix::FileDescriptor;
using std::chrono::milliseconds;

namespace {

constexpr auto Grace = 1min;

milliseconds now()
{
    return milliseconds(QDateTime::currentMSecsSinceEpoch());
}

milliseconds changedAt(const struct stat &status)
{
    return std::chrono::duration_cast<milliseconds>(std::chrono::seconds(status.st_mtim.tv_sec)
                                                    + std::chrono::nanoseconds(status.st_mtim.tv_nsec));
}

// "default-7.1" of default-7.1.out, the first attempt of default-7.
QByteArray attemptName(const QByteArray &job, int attempt)
{
    return job + '.' + QByteArray::number(attempt);
}

struct SpoolEntry {
    QByteArray name;
    QByteArray beginning; // the file that it is a segment of, or it itself
    QByteArray attempt;
    qint64 bytes = 0;
    milliseconds time{}; // when its beginning was last written; without one, when it was
};

// By its name alone; nothing if no attempt writes such a file.
std::optional<SpoolEntry> entryOf(const QByteArray &name)
{
    SpoolEntry entry{.name = name, .beginning = name, .attempt = {}};
    for (const char *const suffix : output::segmentSuffixes) {
        if (name.endsWith(QByteArray(".out") + suffix) || name.endsWith(QByteArray(".err") + suffix))
            entry.beginning.chop(qsizetype(qstrlen(suffix)));
    }
    if (!entry.beginning.endsWith(".out") && !entry.beginning.endsWith(".err"))
        return std::nullopt;
    entry.attempt = entry.beginning.chopped(4);
    const qsizetype dot = entry.attempt.lastIndexOf('.');
    const int attempt = entry.attempt.mid(dot + 1).toInt();
    const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromLatin1(entry.attempt.left(dot)));
    return id && entry.attempt == attemptName(id->bytes(), attempt) ? std::optional(entry) : std::nullopt;
}

class Sweep
{
public:
    Sweep(const QString &spool, const SpoolLimits &limits, qint64 missing)
        : m_limits(limits), m_missing(missing), m_folder(::opendir(QFile::encodeName(spool).constData()), ::closedir)
    {
        for (const protocol::KeptResult &result : WorkerStateFile::allResults(spool + QStringLiteral("/runs"))) {
            if (const std::optional<ClaimedJob> job = decodeClaim(result.keptClaim))
                m_kept.insert(attemptName(job->id.bytes(), job->attempts.claimVersion));
        }
    }

    Swept run()
    {
        if (!m_folder)
            return m_swept;
        const milliseconds oldest = now() - m_limits.age;
        std::map<std::chrono::minutes, qint64> bytes; // by the time at which they were written
        forEach([&](const SpoolEntry &entry) {
            if (entry.time > oldest || !remove(entry))
                bytes[std::chrono::floor<std::chrono::minutes>(entry.time)] += entry.bytes;
        });
        if (const std::optional<milliseconds> end = endOfSurplus(bytes)) {
            forEach([&](const SpoolEntry &entry) {
                if (entry.time < *end)
                    remove(entry);
            });
        }
        return m_swept;
    }

private:
    // What was written before that is too much.
    std::optional<milliseconds> endOfSurplus(const std::map<std::chrono::minutes, qint64> &bytes) const
    {
        qint64 total = 0;
        for (const auto &[minute, count] : bytes)
            total += count;
        qint64 surplus = std::max(total - m_limits.bytes, total >= m_missing ? m_missing : 0);
        std::optional<milliseconds> end;
        for (auto next = bytes.begin(); surplus > 0 && next != bytes.end(); ++next) {
            surplus -= next->second;
            end = next->first + 1min;
        }
        return end;
    }

    void forEach(const std::function<void(const SpoolEntry &)> &visit)
    {
        ::rewinddir(m_folder.get());
        while (const dirent *const found = ::readdir(m_folder.get())) {
            std::optional<SpoolEntry> entry = entryOf(found->d_name);
            if (entry && look(*entry))
                visit(*entry);
        }
    }

    bool look(SpoolEntry &entry) const
    {
        struct stat status {
        };
        if (::fstatat(folder(), entry.name.constData(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
            return false;
        entry.bytes = qint64(status.st_blocks) * 512;
        entry.time = changedAt(status);
        if (entry.beginning != entry.name
            && ::fstatat(folder(), entry.beginning.constData(), &status, AT_SYMLINK_NOFOLLOW) == 0)
            entry.time = changedAt(status);
        return true;
    }

    bool remove(const SpoolEntry &entry)
    {
        if (m_kept.contains(entry.attempt) || entry.time > now() - Grace)
            return false;
        const FileDescriptor lock(
            ::openat(folder(), entry.beginning.constData(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        if (lock ? !isFree(lock) : errno != ENOENT)
            return false;
        if (::unlinkat(folder(), entry.name.constData(), 0) != 0)
            return false;
        ++m_swept.files;
        m_swept.bytes += entry.bytes;
        return true;
    }

    // Whether no runner writes to it or has just begun to.
    static bool isFree(const FileDescriptor &beginning)
    {
        struct stat status {
        };
        return ::flock(beginning.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(beginning.get(), &status) == 0
            && changedAt(status) <= now() - Grace;
    }

    int folder() const { return ::dirfd(m_folder.get()); }

    SpoolLimits m_limits;
    qint64 m_missing;
    std::unique_ptr<DIR, int (*)(DIR *)> m_folder;
    QSet<QByteArray> m_kept; // attempts
    Swept m_swept;
};

} // namespace

Swept sweepSpool(const QString &spool, const SpoolLimits &limits, qint64 missing)
{
    Sweep sweep(spool, limits, missing);
    return sweep.run();
}

} // namespace drover::workers
