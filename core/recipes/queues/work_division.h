#pragma once

#include "async/boot_clock.h"

#include <QByteArrayList>

#include <map>
#include <vector>

namespace drover::recipes {

// Which of a queue's items each taker should try first, so that two takers rarely try one item. It uses rendezvous
// hashing of sequence numbers over the takers (Thaler and Ravishankar, "Using name-based mappings to increase hit
// rates", IEEE/ACM ToN 1998). Takers that list equal sets of takers agree without messages. If a taker's oldest item is
// not taken for Patience, the taker is left out until that item is gone. Its items are divided among the others.
class WorkDivision
{
public:
    static constexpr std::chrono::seconds Patience{1};

    // `sequences` are in the order of the queue; `takers` include `self`.
    void update(const std::vector<qint32> &sequences, const QByteArrayList &takers, const QByteArray &self,
                async::TimePoint now);

    bool isOurs(qint32 sequence) const { return m_takers.size() <= 1 || ownerOf(sequence) == m_self; }
    std::size_t takers() const { return m_takers.size(); } // without those left out

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
    std::map<QByteArray, Oldest> m_oldest; // the oldest item of each taker
};

} // namespace drover::recipes
