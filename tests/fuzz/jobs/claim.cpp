#include "jobs/model/claim.h"

#include "fuzz/harness/records.h"

using namespace drover;

DROVER_FUZZ_TARGET(claim, Form::Json)
{
    const std::optional<jobs::Claim> claim = requireStable<jobs::Claim>(input);
    if (!claim)
        return;
    (void)claim->state();
    (void)claim->attempts.number();
    jobs::Claim signalled = *claim;
    signalled.addSignal(15, QStringLiteral("key"));
    require(jobs::Claim::decode(signalled.encode()).hasSignal(QStringLiteral("key")), "a signal gets lost");
}
