#include "gui/pages/queues_page.h"

#include "gui/models/queue_history.h"
#include "gui/text/format.h"
#include "gui/widgets/depth_chart.h"
#include "text/quantity.h"

#include <QVBoxLayout>

namespace drover::gui {

QueuesPage::QueuesPage(const QueueHistory &queues)
    : Page(QStringLiteral("queues"), tr("Queues")), m_queues(queues), m_chart(new DepthChart(queues))
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_chart);
    m_chart->setFocusPolicy(Qt::StrongFocus);
    connect(&queues, &QueueHistory::sampled, this, &QueuesPage::count);
}

void QueuesPage::count()
{
    qint64 paused = 0;
    for (const auto &[queue, depths] : m_queues.series())
        paused += m_queues.now(queue).paused.isEmpty() ? 0 : 1;
    const auto all = qint64(m_queues.series().size());
    if (paused > 0)
        setBadge({shortCount(paused), text::formatCount(paused, "paused queue", "paused queues"), Tone::Waiting});
    else
        setBadge({all > 0 ? shortCount(all) : QString(), text::formatCount(all, "queue", "queues"), Tone::Muted});
}

void QueuesPage::showState(const ConnectionState &state)
{
    const QString why = state.whyNothing();
    m_chart->sayWhenEmpty(why.isEmpty() ? tr("No queues yet.\nThe first worker makes one.") : why);
    m_chart->setStale(state.asOf);
}

QWidget *QueuesPage::mainPart() const
{
    return m_chart;
}

} // namespace drover::gui
