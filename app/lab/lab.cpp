#include "app/lab/lab.h"

#include "app/bench/bench_options.h"
#include "app/bench/setup/bench_sessions.h"
#include "app/bench/setup/remove_tree.h"
#include "app/cli/output.h"
#include "app/cluster/tree_sign.h"
#include "async/post_guard.h"
#include "async/task_group.h"
#include "recipes/blocks/tree_watch.h"
#include "text/printable.h"

namespace drover::app {

using namespace std::chrono_literals;
using recipes::TreeWatch;

namespace {

constexpr int DefaultChanges = 40;

// Prints the first changes below a znode, with the time since the first one. After `most` changes it stops watching, so
// that it no longer affects the measurement.
class ChangePrinter
{
public:
    // With `most` 0 it does nothing. `zk` must be a separate session; otherwise its wake-ups are counted with the
    // others.
    ChangePrinter(const Output &out, zk::Client &zk, zk::Path root, qint64 most)
        : m_out(out), m_loop(zk.loop()), m_root(root), m_left(most),
          m_watch(std::move(root), TreeWatch::AllLevels, [this](const TreeWatch::Change &change) { print(change); }),
          m_tasks([](const std::exception_ptr &) {}) // the measurement also notices the session's end
    {
        if (most > 0)
            m_tasks.spawn(m_watch.run(zk));
    }

    void stop()
    {
        m_left = 0;
        m_tasks.cancelAll();
    }

private:
    void print(const TreeWatch::Change &change)
    {
        if (m_left == 0 || change.kind == TreeWatch::Change::Kind::Initialized || change.path == m_root)
            return;
        const async::TimePoint now = m_loop.now();
        if (m_begin == async::TimePoint{})
            m_begin = now;
        const double milliseconds = std::chrono::duration<double, std::milli>(now - m_begin).count();
        const QByteArray name = change.path.bytes().mid(m_root.bytes().size() + 1);
        QString line = QStringLiteral("%1 ms  %2 %3")
                           .arg(milliseconds, 9, 'f', 1)
                           .arg(signOf(change.kind))
                           .arg(text::printable(QString::fromUtf8(name)));
        if (!change.node.data.isEmpty() && change.kind != TreeWatch::Change::Kind::Removed)
            line += QStringLiteral("  ") + elided(text::printable(QString::fromUtf8(change.node.data)), 40);
        m_out.line(elided(line, widthFor(m_out.terminal())));
        if (--m_left > 0)
            return;
        m_out.line(QStringLiteral("              and so on: not watched any further"));
        m_guard.post(m_loop, [this] { m_tasks.cancelAll(); }); // not from within the watch
    }

    const Output &m_out;
    async::Loop &m_loop;
    zk::Path m_root;
    qint64 m_left;
    async::TimePoint m_begin{};
    async::PostGuard m_guard;
    TreeWatch m_watch;
    async::TaskGroup m_tasks;
};

} // namespace

async::Task<int> runLab(Context &context, Lab lab)
{
    const Arguments &arguments = context.arguments();
    const bool tells = !arguments.has("quiet") && context.out().isTable();
    const qint64 changes = arguments.integer("changes", 0, 1'000'000, DefaultChanges);
    BenchServer server(context.loop(), benchServers(context));
    co_await server.start();
    BenchSessions sessions;
    co_await sessions.open(server, lab.sessions);
    BenchSessions observer;
    co_await observer.open(server, 1);
    const zk::Path directory = zk::Path("/drover") / scratchName() / "lab";
    co_await observer.first().ensurePath(directory);

    ChangePrinter printer(context.out(), observer.first(), directory, tells ? changes : 0);
    Figures figures = co_await lab.run(sessions.all(), directory);
    printer.stop();
    figures.add("shows", lab.explain(figures), {});
    if (!server.isPrivate())
        co_await removeTree(sessions.first(), directory.parent());
    print(context, figures);
    co_return ExitOk;
}

QList<QCommandLineOption> labOptions(const char *clients)
{
    return {option("clients", clients, "N"), forOption("how long to measure (default: 5s)"),
            option("changes", "changes of znodes to print (default: 40)", "N"),
            option("quiet", "print no changes of znodes")};
}

qint64 labClients(const Context &context, qint64 atLeast, qint64 fallback)
{
    return context.arguments().integer("clients", atLeast, 1000, fallback);
}

std::chrono::milliseconds labDuration(const Context &context)
{
    return measuredTime(context.arguments(), 5s);
}

} // namespace drover::app
