#include "workers/runner/capabilities.h"

#include "workers/runner/child_setup.h"

#include <cerrno>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace drover::runner {

namespace {

constexpr int ordinary[] = {
    CAP_CHOWN,       CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER,  CAP_FSETID,  CAP_KILL,
    CAP_SETGID,      CAP_SETUID,       CAP_SETPCAP,         CAP_SETFCAP, CAP_NET_RAW, CAP_NET_BIND_SERVICE,
    CAP_IPC_LOCK,    CAP_IPC_OWNER,    CAP_SYS_CHROOT,      CAP_MKNOD,   CAP_LEASE,   CAP_SYS_NICE,
    CAP_AUDIT_WRITE, CAP_SYS_RESOURCE, CAP_LINUX_IMMUTABLE,
};

bool isOrdinary(int capability)
{
    for (const int one : ordinary) {
        if (one == capability)
            return true;
    }
    return false;
}

using Sets = __user_cap_data_struct[_LINUX_CAPABILITY_U32S_3];

ONLY_SYSTEM_CALLS bool getSets(Sets &sets)
{
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    return ::syscall(SYS_capget, &header, sets) == 0;
}

ONLY_SYSTEM_CALLS bool setSets(const Sets &sets)
{
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    return ::syscall(SYS_capset, &header, sets) == 0;
}

} // namespace

// What root executes gets the bounding set and what is inheritable. The ambient set shrinks with the latter.
void boundCapabilities()
{
    Sets sets{};
    const bool known = getSets(sets);
    for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
        if (isOrdinary(capability))
            continue;
        ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
        sets[CAP_TO_INDEX(capability)].inheritable &= ~CAP_TO_MASK(capability);
    }
    if (known)
        setSets(sets);
}

ONLY_SYSTEM_CALLS void emptyBoundingSet()
{
    for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
        ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0); // fails without CAP_SETPCAP: no_new_privs does without
}

ONLY_SYSTEM_CALLS int dropCapabilities()
{
    const Sets none{};
    if (!setSets(none))
        return errno;
    Sets left{};
    if (!getSets(left))
        return errno;
    for (const __user_cap_data_struct &set : left) {
        if ((set.effective | set.permitted | set.inheritable) != 0)
            return EPERM;
    }
    return 0;
}

} // namespace drover::runner
