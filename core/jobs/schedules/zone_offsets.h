#pragma once

#include <QTimeZone>

#include <chrono>

namespace drover::jobs {

// The offsets of a time zone from UTC, as periods between their changes. Instants are milliseconds since the Unix
// epoch. One thread: the last period is cached, so that questions about nearby instants are cheap.
class ZoneOffsets
{
public:
    struct Period {
        std::chrono::milliseconds begin; // since the Unix epoch
        std::chrono::milliseconds end; // the first instant of the next period
        std::chrono::milliseconds offset;
        std::chrono::milliseconds before; // the offset until `begin`
    };

    explicit ZoneOffsets(QTimeZone zone) : m_zone(std::move(zone)) { }

    const QTimeZone &zone() const { return m_zone; }
    // The period that contains `instant`, a time after 1970.
    const Period &at(std::chrono::milliseconds instant) const;

private:
    std::chrono::milliseconds offset(std::chrono::milliseconds instant) const;

    QTimeZone m_zone;
    mutable Period m_last{};
};

} // namespace drover::jobs
