#pragma once

#include "workers/runner_protocol.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

// Results that outlive worker and runner: the runner writes how a run ended into the worker's RunFile before it tells
// the worker, at a place that the worker has chosen and uses again once the cluster knows that end. So the file is as
// large as there are jobs at a time, nothing is ever deleted from it, and what is read there may be long known: the
// reader has to ask the cluster. Neither process syncs the file: it is for their deaths, not the machine's.
namespace drover::workers::protocol {

constexpr std::size_t slotSize = std::size_t(16) * 1024;

struct KeptResult {
    std::string note; // Start's
    Finished finished;
};

// Whether the job came to an end of its own, which holds whatever becomes of its worker.
constexpr bool isWorthKeeping(How how)
{
    return how == How::Exited || how == How::Signalled || how == How::TimedOut;
}

namespace detail {

// FNV-1a, 64 bits.
inline std::uint64_t checksum(std::string_view bytes)
{
    std::uint64_t sum = 14695981039346656037u;
    for (const char byte : bytes)
        sum = (sum ^ std::uint8_t(byte)) * 1099511628211u;
    return sum;
}

} // namespace detail

// Size, checksum, and then the note and the message. Empty if a slot is too small for it.
inline std::string toSlot(const std::string &note, const Finished &finished)
{
    detail::Writer body;
    body.put(note);
    body.put(encode(finished));
    detail::Writer slot;
    slot.put(std::uint32_t(body.bytes.size()));
    slot.put(detail::checksum(body.bytes));
    slot.bytes += body.bytes;
    return slot.bytes.size() <= slotSize ? std::move(slot.bytes) : std::string();
}

// Nothing where none was written, or not all of it.
inline std::optional<KeptResult> fromSlot(std::string_view slot)
{
    detail::Reader reader(slot);
    std::uint32_t size = 0;
    std::uint64_t sum = 0;
    constexpr std::size_t header = sizeof size + sizeof sum;
    if (!reader.get(size) || !reader.get(sum) || size > slot.size() - header
        || detail::checksum(slot.substr(header, size)) != sum)
        return std::nullopt;
    detail::Reader body(slot.substr(header, size));
    std::string note;
    std::string message;
    if (!body.get(note) || !body.get(message))
        return std::nullopt;
    std::optional<Reply> reply = decodeReply(message);
    Finished *const finished = reply ? std::get_if<Finished>(&*reply) : nullptr;
    if (!finished || note.empty())
        return std::nullopt;
    return KeptResult{std::move(note), std::move(*finished)};
}

} // namespace drover::workers::protocol
