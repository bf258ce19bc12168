#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

// What the worker and its runner say to each other: one message a SOCK_SEQPACKET datagram, a version byte, a kind byte,
// then the fields in the machine's own byte order (both ends are one build on one machine). Closing the socket is the
// order to kill everything and exit. No Qt here: the runner links none.
namespace drover::workers::protocol {

constexpr std::uint8_t version = 1;

// Fits the socket buffer of an untuned kernel (net.core.wmem_max = 212,992): a 64 KiB spec plus its environment.
constexpr std::size_t maxMessage = std::size_t(192) * 1024;

// The descriptors that the runner is started with.
constexpr int controlFd = 3;
constexpr int leaseFd = 4;
constexpr int runFd = 5; // the worker's RunFile, whose lock both hold and to which results are written; or nothing

// Lives in memory that both processes map (leaseFd): the CLOCK_BOOTTIME instant, in ns, until which the worker's
// session surely lives. Not a message, because a renewal must never queue behind a slow disk. 0, the initial value, is
// a lease that has passed.
using LeaseWord = std::atomic<std::int64_t>;
static_assert(LeaseWord::is_always_lock_free);

enum class Kind : std::uint8_t { Start = 1, Signal, Kill, Recall, Started, Finished };

// How a job ended. Killed, TimedOut and LeaseExpired say why the runner sent signals; the exit code or signal is the
// process's answer to them. Withdrawn: it was called back, or killed, while it waited in its lane, and has never begun.
enum class How : std::uint8_t { Exited, Signalled, FailedToStart, TimedOut, Killed, LeaseExpired, Withdrawn };
constexpr How lastHow = How::Withdrawn;

// The exit code of a job that failed to start because its machine lacks something now: processes, memory, descriptors.
constexpr std::int32_t machineIsShort = 125;

struct Start {
    static constexpr Kind kind = Kind::Start;
    std::uint64_t token = 0; // the worker's name for this run, unique while the runner lives
    std::uint32_t lane = 0; // runs of one lane follow each other (lanes.h); 0: it starts at once
    std::vector<std::string> arguments{};
    std::vector<std::string> environment{}; // "NAME=value", all of it but the mark: nothing is inherited
    std::string mark{}; // one more variable, by which the run's processes are told from others; empty: none
    std::string directory{};
    std::string input{}; // empty: /dev/null
    std::string output{}; // where stdout is kept; empty: counted, not kept
    std::string error{};
    std::string outputCopy{}; // files that get the same; empty: none
    std::string errorCopy{};
    std::string note{}; // what to write beside its result (result_slots.h); empty: the result is not written
    std::uint32_t slot = 0; // where
    std::uint64_t outputCap = 0; // bytes kept of each stream: all, or its beginning and its end
    std::int64_t memory = 0; // bytes for all its processes together, or for each where nobody counts them; 0: any
    std::vector<std::uint64_t> limits{}; // of each process: RLIMIT_..., value (RLIM_INFINITY: none), and so on
    std::int64_t limitNs = 0; // 0: none
    std::int64_t graceNs = 0; // between SIGTERM and SIGKILL when the limit has passed

    static auto fields(auto &self)
    {
        return std::tie(self.token, self.lane, self.arguments, self.environment, self.mark, self.directory, self.input,
                        self.output, self.error, self.outputCopy, self.errorCopy, self.note, self.slot, self.outputCap,
                        self.memory, self.limits, self.limitNs, self.graceNs);
    }
};

// Sends `number` to the job's process group.
struct Signal {
    static constexpr Kind kind = Kind::Signal;
    std::uint64_t token = 0;
    std::int32_t number = 0;

    static auto fields(auto &self) { return std::tie(self.token, self.number); }
};

// SIGTERM to the group, SIGKILL after the grace; with no grace SIGKILL at once.
struct Kill {
    static constexpr Kind kind = Kind::Kill;
    std::uint64_t token = 0;
    std::int64_t graceNs = 0;

    static auto fields(auto &self) { return std::tie(self.token, self.graceNs); }
};

// Withdraws a run that waits in its lane; nothing happens to one that has begun.
struct Recall {
    static constexpr Kind kind = Kind::Recall;
    std::uint64_t token = 0;

    static auto fields(auto &self) { return std::tie(self.token); }
};

// Of a run that is not over some milliseconds after it has begun: of the others nobody needs to know before they end.
struct Started {
    static constexpr Kind kind = Kind::Started;
    std::uint64_t token = 0;
    std::int32_t pid = 0; // also its process group
    std::int64_t startedMs = 0; // wall clock

