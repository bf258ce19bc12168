#include "workers/claims/replay_journal.h"

#include "async/offload.h"
#include "workers/claims/replay_file.h"

#include <QCryptographicHash>

#include <utility>

namespace drover::workers {

using std::chrono::seconds;
using Kind = ReplayFile::Question::Kind;

namespace {

// The parts have no fixed size, so each comes with its own.
QByteArray keyOf(const ReplayJournal::Start &start)
{
    const QByteArray text = QByteArray::number(start.serial.size()) + ' ' + start.serial + ' '
        + QByteArray::number(start.nonce.size()) + ' ' + start.nonce + ' ' + QByteArray::number(start.index);
    return QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex().first(ReplayFile::KeySize);
}

ReplayFile::Question questionOf(const ReplayJournal::Start &start, Kind kind)
{
    return {.key = keyOf(start), .startBy = start.startBy.count(), .kind = kind};
}

} // namespace

struct ReplayJournal::Note {
    ReplayFile::Question question{};
    async::Promise<bool> result{}; // whether this is one of them
};

ReplayJournal::ReplayJournal(async::Loop &loop, QString spool, const zk::ServerClock *clock)
    : m_loop(loop), m_clock(clock), m_file(std::make_shared<ReplayFile>(std::move(spool)))
{
}

ReplayJournal::~ReplayJournal() = default;

async::Task<bool> ReplayJournal::begin(Start start, int most)
{
    Note note{questionOf(start, Kind::Start)};
    note.question.most = most;
    co_return co_await written(std::move(note));
}

async::Task<bool> ReplayJournal::hasBegun(Start start, int times)
{
    Note note{questionOf(start, Kind::Look)};
    note.question.most = times;
    co_return co_await written(std::move(note));
}

void ReplayJournal::takeBack(Start start)
{
    Note note{questionOf(start, Kind::Back)};
    post(std::move(note));
}

async::Task<bool> ReplayJournal::forgive(Start start, int most)
{
    Note note{questionOf(start, Kind::Back)};
    note.question.most = most;
    start.nonce += " forgiven"; // no start's: those are hexadecimal
    note.question.forgiven = keyOf(start);
    co_return co_await written(std::move(note));
}

async::Task<void> ReplayJournal::tryToWrite()
{
    Note note;
    note.question.kind = Kind::Trial;
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
        if (!areNoted[i] || back.question.kind != Kind::Start)
            continue;
        back.question.kind = Kind::Back;
        m_waiting.push_back(std::move(back));
    }
}

async::Task<void> ReplayJournal::writeAll()
{
    while (!m_waiting.empty()) {
        const auto notes = std::make_shared<std::vector<Note>>(std::exchange(m_waiting, {}));
        std::vector<ReplayFile::Question> questions;
        for (const Note &note : *notes)
            questions.push_back(note.question);
        std::exception_ptr error;
        ReplayFile::Answers answers;
        const std::shared_ptr<ReplayFile> file = m_file;
        const std::function<ReplayFile::Answers()> work = [file, questions] { return file->answer(questions); };
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
    const std::shared_ptr<ReplayFile> file = m_file;
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

async::Task<void> NotedStart::forgive(int most)
{
    const std::shared_ptr<ReplayJournal> journal = m_mayHaveBegun ? m_journal.lock() : nullptr;
    if (!journal)
        co_return;
    try {
        co_await journal->forgive(m_start, most);
    } catch (const ReplayJournal::Failed &) {
        // The worker finds that out when it notes a start.
    }
}

} // namespace drover::workers
