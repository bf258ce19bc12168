#include "app/console_bench/bench_window.h"
#include "app/console_bench/benches.h"
#include "app/console_bench/load_thread.h"
#include "app/console_bench/wait.h"
#include "gui/widgets/znode_tree.h"
#include "jobs/model/layout.h"
#include "recipes/blocks/persistent.h"

#include <QElapsedTimer>

#include <sys/resource.h>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr int Siblings = 100'000;
constexpr int EventSiblings = 1'500;
constexpr int Locks = 10'000;
constexpr int Circles = 5; // among these
constexpr int NodesAtOnce = 500; // nodes of one transaction
constexpr auto EventSeconds = 60s;
constexpr auto ChangePause = 10ms;
constexpr int ChangesAtOnce = 10; // 1,000 a second

const zk::Path Parent("/bench/siblings");

int scaled(int count, double scale)
{
    return std::max(1, static_cast<int>(count * scale));
}

zk::Path child(int number)
{
    return Parent / QByteArray::number(number).rightJustified(6, '0');
}

async::Task<void> makeSiblings(zk::Client &zk, int count)
{
    co_await zk.ensurePath(Parent);
    for (int i = 0; i < count;) {
        zk::Transaction transaction;
        for (const int end = std::min(count, i + NodesAtOnce); i < end; ++i)
            transaction.create(child(i), QByteArrayLiteral("sibling"));
        const zk::Answer<zk::Committed> made = co_await zk.commit(transaction);
        made.require();
    }
}

// Changes data, and makes and removes nodes, a thousand times a second.
async::Task<void> changeForEver(zk::Client &zk, int count)
{
    for (int i = 0;; ++i) {
        zk::Transaction transaction;
        for (int k = 0; k < ChangesAtOnce - 2; ++k)
            transaction.set(child((i * ChangesAtOnce + k) % count), QByteArray::number(i));
        transaction.create(Parent / "passing", {}).remove(Parent / "passing");
        const zk::Answer<zk::Committed> made = co_await zk.commit(transaction);
        made.require();
        co_await async::sleepFor(zk.loop(), ChangePause);
    }
}

async::Task<void> makeLocks(zk::Client &zk, int count)
{
    const jobs::Layout layout(QByteArrayLiteral("default"));
    for (int i = 0; i < count;) {
        zk::Transaction transaction;
        for (const int end = std::min(count, i + NodesAtOnce / 4); i < end; ++i) {
            const zk::Path lock = layout.lock("bench-" + QByteArray::number(i));
            transaction.create(lock, {});
            for (int ticket = 0; ticket < 3; ++ticket)
                transaction.create(
                    lock / ("_c_00000000-0000-0000-0000-000000000000-lock-000000000" + QByteArray::number(ticket)),
                    "worker-" + QByteArray::number(ticket), zk::CreateMode::Ephemeral);
        }
        const zk::Answer<zk::Committed> made = co_await zk.commit(transaction);
        made.require();
    }
}

// Three contenders for each lock. Of the first locks, the holder of each of two waits for the other one.
QList<gui::LockRow> waitsFor(int locks)
{
    const jobs::Layout layout(QByteArrayLiteral("default"));
    QList<gui::LockRow> rows;
    for (int i = 0; i < locks; ++i) {
        const QByteArray lock = "bench-" + QByteArray::number(i);
        for (int place = 0; place < 3; ++place) {
            const int owner = i < 2 * Circles && place == 1 ? 3 * (i ^ 1) : 3 * i + place;
            rows.append({.lock = lock,
                         .place = place,
                         .ticket = "lock-" + QByteArray::number(place).rightJustified(10, '0'),
                         .about = "default-" + QByteArray::number(owner),
                         .session = zk::SessionId(owner) + 1,
                         .czxid = rows.size() + 1,
                         .directory = layout.lock(lock).bytes()});
        }
    }
    return rows;
}

double threadSeconds()
{
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// From the rows to the drawing with its circles, as when the last one of them has been read.
void measureGraph(Figures &figures, BenchWindow &bench, int locks)
{
    bench.showPage("waits");
    gui::WaitModel &waits = bench.models().waits;
    QObject::connect(&waits, &gui::WaitModel::confirmWanted, &bench.window(),
                     [&waits](const QList<gui::LockRow> &evidence) { waits.confirm(evidence, evidence); });
    const QList<gui::LockRow> rows = waitsFor(locks);
    const double before = threadSeconds();
    QElapsedTimer clock;
    clock.start();
    waits.showLocks(rows);
    bench.window().repaint();
    const std::chrono::milliseconds taken(clock.elapsed());
    const std::chrono::duration<double> busy(threadSeconds() - before);
    figures.add("circles", waits.deadlocks().size(), u"among as many locks that all have waiters");
    figures.addMilliseconds("graph_ms", taken, u"until these circles and the graph are found, laid out and painted");
    figures.addMilliseconds("graph_busy_ms", std::chrono::duration_cast<async::Duration>(busy),
                            u"the processor time of that");
}

// Returns when the node is in the tree, open, and has `rows` rows or more.
void openNode(BenchWindow &bench, int rows)
{
    auto *const tree = bench.window().findChild<gui::ZnodeTree *>();
    gui::ZnodeModel &model = bench.models().znodes;
    tree->reveal(Parent);
    waitFor([&] { return model.indexOf(Parent).isValid(); }, "the tree");
    tree->expand(model.indexOf(Parent));
    waitFor([&] { return model.rowCount(model.indexOf(Parent)) >= rows; }, "the list of the children");
    tree->repaint();
}

} // namespace