    static auto fields(auto &self) { return std::tie(self.token, self.pid, self.startedMs); }
};

struct Finished {
    static constexpr Kind kind = Kind::Finished;
    std::uint64_t token = 0;
    std::int32_t pid = 0; // as in Started; 0: it never ran
    How how = How::Exited;
    std::int32_t exitCode = 0; // 125, 126, 127 when it failed to start; 0 when a signal ended it
    std::int32_t signal = 0; // 0 when it exited
    std::string reason{}; // for people; empty when there is nothing to explain
    bool outOfMemory = false; // the kernel has killed a process of it because Start::memory was not enough
    std::int64_t startedMs = 0; // wall clock
    std::int64_t finishedMs = 0;
    std::int64_t elapsedNs = 0;
    std::int64_t cpuNs = 0; // user + system, of the process and the children it waited for
    std::int64_t peakBytes = 0; // of the largest single process among them
    std::uint64_t outputBytes = 0; // written by the job, kept or not
    std::uint64_t errorBytes = 0;
    bool outputTruncated = false; // not all outputBytes were kept
    bool errorTruncated = false;
    std::string tail{}; // the last 4 KiB of both streams as they came

    static auto fields(auto &self)
    {
        return std::tie(self.token, self.pid, self.how, self.exitCode, self.signal, self.reason, self.outOfMemory,
                        self.startedMs, self.finishedMs, self.elapsedNs, self.cpuNs, self.peakBytes, self.outputBytes,
                        self.errorBytes, self.outputTruncated, self.errorTruncated, self.tail);
    }
};

using Request = std::variant<Start, Signal, Kill, Recall>;
using Reply = std::variant<Started, Finished>;

namespace detail {

class Writer
{
public:
    std::string bytes;

    template <std::integral T>
    void put(T value)
    {
        bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    void put(bool value) { put(std::uint8_t(value)); }
    void put(How value) { put(std::uint8_t(value)); }
    void put(const std::string &text)
    {
        put(std::uint32_t(text.size()));
        bytes += text;
    }
    template <typename T>
    void put(const std::vector<T> &list)
    {
        put(std::uint32_t(list.size()));
        for (const T &item : list)
            put(item);
    }
};

// Every get() says whether the value was there; no length is believed before it is compared with what is left.
class Reader
{
public:
    explicit Reader(std::string_view bytes) : m_rest(bytes) { }

    bool atEnd() const { return m_rest.empty(); }

    template <std::integral T>
    bool get(T &value)
    {
        if (m_rest.size() < sizeof value)
            return false;
        std::memcpy(&value, m_rest.data(), sizeof value);
        m_rest.remove_prefix(sizeof value);
        return true;
    }
    bool get(bool &value)
    {
        std::uint8_t byte = 0;
        const bool valid = get(byte) && byte <= 1;
        value = byte == 1;
        return valid;
    }
    bool get(How &value)
    {
        std::uint8_t byte = 0;
        if (!get(byte) || byte > std::uint8_t(lastHow))
            return false;
        value = How(byte);
        return true;
    }
    bool get(std::string &text)
    {
        std::uint32_t size = 0;
        if (!get(size) || size > m_rest.size())
            return false;
        text.assign(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
        return true;
    }
    template <typename T>
    bool get(std::vector<T> &list)
    {
        std::uint32_t size = 0;
        if (!get(size) || size > m_rest.size() / sizeof(std::uint32_t)) // a text takes at least its length
            return false;
        list.resize(size);
        for (T &item : list) {
            if (!get(item))
                return false;
        }
        return true;
    }

private:
    std::string_view m_rest;
};

template <typename Message, typename Any>
bool decodeAs(std::uint8_t kind, Reader &reader, std::optional<Any> &into)
{
    if (kind != std::uint8_t(Message::kind))
        return false;
    Message message;
    const bool whole = std::apply([&](auto &...field) { return (reader.get(field) && ...); }, Message::fields(message));
    if (whole && reader.atEnd())
        into.emplace(std::move(message));
    return true;
}

template <typename... Messages>
std::optional<std::variant<Messages...>> decodeAny(std::string_view bytes, std::variant<Messages...> *)
{
    Reader reader(bytes);
    std::uint8_t spoken = 0;
    std::uint8_t kind = 0;
    std::optional<std::variant<Messages...>> message;
    if (reader.get(spoken) && spoken == version && reader.get(kind))
        (void)(decodeAs<Messages>(kind, reader, message) || ...);
    return message;
}

} // namespace detail

template <typename Message>
std::string encode(const Message &message)
{
    detail::Writer writer;
    writer.put(version);
    writer.put(std::uint8_t(Message::kind));
    std::apply([&](const auto &...field) { (writer.put(field), ...); }, Message::fields(message));
    return std::move(writer.bytes);
}

// Nothing when the datagram is of another version, cut, too long, or no message at all.
inline std::optional<Request> decodeRequest(std::string_view bytes)
{
    return detail::decodeAny(bytes, static_cast<Request *>(nullptr));
}

inline std::optional<Reply> decodeReply(std::string_view bytes)
{
    return detail::decodeAny(bytes, static_cast<Reply *>(nullptr));
}

} // namespace drover::workers::protocol
