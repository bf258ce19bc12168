#include "gui/pages/waits_page.h"

#include "gui/kit/graph_view.h"
#include "gui/models/wait_model.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/plain_text.h"
#include "text/quantity.h"

#include <QVBoxLayout>

namespace drover::gui {

using Kind = WaitGraph::Kind;

namespace {

GraphPicture pictureOf(const WaitGraph &graph)
{
    GraphPicture picture;
    for (const WaitGraph::Node &node : graph.nodes) {
        const bool acts = node.kind == Kind::Job || node.kind == Kind::Process || node.kind == Kind::Others;
        const Tone tone = node.isInCircle ? Tone::Bad
            : node.kind == Kind::Job      ? Tone::Busy
            : acts                        ? Tone::Muted
                                          : Tone::Waiting;
        picture.nodes.push_back({node.title, node.remark, tone, acts, node.isInCircle});
    }
    for (const WaitGraph::Arrow &arrow : graph.arrows)
        picture.arrows.push_back({arrow.from, arrow.to, arrow.waits, arrow.isInCircle});
    return picture;
}

} // namespace

WaitsPage::WaitsPage(const WaitModel &model)
    : Page(QStringLiteral("waits"), tr("Waits")), m_model(model), m_notice(new Notice(nullptr, Tone::Bad)),
      m_view(new GraphView), m_remark(plainLabel())
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notice);
    column->addWidget(m_view, 1);
    column->addWidget(m_remark);
    m_remark->setContentsMargins(12, 6, 12, 6);
    m_remark->setForegroundRole(QPalette::PlaceholderText);
    m_remark->setWordWrap(true);
    m_view->setAccessibleName(tr("Waits and holders"));
    connect(&model, &WaitModel::changed, this, &WaitsPage::update);
    connect(m_view, &GraphView::chosen, this, &WaitsPage::open);
}

void WaitsPage::update()
{
    const QList<Deadlock> &deadlocks = m_model.deadlocks();
    QStringList sentences;
    for (const Deadlock &deadlock : deadlocks)
        sentences << tr("Deadlock: %1.", "the locks of a circle").arg(deadlock.path()) << WaitModel::describe(deadlock)
                  << tr("One of them has to be ended.");
    m_notice->say(sentences.join(u' '));
    const qint64 waiters = m_model.waiters();
    if (!deadlocks.isEmpty())
        setBadge({shortCount(deadlocks.size()) + u'!', counted(deadlocks.size(), Things::Deadlocks), Tone::Bad});
    else
        setBadge({waiters > 0 ? shortCount(waiters) : QString(), tr("%1 waiting").arg(text::formatCount(waiters)),
                  Tone::Muted});
    if (isAwake())
        draw();
}

void WaitsPage::draw()
{
    m_graph = WaitGraph::of(m_model.rows(), m_model.deadlocks(), GraphView::MaxNodes);
    m_view->show(pictureOf(m_graph));
    QStringList lines;
    for (const WaitGraph::Arrow &arrow : m_graph.arrows) {
        const QString &from = m_graph.nodes[std::size_t(arrow.from)].title;
        const QString &to = m_graph.nodes[std::size_t(arrow.to)].title;
        lines << (arrow.waits ? tr("%1 waits for %2") : tr("%1 is held by %2")).arg(from, to);
    }
    m_view->setAccessibleDescription(lines.join(u'\n'));
    const QString key =
        tr("Dashed: waits for. Solid: is held by. A double click opens the job, or what is waited for.");
    m_remark->setText(
        m_graph.left == 0 ? key
                          : key + u' '
                + tr("%1 more have waiters: the page of the locks lists them.").arg(text::formatCount(m_graph.left)));
}

void WaitsPage::open(int node)
{
    const WaitGraph::Node &chosen = m_graph.nodes[std::size_t(node)];
    const std::optional<jobs::JobId> job = jobs::JobId::parse(chosen.title);
    if (chosen.kind == Kind::Job && job)
        Q_EMIT entityWanted({EntityRef::Kind::Job, job->bytes()});
    else if (!chosen.lock.isEmpty()) // or of a limit or an election, which the same page lists
        Q_EMIT entityWanted({EntityRef::Kind::Lock, chosen.lock});
}

void WaitsPage::showState(const ConnectionState &state)
{
    const QString why = state.whyNothing();
    m_view->sayWhenEmpty(why.isEmpty() ? tr("There are no waits for a lock, a limit or an election.") : why);
    m_view->setStale(state.isStale());
}

QWidget *WaitsPage::mainPart() const
{
    return m_view;
}

} // namespace drover::gui
