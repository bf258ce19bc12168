#include "app/cli/spare_descriptors.h"

#include "app/cli/output.h"
#include "posix/files.h"

#include <vector>

#include <sys/resource.h>

namespace drover::app {

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
