#include "recipes/shares.h"

#include <algorithm>

namespace drover::recipes {

namespace {

// The same in every process and build: FNV-1a, and splitmix64's final mix.
quint64 hashOf(const QByteArray &name)
{
    quint64 hash = 0xcbf29ce484222325;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

quint64 mixed(quint64 hash)
{
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    return hash ^ (hash >> 31);
}

} // namespace

void Shares::update(const std::vector<qint32> &sequences, const QByteArrayList &takers, const QByteArray &self,
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

const QByteArray &Shares::ownerOf(qint32 sequence) const
{
    const auto weight = [sequence](const Taker &taker) {
        return mixed(taker.hash ^ mixed(static_cast<quint32>(sequence) + 0x9e3779b97f4a7c15));
    };
    return std::max_element(m_takers.begin(), m_takers.end(),
                            [&](const Taker &a, const Taker &b) { return weight(a) < weight(b); })
        ->name;
}

} // namespace drover::recipes
