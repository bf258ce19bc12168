#include "gui/feeds/locks/ticket_line.h"

#include "gui/feeds/locks/lock_lines.h"
#include "gui/subtree/pacing.h"
#include "recipes/blocks/line.h"

namespace drover::gui {

using zk::Answer;

TicketLine::TicketLine(zk::Client &zk, Place place, std::function<void()> onChange)
    : m_zk(zk), m_place(std::move(place)), m_onChange(std::move(onChange))
{
}

void TicketLine::restart(std::unique_ptr<async::TaskGroup> tasks, int *watches)
{
    m_isFresh = false;
    m_tasks = std::move(tasks);
    const auto show = [this](const Answer<zk::Children> &answer) { setTickets(answer->names); };
    if (watches)
        m_tasks->spawn(followPaced(m_zk, m_place.directory, *watches, show));
    m_tasks->spawn(readTickets());
}

void TicketLine::setTickets(const QByteArrayList &names)
{
    m_isReady = names.contains("ready");
    m_tickets = m_place.of == Of::Numbered ? recipes::sortedBySequence(names)
        : m_place.of == Of::Members        ? placesIn(recipes::NodeKind::Barrier, names)
                                           : names.first(std::min(names.size(), MostOfAll));
    m_dirty.set();
}

async::Task<void> TicketLine::readTickets()
{
    for (;;) {
        co_await m_dirty.wait();
        m_dirty.reset();
        try {
            co_await m_known.read(m_zk, m_place.directory, m_place.title, m_tickets, jobs::Flight);
            m_isFresh = true;
            m_onChange();
        } catch (const zk::ConnectionLoss &) {
            m_dirty.set();
        }
        co_await m_zk.connected();
    }
}

} // namespace drover::gui
