#include "files/ledger.h"

#include "fuzz/harness/records.h"

using namespace drover;

// The ledger of a shared file, or a line of its log.
DROVER_FUZZ_TARGET(ledger, Form::Json)
{
    if (const std::optional<files::FileRecord> record = files::FileRecord::parse(input)) {
        const QByteArray line = record->line().chopped(1);
        const std::optional<files::FileRecord> again = files::FileRecord::parse(line);
        require(again.has_value(), "a line of a log cannot be read again");
        requireEqual(again->line().chopped(1), line, "the line of a log");
    }
    std::optional<files::Ledger> ledger = requireStable<files::Ledger>(input);
    if (!ledger)
        return;
    require(ledger->base <= ledger->committed && ledger->committed <= ledger->next(), "a record has a negative length");
    constexpr qint64 Large = qint64(1) << 50;
    if (std::max({ledger->next(), ledger->records, ledger->logSize}) > Large)
        return; // no further record would fit
    (void)ledger->reserve("key", files::Payload::of("bytes"));
    (void)ledger->commit();
    requireEqual(files::Ledger::decode(ledger->encode()).encode(), ledger->encode(), "the ledger after a commit");
}
