#include "fuzz/harness/target.h"
#include "workers/attempts/command_translation.h"
#include "workers/process/result_file.h"
#include "workers/process/runner_protocol.h"

using namespace drover;
namespace protocol = workers::protocol;

namespace {

template <class Message>
void requireSame(const std::optional<Message> &message, const std::string &bytes)
{
    if (!message)
        return;
    const std::string again = std::visit([](const auto &part) { return protocol::encode(part); }, *message);
    fuzz::requireEqual(QByteArray::fromStdString(again), QByteArray::fromStdString(bytes), "a message of the runner");
}

} // namespace

// A message to or from the runner, or a kept result, whose checksum is made right.
DROVER_FUZZ_TARGET(runner_messages, Form::Bytes)
{
    const std::string bytes = input.toStdString();
    requireSame(protocol::decodeRequest(bytes), bytes);
    requireSame(protocol::decodeReply(bytes), bytes);
    (void)protocol::decodeResult(bytes);
    protocol::detail::Writer slot;
    slot.put(std::uint32_t(bytes.size()));
    slot.put(text::hashOf(bytes));
    if (const auto kept = protocol::decodeResult(slot.bytes + bytes))
        (void)workers::decodeClaim(kept->keptClaim);
}
