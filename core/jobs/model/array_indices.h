#pragma once

#include <QString>

#include <optional>
#include <vector>

namespace drover::jobs {

// The indices of an array's tasks in ascending order: "1-1000000%50", "0-99:10" or "1-3,8,20-40:10%2". Each part goes
// from its first index to its last in steps. At most `limit` tasks are unfinished at a time (0: the master's own
// limit). A task's place is its position among the indices, from 0. Finding an index visits every part.
struct ArrayIndices {
    static constexpr qint32 MaxCount = 1'000'000;
    static constexpr std::size_t MaxParts = 1000; // their text also fits into a final record

    struct Part {
        qint32 first = 0;
        qint32 last = 0;
        qint32 step = 1;

        qint32 count() const { return (last - first) / step + 1; }

        friend bool operator==(const Part &, const Part &) = default;
    };

    ArrayIndices(qint32 first, qint32 last, qint32 step = 1, int atOnce = 0)
        : parts{Part{first, last, step}}, limit(atOnce)
    {
    }
    // Makes it from at least one index, in ascending order. Neighbours become one part, as do three or more indices at
    // equal distances. The result may have more than MaxParts parts.
    static ArrayIndices of(const std::vector<qint32> &indices);
    // Returns nothing if the text is not valid, or has more than MaxCount indices or MaxParts parts.
    static std::optional<ArrayIndices> parse(const QString &text);
    QString toString() const;

    qint32 count() const;
    qint32 at(qint32 place) const; // below count()
    std::optional<qint32> placeOf(qint32 index) const;
    // How many indices are less than `index`; this is the place of the first one that is not.
    qint32 countBelow(qint64 index) const;

    friend bool operator==(const ArrayIndices &, const ArrayIndices &) = default;

    std::vector<Part> parts; // at least one; ascending and disjoint
    int limit = 0;

private:
    ArrayIndices() = default;
};

// Throws Malformed.
ArrayIndices arrayFrom(const QString &text);

} // namespace drover::jobs
