#pragma once

#include "workers/runner/spool_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace drover::runner {

// The last bytes of a job's output, both streams as they came.
class Tail
{
public:
    static constexpr std::size_t size = 4096;

    void append(std::string_view bytes);
    std::string take();

private:
    std::string m_bytes; // at most twice the size, cut when it is over
};

// For a copy of a stream, with the folders that it lacks, as the job's user would make it; or nothing: errno says why.
// What an earlier attempt has left is still there. Each write goes to its end.
Fd openCopy(const std::string &path);

// One stream of a job: drains the pipe for as long as anyone writes, keeps at most `cap` bytes in a SpoolFile, counts
// all. A full disk or any other error of the file ends the keeping, never the draining: the job goes on. The first
// `cap` bytes can go to another file as well.
class Capture
{
public:
    // An empty path keeps nothing. `epoll` tells by this object's address that there is something to drain().
    Capture(std::string path, std::uint64_t cap, Tail &tail, int epoll);
    Capture(const Capture &) = delete;
    Capture &operator=(const Capture &) = delete;
    ~Capture() { closePipe(); }

    // From now on. Both streams of a job may have one file.
    void copyTo(std::shared_ptr<const Fd> file, std::string path);

    // Makes the pipe and returns the job's end of it, or nothing: errno says why.
    Fd open();

    // Takes a bounded share of what is there, so that one loud job does not starve the others.
    void drain();
    // Takes what is in the pipe at this moment and closes it: for a job that has ended.
    void finish();

    std::uint64_t bytes() const { return m_bytes; }
    bool truncated() const { return m_file.isCut(); } // the file, not its copy
    // Empty, or why the file or its copy is not whole.
    const std::string &problem() const { return m_copyProblem.empty() ? m_file.problem() : m_copyProblem; }

private:
    bool readOnce(std::size_t atMost);
    void keep(std::string_view bytes);
    void closePipe();

    SpoolFile m_file;
    std::uint64_t m_cap;
    Tail &m_tail;
    int m_epoll;
    Fd m_pipe;
    std::shared_ptr<const Fd> m_copy; // null: none, or no more
    std::string m_copyPath;
    std::uint64_t m_bytes = 0;
    std::string m_copyProblem;
};

} // namespace drover::runner
