#pragma once

#include <QByteArray>
#include <QString>

#include <chrono>

namespace drover::gui {

// Text from znodes, made safe to show: control characters become visible pictures (U+2400...), invisible ones that
// change the direction or the extent of text become <U+202E>; line ends and tabs stay if `multiLine`.
QString visibleText(const QString &text, bool multiLine = false);
QString visibleText(const QByteArray &utf8, bool multiLine = false);

QString formatCount(qint64 count); // 312,763 in the user's language
QString formatBytes(qint64 bytes); // 512 B, 1.5 KiB
QString formatHex(qint64 number); // 0x100000a3f
QString formatDuration(std::chrono::milliseconds duration); // 850 ms, 12 s, 3 min 20 s, 2 h 5 min, 4 d 3 h

// An instant, in milliseconds of the Unix epoch, in local time; empty for 0.
QString formatInstant(qint64 ms); // 2026-01-31 14:03:22.118
// Short for tables: 14:03:22 for today, 31 Jan 14:03 before.
QString formatSince(qint64 ms);
// For tooltips: the instant and how long ago.
QString formatInstantAndAge(qint64 ms);

} // namespace drover::gui
