#include "gui/inspector/dependency_graph.h"

#include "gui/kit/graph_view.h"
#include "gui/models/job_model.h"
#include "gui/text/counted.h"
#include "gui/widgets/plain_text.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QVBoxLayout>

#include <algorithm>

namespace drover::gui {

using jobs::Dependency;
namespace {

constexpr qint64 ShortestRest = 1000; // ms
constexpr qint64 LongestRest = 60'000;

// As in --after.
QString wordOf(Dependency::Kind kind)
{
    switch (kind) {
    case Dependency::Kind::Begun:
        return QStringLiteral("begun");
    case Dependency::Kind::Ok:
        return QStringLiteral("ok");
    case Dependency::Kind::Failed:
        return QStringLiteral("fail");
    case Dependency::Kind::Any:
        break;
    }
    return QStringLiteral("any");
}

QString remarkOn(const JobGraph::Node &node)
{
    if (!node.state)
        return DependencyGraph::tr("not found");
    QString remark = jobStateText(*node.state);
    if (!node.name.isEmpty())
        remark = DependencyGraph::tr("%1: %2", "state, name").arg(remark, text::printable(node.name));
    if (node.others > 0 && !jobs::isFinal(*node.state))
        remark = DependencyGraph::tr("%1 (and after %2 more)", "state and name, count")
                     .arg(remark, text::formatCount(node.others));
    return remark;
}

GraphPicture pictureOf(const JobGraph &graph)
{
    GraphPicture picture;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const JobGraph::Node &node = graph.nodes[i];
        const Tone tone = node.state ? jobStateTone(*node.state) : Tone::Muted;
        picture.nodes.push_back({node.id.toString(), remarkOn(node), tone, false, false, i == 0});
    }
    for (const JobGraph::Arrow &arrow : graph.arrows)
        picture.arrows.push_back({arrow.before, arrow.after, !arrow.isFulfilled, false, wordOf(arrow.kind)});
    return picture;
}

} // namespace

DependencyGraph::DependencyGraph(const jobs::JobId &id, const JobModel &jobs, QWidget *parent)
    : QWidget(parent), m_id(id), m_view(new GraphView), m_remark(plainLabel()), m_trouble(plainLabel())
{
    for (QLabel *const label : {m_remark, m_trouble}) {
        label->setForegroundRole(QPalette::PlaceholderText);
        label->setWordWrap(true);
        label->setContentsMargins(12, 6, 12, 6);
    }
    m_trouble->hide();
    m_view->setAccessibleName(tr("Dependencies of %1").arg(id.toString()));
    m_view->sayWhenEmpty(tr("loading…"));
    m_view->setChosenByClick();
    m_view->setTurns();
    m_view->setMinimumHeight(fontMetrics().lineSpacing() * 5);
    setFocusProxy(m_view);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_trouble);
    column->addWidget(m_view, 1);
    column->addWidget(m_remark);
    m_rest.setSingleShot(true);
    connect(&m_rest, &QTimer::timeout, this, &DependencyGraph::ask);
    connect(&jobs, &JobModel::shown, this, &DependencyGraph::askLater);
    connect(m_view, &GraphView::chosen, this, &DependencyGraph::open);
}

// Not at once: who answers may not listen yet.
void DependencyGraph::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    askLater();
}

void DependencyGraph::askLater()
{
    m_isOld = true;
    if (!m_rest.isActive())
        m_rest.start(0);
}

// An answer that was on its way when the jobs changed may be of the time before.
void DependencyGraph::ask()
{
    if (!m_isOld || m_isAsked || !isVisible())
        return;
    m_isOld = false;
    m_isAsked = true;
    m_since.start();
    Q_EMIT wanted();
}

void DependencyGraph::answered()
{
    m_isAsked = false;
    m_rest.start(int(std::clamp(10 * m_since.elapsed(), ShortestRest, LongestRest)));
}

void DependencyGraph::show(const JobGraph &graph)
{
    m_trouble->hide();
    if (graph != m_graph) {
        m_graph = graph;
        m_view->show(pictureOf(graph));
        remark();
    }
    answered();
}

void DependencyGraph::fail(const QString &why)
{
    m_trouble->setText(text::printable(why));
    m_trouble->show();
    m_view->sayWhenEmpty({});
    m_isOld = true;
    answered();
}

void DependencyGraph::setStale(bool stale)
{
    m_view->setStale(stale);
}

// What the picture says, and what it leaves out.
void DependencyGraph::remark()
{
    QStringList lines;
    for (const JobGraph::Arrow &arrow : m_graph.arrows)
        lines << (arrow.isFulfilled ? tr("%1 need not wait for %2 any more (%3)", "job, job, condition")
                                    : tr("%1 waits for %2 (%3)", "job, job, condition"))
                     .arg(m_graph.nodes[std::size_t(arrow.after)].id.toString(),
                          m_graph.nodes[std::size_t(arrow.before)].id.toString(), wordOf(arrow.kind));
    m_view->setAccessibleDescription(lines.join(u'\n'));
    QStringList sentences;
    if (m_graph.hasForgotten)
        sentences << tr("The record of a job that has ended does not say what it waited for.");
    else if (m_graph.nodes.size() == 1 && m_graph.unread == 0)
        sentences << tr("It waits for no job, and no job waits for it.");
    if (!m_graph.arrows.empty())
        sentences << tr("Dashed: has still to wait. A click or Enter opens the job.");
    if (m_graph.before > 0)
        sentences << tr("Not drawn: %1 before these.").arg(counted(m_graph.before, Things::Jobs));
    if (m_graph.after > 0)
        sentences << tr("Not drawn: %1 after these.").arg(counted(m_graph.after, Things::Jobs));
    if (m_graph.unread > 0)
        sentences << tr("%1 that wait were not read: some of them may wait for this one.")
                         .arg(counted(m_graph.unread, Things::Jobs));
    m_remark->setText(sentences.join(u' '));
}

// Later: what follows may delete the view, which is in the midst of an event.
void DependencyGraph::open(int node)
{
    const jobs::JobId id = m_graph.nodes[std::size_t(node)].id;
    const auto go = [this, id] { Q_EMIT entityWanted({EntityRef::Kind::Job, id.bytes()}); };
    if (id != m_id)
        QMetaObject::invokeMethod(this, go, Qt::QueuedConnection);
}

} // namespace drover::gui
