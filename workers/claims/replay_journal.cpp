#include "workers/claims/replay_journal.h"

#include "async/offload.h"
#include "posix/files.h"

#include <QCryptographicHash>
#include <QFile>
#include <QLoggingCategory>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include <sys/file.h>
#include <unistd.h>

namespace drover::workers {

using posix::FileDescriptor;
using std::chrono::seconds;

Q_LOGGING_CATEGORY(lcReplayJournal, "drover.workers.replay_journal")

namespace {

constexpr qsizetype KeySize = 32; // hex digits, 128 bits of the hash
constexpr std::size_t FewLines = 1000; // that are not worth writing anew

// The parts have no fixed size, so each comes with its own.
QByteArray keyOf(const ReplayJournal::Start &start)
{
    const QByteArray text = QByteArray::number(start.serial.size()) + ' ' + start.serial + ' '
        + QByteArray::number(start.nonce.size()) + ' ' + start.nonce + ' ' + QByteArray::number(start.index);
    return QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex().first(KeySize);
}

} // namespace

// The file and what it says. Blocks; throws Failed.
class ReplayJournal::File
{
public:
    struct Question {
        Question() = default;
        explicit Question(const Start &start) : key(keyOf(start)), startBy(start.startBy.count()) { }

        QByteArray key{};
        qint64 startBy = 0;
        int most = 0; // starts that are allowed
        bool isTrial = false; // of no start
        bool isBack = false; // takes back a start
        QByteArray forgiven{}; // only if this key may be noted, fewer than `most` times
        seconds now{};
    };

    explicit File(const QString &spool)
        : m_name(spool + QStringLiteral("/replay-journal")), m_path(QFile::encodeName(m_name).toStdString())
    {
    }

    struct Answers {
        std::vector<bool> all{}; // in the order of the questions
        std::exception_ptr error{}; // they are in the file, and a trial has found that the disk fails
    };

    Answers answer(const std::vector<Question> &questions)
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
            isTried = isTried || question.isTrial;
            answers.all.push_back(note(question, lines));
        }
        append(lines);
        if (isTried && ::fdatasync(m_file.get()) != 0)
            answers.error = std::make_exception_ptr(failed("write"));
        else if (!questions.empty())
            writeAnewIfLong(questions.back().now);
        return answers;
    }

    void sync()
    {
        const std::lock_guard guard(m_mutex);
        if (m_file)
            require(::fdatasync(m_file.get()) == 0, "write");
    }

