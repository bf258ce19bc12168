#pragma once

#include <QString>

#include <chrono>
#include <optional>

namespace drover::text {

// An instant in milliseconds since the Unix epoch. A user writes how long ago ("2h", by this machine's clock), or in
// RFC 3339 ("2024-05-01", "2024-05-01T12:00", "...Z"). Local time is the default. Returns nothing for other texts.
std::optional<std::chrono::milliseconds> parseInstant(const QString &text);

} // namespace drover::text
