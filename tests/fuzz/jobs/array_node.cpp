#include "fuzz/harness/records.h"
#include "jobs/model/array_progress.h"
#include "jobs/model/gang.h"

using namespace drover;

namespace {

void advance(const QByteArray &node, const jobs::ArrayIndices &indices)
{
    const qint32 count = indices.count();
    jobs::ArrayProgress progress = jobs::ArrayProgress::of(node, indices);
    fuzz::require(progress == jobs::ArrayProgress::of(progress.mergedInto(node), indices), "the progress changes");
    (void)progress.skipIndices(3, 9, indices);
    for (const qint32 place : progress.expand(4, count)) {
        (void)indices.at(place);
        progress.count(place, place % 2 == 0, 1);
    }
    (void)progress.summary(count);
    progress.cancelRest(count);
    (void)jobs::ArrayProgress::of(progress.mergedInto(node), indices);
}

} // namespace

// The node of an array or a gang, as the master reads it.
DROVER_FUZZ_TARGET(array_node, Form::Json)
{
    try {
        const auto spec = jobs::JobSpec::decode(input, "default", 5);
        const jobs::GangRounds rounds = jobs::GangRounds::of(input);
        require(rounds == jobs::GangRounds::of(rounds.mergedInto(input)), "the rounds change");
        (void)rounds.why(spec.gang);
        if (spec.array)
            advance(input, *spec.array);
    } catch (const jobs::Malformed &) {
        // Such a node is shown as malformed.
    }
}
