#include "app/top/top_screen.h"

#include "app/cli/terminal.h"
#include "text/printable.h"
#include "text/quantity.h"

namespace drover::app {

using Sample = ClusterSample;

namespace {

// Jobs a second between two looks; nothing at the first.
QString rateOf(qint64 now, qint64 before, std::chrono::duration<double> elapsed)
{
    if (elapsed.count() <= 0)
        return QStringLiteral("-");
    const double rate = static_cast<double>(std::max<qint64>(0, now - before)) / elapsed.count();
    return QString::number(rate, 'f', rate < 10 ? 1 : 0);
}

// "[######....]", as many as are in use.
QString bar(qint64 used, qint64 total)
{
    constexpr qint64 Width = 10;
    const qint64 filled = total > 0 ? std::min(Width, (used * Width + total - 1) / total) : 0;
    return u'[' + QString(filled, u'#') + QString(Width - filled, u'.') + u']';
}

class Screen
{
public:
    Screen(const Sample &now, const std::optional<Sample> &before, int width)
        : m_now(now), m_before(before), m_width(width)
    {
        if (before)
            m_elapsed = now.at - before->at;
    }

    // What matters first: a narrow terminal cuts the end.
    void addHeading(const QByteArray &cluster)
    {
        qint64 slotCount = 0;
        qint64 used = 0;
        qint64 workers = 0;
        for (const Sample::Worker &worker : m_now.workers) {
            slotCount += worker.info.slotCount;
            used += worker.slotsUsed;
            workers += worker.malformed.isEmpty() ? 1 : 0;
        }
        qint64 unfinished = 0;
        for (const Sample::Queue &queue : m_now.queues)
            unfinished += queue.unfinished;
        add(QStringLiteral("cluster %1  unfinished %2  ended %3/s  slots %4/%5  %6  master %7")
                .arg(QString::fromUtf8(cluster), text::formatCount(unfinished),
                     rateOf(finished(m_now), m_before ? finished(*m_before) : 0, m_elapsed), QString::number(used),
                     QString::number(slotCount), text::formatCount(workers, "worker", "workers"),
                     m_now.master.isEmpty() ? QStringLiteral("(none)") : m_now.master));
        if (m_now.backpressure)
            add(QStringLiteral("no job is claimed: ") + m_now.backpressure->reason);
        add({});
    }

    void addQueues()
    {
        add(QStringLiteral("%1 %2 %3 %4 %5")
                .arg(QStringLiteral("QUEUE"), -20)
                .arg(QStringLiteral("UNFINISHED"), 10)
                .arg(QStringLiteral("IN/S"), 8)
                .arg(QStringLiteral("OUT/S"), 8)
                .arg(QStringLiteral("IDLE WORKERS"), 13));
        for (const Sample::Queue &queue : m_now.queues) {
            const Sample::Queue before = m_before ? queueOf(*m_before, queue) : queue;
            add(QStringLiteral("%1 %2 %3 %4 %5")
                    .arg(QString::fromUtf8(queue.name).leftJustified(20),
                         text::formatCount(queue.unfinished).rightJustified(10),
                         rateOf(queue.submitted, before.submitted, m_elapsed).rightJustified(8),
                         rateOf(queue.finished(), before.finished(), m_elapsed).rightJustified(8),
                         QString::number(queue.idleWorkers).rightJustified(13)));
        }
        if (m_now.queues.empty())
            add(QStringLiteral("(none)"));
        add({});
    }

