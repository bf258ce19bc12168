#include "fuzz/harness/records.h"
#include "output/output_request.h"

using namespace drover;

// A reader's request to a worker, and the worker's reply.
DROVER_FUZZ_TARGET(output_messages, Form::Json)
{
    if (const std::optional<output::OutputRequest> request = requireStable<output::OutputRequest>(input)) {
        require(request->atMost <= output::OutputRequest::MaxBytes, "a request asks for too much");
        require(request->wait <= output::OutputRequest::MaxWait, "a request waits too long");
        require(request->outputFrom.value_or(0) >= 0 && request->errorFrom.value_or(0) >= 0, "an offset is negative");
    }
    const std::optional<output::OutputReply> reply = requireStable<output::OutputReply>(input);
    if (!reply)
        return;
    (void)reply->isNews();
    for (const auto &part : {reply->output, reply->error}) {
        if (part) {
            (void)part->text();
            require(part->length() >= 0, "the next offset is before the last");
        }
    }
}
