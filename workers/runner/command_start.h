#pragma once

#include "workers/process/runner_protocol.h"
#include "workers/runner/child_setup.h"
#include "workers/runner/job_user.h"
#include "workers/runner/lease_guard.h"
#include "workers/runner/secret_file.h"
#include "workers/runner/start_status.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace drover::runner {

// The limits of jobs that do not ask for others.
struct UsualLimits {
    rlimit files{}; // of each process
    // Processes and threads of the job's user, if that is not the runner's: where no control group holds the limit of
    // all jobs. 0: no limit.
    std::uint64_t processes = 0;
};

// What a thread that sleeps for ever lends a new process. The process shares the runner's memory, but two parts of it
// may have one user only. One is a stack. The other is what the C library keeps for each thread, such as errno.
struct LentThread {
    char *stackEnd = nullptr;
    void *pointer = nullptr; // the thread's, as the processor has it
    std::binary_semaphore isReady{0}; // once the two are set
    std::atomic<pid_t> borrower = 0; // the kernel clears it once that process has executed its command or has died
};

// The start of a job's command. A new process reads the job's secrets and becomes the job's user. Then it enters the
// directory, opens the input, finds the program and executes it. So the kernel asks of each path whether that user may
// use it. Each of these steps may hang while a file server does not answer.
//
// The process shares the memory of the runner until its exec, as after vfork(2). A fork would copy the page tables: a
// tenth of a millisecond of processor time for each job. Unlike vfork(2), launch() does not wait for the exec. A signal
// may kill the process at any instruction. Therefore it makes system calls only: it takes no lock and allocates
// nothing. All that it needs is made before, and it leaves its progress in this object. So this object must live until
// the process has executed the command or was reaped. It is used by one thread.
class CommandStart
{
public:
    // Descriptors that the new process inherits; the caller closes its own copies once launch() has returned.
    struct Ends {
        Descriptors descriptors;
        int copies = 0; // each writes a byte to descriptors.go once it can write, which is awaited
    };

    // Copies what it needs of `command`. `lease` and `thread` must outlive this object. An empty `cgroup` means none.
    CommandStart(const workers::protocol::Command &command, const Ends &ends, const UsualLimits &usual,
                 std::string cgroup, const workers::protocol::LeaseWord &lease, LentThread &thread);
    CommandStart(const CommandStart &) = delete;
    CommandStart &operator=(const CommandStart &) = delete;

    // Makes the process, which leads a new group, and does not wait for it. Call it once, while nothing else borrows
    // the thread. Returns its pid; -1: errno says why there is none. The process dies with the calling thread
    // (PR_SET_PDEATHSIG).
    pid_t launch();

    // The process may hang in one of these.
    enum class Step : char { Copies, Cgroup, Secrets, User, Directory, Input, Search, Policy, Limits, Lease, Exec };
    Step step() const { return m_step; }
    // Whether the process has executed the command, or was killed within the exec. Its pid is not used again before it
    // was reaped.
    bool hasExecuted() const { return m_thread.borrower != m_pid && m_error == 0 && m_step == Step::Exec; }

    // The file that it reads at Step::Secrets.
    std::string secretPath() const { return m_secrets[std::min(m_secret.load(), m_secrets.size() - 1)].path(); }

    // Why the process has ended by itself before it executed the command.
    std::optional<StartFailure> failure() const;

private:
    struct Limit {
        __rlimit_resource_t resource;
        rlimit value;
    };

    void addLimits(const workers::protocol::Command &command, const UsualLimits &usual);
    void limitTo(__rlimit_resource_t resource, rlim_t most);
    static int enter(void *start);
    void becomeCommand();
    void fail(int error);
    void awaitCopies();
    void openInput();
    void findProgram();
    bool setProgram(std::string_view folder);
    void requireAllowedProgram();
    void enterCgroup();
    void readSecrets();
    StartFailure refusedByExec(const std::string &program) const;
    StartFailure withoutSecret() const;

    // Made before the process.
    const std::vector<std::string> m_argumentTexts;
    const std::vector<std::string> m_environmentTexts;
    const std::string m_tag;
    const std::string m_directory;
    const std::string m_input;
    const std::string m_cgroup;
    const std::vector<std::string> m_programs; // that are allowed; empty: all
    const JobUser m_user;
    std::vector<SecretFile> m_secrets;
    std::vector<char *> m_arguments;
    std::vector<char *> m_environment;
    std::vector<Limit> m_limits;
    const Ends m_ends;
    const bool m_isLimited; // the job asks for limits of its own
    const pid_t m_runner;
    const workers::protocol::LeaseWord &m_lease;

    LentThread &m_thread;
    pid_t m_pid = 0;

    // Left by the process.
    std::atomic<Step> m_step = Step::Copies;
    std::atomic<int> m_error = 0; // of m_step; 0: it has not failed
    std::atomic<std::size_t> m_secret = 0; // the one that is read
    char m_program[PATH_MAX] = {};
};

} // namespace drover::runner
