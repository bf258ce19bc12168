#pragma once

#include <QString>

#include <chrono>

namespace drover::app {

// "500ms", "10s", "2m", "1.5h", "1d". A bare 0 needs no unit. Throws UsageError, which says what is accepted; `what`
// names the value: "--timeout".
std::chrono::milliseconds parseDuration(const QString &text, const QString &what);

// Bytes: "4096", "64K", "10M", "2G", powers of 1024. Throws UsageError, also for less than `minimum`.
qint64 parseSize(const QString &text, const QString &what, qint64 minimum = 0);

// Of workers and jobs: with less no program begins, and that would be found only when the job runs.
constexpr qint64 LeastMemory = 1024 * 1024;

// Throws UsageError unless `text` is a whole number from minimum to maximum.
qint64 parseInteger(const QString &text, const QString &what, qint64 minimum, qint64 maximum);

// An instant in Unix milliseconds: so long ago ("2h"), or RFC 3339 ("2024-05-01", "2024-05-01T12:00", "...Z"), in local
// time unless it says another. Throws UsageError.
std::chrono::milliseconds parseInstant(const QString &text, const QString &what);

// An instant to come, in Unix milliseconds: RFC 3339, in local time unless it says another, or "18:30", the next time
// it is that late here. Throws UsageError.
std::chrono::milliseconds parseStart(const QString &text, const QString &what);

// For people: "850ms", "12.3s", "4m10s", "3h05m", "2d4h"; "0s".
QString formatDuration(std::chrono::milliseconds duration);

// For people: "512", "64K", "1.5M".
QString formatSize(qint64 bytes);

// RFC 3339 in UTC, with milliseconds: "2024-05-01T12:00:00.000Z". Empty for 0.
QString formatTime(std::chrono::milliseconds sinceEpoch);

} // namespace drover::app
