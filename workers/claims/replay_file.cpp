#include "workers/claims/replay_file.h"

#include "posix/files.h"
#include "workers/claims/replay_journal.h"

#include <QFile>
#include <QLoggingCategory>

#include <algorithm>
#include <cstring>
#include <utility>

#include <sys/file.h>
#include <unistd.h>

namespace drover::workers {

using posix::FileDescriptor;
using std::chrono::seconds;

Q_LOGGING_CATEGORY(lcReplayFile, "drover.workers.replay_file")

namespace {

constexpr std::size_t FewLines = 1000; // that are not worth writing anew

ReplayJournal::Failed failed(const QString &name, const char *what)
{
    return ReplayJournal::Failed(QStringLiteral("cannot %1 %2: %3; no signed job can begin")
                                     .arg(QLatin1StringView(what), name, QString::fromLocal8Bit(std::strerror(errno))));
}

} // namespace

ReplayFile::ReplayFile(const QString &spool)
    : m_name(spool + QStringLiteral("/replay-journal")), m_path(QFile::encodeName(m_name).toStdString()),
      m_nextLook(FewLines)
{
}

void ReplayFile::Begun::note(qint64 by)
{
    startBy = std::max(startBy, by);
    ++count;
}

ReplayFile::Answers ReplayFile::answer(const std::vector<Question> &questions)
{
    const std::lock_guard guard(m_mutex);
    const FileDescriptor lock(::open((m_path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    int locked = -1;
    while (lock && (locked = ::flock(lock.get(), LOCK_EX)) != 0 && errno == EINTR) { }
    require(lock && locked == 0, "lock");
    catchUp();
    QByteArray lines = m_endsInLine ? QByteArray() : QByteArray(1, '\n');
    Answers answers;
    bool isTried = false;
    for (const Question &question : questions) {
        isTried = isTried || question.kind == Question::Kind::Trial;
        answers.all.push_back(note(question, lines));
    }
    append(lines);
    if (isTried && ::fdatasync(m_file.get()) != 0)
        answers.error = std::make_exception_ptr(failed(m_name, "write"));
    else if (!questions.empty())
        writeAnewIfLong(questions.back().now);
    return answers;
}

void ReplayFile::sync()
{
    const std::lock_guard guard(m_mutex);
    if (m_file)
        require(::fdatasync(m_file.get()) == 0, "write");
}

void ReplayFile::require(bool isDone, const char *what) const
{
    if (!isDone)
        throw failed(m_name, what);
}

// Another worker may have written lines, or the whole file anew.
void ReplayFile::catchUp()
{
    FileDescriptor file(::open(m_path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    struct ::stat status {
    };
    require(file && ::fstat(file.get(), &status) == 0, "open");
    if (!m_file || status.st_ino != m_inode || status.st_size < m_read) {
        forget();
        m_inode = status.st_ino;
    }
    m_file = std::move(file);
    require(::lseek(m_file.get(), m_read, SEEK_SET) == m_read, "read");
    m_rest += posix::contents(m_file);
    m_read = ::lseek(m_file.get(), 0, SEEK_CUR);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = m_rest.find('\n', begin)) != std::string::npos; begin = end + 1)
        take(QByteArray::fromRawData(m_rest.data() + begin, qsizetype(end - begin)));
    m_rest.erase(0, begin);
    m_endsInLine = m_rest.empty();
}

void ReplayFile::forget()
{
    m_begun.clear();
    m_lines = 0;
    m_read = 0;
    m_rest.clear();
}

void ReplayFile::take(const QByteArray &line)
{
    ++m_lines;
    const QByteArrayList words = line.split(' ');
    bool isNumber = words.size() == 3 && words[2].size() == KeySize;
    const qint64 number = isNumber ? words[1].toLongLong(&isNumber) : 0;
    if (!isNumber)
        return;
    const QByteArray key(words[2].constData(), KeySize);
    if (words[0] == "b")
        m_begun[key].note(number);
    else if (words[0] == "u")
        forget(key);
}

bool ReplayFile::noteStart(const QByteArray &key, const Question &question, QByteArray &lines)
{
    if (question.most <= 0)
        return false;
    Begun &begun = m_begun[key];
    if (begun.count >= question.most)
        return false;
    begun.note(question.startBy);
    add(lines, "b " + QByteArray::number(question.startBy) + ' ' + key);
    return true;
}

// One start less.
bool ReplayFile::forget(const QByteArray &key)
{
    const auto begun = m_begun.find(key);
    if (begun == m_begun.end())
        return false;
    if (--begun->second.count == 0)
        m_begun.erase(begun);
    return true;
}

bool ReplayFile::takeBack(const Question &question, QByteArray &lines)
{
    const bool isKnown = forget(question.key);
    if (isKnown)
        add(lines, "u " + QByteArray::number(question.startBy) + ' ' + question.key);
    return isKnown;
}

bool ReplayFile::note(const Question &question, QByteArray &lines)
{
    if (!question.forgiven.isEmpty() && !noteStart(question.forgiven, question, lines))
        return false;
    switch (question.kind) {
    case Question::Kind::Start:
        return noteStart(question.key, question, lines);
    case Question::Kind::Back:
        return takeBack(question, lines);
    case Question::Kind::Look: {
        const auto begun = m_begun.find(question.key);
        return begun != m_begun.end() && begun->second.count >= question.most;
    }
    case Question::Kind::Trial:
        break;
    }
    add(lines, "t");
    return true;
}

void ReplayFile::add(QByteArray &lines, const QByteArray &line)
{
    ++m_lines;
    lines.append(line).append('\n');
}

void ReplayFile::append(const QByteArray &lines)
{
    if (lines.isEmpty() || (lines == "\n"))
        return;
    const bool isWritten = posix::writeAll(m_file, {lines.constData(), std::size_t(lines.size())});
    if (!isWritten) {
        const int error = errno;
        m_file.reset(); // what was written is read again
        errno = error;
    }
    require(isWritten, "write");
    m_read += lines.size();
    m_rest.clear();
}

void ReplayFile::dropPassed(seconds now)
{
    std::erase_if(m_begun,
                  [now](const auto &entry) { return seconds(entry.second.startBy) + ReplayJournal::Slack < now; });
    if (m_begun.size() <= ReplayJournal::MaxStarts)
        return;
    std::vector<qint64> dates;
    for (const auto &[key, begun] : m_begun)
        dates.push_back(begun.startBy);
    const auto last = dates.begin() + std::ptrdiff_t(dates.size() - ReplayJournal::MaxStarts * 3 / 4);
    std::nth_element(dates.begin(), last, dates.end());
    std::erase_if(m_begun, [date = *last](const auto &entry) { return entry.second.startBy < date; });
}

// Half of its lines or more are of no use then, so a line costs two writes on average. If that fails, the long file
// still has all of them.
void ReplayFile::writeAnewIfLong(seconds now)
{
    if (m_lines < m_nextLook)
        return;
    dropPassed(now);
    if (writeAnew())
        return;
    qCWarning(lcReplayFile, "%s cannot be made shorter: %s", qPrintable(m_name), std::strerror(errno));
    m_nextLook = m_lines + FewLines;
}

// False if that failed; errno says why.
bool ReplayFile::writeAnew()
{
    QByteArray lines;
    std::size_t count = 0;
    for (const auto &[key, begun] : m_begun)
        for (int i = 0; i < begun.count; ++i, ++count)
            lines += "b " + QByteArray::number(begun.startBy) + ' ' + key + '\n';
    m_nextLook = std::max(FewLines, 2 * count);
    const std::string fresh = m_path + ".new";
    {
        const FileDescriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        const bool isWritten = file && posix::writeAll(file, {lines.constData(), std::size_t(lines.size())})
            && ::fdatasync(file.get()) == 0;
        if (!isWritten)
            return false;
    }
    if (::rename(fresh.c_str(), m_path.c_str()) != 0)
        return false;
    m_file.reset(); // the next call reads the new one
    return true;
}

} // namespace drover::workers
