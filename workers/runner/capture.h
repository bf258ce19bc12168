#pragma once

#include "workers/runner/spool_file.h"
#include "workers/runner/watched.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace drover::runner {

class CopyWriter;

// The last bytes of a job's output, with both streams in the order of arrival.
class Tail
{
public:
    static constexpr std::size_t size = 4096;

    void append(std::string_view bytes);
    std::string take();

private:
    std::string m_bytes; // at most twice the size, then cut
};

// Captures one stream of a job. It drains the pipe as long as a process writes, keeps at most `cap` bytes in a
// SpoolFile, and counts all bytes. After an error of the file, such as a full disk, it keeps no more bytes but goes on
// draining, so the job continues. The first `cap` bytes can also go to another file; while its CopyWriter is full, the
// pipe is not drained.
class Capture final : public Watched
{
public:
    // With an empty path no bytes are kept. The pipe is added to `epoll` with this object's address, as a Watched.
    Capture(std::string path, std::uint64_t cap, Tail &tail, int epoll);
    ~Capture() override { closePipe(); }

    // Also writes later bytes to `copy`, which must outlive the draining. Both streams of a job may share one copy.
    void copyTo(CopyWriter *copy) { m_copy = copy; }

    // Makes the pipe and returns the job's end, or an empty descriptor; then errno says why.
    posix::FileDescriptor open();

    // Reads a bounded number of bytes, so that a job with much output does not starve the others.
    void onReady() override;
    // Called when the copy accepts bytes again.
    void resume();
    // Reads the bytes that are in the pipe now, then closes it. For a job that has ended.
    void finish();

    std::uint64_t bytes() const { return m_bytes; }
    bool truncated() const { return m_file.isCut(); } // about the file, not the copy
    // Why the file is incomplete; empty if it is complete. Says nothing about the copy.
    const std::string &problem() const { return m_file.problem(); }

private:
    bool readOnce(std::size_t atMost);
    void keep(std::string_view bytes);
    void listen();
    void closePipe();

    SpoolFile m_file;
    std::uint64_t m_cap;
    Tail &m_tail;
    int m_epoll;
    posix::FileDescriptor m_pipe;
    CopyWriter *m_copy = nullptr; // null: no copy
    bool m_isPaused = false;
    std::uint64_t m_bytes = 0;
};

} // namespace drover::runner
