#pragma once

#include <QString>

namespace drover::gui {

// Durations, sizes and counts are shown as text/quantity.h says, text from znodes as text/printable.h does.

QString formatHex(qint64 number); // 0x100000a3f

// An instant, in milliseconds of the Unix epoch, in local time; empty for 0.
QString formatInstant(qint64 ms); // 2026-01-31 14:03:22.118
// Short for tables: 14:03:22 for today, 31 Jan 14:03 before.
QString formatSince(qint64 ms);
// 31 Jan, of an instant in local time.
QString formatDay(qint64 ms);
// For tooltips: the instant and how long ago, or in which time.
QString formatInstantAndAge(qint64 ms);

// Short for badges: 999, 4.9k, 12k, 1.3M.
QString shortCount(qint64 count);

// As a tool tip: Qt takes text that looks like HTML for it, would show what that says and read the images that it
// names.
QString plainToolTip(const QString &text);

} // namespace drover::gui
