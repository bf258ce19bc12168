#pragma once

#include "posix/file_descriptor.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::runner {

// One stream of a job on the disk. Of a stream longer than the cap, the beginning and the end are kept:
//
//     <path>               the whole stream; once it exceeds the cap, half a cap from its beginning
//     <path>.1, <path>.2   then: a quarter of the cap each, in turns: the older one begins again when the newer is full
//
// So the end of the stream is stored, a quarter of the cap or more, and at most `cap` bytes in all. There are more for
// a moment, while the first segment is copied out of <path>. core/output reads the files (output/segment.h). They may
// be read at any time; an open file stays as it is or loses its end.
//
// Files have mode 0600, new folders 0700; they are created at the first byte. After an error no more bytes are kept.
// While this object lives <path> is locked (flock, shared), so that it is not removed. finish() sets its modification
// time.
class SpoolFile
{
public:
    // With an empty path no bytes are kept.
    SpoolFile(std::string path, std::uint64_t cap) : m_path(std::move(path)), m_cap(cap) { }

    void write(std::string_view bytes);
    // Ends the stream.
    void finish();

    // Whether some bytes were not kept.
    bool isCut() const { return !m_path.empty() && (m_lost || m_written > m_cap); }
    const std::string &problem() const { return m_problem; } // why writing failed, or empty

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
    std::uint64_t m_written = 0; // bytes that the job has written
    posix::FileDescriptor m_file;
    posix::FileDescriptor m_segment; // the newer segment
    std::string m_segmentPath;
    bool m_lost = false; // an error lost bytes
    std::string m_problem;
};

} // namespace drover::runner
