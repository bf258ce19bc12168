#pragma once

#include <sys/prctl.h>

namespace drover::posix {

// Closes the environment, memory and descriptors of this process (/proc/PID/environ, mem, fd) and ptrace to other
// processes of the same user. Root keeps its access. It ends when this process executes another program. A debugger
// needs root then, and no core is dumped.
inline void hideFromOthers()
{
    ::prctl(PR_SET_DUMPABLE, 0);
}

} // namespace drover::posix
