#include "workers/files/ledger.h"

#include "fuzz/harness/records.h"

using namespace drover;

// The ledger of a shared file, or a line of its log.
DROVER_FUZZ_TARGET(ledger, Form::Json)
{
    if (const std::optional<workers::FileRecord> record = workers::FileRecord::parse(input)) {
        const QByteArray line = record->line().chopped(1);
        const std::optional<workers::FileRecord> again = workers::FileRecord::parse(line);
        require(again.has_value(), "a line of a log cannot be read again");
        requireEqual(again->line().chopped(1), line, "the line of a log");
    }
    std::optional<workers::Ledger> ledger = requireStable<workers::Ledger>(input);
    if (!ledger)
        return;
    require(ledger->base <= ledger->committed && ledger->committed <= ledger->next(), "a record has a negative length");
    constexpr qint64 Large = qint64(1) << 50;
    if (std::max({ledger->next(), ledger->records, ledger->logSize}) > Large)
        return; // no further record would fit
    (void)ledger->reserve("key", workers::Payload::of("bytes"));
    (void)ledger->commit();
    requireEqual(workers::Ledger::decode(ledger->encode()).encode(), ledger->encode(), "the ledger after a commit");
}
