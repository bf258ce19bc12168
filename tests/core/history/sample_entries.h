#pragma once

#include "history/query.h"

namespace drover::test {

inline constexpr std::chrono::milliseconds Noon{1'714'564'800'000}; // 2024-05-01T12:00:00Z

// A finished job, told apart by its number: it ended so many seconds after noon.
history::ArchivedJob entry(int number, const char *name = "work");
history::ArchiveBatch batchOf(int first, int count);

// Six jobs that differ in what can be asked for.
std::vector<history::ArchivedJob> sampleEntries();

QList<int> numbersOf(const history::Page &page);

} // namespace drover::test
