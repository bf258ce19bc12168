#pragma once

#include "posix/file_descriptor.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace drover::posix {

// Files below folders that the owner of this machine names, while other processes may change what is in those folders.
// The kernel follows no symbolic link below the folder, and does not leave it by "..". A folder counts by its spelling:
// a path belongs to it if it begins with the folder's name.

namespace detail {

inline FileDescriptor openBelow(int folder, const std::string &path, int flags, mode_t mode)
{
    open_how how{.flags = std::uint64_t(flags | O_CLOEXEC),
                 .mode = (flags & O_CREAT) != 0 ? mode : 0,
                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS};
    for (;;) {
        const long file = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
        if (file >= 0 || errno != EAGAIN) // a rename elsewhere was in the way
            return FileDescriptor(int(file));
    }
}

// The missing folders on the way to the last part of `path`, each with the mode. False: errno says why.
inline bool makeFoldersBelow(const FileDescriptor &root, const std::string &path, mode_t mode)
{
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
        constexpr int Folder = O_PATH | O_DIRECTORY;
        const std::string part = path.substr(0, slash);
        if (openBelow(root.get(), part, Folder, 0))
            continue;
        if (errno != ENOENT)
            return false;
        const std::size_t before = part.rfind('/');
        const std::string name = before == part.npos ? part : part.substr(before + 1);
        const FileDescriptor above =
            openBelow(root.get(), before == part.npos ? "." : part.substr(0, before), Folder, 0);
        if (!above || (::mkdirat(above.get(), name.c_str(), mode) != 0 && errno != EEXIST))
            return false;
    }
    return true;
}

} // namespace detail

// The file at an absolute path that led over no symbolic link when it was resolved. If one is on the way by now, this
// fails with ELOOP.
inline FileDescriptor openResolved(const std::string &path, int flags, mode_t mode)
{
    const FileDescriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const std::size_t name = std::min(path.find_first_not_of('/'), path.size());
    return detail::openBelow(root.get(), name == path.size() ? "." : path.substr(name), flags, mode);
}

// A file to write to, below one of the folders, that is regular or a character device; else EINVAL. What is below none
// of them, or is reached by a link, fails with EACCES. With `folders` the missing ones are made with that mode.
inline FileDescriptor openFileBelow(const std::vector<std::string> &roots, const std::string &path, int flags,
                                    mode_t mode, std::optional<mode_t> folders = std::nullopt)
{
    const auto root = std::find_if(roots.begin(), roots.end(),
                                   [&path](const std::string &one) { return path.starts_with(one + "/"); });
    errno = EACCES;
    if (root == roots.end())
        return FileDescriptor();
    const std::string below = path.substr(root->size() + 1);
    const FileDescriptor top(::open(root->c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    FileDescriptor file;
    if (top && (!folders || detail::makeFoldersBelow(top, below, *folders)))
        file = detail::openBelow(top.get(), below, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode);
    if (!file) {
        errno = errno == ELOOP || errno == EXDEV ? EACCES : errno;
        return file;
    }
    struct ::stat status {
    };
    if (::fstat(file.get(), &status) == 0 && (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)))
        return file;
    errno = EINVAL;
    return FileDescriptor();
}

} // namespace drover::posix
