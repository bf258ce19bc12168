#include "core/history/sample_entries.h"

namespace drover::test {

using namespace history;
using namespace std::chrono_literals;
using jobs::FinalRecord;

ArchivedJob entry(int number, const char *name)
{
    ArchivedJob made;
    made.record.id = {"default", number};
    made.record.name = QString::fromUtf8(name);
    made.record.command = QStringList{QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("true")};
    made.record.submitter = QStringLiteral("me@here");
    made.record.worker = QStringLiteral("w1");
    made.record.attempts.claimVersion = 1;
    made.endedAt = Noon + number * 1s;
    made.record.startedAt = made.endedAt - 400ms;
    made.record.finishedAt = made.endedAt - 100ms;
    made.record.cpuTime = 20ms;
    made.record.peakMemory = number * 1000;
    return made;
}

ArchiveBatch batchOf(int first, int count)
{
    ArchiveBatch batch{"default", {Noon}, {}};
    for (int number = first; number < first + count; ++number)
        batch.entries.push_back(entry(number));
    return batch;
}

QList<int> numbersOf(const Page &page)
{
    QList<int> numbers;
    for (const ArchivedJob &found : page.entries)
        numbers.append(found.record.id.number);
    return numbers;
}

std::vector<ArchivedJob> sampleEntries()
{
    std::vector<ArchivedJob> entries;
    for (int number = 1; number <= 6; ++number)
        entries.push_back(entry(number));
    entries[1].record.name = QStringLiteral("train-%");
    entries[1].record.command = QStringList{QStringLiteral("/opt/Train.py"), QStringLiteral("--lr=0.1")};
    entries[2].record.outcome = FinalRecord::Outcome::Signalled;
    entries[2].record.signal = 9;
    entries[2].record.tags =
        QStringList{QStringLiteral("nightly-7"), QStringLiteral("\"a\" ']\\ \u8bd5"), QStringLiteral("--")};
    entries[3].record.outcome = FinalRecord::Outcome::Cancelled;
    entries[3].record.submitter = QStringLiteral("eve@there");
    entries[4].record.id.queue = "gpu";
    entries[4].record.worker = QStringLiteral("w2");
    entries[5].record.name = QStringLiteral("train-x");
    entries[5].record.command = QStringList{QStringLiteral("echo"), QStringLiteral("\u6d4b\u8bd5 training")};
    return entries;
}

} // namespace drover::test
