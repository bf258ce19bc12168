#include "gui/feeds/znode_search.h"

#include "gui/text/marks.h"

namespace drover::gui {

namespace {

constexpr async::Duration SearchReports = std::chrono::milliseconds(100);
constexpr qsizetype AroundFinding = 40; // characters on each side

// The text around the first place where `wanted` is found in the data; nothing if it is not in there.
std::optional<QString> excerptOf(const QByteArray &data, const QString &wanted)
{
    const QString text = QString::fromUtf8(data);
    const qsizetype place = text.indexOf(wanted, 0, Qt::CaseInsensitive);
    if (place < 0)
        return std::nullopt;
    const qsizetype begin = std::max<qsizetype>(0, place - AroundFinding);
    QString excerpt = text.mid(begin, place - begin + wanted.size() + AroundFinding).simplified();
    if (begin > 0)
        excerpt.prepend(u'…');
    if (begin + excerpt.size() < text.size())
        excerpt.append(u'…');
    return marked(excerpt);
}

} // namespace

// A walk through the subtree, or one step of it.
struct ZnodeSearch::Walk {
    ZnodeQuery query;
    std::vector<zk::Path> ahead{}; // the last is next
    QList<ZnodeFinding> found{};
    qint64 unreadable = 0;

    bool inData() const { return query.where == ZnodeQuery::Where::Data; }
};

void ZnodeSearch::start(const ZnodeQuery &query)
{
    m_search.reset();
    m_report = {};
    m_found = 0;
    if (!attached())
        return report(false, tr("Not connected: connect to a cluster first."));
    m_lastReport = cluster().zk.loop().now();
    m_search = newGroup();
    m_search->spawn(run(query));
}

void ZnodeSearch::stop()
{
    if (!m_search)
        return;
    m_search.reset();
    report(false, tr("Cancelled."));
}

void ZnodeSearch::end()
{
    if (!m_search)
        return;
    m_search.reset();
    report(false, tr("The session has ended before the search was complete."));
}

async::Task<void> ZnodeSearch::run(ZnodeQuery query)
{
    zk::Client &zk = cluster().zk;
    Walk walk{query, {query.below}};
    while (!walk.ahead.empty()) {
        co_await zk.connected();
        const std::size_t count = std::min(Flight, walk.ahead.size());
        const std::vector<zk::Path> paths(walk.ahead.end() - std::ptrdiff_t(count), walk.ahead.end());
        Walk step{query};
        try {
            co_await visit(walk, paths, step);
        } catch (const zk::ConnectionLoss &) {
            continue; // the step is repeated
        }
        walk.ahead.resize(walk.ahead.size() - count);
        walk.ahead.insert(walk.ahead.end(), step.ahead.rbegin(), step.ahead.rend());
        m_report.visited += qint64(count);
        m_report.unreadable += step.unreadable;
        m_report.found += step.found.first(std::min(step.found.size(), MaxFindings - m_found));
        m_found += step.found.size();
        if (m_found >= MaxFindings) {
            report(false,
                   tr("These are the first %1: search for a longer text, or below a lower node.").arg(MaxFindings));
            co_return;
        }
        if (zk.loop().now() - m_lastReport >= SearchReports)
            report(true);
    }
    report(false);
}

// Asks for the children of all, and for their data if that is searched, before it awaits the first answer.
async::Task<void> ZnodeSearch::visit(const Walk &walk, const std::vector<zk::Path> &paths, Walk &step)
{
    std::vector<zk::Reply<zk::Children>> listings;
    std::vector<zk::Reply<zk::Node>> contents;
    for (const zk::Path &path : paths) {
        listings.push_back(cluster().zk.children(path));
        if (walk.inData())
            contents.push_back(cluster().zk.get(path));
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const zk::Path &path = paths[i];
        if (!walk.inData() && QString::fromUtf8(path.name()).contains(walk.query.text, Qt::CaseInsensitive))
            step.found.append({path, {}});
        try {
            const zk::Answer<zk::Children> listing = co_await listings[i];
            for (const QByteArray &name : listing->names)
                step.ahead.push_back(path / name);
            if (!walk.inData())
                continue;
            const zk::Answer<zk::Node> node = co_await contents[i];
            if (const std::optional<QString> excerpt = excerptOf(node->data, walk.query.text))
                step.found.append({path, *excerpt});
        } catch (const zk::AccessDenied &) {
            ++step.unreadable;
        }
    }
}

void ZnodeSearch::report(bool running, const QString &end)
{
    if (attached())
        m_lastReport = cluster().zk.loop().now();
    m_report.running = running;
    m_report.end = end;
    Q_EMIT reported(m_report);
    m_report.found.clear();
}

} // namespace drover::gui
