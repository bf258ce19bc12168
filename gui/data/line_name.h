#pragma once

#include <QByteArray>

#include <array>
#include <utility>

namespace drover::gui {

// What the contenders of a LockRow stand in line for. LockRow::lock says it: it is the name of a lock of the cluster,
// or the path of what was found elsewhere in the tree. The others have a word before their name: "limit gpu".
enum class LineKind { Lock, Found, Limit, Election, DoubleBarrier, Barrier };

// The word before the name, for the kinds that have one.
constexpr std::array<std::pair<LineKind, QByteArrayView>, 4> LineWords{{{LineKind::Limit, "limit "},
                                                                        {LineKind::Election, "election "},
                                                                        {LineKind::DoubleBarrier, "double barrier "},
                                                                        {LineKind::Barrier, "barrier "}}};

// The LockRow::lock of that name.
inline QByteArray lineName(LineKind kind, const QByteArray &name)
{
    for (const auto &[its, word] : LineWords) {
        if (its == kind)
            return word.toByteArray() + name;
    }
    return name;
}

// Of a LockRow::lock.
inline LineKind kindOfLine(const QByteArray &lock)
{
    for (const auto &[kind, word] : LineWords) {
        if (lock.startsWith(word))
            return kind;
    }
    return lock.startsWith('/') ? LineKind::Found : LineKind::Lock;
}

} // namespace drover::gui
