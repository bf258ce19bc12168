#pragma once

#include <QString>

#include <optional>

namespace drover::jobs {

// The indices of an array's tasks, "1-1000000%50", "0-99:10" or "7": from `first` to `last` in steps, of which at most
// `limit` are unfinished at a time (0: as many as the master keeps open).
struct ArrayRange {
    static constexpr qint32 MaxCount = 1'000'000;

    qint32 first = 0;
    qint32 last = 0;
    qint32 step = 1;
    int limit = 0;

    // Nothing if it is not one, or has more than MaxCount indices.
    static std::optional<ArrayRange> parse(const QString &text);
    QString toString() const;

    qint32 count() const { return (last - first) / step + 1; }
    qint32 at(qint32 place) const { return first + place * step; }

    friend bool operator==(const ArrayRange &, const ArrayRange &) = default;
};

// Throws Malformed.
ArrayRange arrayFrom(const QString &text);

} // namespace drover::jobs
