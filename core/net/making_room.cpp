#include "net/making_room.h"

#include <QHash>

#include <algorithm>
#include <iterator>

namespace drover::net {

namespace {

using Stage = Occupant::Stage;

constexpr int NetworkBytes = 8;

bool isUnproven(const Occupant &occupant)
{
    return occupant.stage == Stage::Silent || occupant.stage == Stage::Greeting;
}

bool isIdle(const Occupant &occupant)
{
    return occupant.stage == Stage::Idle;
}

} // namespace

QHostAddress networkOf(const QHostAddress &address)
{
    bool isV4 = false;
    const quint32 v4 = address.toIPv4Address(&isV4);
    if (isV4)
        return QHostAddress(v4);
    Q_IPV6ADDR bytes = address.toIPv6Address();
    std::fill(bytes.c + NetworkBytes, std::end(bytes.c), quint8(0));
    return QHostAddress(bytes);
}

std::optional<std::size_t> leastNeeded(const std::vector<Occupant> &occupants)
{
    const bool someAreUnproven = std::any_of(occupants.begin(), occupants.end(), isUnproven);
    const auto mayGo = someAreUnproven ? isUnproven : isIdle;
    QHash<QHostAddress, int> crowds;
    for (const Occupant &occupant : occupants)
        crowds[occupant.network] += mayGo(occupant) ? 1 : 0;
    std::optional<std::size_t> chosen;
    std::pair<int, bool> most; // of the crowd, and whether it is silent
    for (std::size_t i = 0; i < occupants.size(); ++i) {
        const std::pair weight(crowds[occupants[i].network], occupants[i].stage == Stage::Silent);
        if (mayGo(occupants[i]) && weight > most) {
            most = weight;
            chosen = i;
        }
    }
    return chosen;
}

} // namespace drover::net
