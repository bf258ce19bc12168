#include "workers/runner/spool_file.h"

#include "output/segment.h"
#include "posix/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace drover::runner {

using namespace posix;

namespace {

constexpr std::size_t copySize = std::size_t(64) * 1024;

// To be read as well: the last quarter is copied out of it.
int openForOwner(const std::string &path, int flags)
{
    return ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
}

} // namespace

void SpoolFile::write(std::string_view bytes)
{
    const std::uint64_t at = m_written;
    m_written += bytes.size();
    if (m_path.empty() || m_lost)
        return;
    const std::string_view beginning = bytes.substr(0, at < m_cap ? m_cap - at : 0);
    const std::string_view end = bytes.substr(beginning.size());
    const bool kept =
        (beginning.empty() || keepBeginning(beginning)) && (end.empty() || keepEnd(end, m_written - end.size()));
    if (kept)
        return;
    m_lost = true;
    m_segment.reset();
}

void SpoolFile::finish()
{
    m_segment.reset();
    if (m_file)
        ::futimens(m_file.get(), nullptr);
}

bool SpoolFile::keepBeginning(std::string_view bytes)
{
    if (!m_file && !open())
        return false;
    return writeAll(m_file, bytes) || fail("cannot write", m_path);
}

// `at`: where in the stream the bytes begin, the cap or more. What later ones of them will have replaced is not
// written.
bool SpoolFile::keepEnd(std::string_view bytes, std::uint64_t at)
{
    if (quarter() == 0)
        return true;
    if (at == m_cap && !beginRotation())
        return false;
    const std::uint64_t last = (at + bytes.size() - 1 - m_cap) / quarter(); // the segment that the last byte is in
    const std::uint64_t oldest = m_cap + (std::max<std::uint64_t>(last, 1) - 1) * quarter();
    if (oldest > at) {
        bytes.remove_prefix(oldest - at);
        at = oldest;
    }
    while (!bytes.empty()) {
        const std::uint64_t into = (at - m_cap) % quarter();
        if (into == 0 && !beginSegment(at))
            return false;
        const std::string_view part = bytes.substr(0, quarter() - into);
        if (!writeAll(m_segment, part))
            return fail("cannot write", m_segmentPath);
        bytes.remove_prefix(part.size());
        at += part.size();
    }
    return true;
}

// The last quarter of what was kept until now becomes a segment, and the one before it is given up.
bool SpoolFile::beginRotation()
{
    std::uint64_t at = m_cap - quarter();
    if (!beginSegment(at))
        return false;
    char buffer[copySize];
    while (at < m_cap) {
        const ssize_t got =
            ::pread(m_file.get(), buffer, std::min<std::uint64_t>(copySize, m_cap - at), static_cast<off_t>(at));
        if (got <= 0)
            return fail("cannot read", m_path);
        if (!writeAll(m_segment, std::string_view(buffer, std::size_t(got))))
            return fail("cannot write", m_segmentPath);
        at += std::uint64_t(got);
    }
    return ::ftruncate(m_file.get(), static_cast<off_t>(m_cap - 2 * quarter())) == 0 || fail("cannot write", m_path);
}

// A file of its own each time: who reads the one before it is not confused.
bool SpoolFile::beginSegment(std::uint64_t at)
{
    m_segmentPath = segmentPath(at);
    ::unlink(m_segmentPath.c_str());
    m_segment = FileDescriptor(openForOwner(m_segmentPath, O_EXCL));
    if (!m_segment)
        return fail("cannot create", m_segmentPath);
    return writeAll(m_segment, output::segmentHeader(at)) || fail("cannot write", m_segmentPath);
}

std::string SpoolFile::segmentPath(std::uint64_t at) const
{
    const std::uint64_t number = (at - (m_cap - quarter())) / quarter();
    return m_path + output::segmentSuffixes[number % output::segmentSuffixes.size()];
}

bool SpoolFile::open()
{
    for (const char *const suffix :
         output::segmentSuffixes) // of an attempt of the same name, before the cluster's time
        ::unlink((m_path + suffix).c_str());
    m_file = FileDescriptor(openForOwner(m_path, O_TRUNC));
    if (!m_file && errno == ENOENT) {
        makeFolders(m_path, 0700);
        m_file = FileDescriptor(openForOwner(m_path, O_TRUNC));
    }
    if (!m_file)
        return fail("cannot create", m_path);
    ::flock(m_file.get(), LOCK_SH);
    return true;
}

// errno says why.
bool SpoolFile::fail(const char *what, const std::string &path)
{
    m_problem = std::string(what) + " '" + path + "': " + std::strerror(errno);
    return false;
}

} // namespace drover::runner