void benchSiblings(Figures &figures, double scale)
{
    const int count = scaled(Siblings, scale);
    LoadThread load;
    load.run([count](zk::Client &zk) { return makeSiblings(zk, count); });
    BenchWindow bench(load.connectString());
    bench.connect();
    bench.showPage("znodes");
    bench.stalls().restart();
    QElapsedTimer clock;
    clock.start();
    openNode(bench, std::min(count, gui::ZnodeModel::SliceSize));
    figures.add("siblings", count, u"znodes under one");
    figures.addMilliseconds("first_rows_ms", std::chrono::milliseconds(clock.elapsed()),
                            u"until the first rows are painted");
    gui::ZnodeModel &model = bench.models().znodes;
    while (model.rowCount(model.indexOf(Parent)) < count) {
        const QModelIndex parent = model.indexOf(Parent);
        model.revealMore(model.index(model.rowCount(parent) - 1, 0, parent));
        goOnFor(1ms);
    }
    figures.addMilliseconds("all_rows_ms", std::chrono::milliseconds(clock.elapsed()), u"until all can be scrolled to");
    figures.addMilliseconds("open_stall_ms", bench.stalls().longest(), u"the longest stall until then");
    load.begin([count](zk::Client &zk) { return changeForEver(zk, count); });
    goOnFor(std::chrono::milliseconds(static_cast<int>(10'000 * scale)));
    figures.addMilliseconds("longest_stall_ms", bench.stalls().longest(), u"also with 1,000 changes a second there");
    figures.addMilliseconds("longest_busy_ms", bench.stalls().busiest(), u"its most processor time at a time");
}

void benchEvents(Figures &figures, double scale)
{
    LoadThread load;
    load.run([](zk::Client &zk) { return makeSiblings(zk, EventSiblings); });
    BenchWindow bench(load.connectString());
    bench.connect();
    bench.showPage("znodes");
    openNode(bench, gui::ZnodeModel::SliceSize);
    load.begin([](zk::Client &zk) { return changeForEver(zk, EventSiblings); });
    bench.stalls().restart();
    const double before = threadSeconds();
    QElapsedTimer clock;
    clock.start();
    const QStringList pages = bench.window().pageNames();
    const std::chrono::milliseconds time = std::chrono::duration_cast<std::chrono::milliseconds>(EventSeconds * scale);
    for (const QString &page : pages) {
        bench.showPage(page.toLatin1().constData());
        goOnFor(time / (pages.size() + 1));
    }
    bench.showPage("znodes");
    goOnFor(time / (pages.size() + 1));
    figures.add("events_per_s", 1000, u"changes of znodes in the open node");
    figures.add("pages", pages.size(), u"that were opened meanwhile");
    figures.add("cpu_share", (threadSeconds() - before) / (static_cast<double>(clock.elapsed()) / 1000),
                u"of a core, by the thread of the window");
    figures.addMilliseconds("longest_stall_ms", bench.stalls().longest(), u"the longest stall");
    figures.addMilliseconds("longest_busy_ms", bench.stalls().busiest(), u"its most processor time at a time");
}

void benchLocks(Figures &figures, double scale)
{
    const int count = scaled(Locks, scale);
    LoadThread load;
    load.run([count](zk::Client &zk) { return makeLocks(zk, count); });
    BenchWindow bench(load.connectString());
    bench.connect();
    bench.stalls().restart();
    QElapsedTimer clock;
    clock.start();
    bench.showPage("locks");
    const int shown = std::min(count, static_cast<int>(gui::LockFeed::MaxLocks));
    waitFor([&] { return bench.models().locks.lockCount() >= shown; }, "the list of locks");
    figures.add("lock_count", count, u"with three tickets each");
    figures.add("locks_shown", shown, u"that the page follows");
    figures.addMilliseconds("appear_ms", std::chrono::milliseconds(clock.elapsed()), u"until they are in the table");
    goOnFor(1s);
    figures.addMilliseconds("longest_stall_ms", bench.stalls().longest(), u"the longest stall");
    figures.addMilliseconds("longest_busy_ms", bench.stalls().busiest(), u"its most processor time at a time");
    measureGraph(figures, bench, count);
}

} // namespace drover::app
