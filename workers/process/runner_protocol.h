#pragma once

#include <atomic>
#include <chrono>
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

// The messages between the worker and its runner, one in each SOCK_SEQPACKET datagram. A message has a version byte, a
// kind byte, then the fields in the machine's byte order (both ends are one build on one machine). When the socket is
// closed, the runner kills all processes and exits. No Qt here, because the runner links none.
namespace drover::workers::protocol {

constexpr std::uint8_t version = 1;

// Fits the socket buffer of an untuned kernel (net.core.wmem_max = 212,992): a 64 KiB spec plus its environment.
constexpr std::size_t maxMessage = std::size_t(192) * 1024;

// The arguments that the runner may be started with.
constexpr const char *allowSetuid = "--allow-setuid"; // its jobs may gain privileges
constexpr const char *maxProcesses = "--max-processes="; // and a number: of all its jobs together

// The descriptors that the runner is started with.
constexpr int controlFd = 3;
constexpr int leaseFd = 4;
// The worker's WorkerStateFile, if there is one. Both processes hold its lock, and the runner writes results to it.
constexpr int stateFd = 5;

// The CLOCK_BOOTTIME instant, in ns, until which the worker's session is certainly alive, in memory that both processes
// map (leaseFd). It is not a message, because a renewal must never queue behind a slow disk. 0, the initial value,
// means that the lease has passed.
using LeaseWord = std::atomic<std::int64_t>;
static_assert(LeaseWord::is_always_lock_free);

enum class Kind : std::uint8_t { Start = 1, Signal, Kill, Recall, Started, Finished };

// How a job ended. Killed, TimedOut and LeaseExpired say why the runner sent signals; the exit code or signal is the
// process's answer to them. Withdrawn: recalled or killed while it waited in its slot queue; it never started.
enum class How : std::uint8_t { Exited, Signalled, FailedToStart, TimedOut, Killed, LeaseExpired, Withdrawn };
constexpr How lastHow = How::Withdrawn;

// The exit code of a job that failed to start because its machine lacks something now: processes, memory, descriptors,
// or a file server that answers.
constexpr std::int32_t machineIsShort = 125;

// How the reason begins if the policy of the worker's owner keeps a job from starting.
constexpr const char *refusedByPolicy = "refused: ";

// A command to execute: the order to start a run. Texts are bytes, as in Unix, without NUL. RunnerClient sets runId,
// tag and resultIndex.
struct Command {
    static constexpr Kind kind = Kind::Start;
    std::uint64_t runId = 0; // unique while the runner lives
    // The run starts after the earlier runs of this queue (slot_queues.h). 0: it starts at once.
    std::uint32_t slotQueue = 0;
    // The program is searched in the PATH of `environment`, unless it has a slash.
    std::vector<std::string> arguments{};
    std::vector<std::string> environment{}; // "NAME=value", the whole environment but the tag
    // Further variables, which the new process reads as the runner's user: three texts each, "NAME=", a folder, and the
    // name of a file in it. If one cannot be read, the policy refuses the job.
    std::vector<std::string> secrets{};
    std::string tag{}; // a variable that identifies the run's processes; empty: none
    std::string directory{}; // absolute
    std::string input{}; // empty: /dev/null
    // The file of standard output, created at its first byte (mode 0600, folders 0700). Empty: bytes are only counted.
    std::string output{};
    std::string error{};
    // Files that also get the kept bytes, from the beginning; they may be one file. They are created with the usual
    // permissions. Empty: no copy. If one cannot be created, the job does not start.
    std::string outputCopy{};
    std::string errorCopy{};
    // What the worker's policy allows. Empty: everything.
    std::vector<std::string> programs{}; // files, and folders of them, without symbolic links
    std::vector<std::string> outputFolders{}; // for the copies, as paths may begin
    // The user to run as; 0: the runner's own. Then `gid` and `groups` count, the latter in ascending order.
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::vector<std::uint32_t> groups{};
    // Why the worker's policy refuses the job; then RunnerClient ends it without the runner, which never gets this.
    std::string refusal{};
    // Kept with the result (result_file.h) until Runner::acknowledge(). Empty: the result is not kept.
    std::string keptClaim{};
    std::uint32_t resultIndex = 0; // the place of the result in that file
    std::uint64_t outputCap = std::uint64_t(64) * 1024 * 1024; // kept bytes of each stream
    // Bytes that its processes may use together, or each of them where control groups are not available. 0: no limit.
    std::int64_t memory = 0;
    std::vector<std::uint64_t> limits{}; // of each process: pairs of RLIMIT_... and value
    std::chrono::nanoseconds timeLimit{}; // 0: no limit
    std::chrono::nanoseconds grace = std::chrono::seconds(10); // from SIGTERM to SIGKILL, after the time limit
    // How long opening its directory, files and program may take; then it ends with machineIsShort. 0: no limit.
    std::chrono::nanoseconds startLimit = std::chrono::seconds(30);
    // How long a copy may accept no bytes once the command has ended. Then the copy is abandoned, and the reason says
    // so. 0: no limit.
    std::chrono::nanoseconds copyLimit = std::chrono::seconds(30);

