#pragma once

#include "workers/runner/fd.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::runner {

// One stream of a job on the disk. Of what is longer than the cap the beginning and the end are kept:
//
//     <path>               all of it; once that is more than the cap, the first half of the cap
//     <path>.1, <path>.2   then: a quarter of the cap each, by turns: the older one begins anew when the other is full
//
// So no more than the cap is there, but for the moment in which the first segment is copied out of <path>, and always
// the last quarter of it. core/output reads them (output/segment.h); readers may come at any time, and what they have
// open stays as it is or loses its end.
//
// Files 0600, missing folders 0700, made at the first byte. An error ends the keeping. As long as this object lives
// <path> is locked (flock, shared): it is not to be removed. Its time is that of finish().
class SpoolFile
{
public:
    // An empty path keeps nothing.
    SpoolFile(std::string path, std::uint64_t cap) : m_path(std::move(path)), m_cap(cap) { }

    void write(std::string_view bytes);
    // There is no more.
    void finish();

    // Whether not all of it was kept.
    bool isCut() const { return !m_path.empty() && (m_lost || m_written > m_cap); }
    const std::string &problem() const { return m_problem; } // empty, or why the keeping ended

private:
    bool keepBeginning(std::string_view bytes);
    bool keepEnd(std::string_view bytes, std::uint64_t at);
    bool beginRotation();
    bool beginSegment(std::uint64_t at);
    bool open();
    bool fail(const char *what, const std::string &path);
    std::string segmentPath(std::uint64_t at) const;
    std::uint64_t quarter() const { return m_cap / 4; }

    std::string m_path;
    std::uint64_t m_cap;
    std::uint64_t m_written = 0; // by the job
    Fd m_file;
    Fd m_segment; // the newer one
    std::string m_segmentPath;
    bool m_lost = false; // an error
    std::string m_problem;
};

} // namespace drover::runner
