#pragma once

#include "posix/file_descriptor.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drover::posix {

// Paths that others name, opened without following the links of third parties. A symbolic link is followed only if root
// or this process's user owns it. So a user who may write into a folder on the way cannot have another file opened.
// Machines with symbolic links to homes and mounts go on. The kernel's fs.protected_symlinks does the same for the last
// part in sticky folders alone. A link that is refused fails with EACCES.

// Where a path leads: its last part in an open folder, and the folder's name without links.
struct TrustedPlace {
    FileDescriptor folder; // O_PATH
    std::string folderName; // "" for the root
    std::string name;

    std::string path() const { return name == "." ? folderName + "/" : folderName + "/" + name; }
};

class TrustedWalk
{
public:
    enum class LastLink { Follow, Refuse };

    // Folders that are missing are made with the mode `folders`, if there is one.
    explicit TrustedWalk(LastLink lastLink = LastLink::Follow, std::optional<mode_t> folders = std::nullopt)
        : m_lastLink(lastLink), m_folders(folders)
    {
    }

    // Nothing: errno says why.
    std::optional<TrustedPlace> to(const std::string &path)
    {
        if (path.empty()) {
            errno = ENOENT;
            return std::nullopt;
        }
        if (path.front() != '/') {
            m_place.folder = FileDescriptor(::open(".", Folder));
            m_place.folderName = ".";
        }
        begin(path);
        while (!m_rest.empty()) {
            const std::string name = m_rest.back();
            m_rest.pop_back();
            if (!enter(name))
                return std::nullopt;
            if (m_found)
                return std::move(m_place);
        }
        m_place.name = ".";
        return std::move(m_place);
    }

private:
    static constexpr int MaxLinks = 40; // the kernel's
    static constexpr int Folder = O_PATH | O_DIRECTORY | O_CLOEXEC;

    // Puts the parts of a path or of a link's target before the rest.
    void begin(const std::string &path)
    {
        if (path.front() == '/') {
            m_place.folder = FileDescriptor(::open("/", Folder));
            m_place.folderName.clear();
        }
        std::vector<std::string> parts;
        for (std::size_t at = 0; at < path.size();) {
            const std::size_t slash = std::min(path.find('/', at), path.size());
            const std::string part = path.substr(at, slash - at);
            if (!part.empty() && part != ".")
                parts.push_back(part);
            at = slash + 1;
        }
        m_rest.insert(m_rest.end(), parts.rbegin(), parts.rend());
    }

    bool enter(const std::string &name)
    {
        if (name == "..")
            return leave();
        FileDescriptor next = look(name);
        if (!next && errno == ENOENT && m_rest.empty())
            return end(name);
        if (!next && errno == ENOENT && m_folders
            && (::mkdirat(m_place.folder.get(), name.c_str(), *m_folders) == 0 || errno == EEXIST))
            next = look(name);
        struct ::stat status {
        };
        if (!next || ::fstat(next.get(), &status) != 0)
            return false;
        if (S_ISLNK(status.st_mode))
            return follow(next, status);
        if (m_rest.empty())
            return end(name);
        m_place.folder = std::move(next);
        m_place.folderName += '/' + name;
        return true;
    }

    FileDescriptor look(const std::string &name) const
    {
        return FileDescriptor(::openat(m_place.folder.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    }

    bool end(const std::string &name)
    {
        m_place.name = name;
        m_found = true;
        return true;
    }

    bool leave()
    {
        FileDescriptor above(::openat(m_place.folder.get(), "..", Folder));
        if (!above)
            return false;
        m_place.folder = std::move(above);
        m_place.folderName.resize(std::min(m_place.folderName.rfind('/'), m_place.folderName.size()));
        return true;
    }

    // The link that was looked at, whatever has taken its name since.
    bool follow(const FileDescriptor &link, const struct ::stat &status)
    {
        if (m_rest.empty() && m_lastLink == LastLink::Refuse) {
            errno = ELOOP;
            return false;
        }
        if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
            errno = EACCES;
            return false;
        }
        char target[4097];
        const ssize_t size = ::readlinkat(link.get(), "", target, sizeof target);
        if (size <= 0 || size == sizeof target || ++m_links > MaxLinks) {
            errno = ELOOP;
            return false;
        }
        begin(std::string(target, std::size_t(size)));
        return true;
    }

    LastLink m_lastLink;
    std::optional<mode_t> m_folders;
    TrustedPlace m_place;
    std::vector<std::string> m_rest; // the next part is the last
    int m_links = 0;
    bool m_found = false;
};

inline std::optional<TrustedPlace> trustedPlace(const std::string &path)
{
    return TrustedWalk().to(path);
}

// Like open(), O_NOFOLLOW included. With `folders` the missing ones above it are made with that mode.
inline FileDescriptor openTrusted(const std::string &path, int flags, mode_t mode,
                                  std::optional<mode_t> folders = std::nullopt)
{
    using LastLink = TrustedWalk::LastLink;
    const LastLink lastLink = (flags & O_NOFOLLOW) != 0 ? LastLink::Refuse : LastLink::Follow;
    const std::optional<TrustedPlace> place = TrustedWalk(lastLink, folders).to(path);
    if (!place)
        return FileDescriptor();
    return FileDescriptor(::openat(place->folder.get(), place->name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode));
}

// Like openTrusted(), for a file to write to. What is there already must be a regular file or a character device, such
// as /dev/null or a terminal: EINVAL. A pipe or a socket would pass what is written on to another process.
inline FileDescriptor openTrustedFile(const std::string &path, int flags, mode_t mode,
                                      std::optional<mode_t> folders = std::nullopt)
{
    const auto isOther = [](const struct ::stat &status) {
        return !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode);
    };
    const std::optional<TrustedPlace> place = TrustedWalk(TrustedWalk::LastLink::Follow, folders).to(path);
    if (!place)
        return FileDescriptor();
    struct ::stat status {
    };
    bool refused =
        ::fstatat(place->folder.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && isOther(status);
    FileDescriptor file;
    if (!refused) {
        constexpr int Always = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC; // another may have taken its name by now
        file = FileDescriptor(::openat(place->folder.get(), place->name.c_str(), flags | Always, mode));
        refused = file && (::fstat(file.get(), &status) != 0 || isOther(status));
    }
    if (!refused)
        return file;
    errno = EINVAL;
    return FileDescriptor();
}

} // namespace drover::posix
