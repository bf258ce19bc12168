#include "gui/feeds/locks/lock_walk.h"

#include "gui/feeds/locks/lock_lines.h"

#include <QCoreApplication>

#include <algorithm>

namespace drover::gui {

using recipes::NodeKind;
using zk::Answer;

namespace {

async::Task<QList<LockRow>> presentOf(zk::Client &zk, QList<LockRow> some)
{
    std::vector<zk::Reply<zk::Stat>> replies;
    for (const LockRow &row : std::as_const(some))
        replies.push_back(zk.exists(zk::Path(row.directory) / row.ticket));
    QList<LockRow> present;
    for (qsizetype i = 0; i < some.size(); ++i) {
        const Answer<zk::Stat> stat = co_await replies[std::size_t(i)];
        if (stat.ok() && stat->czxid == some[i].czxid)
            present.append(some[i]);
    }
    co_return present;
}

// Many names are hexadecimal digits, and many are "ready". In a semaphore of kazoo's, and in a double barrier, at least
// one of the places is ephemeral.
bool needsSession(NodeKind kind)
{
    return kind == NodeKind::KazooSemaphore || kind == NodeKind::Barrier;
}

bool isAnyEphemeral(const QList<LockRow> &rows)
{
    return std::any_of(rows.begin(), rows.end(), [](const LockRow &row) { return row.session != 0; });
}

struct WalkTexts {
    Q_DECLARE_TR_FUNCTIONS(LockWalk)
};

} // namespace

// What one round trip has shown. It is dropped if the connection breaks on the way.
struct LockWalk::Step {
    std::vector<zk::Path> below{};
    std::map<zk::Path, Found> found{};
    qint64 unreadable = 0;
};

LockWalk::LockWalk(zk::Client &zk, Skips skips, Report report)
    : m_zk(zk), m_skips(std::move(skips)), m_report(std::move(report))
{
    m_awake.set();
}

async::Task<void> LockWalk::run(zk::Path below)
{
    m_lastReport = m_zk.loop().now();
    report(true);
    co_await search(below);
    for (;;) {
        report(false, m_state.end);
        co_await async::sleepFor(m_zk.loop(), BetweenLooks);
        co_await m_awake.wait();
        std::vector<zk::Path> all;
        for (const auto &[path, found] : m_found)
            all.push_back(path);
        co_await look(std::move(all));
    }
}

async::Task<void> LockWalk::search(zk::Path below)
{
    std::vector<zk::Path> ahead{below}; // the last is next
    while (!ahead.empty() && !m_stopped && qsizetype(m_found.size()) < MaxLocks) {
        co_await m_zk.connected();
        const std::size_t count = std::min(std::size_t(Flight), ahead.size());
        const std::vector<zk::Path> paths(ahead.end() - std::ptrdiff_t(count), ahead.end());
        Step step;
        try {
            co_await visit(paths, &step);
        } catch (const zk::ConnectionLoss &) {
            continue; // the step is repeated
        }
        ahead.resize(ahead.size() - count);
        ahead.insert(ahead.end(), step.below.rbegin(), step.below.rend());
        m_state.visited += qint64(count);
        m_state.unreadable += step.unreadable;
        std::vector<zk::Path> fresh;
        for (auto &[path, found] : step.found) {
            m_found.insert_or_assign(path, std::move(found));
            fresh.push_back(path);
        }
        co_await look(std::move(fresh));
        if (m_zk.loop().now() - m_lastReport >= BetweenReports)
            report(true);
    }
    if (m_stopped)
        m_state.end = WalkTexts::tr("Stopped.");
    else if (!ahead.empty())
        m_state.end = WalkTexts::tr("These are the first %1.").arg(MaxLocks);
}

async::Task<void> LockWalk::visit(std::vector<zk::Path> paths, Step *step)
{
    std::vector<zk::Reply<zk::Children>> listings;
    for (const zk::Path &path : paths)
        listings.push_back(m_zk.children(path));
    for (std::size_t i = 0; i < paths.size(); ++i) {
        try {
            const Answer<zk::Children> listing = co_await listings[i];
            Found found;
            found.kind = lockKindOf(listing->names);
            const bool isOne = co_await isLock(paths[i], &found);
            if (isOne) {
                step->found[paths[i]] = std::move(found);
                continue;
            }
            for (const QByteArray &name : listing->names) {
                if (!m_skips(paths[i] / name))
                    step->below.push_back(paths[i] / name);
            }
        } catch (const zk::AccessDenied &) {
            ++step->unreadable;
        }
    }
}

// Reads the places of one whose children's names may be anything.
async::Task<bool> LockWalk::isLock(zk::Path directory, Found *found)
{
    if (found->kind == NodeKind::Other)
        co_return false;
    if (!needsSession(found->kind))
        co_return true;
    KnownTickets &line = found->lines[""];
    try {
        co_await readLine(directory, found->kind, "", &line);
    } catch (const zk::AccessDenied &) {
        co_return false; // the search below it counts what cannot be read
    }
    co_return isAnyEphemeral(line.rows());
}

// Each by itself: one that cannot be read, or has gone, stops no other.
async::Task<void> LockWalk::look(std::vector<zk::Path> locks)
{
    for (const zk::Path &lock : locks) {
        Found &found = m_found.at(lock);
        const QByteArrayList lines = linesOf(found.kind);
        try {
            for (const QByteArray &name : lines)
                co_await readLine(lock, found.kind, name, &found.lines[name]);
        } catch (const zk::AccessDenied &) {
            ++m_state.unreadable;
            m_found.erase(lock);
        } catch (const zk::ConnectionLoss &) { // the next look finds it
        }
        co_await m_zk.connected();
    }
}

async::Task<void> LockWalk::readLine(zk::Path lock, NodeKind kind, QByteArray name, KnownTickets *line)
{
    const zk::Path directory = name.isEmpty() ? lock : lock / name;
    const Answer<zk::Children> listing = co_await m_zk.children(directory);
    const QByteArrayList order = placesIn(name == "locks" ? NodeKind::Mutex : kind, listing->names).mid(0, MaxPlaces);
    co_await line->read(m_zk, directory, lock.bytes(), order, std::size_t(Flight));
}

async::Task<QList<LockRow>> stillThere(zk::Client &zk, QList<LockRow> contenders)
{
    QList<LockRow> all;
    for (qsizetype begin = 0; begin < contenders.size();) {
        co_await zk.connected();
        try {
            const QList<LockRow> present = co_await presentOf(zk, contenders.mid(begin, LockWalk::Flight));
            all += present;
            begin += LockWalk::Flight;
        } catch (const zk::ConnectionLoss &) { // these are read again
        }
    }
    co_return all;
}

void LockWalk::setAwake(bool awake)
{
    if (awake)
        m_awake.set();
    else
        m_awake.reset();
}

// The rows cost the receiver much: they are sorted, shown, and searched for deadlocks.
void LockWalk::report(bool running, const QString &end)
{
    const async::TimePoint now = m_zk.loop().now();
    m_lastReport = now;
    m_state.running = running;
    m_state.end = end;
    m_state.locks = 0;
    QList<LockRow> all;
    for (const auto &[path, found] : m_found) {
        const QList<LockRow> line = rowsOf(found);
        m_state.locks += line.isEmpty() ? 0 : 1;
        all += line;
    }
    m_state.rows.reset();
    if (m_reported != all && (!running || !m_reported || now - m_lastRows >= BetweenRows)) {
        m_lastRows = now;
        m_reported = all;
        m_state.rows = all;
    }
    m_report(m_state);
}

// None: it is no lock, or a free one.
QList<LockRow> LockWalk::rowsOf(const Found &found)
{
    QList<QList<LockRow>> lines;
    for (const QByteArray &name : linesOf(found.kind)) {
        const auto line = found.lines.find(name);
        lines.append(line == found.lines.end() ? QList<LockRow>() : line->second.rows());
    }
    const QList<LockRow> rows = placed(found.kind, lines.front(), lines.size() > 1 ? lines.back() : QList<LockRow>());
    const bool isOne = !needsSession(found.kind) || isAnyEphemeral(rows);
    return isOne ? rows : QList<LockRow>();
}

} // namespace drover::gui
