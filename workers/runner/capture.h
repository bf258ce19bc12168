#pragma once

#include "workers/runner/fd.h"

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

// For a copy of a stream, empty and with the folders that it lacks, as the job's user would make it; or nothing: errno
// says why. Each write goes to its end.
Fd openCopy(const std::string &path);

// One stream of a job: drains the pipe for as long as anyone writes, keeps the first `cap` bytes in a file, counts all.
// The file (0600, missing folders 0700) is made at the first byte. A full disk or any other error of the file ends the
// keeping, never the draining: the job goes on. What is kept can go to another file as well.
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
    bool truncated() const { return m_lost || (m_full && !m_path.empty()); } // the file, not its copy
    const std::string &problem() const { return m_problem; } // empty, or why the file is not whole

private:
    bool readOnce(std::size_t atMost);
    void keep(std::string_view bytes);
    bool openFile();
    bool write(const Fd &file, const std::string &path, std::string_view bytes);
    void closePipe();

    std::string m_path;
    std::uint64_t m_cap;
    Tail &m_tail;
    int m_epoll;
    Fd m_pipe;
    Fd m_file;
    std::shared_ptr<const Fd> m_copy; // null: none, or no more
    std::string m_copyPath;
    std::uint64_t m_bytes = 0;
    bool m_full = false; // the cap is reached
    bool m_lost = false; // the file did not take all
    std::string m_problem;
};

} // namespace drover::runner
