#include "gui/shell/visits.h"

namespace drover::gui {

void Visits::go(const Visit &visit)
{
    if (!m_all.empty() && m_all[m_at] == visit)
        return;
    if (!m_all.empty())
        m_all.resize(m_at + 1);
    m_all.push_back(visit);
    if (m_all.size() > Most)
        m_all.erase(m_all.begin());
    m_at = m_all.size() - 1;
}

void Visits::note(const EntityRef &entity)
{
    if (!m_all.empty())
        m_all[m_at].entity = entity;
}

bool Visits::canMove(int step) const
{
    return step < 0 ? m_at > 0 : m_at + 1 < m_all.size();
}

const Visit &Visits::move(int step)
{
    m_at += step < 0 ? std::size_t(-1) : 1;
    return m_all[m_at];
}

} // namespace drover::gui
