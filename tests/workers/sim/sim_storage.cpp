#include "workers/sim/sim_storage.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <utility>

namespace drover::test {

namespace {

constexpr int NotAppended = 74;
constexpr int Troubles = 5;

// No worker has asked the file how the job has ended: it was given up, or it was refused when it was claimed again.
using End = jobs::FinalRecord::Outcome;
constexpr End NotAsked[] = {End::GaveUp, End::Refused, End::Malformed};

// Syncing costs nothing there.
QString folderInMemory()
{
    const QFileInfo memory(QStringLiteral("/dev/shm"));
    return (memory.isDir() && memory.isWritable() ? memory.filePath() : QDir::tempPath())
        + QStringLiteral("/drover-storage-XXXXXX");
}

} // namespace

SimStorage::SimStorage(quint64 seed) : m_random(seed), m_folder(folderInMemory())
{
    if (!QDir().mkdir(m_mount) || !QDir().mkdir(spool()))
        throw std::runtime_error("the folder for the storage cannot be made");
}

void SimStorage::scheduleTroubles(VirtualLoop &world)
{
    for (int i = 0; i < Troubles; ++i)
        world.at(world.now() + std::chrono::milliseconds(m_random.below(20'000)), [this, &world] { disturb(world); });
}

void SimStorage::disturb(VirtualLoop &world)
{
    if (m_random.chance(0.5))
        takeAway();
    else
        m_hangs = true;
    world.at(world.now() + std::chrono::milliseconds(m_random.below(6'000)), [this] { restore(); });
}

void SimStorage::takeAway()
{
    if (QFileInfo::exists(m_mount) && !QDir().rename(m_mount, m_elsewhere))
        throw std::runtime_error("the storage cannot be taken away");
}

void SimStorage::restore()
{
    if (!QFileInfo::exists(m_mount) && !QDir().rename(m_elsewhere, m_mount))
        throw std::runtime_error("the storage cannot be restored");
    m_hangs = false;
    for (const std::function<void()> &work : std::exchange(m_waiting, {}))
        work();
}

void SimStorage::doWork(const std::function<void()> &work)
{
    if (m_hangs)
        m_waiting.push_back(work);
    else
        work();
}

QStringList SimStorage::inspect(const std::vector<jobs::FinalRecord> &records, qint64 &lines, qint64 &refused) const
{
    QStringList wrong;
    QFile file(this->file());
    QByteArrayList found;
    if (file.open(QIODevice::ReadOnly))
        found = file.readAll().split('\n');
    lines += found.size() - 1;
    for (const jobs::FinalRecord &record : records) {
        const QByteArray id = record.id.bytes();
        const qsizetype count = found.count(id);
        const bool appends = record.repeat.value(QLatin1String("append")).toString() == this->file();
        if (count > 1)
            wrong.append(QStringLiteral("%1 is in the file %2 times").arg(QString::fromLatin1(id)).arg(count));
        if (appends && record.state() == jobs::JobState::Succeeded && count == 0)
            wrong.append(QStringLiteral("%1 succeeded and is not in the file").arg(QString::fromLatin1(id)));
        const bool failed = record.state() == jobs::JobState::Failed;
        refused += failed && record.code == NotAppended;
        if (failed && count > 0 && !std::count(std::begin(NotAsked), std::end(NotAsked), record.outcome))
            wrong.append(
                QStringLiteral("%1 failed, and is in the file: %2").arg(QString::fromLatin1(id), record.reason));
    }
    return wrong;
}

} // namespace drover::test
