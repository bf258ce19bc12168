#include "app/lab/change_printer.h"

#include "app/bench/figures/figures.h"
#include "app/cluster/tree_sign.h"
#include "text/printable.h"

namespace drover::app {

using recipes::TreeWatch;

ChangePrinter::ChangePrinter(const Output &out, zk::Client &zk, zk::Path root, qint64 most)
    : m_out(out), m_loop(zk.loop()), m_root(root), m_left(most),
      m_watch(std::move(root), TreeWatch::AllLevels, [this](const TreeWatch::Change &change) { print(change); }),
      m_tasks([](const std::exception_ptr &) {}) // the measurement also notices the session's end
{
    if (most > 0)
        m_tasks.spawn(m_watch.run(zk));
}

void ChangePrinter::stop()
{
    m_left = 0;
    m_tasks.cancelAll();
}

void ChangePrinter::print(const TreeWatch::Change &change)
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

} // namespace drover::app
