#pragma once

#include "posix/file_descriptor.h"

#include <memory>

#include <sys/eventfd.h>

namespace drover::files {

// Ends the reading of an input, in the pool, once its caller has stopped waiting: end() can then be read.
class Reading
{
public:
    Reading() : m_end(std::make_shared<posix::FileDescriptor>(::eventfd(0, EFD_CLOEXEC))) { }
    Reading(const Reading &) = delete;
    Reading &operator=(const Reading &) = delete;
    ~Reading() { ::eventfd_write(m_end->get(), 1); }

    std::shared_ptr<posix::FileDescriptor> end() const { return m_end; }

private:
    std::shared_ptr<posix::FileDescriptor> m_end;
};

} // namespace drover::files
