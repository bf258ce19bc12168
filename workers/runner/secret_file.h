#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace drover::runner {

// A file whose content becomes a variable of a job. The job's new process reads it before it becomes the job's user. It
// must be a regular file itself: the folder is the owner's word, and no link in it is followed.
class SecretFile
{
public:
    static constexpr std::size_t mostBytes = std::size_t(64) * 1024;

    SecretFile(std::string variable, std::string folder, std::string name); // "NAME="
    SecretFile(SecretFile &&) = default;
    SecretFile &operator=(SecretFile &&) = delete;
    ~SecretFile(); // leaves nothing of the value in memory

    // Reads the file, with system calls only, as the process shares the runner's memory. A line end at its end is no
    // part of the value. Returns 0, or an errno: EFBIG, too much; EILSEQ, a NUL; EINVAL, not a regular file.
    int read();

    // "NAME=value" after read(), with a NUL behind it. The place never changes.
    char *text() { return m_text.data(); }

    // "the secret NAME=file:/path", for messages.
    std::string description() const { return "the secret " + m_variable + "file:" + path(); }
    std::string path() const { return m_folder + (m_folder == "/" ? "" : "/") + m_name; }
    static const char *problem(int error);

private:
    std::string m_variable;
    std::string m_folder;
    std::string m_name;
    std::vector<char> m_text;
};

} // namespace drover::runner
