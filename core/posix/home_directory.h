#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace drover::posix {

// The user's home directory: $HOME if it is an absolute path, else what the system knows of the user, else "/". Asks
// the user database if it has to, which may block.
inline std::string homeDirectory()
{
    if (const char *const home = std::getenv("HOME"); home && home[0] == '/')
        return home;
    passwd entry = {};
    passwd *user = nullptr;
    std::vector<char> names(16 * 1024);
    ::getpwuid_r(::geteuid(), &entry, names.data(), names.size(), &user);
    return user && user->pw_dir[0] == '/' ? user->pw_dir : "/";
}

} // namespace drover::posix