private:
    struct Begun {
        qint64 startBy = 0;
        int count = 0;

        void note(qint64 by)
        {
            startBy = std::max(startBy, by);
            ++count;
        }
    };

    Failed failed(const char *what) const
    {
        return Failed(QStringLiteral("cannot %1 %2: %3; no signed job can begin")
                          .arg(QLatin1StringView(what), m_name, QString::fromLocal8Bit(std::strerror(errno))));
    }

    void require(bool isDone, const char *what) const
    {
        if (!isDone)
            throw failed(what);
    }

    // Another worker may have written lines, or the whole file anew.
    void catchUp()
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

    void forget()
    {
        m_begun.clear();
        m_lines = 0;
        m_read = 0;
        m_rest.clear();
    }

    void take(const QByteArray &line)
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

    bool noteStart(const QByteArray &key, const Question &question, QByteArray &lines)
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
    bool forget(const QByteArray &key)
    {
        const auto begun = m_begun.find(key);
        if (begun == m_begun.end())
            return false;
        if (--begun->second.count == 0)
            m_begun.erase(begun);
        return true;
    }

    bool takeBack(const Question &question, QByteArray &lines)
    {
        const bool isKnown = forget(question.key);
        if (isKnown)
            add(lines, "u " + QByteArray::number(question.startBy) + ' ' + question.key);
        return isKnown;
    }

    bool note(const Question &question, QByteArray &lines)
    {
        if (!question.forgiven.isEmpty() && !noteStart(question.forgiven, question, lines))
            return false;
        if (question.isBack)
            return takeBack(question, lines);
        if (!question.isTrial)
            return noteStart(question.key, question, lines);
        add(lines, "t");
        return true;
    }

    void add(QByteArray &lines, const QByteArray &line)
    {
        ++m_lines;
        lines.append(line).append('\n');
    }

    void append(const QByteArray &lines)
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

    void dropPassed(seconds now)
    {
        std::erase_if(m_begun, [now](const auto &entry) { return seconds(entry.second.startBy) + Slack < now; });
        if (m_begun.size() <= MaxStarts)
            return;
        std::vector<qint64> dates;
        for (const auto &[key, begun] : m_begun)
            dates.push_back(begun.startBy);
        const auto last = dates.begin() + std::ptrdiff_t(dates.size() - MaxStarts * 3 / 4);
        std::nth_element(dates.begin(), last, dates.end());
        std::erase_if(m_begun, [date = *last](const auto &entry) { return entry.second.startBy < date; });
    }

    // Half of its lines or more are of no use then, so a line costs two writes on average. If that fails, the long file
    // still has all of them.
    void writeAnewIfLong(seconds now)
    {
        if (m_lines < m_nextLook)
            return;
        dropPassed(now);
        if (writeAnew())
            return;
        qCWarning(lcReplayJournal, "%s cannot be made shorter: %s", qPrintable(m_name), std::strerror(errno));
        m_nextLook = m_lines + FewLines;
    }

    // False if that failed; errno says why.
    bool writeAnew()
    {
        QByteArray lines;
        std::size_t count = 0;
        for (const auto &[key, begun] : m_begun)
            for (int i = 0; i < begun.count; ++i, ++count)
                lines += "b " + QByteArray::number(begun.startBy) + ' ' + key + '\n';
        m_nextLook = std::max(FewLines, 2 * count);
        const std::string fresh = m_path + ".new";
        {
            const FileDescriptor file(
                ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
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

    const QString m_name;
    const std::string m_path;
    std::mutex m_mutex; // for all below
    FileDescriptor m_file;
    ino_t m_inode = 0;
    off_t m_read = 0; // bytes of the file that m_begun and m_rest contain
    std::string m_rest; // the beginning of a line
    bool m_endsInLine = true;
    std::size_t m_lines = 0;
    std::size_t m_nextLook = FewLines; // lines
    std::map<QByteArray, Begun> m_begun;
};

struct ReplayJournal::Note {
    File::Question question{};
    async::Promise<bool> result{}; // whether this is one of them
};

ReplayJournal::ReplayJournal(async::Loop &loop, QString spool, const zk::ServerClock *clock)
    : m_loop(loop), m_clock(clock), m_file(std::make_shared<File>(std::move(spool)))
{
}

ReplayJournal::~ReplayJournal() = default;

async::Task<bool> ReplayJournal::begin(Start start, int most)
{
    Note note{File::Question(start)};
    note.question.most = most;
    co_return co_await written(std::move(note));
}

void ReplayJournal::takeBack(Start start)
{
    Note note{File::Question(start)};
    note.question.isBack = true;
    post(std::move(note));
}

async::Task<bool> ReplayJournal::forgive(Start start, int most)
{
    Note note{File::Question(start)};
    note.question.isBack = true;
    note.question.most = most;
    start.nonce += " forgiven"; // no start's: those are hexadecimal
    note.question.forgiven = keyOf(start);
    co_return co_await written(std::move(note));
}

async::Task<void> ReplayJournal::tryToWrite()
{
    Note note;
    note.question.isTrial = true;
    co_await written(std::move(note));
}

// A clock that is ahead by days would forget starts whose jobs other machines still believe.
seconds ReplayJournal::now() const
{
    if (m_clock && !m_clock->isMeasured())
        return {};
    return std::chrono::duration_cast<seconds>(m_clock ? m_clock->now() : m_loop.wallClock());
}

void ReplayJournal::post(Note note)
{
    note.question.now = now();
    m_waiting.push_back(std::move(note));
    if (m_writer.empty())
        m_writer.spawn(writeAll());
}

async::Task<bool> ReplayJournal::written(Note note)
{
    const async::Future<bool> result = note.result.future();
    post(std::move(note));
    co_return co_await result;
}

// These starts are in the file, and none of them will begin: who waits for them gets an error.
void ReplayJournal::takeBack(const std::vector<Note> &notes, const std::vector<bool> &areNoted)
{
    for (std::size_t i = 0; i < areNoted.size(); ++i) {
        Note back{notes[i].question};
        const bool isStart = areNoted[i] && !back.question.isTrial && !back.question.isBack;
        if (!isStart)
            continue;
        back.question.isBack = true;
        m_waiting.push_back(std::move(back));
    }
}

async::Task<void> ReplayJournal::writeAll()
{
    while (!m_waiting.empty()) {
        const auto notes = std::make_shared<std::vector<Note>>(std::exchange(m_waiting, {}));
        std::vector<File::Question> questions;
        for (const Note &note : *notes)
            questions.push_back(note.question);
        std::exception_ptr error;
        File::Answers answers;
        const std::shared_ptr<File> file = m_file;
        const std::function<File::Answers()> work = [file, questions] { return file->answer(questions); };
        try {
            answers = co_await async::offload(m_loop, work);
            error = answers.error;
            if (m_syncing.empty())
                m_syncing.spawn(syncLater());
        } catch (const Failed &) {
            error = std::current_exception();
        }
        if (m_syncError)
            error = std::exchange(m_syncError, nullptr);
        if (error)
            takeBack(*notes, answers.all);
        // Later, from the loop: who waits for an answer may destroy this object.
        m_loop.post([notes, error, all = answers.all] {
            for (std::size_t i = 0; i < notes->size(); ++i)
                error ? (*notes)[i].result.fail(error) : (*notes)[i].result.set(all[i]);
        });
    }
}

async::Task<void> ReplayJournal::syncLater()
{
    co_await async::sleepFor(m_loop, SyncAfter);
    const std::shared_ptr<File> file = m_file;
    const std::function<bool()> work = [file] {
        file->sync();
        return true;
    };
    try {
        co_await async::offload(m_loop, work);
    } catch (const Failed &) {
        m_syncError = std::current_exception();
    }
}

} // namespace drover::workers
