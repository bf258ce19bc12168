#include "app/cli/spare_descriptors.h"

#include "app/cli/output.h"
#include "posix/files.h"

#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace drover::app {

void openStandardDescriptors()
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) < 0)
            ::open("/dev/null", O_RDONLY); // takes the lowest number that is free
    }
}

bool hasSpareDescriptors()
{
    constexpr std::size_t Needed = 16;
    std::vector<posix::FileDescriptor> spare;
    while (spare.size() < Needed) {
        posix::FileDescriptor one = posix::opened("/dev/null");
        if (!one)
            break;
        spare.push_back(std::move(one));
    }
    if (spare.size() == Needed)
        return true;
    const std::size_t got = spare.size();
    spare.clear();
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    Output::message(
        QStringLiteral("it can open %1 more files, and a command needs %2: raise the limit of %3 (ulimit -n)")
            .arg(got)
            .arg(Needed)
            .arg(limit.rlim_cur));
    return false;
}

} // namespace drover::app
