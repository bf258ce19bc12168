#pragma once

#include "posix/file_descriptor.h"
#include "workers/runner/children.h"
#include "workers/runner/job_user.h"
#include "workers/runner/spawn.h"
#include "workers/runner/start_status.h"
#include "workers/runner/watched.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::runner {

class Capture;

// A copy of a job's output in a file that the submitter has chosen. A separate process opens and writes the file,
// because both may hang while a file server does not answer. Then only this job waits, as if it wrote the file itself.
// The file is truncated first, unless the lease has passed meanwhile: then it may belong to another attempt.
//
// The process gets the bytes through a pipe. Bytes that the pipe does not take wait here, and the captures that write
// them pause until then. So at most one read of each capture waits.
class CopyWriter final : public Watched
{
public:
    // Missing folders of `path` are created with the usual permissions. The user of the job makes and opens them. If
    // the worker's policy names folders, only files below these are opened (posix/beneath_open.h).
    struct Place {
        std::string path;
        std::vector<std::string> folders{};
        JobUser user{};
    };

    // `children` and `epoll` must outlive this object.
    CopyWriter(Place place, CopyStep step, std::uint64_t runId, Children &children, int epoll);
    CopyWriter(const CopyWriter &) = delete;
    CopyWriter &operator=(const CopyWriter &) = delete;
    // Kills the process.
    ~CopyWriter() override;

    // Forks the process. It reports to `status` which step hangs or fails, and writes a byte to `go` when it can write
    // the file. Returns false if the fork failed; then errno says why.
    bool start(const Spawner &spawner, int status, int go);

    // Writes bytes. Returns true if the copy is now full; then it resumes `writer` later.
    bool write(std::string_view bytes, Capture &writer);
    // Ends the input: the process ends once it has written all bytes.
    void close();
    // Kills the process. The reason of the first call says why the file is not whole.
    void kill(const std::string &reason);
    // Gives up the killed process without its death: a hung system call may hold it for as long as a file server does
    // not answer. The bytes of that call may still be written later.
    void abandon();
    // The number of bytes that the process has not taken.
    std::size_t rest() const;

    pid_t pid() const { return m_pid; }
    void onDeath(int status);
    // The process is dead, or was never started.
    bool isOver() const { return m_pid == 0; }
    // Why the file is incomplete; empty if it is complete.
    const std::string &problem() const { return m_problem; }

    void onReady() override { flush(); }

private:
    void flush();
    void giveUp();
    void noteProblem(const std::string &reason);

    Place m_place;
    CopyStep m_step;
    std::uint64_t m_token;
    Children &m_children;
    int m_epoll;
    pid_t m_pid = 0;
    posix::FileDescriptor m_pipe;
    posix::FileDescriptor m_otherEnd; // of the pipe, to see what is in it
    std::string m_waiting; // bytes that the pipe has not taken yet
    bool m_isWatched = false;
    bool m_isClosing = false;
    std::string m_killReason; // empty: it was not killed
    std::vector<Capture *> m_paused;
    std::string m_problem;
};

} // namespace drover::runner
