#pragma once

#include "jobs/model/final_record.h"
#include "support/seeded_random.h"
#include "support/virtual_loop.h"

#include <QStringList>
#include <QTemporaryDir>

#include <functional>
#include <vector>

namespace drover::test {

// The file that jobs of a schedule append to: a real one, on storage that is away or hangs at times. Each job has
// written one line, its id.
class SimStorage
{
public:
    explicit SimStorage(quint64 seed);

    QString file() const { return m_mount + QStringLiteral("/report"); }
    QString spool() const { return m_folder.filePath(QStringLiteral("spool")); } // of all workers

    // Within 20 s: for some seconds the paths lead nowhere, or what is done with files has no end.
    void scheduleTroubles(VirtualLoop &world);
    // Ends all that, and does what has waited.
    void restore();
    // For ProcessLoop::setPool().
    void doWork(const std::function<void()> &work);

    // Compares the file with the final records of the jobs. How many jobs certainly were not appended goes to
    // `refused`, and how many lines there are to `lines`.
    QStringList inspect(const std::vector<jobs::FinalRecord> &records, qint64 &lines, qint64 &refused) const;

private:
    void disturb(VirtualLoop &world);
    void takeAway();

    SeededRandom m_random; // of its own: the other incidents of a seed stay as they are
    QTemporaryDir m_folder;
    QString m_mount = m_folder.filePath(QStringLiteral("mount"));
    QString m_elsewhere = m_folder.filePath(QStringLiteral("elsewhere"));
    bool m_hangs = false;
    std::vector<std::function<void()>> m_waiting;
};

} // namespace drover::test
