#include "workers/runner/secret_file.h"

#include "workers/runner/child_setup.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace drover::runner {

namespace {

// The file of that name in the folder, or -1.
ONLY_SYSTEM_CALLS int openIn(const char *folder, const char *name)
{
    const int place = ::open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (place < 0)
        return -1;
    open_how how{};
    how.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC; // a FIFO would wait for its writer
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
    const long file = ::syscall(SYS_openat2, place, name, &how, sizeof how);
    const int error = errno;
    ::close(place);
    errno = error;
    return int(file);
}

// Returns an errno, or 0; then `size` is what it read, at most `most`.
ONLY_SYSTEM_CALLS int readAll(int file, char *into, std::size_t most, std::size_t &size)
{
    for (size = 0; size < most;) {
        const ssize_t got = ::read(file, into + size, most - size);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return errno;
        size += got > 0 ? std::size_t(got) : 0;
    }
    return 0;
}

} // namespace

SecretFile::SecretFile(std::string variable, std::string folder, std::string name)
    : m_variable(std::move(variable)), m_folder(std::move(folder)), m_name(std::move(name)),
      m_text(m_variable.begin(), m_variable.end())
{
    m_text.resize(m_variable.size() + mostBytes + 2); // a line end, and a NUL or one byte too many
}

SecretFile::~SecretFile()
{
    ::explicit_bzero(m_text.data(), m_text.size());
}

ONLY_SYSTEM_CALLS int SecretFile::read()
{
    const int file = openIn(m_folder.c_str(), m_name.c_str());
    if (file < 0)
        return errno;
    struct stat info {
    };
    char *const value = m_text.data() + m_variable.size();
    const std::size_t room = m_text.size() - m_variable.size();
    std::size_t size = 0;
    int error = ::fstat(file, &info) != 0 ? errno : S_ISREG(info.st_mode) ? 0 : EINVAL;
    if (error == 0)
        error = readAll(file, value, room, size);
    ::close(file);
    if (error != 0)
        return error;
    if (size > 0 && value[size - 1] == '\n')
        --size;
    if (size > mostBytes)
        return EFBIG;
    value[size] = 0;
    return std::strlen(value) == size ? 0 : EILSEQ;
}

const char *SecretFile::problem(int error)
{
    switch (error) {
    case EFBIG:
        return "it has more than 64 KiB";
    case EILSEQ:
        return "it contains a NUL character";
    case EINVAL:
        return "it is not a regular file";
    case ELOOP:
    case EXDEV:
        return "it is a symbolic link";
    default:
        return std::strerror(error);
    }
}

} // namespace drover::runner
