#pragma once

#include "async/event.h"
#include "gui/data/lock_search.h"
#include "gui/feeds/locks/known_tickets.h"
#include "recipes/blocks/node_kind.h"

#include <functional>
#include <set>

namespace drover::gui {

// Finds the locks of a tree, whichever program uses them (lock_lines.h), and goes on looking at what it has found
// while it is awake. It reports the rows only when they have changed, and seldom while it searches. It sets no watch,
// and has at most Flight znodes in flight. One directory that cannot be read stops no other: it is counted. Below a
// lock it does not search. A broken connection delays it. It lives on the thread of the session, which outlives it.
class LockWalk
{
public:
    static constexpr qsizetype Flight = 16;
    static constexpr qsizetype MaxLocks = 1000; // that are found; then it ends
    static constexpr qsizetype MaxPlaces = 200; // of each lock, the first
    static constexpr async::Duration BetweenReports = std::chrono::milliseconds(250);
    static constexpr async::Duration BetweenRows = std::chrono::seconds(2); // while it searches
    static constexpr async::Duration BetweenLooks = std::chrono::seconds(5);

    using Skips = std::function<bool(const zk::Path &)>;
    using Report = std::function<void(const LockSearchReport &)>;

    // Directories that `skips` are not entered.
    LockWalk(zk::Client &zk, Skips skips, Report report);

    // Searches below that node, and then looks at what it has found every BetweenLooks. It never returns. Throws
    // SessionLost.
    async::Task<void> run(zk::Path below);
    // It searches no further, but looks on.
    void stop() { m_stopped = true; }
    // A walk that sleeps still searches, but looks no more at what it has found until it is woken. It begins awake.
    void setAwake(bool awake);

private:
    struct Found {
        recipes::NodeKind kind = recipes::NodeKind::Other;
        std::map<QByteArray, KnownTickets> lines; // by the name of its directory; "" for its own
    };
    struct Step;

    async::Task<void> search(zk::Path below);
    async::Task<void> visit(std::vector<zk::Path> paths, Step *step);
    async::Task<bool> isLock(zk::Path directory, Found *found);
    async::Task<void> look(std::vector<zk::Path> locks);
    async::Task<void> readLine(zk::Path lock, recipes::NodeKind kind, QByteArray name, KnownTickets *line);
    void report(bool running, const QString &end = {});
    static QList<LockRow> rowsOf(const Found &found);

    zk::Client &m_zk;
    Skips m_skips;
    Report m_report;
    bool m_stopped = false;
    std::map<zk::Path, Found> m_found;
    LockSearchReport m_state;
    async::TimePoint m_lastReport{};
    async::TimePoint m_lastRows{};
    std::optional<QList<LockRow>> m_reported; // the rows
    async::Event m_awake;
};

// Reads once more which of these contenders are there, each with its czxid. One that cannot be read is not. Waits out
// lost connections; throws SessionLost.
async::Task<QList<LockRow>> stillThere(zk::Client &zk, QList<LockRow> contenders);

} // namespace drover::gui
