#include "workers/runner/job_user.h"

#include "workers/runner/capabilities.h"
#include "workers/runner/child_setup.h"

#include <cerrno>

#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace drover::runner {

namespace {

#ifdef SYS_setresuid32 // the others have 16 bits there
constexpr long setUsers = SYS_setresuid32;
constexpr long setGroupIds = SYS_setresgid32;
constexpr long setGroupList = SYS_setgroups32;
#else
constexpr long setUsers = SYS_setresuid;
constexpr long setGroupIds = SYS_setresgid;
constexpr long setGroupList = SYS_setgroups;
#endif

// `ids` is getresuid or getresgid.
ONLY_SYSTEM_CALLS bool hasOnly(id_t expected, int (*ids)(id_t *, id_t *, id_t *))
{
    id_t real = 0;
    id_t effective = 0;
    id_t saved = 0;
    return ids(&real, &effective, &saved) == 0 && real == expected && effective == expected && saved == expected;
}

// The kernel sorts them.
ONLY_SYSTEM_CALLS bool hasGroups(const gid_t *expected, int count)
{
    constexpr int most = 1024;
    gid_t groups[most];
    if (::getgroups(most, groups) != count)
        return false;
    for (int i = 0; i < count; ++i) {
        if (groups[i] != expected[i])
            return false;
    }
    return true;
}

} // namespace

ONLY_SYSTEM_CALLS int JobUser::become(pid_t parent) const
{
    if (uid < leastUid || gid == 0)
        return EPERM;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(setGroupList, groups.size(), groups.data()) != 0
        || ::syscall(setGroupIds, gid, gid, gid) != 0)
        return errno;
    emptyBoundingSet();
    if (::syscall(setUsers, uid, uid, uid) != 0)
        return errno;
    if (const int error = dropCapabilities(); error != 0)
        return error;
    if (!hasOnly(uid, ::getresuid) || !hasOnly(gid, ::getresgid) || !hasGroups(groups.data(), int(groups.size())))
        return EPERM;
    if (::syscall(setUsers, -1, 0, -1) == 0 || ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return EPERM;
    // The memory is the runner's, and the change of user has set this to fs.suid_dumpable. 1 opens it to the user.
    const int dumpable = ::prctl(PR_GET_DUMPABLE);
    ::prctl(PR_SET_DUMPABLE, 0);
    if (dumpable == 1)
        return EPERM;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return ::getppid() == parent ? 0 : ESRCH;
}

} // namespace drover::runner