    void addWorkers(std::size_t room)
    {
        add(QStringLiteral("%1 %2 %3 %4")
                .arg(QStringLiteral("WORKER"), -20)
                .arg(QStringLiteral("HOST"), -20)
                .arg(QStringLiteral("SLOTS"), -18)
                .arg(QStringLiteral("QUEUES")));
        for (std::size_t i = 0; i < std::min(room, m_now.workers.size()); ++i) {
            const Sample::Worker &worker = m_now.workers[i];
            const QString used = QStringLiteral("%1 %2/%3")
                                     .arg(bar(worker.slotsUsed, worker.info.slotCount))
                                     .arg(worker.slotsUsed)
                                     .arg(worker.info.slotCount);
            if (worker.malformed.isEmpty())
                add(QStringLiteral("%1 %2 %3 %4")
                        .arg(worker.info.id.leftJustified(20), worker.info.host.leftJustified(20),
                             used.leftJustified(18), worker.info.queues.join(u' ')));
            else
                add(QStringLiteral("%1 (malformed)").arg(worker.info.id.leftJustified(20)));
        }
        addRest(m_now.workers.size(), room, "workers");
        if (m_now.workers.empty())
            add(QStringLiteral("(none: nothing runs; drover worker starts one)"));
        add({});
    }

    void addJobs(std::size_t room)
    {
        add(QStringLiteral("%1 %2 %3 %4 %5")
                .arg(QStringLiteral("RUNNING"), -20)
                .arg(QStringLiteral("FOR"), 10)
                .arg(QStringLiteral("TRY"), 4)
                .arg(QStringLiteral("WORKER"), -20)
                .arg(QStringLiteral("NAME")));
        for (std::size_t i = 0; i < std::min(room, m_now.jobs.size()); ++i) {
            const Sample::Job &job = m_now.jobs[i];
            const auto since = std::max(std::chrono::milliseconds(0), m_now.wallClock - job.since());
            add(QStringLiteral("%1 %2 %3 %4 %5")
                    .arg(job.id.toString().leftJustified(20), text::formatDuration(since).rightJustified(10),
                         QString::number(job.claim.attempts.number()).rightJustified(4),
                         job.claim.worker.leftJustified(20), job.name));
        }
        addRest(static_cast<std::size_t>(m_now.running), room, "jobs");
        if (m_now.running == 0)
            add(QStringLiteral("(nothing)"));
    }

    int size() const { return static_cast<int>(m_lines.size()); }
    QStringList take() { return std::move(m_lines); }

private:
    static qint64 finished(const Sample &sample)
    {
        qint64 count = 0;
        for (const Sample::Queue &queue : sample.queues)
            count += queue.finished();
        return count;
    }

    static Sample::Queue queueOf(const Sample &sample, const Sample::Queue &now)
    {
        for (const Sample::Queue &queue : sample.queues) {
            if (queue.name == now.name)
                return queue;
        }
        return now; // it has just come
    }

    void addRest(std::size_t count, std::size_t room, const char *what)
    {
        if (count > room)
            add(QStringLiteral("... and %1 more %2").arg(count - room).arg(QLatin1String(what)));
    }

    void add(const QString &line) { m_lines.append(elided(text::printable(line), m_width)); }

    const Sample &m_now;
    const std::optional<Sample> &m_before;
    int m_width;
    std::chrono::duration<double> m_elapsed{0};
    QStringList m_lines;
};

// How many of the rows fit into so many lines: at least one, and a line that says how many more there are. A last one
// stands in that line itself.
std::size_t rowsIn(qint64 lines, qint64 rows)
{
    const qint64 most = std::max<qint64>(1, lines - 1);
    return static_cast<std::size_t>(rows <= most + 1 ? rows : most);
}

} // namespace

QStringList topScreen(const QByteArray &cluster, const Sample &now, const std::optional<Sample> &before, int width,
                      int height)
{
    constexpr qint64 JobsAtLeast = 5;
    Screen screen(now, before, width);
    screen.addHeading(cluster);
    screen.addQueues();
    const qint64 left = height - screen.size() - 3; // without two headings and a gap
    const qint64 ofJobs = std::clamp<qint64>(now.running, 1, JobsAtLeast + 1); // the last says how many more
    screen.addWorkers(rowsIn(left - ofJobs, static_cast<qint64>(now.workers.size())));
    screen.addJobs(rowsIn(height - screen.size() - 1, now.running));
    return screen.take().mid(0, height);
}

} // namespace drover::app
