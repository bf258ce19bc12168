#pragma once

#include <QTimeZone>

#include <chrono>

namespace drover::jobs {

// How far the clocks of a time zone are ahead of UTC, as the periods between their changes. Instants are milliseconds
// of the Unix epoch. One thread: the last answer is kept, so that questions about neighbours cost nothing.
class ZoneOffsets
{
public:
    struct Period {
        std::chrono::milliseconds begin; // of the epoch
        std::chrono::milliseconds end; // the first instant of the next period
        std::chrono::milliseconds offset;
        std::chrono::milliseconds before; // the offset until `begin`
    };

    explicit ZoneOffsets(QTimeZone zone) : m_zone(std::move(zone)) { }

    const QTimeZone &zone() const { return m_zone; }
    // The period that `instant`, a time after 1970, is in.
    const Period &at(std::chrono::milliseconds instant) const;

private:
    std::chrono::milliseconds offset(std::chrono::milliseconds instant) const;

    QTimeZone m_zone;
    mutable Period m_last{};
};

} // namespace drover::jobs