    static auto fields(auto &self)
    {
        return std::tie(self.runId, self.slotQueue, self.arguments, self.environment, self.secrets, self.tag,
                        self.directory, self.input, self.output, self.error, self.outputCopy, self.errorCopy,
                        self.programs, self.outputFolders, self.uid, self.gid, self.groups, self.keptClaim,
                        self.resultIndex, self.outputCap, self.memory, self.limits, self.timeLimit, self.grace,
                        self.startLimit, self.copyLimit);
    }
};

// Sends `number` to the job's process group.
struct Signal {
    static constexpr Kind kind = Kind::Signal;
    std::uint64_t runId = 0;
    std::int32_t number = 0;

    static auto fields(auto &self) { return std::tie(self.runId, self.number); }
};

// SIGTERM to the group, SIGKILL after the grace; with no grace SIGKILL at once.
struct Kill {
    static constexpr Kind kind = Kind::Kill;
    std::uint64_t runId = 0;
    std::int64_t graceNs = 0;

    static auto fields(auto &self) { return std::tie(self.runId, self.graceNs); }
};

// Withdraws a run that waits in its slot queue; a started run goes on.
struct Recall {
    static constexpr Kind kind = Kind::Recall;
    std::uint64_t runId = 0;

    static auto fields(auto &self) { return std::tie(self.runId); }
};

// Sent for a run that still runs some milliseconds after its beginning. Shorter runs are only reported at their ends.
struct Started {
    static constexpr Kind kind = Kind::Started;
    std::uint64_t runId = 0;
    std::int32_t pid = 0; // also its process group; in the runner's pid namespace
    std::chrono::milliseconds startedAt{}; // Unix epoch
    bool unbounded = false; // nothing limits its processes, although there is a limit: maxProcesses

    static auto fields(auto &self) { return std::tie(self.runId, self.pid, self.startedAt, self.unbounded); }
};

// The end of one run. Exit code and signal are the process's own, even if `how` says that the runner ended it.
struct Outcome {
    static constexpr Kind kind = Kind::Finished;
    std::uint64_t runId = 0;
    std::int32_t pid = 0; // as in Started; 0: no process was started
    How how = How::Exited;
    // If it failed to start: 127 not found, 126 not executable, 125 machineIsShort.
    std::int32_t exitCode = 0;
    std::int32_t signal = 0; // 0: it exited
    std::string reason{}; // one line for people in UTF-8, or empty
    bool outOfMemory = false; // the kernel killed a process: over Command::memory
    std::chrono::milliseconds startedAt{}; // Unix epoch
    std::chrono::milliseconds finishedAt{};
    std::chrono::nanoseconds elapsed{};
    std::chrono::nanoseconds cpu{}; // user and system, with the reaped children
    std::int64_t peakBytes = 0; // largest resident size of a process; at least the runner's
    std::uint64_t outputBytes = 0; // written by the job, kept or not
    std::uint64_t errorBytes = 0;
    bool outputTruncated = false; // by the cap, or by an error in `reason`
    bool errorTruncated = false;
    std::string tail{}; // the last 4 KiB of both streams, by arrival

    bool began() const { return pid != 0; }
    bool succeeded() const { return how == How::Exited && exitCode == 0; }
    // The owner of the worker does not allow it.
    bool refusedByPolicy() const { return how == How::FailedToStart && reason.starts_with(protocol::refusedByPolicy); }
    // The machine is at fault, not the job. Another machine can run the job, or this one later.
    bool lackedResources() const { return how == How::FailedToStart && exitCode == machineIsShort; }

    static auto fields(auto &self)
    {
        return std::tie(self.runId, self.pid, self.how, self.exitCode, self.signal, self.reason, self.outOfMemory,
                        self.startedAt, self.finishedAt, self.elapsed, self.cpu, self.peakBytes, self.outputBytes,
                        self.errorBytes, self.outputTruncated, self.errorTruncated, self.tail);
    }
};

using Request = std::variant<Command, Signal, Kill, Recall>;
using Reply = std::variant<Started, Outcome>;

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
    template <typename Period>
    void put(std::chrono::duration<std::int64_t, Period> value)
    {
        put(std::int64_t(value.count()));
    }
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

// Every get() returns whether it could read the value. A length is compared with the remaining bytes before it is used.
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
    template <typename Period>
    bool get(std::chrono::duration<std::int64_t, Period> &value)
    {
        std::int64_t count = 0;
        const bool valid = get(count);
        value = std::chrono::duration<std::int64_t, Period>(count);
        return valid;
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

// Returns nothing if the datagram has another version, is cut or too long, or is not a message.
inline std::optional<Request> decodeRequest(std::string_view bytes)
{
    return detail::decodeAny(bytes, static_cast<Request *>(nullptr));
}

inline std::optional<Reply> decodeReply(std::string_view bytes)
{
    return detail::decodeAny(bytes, static_cast<Reply *>(nullptr));
}

} // namespace drover::workers::protocol
