#pragma once

#include "posix/file_descriptor.h"

#include <fcntl.h>

namespace drover::posix {

// The two ends of a pipe. Both close when a program is executed.
struct Pipe {
    FileDescriptor reader;
    FileDescriptor writer;

    explicit operator bool() const { return bool(reader); }

    // `flags` as for pipe2(2). Empty if no pipe can be made; errno says why.
    static Pipe make(int flags = 0)
    {
        int ends[2] = {-1, -1};
        if (::pipe2(ends, flags | O_CLOEXEC) != 0)
            return {};
        return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
    }
};

} // namespace drover::posix
