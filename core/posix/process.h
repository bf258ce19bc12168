#pragma once

#include <csignal>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

namespace drover::posix {

// Closes the environment, memory and descriptors of this process (/proc/PID/environ, mem, fd) and ptrace to other
// processes of the same user. Root keeps its access. It ends when this process executes another program. A debugger
// needs root then, and no core is dumped.
inline void hideFromOthers()
{
    ::prctl(PR_SET_DUMPABLE, 0);
}

// Has the kernel kill this process when the thread that started it dies. It ends at once if the process `parent` has
// died already. It may be called between fork and exec: it makes system calls alone.
inline void dieWith(pid_t parent)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
        ::_exit(1); // it died before the line above
}

// The list of texts that exec wants. They have to outlive it.
template <typename Texts>
std::vector<char *> execList(const Texts &texts)
{
    std::vector<char *> pointers;
    for (const auto &text : texts)
        pointers.push_back(const_cast<char *>(text.data())); // exec's signature is older than const
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace drover::posix
