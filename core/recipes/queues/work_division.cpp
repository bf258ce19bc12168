#include "recipes/queues/work_division.h"

#include "text/hash.h"

#include <algorithm>

namespace drover::recipes {

namespace {

quint64 hashOf(const QByteArray &name)
{
    return text::hashOf({name.data(), std::size_t(name.size())});
}

} // namespace

void WorkDivision::update(const std::vector<qint32> &sequences, const QByteArrayList &takers, const QByteArray &self,
                          async::TimePoint now)
{
    m_self = self;
    m_takers.clear();
    for (const QByteArray &name : takers)
        m_takers.push_back({name, hashOf(name)});
    std::map<QByteArray, Oldest> oldest;
    if (takers.size() > 1) {
        for (const qint32 sequence : sequences)
            oldest.try_emplace(ownerOf(sequence), Oldest{sequence, now});
    }
    for (auto &[name, item] : oldest) {
        const auto before = m_oldest.find(name);
        if (before != m_oldest.end() && before->second.sequence == item.sequence)
            item.since = before->second.since;
    }
    m_oldest = std::move(oldest);
    std::erase_if(m_takers, [&](const Taker &taker) {
        const auto item = m_oldest.find(taker.name);
        return taker.name != self && item != m_oldest.end() && now - item->second.since >= Patience;
    });
}

const QByteArray &WorkDivision::ownerOf(qint32 sequence) const
{
    const auto weight = [sequence](const Taker &taker) {
        return text::mixed(taker.hash ^ text::mixed(static_cast<quint32>(sequence) + 0x9e3779b97f4a7c15));
    };
    return std::max_element(m_takers.begin(), m_takers.end(),
                            [&](const Taker &a, const Taker &b) { return weight(a) < weight(b); })
        ->name;
}

} // namespace drover::recipes
