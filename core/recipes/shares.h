#pragma once

#include "async/boot_clock.h"

#include <QByteArrayList>

#include <map>
#include <vector>

namespace drover::recipes {

// Which of a queue's items each taker should try first, so that hardly two ever try the same one: rendezvous hashing of
// sequence numbers over the takers (Thaler and Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM
// ToN 1998). All takers that know of the same ones agree, without asking. A taker whose oldest item stays where it is
// for Patience is left out until it goes: its items are divided among the others.
class Shares
{
public:
    static constexpr std::chrono::seconds Patience{1};

    // `sequences` in the order of the queue; `takers` with ourselves among them.
    void update(const std::vector<qint32> &sequences, const QByteArrayList &takers, const QByteArray &self,
                async::TimePoint now);

    bool isOurs(qint32 sequence) const { return m_takers.size() <= 1 || ownerOf(sequence) == m_self; }
    std::size_t takers() const { return m_takers.size(); } // that are not left out

private:
    struct Taker {
        QByteArray name;
        quint64 hash = 0;
    };
    struct Oldest {
        qint32 sequence = 0;
        async::TimePoint since{};
    };

    const QByteArray &ownerOf(qint32 sequence) const;

    QByteArray m_self;
    std::vector<Taker> m_takers;
    std::map<QByteArray, Oldest> m_oldest; // of each taker's items
};

} // namespace drover::recipes
