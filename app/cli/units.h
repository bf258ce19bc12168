#pragma once

#include <QString>

#include <chrono>

namespace drover::app {

// Values of the command line, parsed by text/quantity.h. All throw UsageError, which says what is accepted. `what`
// names the value in messages: "--timeout".

std::chrono::milliseconds parseDuration(const QString &text, const QString &what);

// The age at which something is deleted. A number without a unit is refused, for it could mean days as well; 0 needs
// none.
std::chrono::milliseconds parseAge(const QString &text, const QString &what);

// Also refuses sizes below `minimum`.
qint64 parseSize(const QString &text, const QString &what, qint64 minimum = 0);

// The least memory of workers and jobs. With less no program can start, which would be noticed only when the job runs.
constexpr qint64 LeastMemory = 1024 * 1024;

// Throws UsageError unless `text` is a whole number from minimum to maximum.
qint64 parseInteger(const QString &text, const QString &what, qint64 minimum, qint64 maximum);

// Check the name of a queue, worker or cluster, and the name of a lock, limit or label. They return the bytes that
// names of znodes are made of. `what` begins the message of the UsageError that a bad name throws.
QByteArray parseName(const QString &text, const QString &what);
QByteArray parseLockName(const QString &text, const QString &what);

// An instant in milliseconds since the Unix epoch: a time ago ("2h"), or RFC 3339 ("2024-05-01", "2024-05-01T12:00",
// "...Z"). Local time is the default. Throws UsageError.
std::chrono::milliseconds parseInstant(const QString &text, const QString &what);

// A future instant in milliseconds since the Unix epoch. It is written in RFC 3339, with local time as the default, or
// as "18:30", the next such time of day. A local time that clocks here never show, or show twice, is refused. Throws
// UsageError.
std::chrono::milliseconds parseStart(const QString &text, const QString &what);

// RFC 3339 in UTC, with milliseconds: "2024-05-01T12:00:00.000Z". Empty for 0.
QString formatTime(std::chrono::milliseconds sinceEpoch);

} // namespace drover::app
