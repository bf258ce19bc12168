#pragma once

#include "posix/file_descriptor.h"

#include <QByteArray>
#include <QString>

#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

namespace drover::workers {

// The file of a ReplayJournal and what it says. Blocks; throws ReplayJournal::Failed. Any thread may use it.
class ReplayFile
{
public:
    static constexpr qsizetype KeySize = 32; // hex digits, 128 bits of a hash

    struct Question {
        enum class Kind {
            Start, // note that the job begins, if it has begun fewer than `most` times
            Back, // take a start back
            Look, // whether it has begun `most` times; nothing is noted
            Trial, // of no start
        };

        QByteArray key{};
        qint64 startBy = 0; // seconds of the Unix epoch
        int most = 0; // starts that are allowed
        Kind kind = Kind::Start;
        QByteArray forgiven{}; // only if this key may be noted, fewer than `most` times
        std::chrono::seconds now{};
    };

    struct Answers {
        std::vector<bool> all{}; // in the order of the questions
        std::exception_ptr error{}; // they are in the file, and a trial has found that the disk fails
    };

    explicit ReplayFile(const QString &spool);

    Answers answer(const std::vector<Question> &questions);
    void sync();

private:
    struct Begun {
        qint64 startBy = 0;
        int count = 0;

        void note(qint64 by);
    };

    void require(bool isDone, const char *what) const;
    void catchUp();
    void forget();
    void take(const QByteArray &line);
    bool noteStart(const QByteArray &key, const Question &question, QByteArray &lines);
    bool forget(const QByteArray &key);
    bool takeBack(const Question &question, QByteArray &lines);
    bool note(const Question &question, QByteArray &lines);
    void add(QByteArray &lines, const QByteArray &line);
    void append(const QByteArray &lines);
    void dropPassed(std::chrono::seconds now);
    void writeAnewIfLong(std::chrono::seconds now);
    bool writeAnew();

    const QString m_name;
    const std::string m_path;
    std::mutex m_mutex; // for all below
    posix::FileDescriptor m_file;
    ino_t m_inode = 0;
    off_t m_read = 0; // bytes of the file that m_begun and m_rest contain
    std::string m_rest; // the beginning of a line
    bool m_endsInLine = true;
    std::size_t m_lines = 0;
    std::size_t m_nextLook; // lines
    std::map<QByteArray, Begun> m_begun;
};

} // namespace drover::workers
