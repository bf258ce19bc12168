#pragma once

#include <QString>

namespace drover::jobs {

// Counts in English sentences, for people.

QString formatCount(qint64 count); // "2,000"
QString formatCount(qint64 count, const char *one, const char *many); // "1 worker", "2,000 workers"

} // namespace drover::jobs
