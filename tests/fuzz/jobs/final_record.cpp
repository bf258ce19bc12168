#include "jobs/model/final_record.h"

#include "fuzz/harness/records.h"

using namespace drover;

// The end of a job in done/.
DROVER_FUZZ_TARGET(final_record, Form::Json)
{
    const std::optional<jobs::FinalRecord> record =
        requireStable<jobs::FinalRecord>(input, jobs::JobId{"default", 7, jobs::JobId::NoTask});
    if (!record)
        return;
    (void)record->exitCode();
    (void)record->state();
    (void)record->attempts.number();
    require(record->encode().size() <= jobs::FinalRecord::MaxSize, "the record is too large");
    (void)unlessRefused<jobs::Malformed>([&] { return record->jobToResubmit(); });
}
