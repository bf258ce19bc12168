#include "zk/watch.h"

#include <stdexcept>

namespace drover::zk {

async::Future<WatchEvent> Watch::fired() const
{
    if (!m_cell || !(m_cell->armed || m_cell->promise.settled()))
        throw std::logic_error("awaited a watch that no read has armed");
    return m_cell->promise.future();
}

void Watch::disarm()
{
    if (!m_cell)
        return;
    const std::shared_ptr<WatchCell> cell = std::exchange(m_cell, nullptr);
    if (const auto abandoned = std::exchange(cell->abandoned, nullptr))
        abandoned(*cell);
}

std::shared_ptr<WatchCell> Watch::prepare(WatchKind kind, const Path &path)
{
    disarm();
    m_cell = std::make_shared<WatchCell>();
    m_cell->kind = kind;
    m_cell->path = path;
    return m_cell;
}

} // namespace drover::zk
