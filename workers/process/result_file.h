#pragma once

#include "text/hash.h"
#include "workers/process/runner_protocol.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

// The format of results that outlive worker and runner. The runner writes how a run ended into the worker's
// WorkerStateFile before it reports that to the worker. The worker chooses the place, and uses it again once the
// cluster knows the end. So the file grows with the number of jobs at a time, and nothing is deleted from it. The
// cluster may know a result that is read there: the reader has to ask. Neither process syncs the file: it survives the
// two processes, not the machine.
namespace drover::workers::protocol {

constexpr std::size_t resultSize = std::size_t(16) * 1024;

// The end of a run that the cluster may not know: its worker may die or lose its session before it has reported it.
struct KeptResult {
    std::string keptClaim; // of the run's Command
    Outcome outcome;
};

// Whether the job ended by itself: such a result stays valid even if its worker dies.
constexpr bool isWorthKeeping(How how)
{
    return how == How::Exited || how == How::Signalled || how == How::TimedOut;
}

// Size, checksum, claim, message. Empty: they do not fit into resultSize.
inline std::string encodeResult(const std::string &keptClaim, const Outcome &outcome)
{
    detail::Writer body;
    body.put(keptClaim);
    body.put(encode(outcome));
    detail::Writer slot;
    slot.put(std::uint32_t(body.bytes.size()));
    slot.put(text::hashOf(body.bytes));
    slot.bytes += body.bytes;
    return slot.bytes.size() <= resultSize ? std::move(slot.bytes) : std::string();
}

// Returns nothing if no result, or only a part of one, was written there.
inline std::optional<KeptResult> decodeResult(std::string_view slot)
{
    detail::Reader reader(slot);
    std::uint32_t size = 0;
    std::uint64_t sum = 0;
    constexpr std::size_t header = sizeof size + sizeof sum;
    if (!reader.get(size) || !reader.get(sum) || size > slot.size() - header
        || text::hashOf(slot.substr(header, size)) != sum)
        return std::nullopt;
    detail::Reader body(slot.substr(header, size));
    std::string keptClaim;
    std::string message;
    if (!body.get(keptClaim) || !body.get(message))
        return std::nullopt;
    std::optional<Reply> reply = decodeReply(message);
    Outcome *const outcome = reply ? std::get_if<Outcome>(&*reply) : nullptr;
    if (!outcome || keptClaim.empty())
        return std::nullopt;
    return KeptResult{std::move(keptClaim), std::move(*outcome)};
}

} // namespace drover::workers::protocol
