#pragma once

#include <QString>

#include <chrono>
#include <optional>

namespace drover::text {

// Durations, sizes and counts: how people write them, and how they are shown to people. The text that is shown is
// rounded. It can be parsed again if it is a duration up to LongestDuration, or a size of whole bytes.

constexpr std::chrono::hours LongestDuration(365 * 24);
// Instants, since 1970: in nanoseconds two of them still fit into 64 bits. It is in the year 2116.
constexpr std::chrono::milliseconds LastInstant(4'611'686'018'427);
constexpr qint64 LargestSize = qint64(512) << 40; // bytes; exact as a double, and in JSON

// "90" and "90s" are seconds. Units are ms, s (sec), m (min), h and d; numbers may have decimals: "1.5h". Several parts
// go from the largest unit to the smallest: "4m10s", "1d 2h". Upper case is accepted. Returns nothing if the text is
// not a duration, or is longer than LongestDuration.
std::optional<std::chrono::milliseconds> parseDuration(const QString &text);

// "0s", "850ms", "12.3s", "4m10s", "3h05m", "2d04h". A negative duration is shown as "0s".
QString formatDuration(std::chrono::milliseconds duration);

// Bytes, or units of 1024: "4096", "64K", "64KiB", "1.5 MiB", "2G", "1T". Returns nothing if the text is not a size,
// not a whole number of bytes, or more than LargestSize.
std::optional<qint64> parseSize(const QString &text);

// "512 B", "64 KiB", "1.5 MiB"
QString formatSize(qint64 bytes);

QString formatCount(qint64 count); // "2,000"
QString formatCount(qint64 count, const char *one, const char *many); // "1 worker", "2,000 workers"

} // namespace drover::text
