#pragma once

#include "async/loop.h"
#include "async/task_group.h"
#include "zk/server_clock.h"

#include <QString>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

namespace drover::workers {

class ReplayFile;

// Counts how often this machine has begun each signed job. A signature stays valid when its node is put back after the
// job has ended. So the number of runs has to be known outside of ZooKeeper.
//
// What it promises: a signed job begins at most as often on this machine as its signature allows. Runs that this
// machine broke off itself do not count, up to a bound (NotedStart::forgive). It promises nothing for a cluster as a
// whole. A forger who owns ZooKeeper can have a job begun that often on each machine, until its start-by. Nor does it
// hold for a job with the rights to write to the spool, or if the spool is deleted. A worker that dies between the note
// and the start has used up one of the starts. The note outlives the worker at once, and a power cut after SyncAfter.
// To wait for the disk at each start would cost a tenth of all jobs a second.
//
// It is the file "replay-journal" in the spool. A line "b <start-by> <hash>" is a start, and a line "u <start-by>
// <hash>" takes one back. Several workers may share it: each change is made under a lock. Any other line is skipped,
// such as the last one after a power cut, or that of a trial. It lives on one thread and reads and writes on others
// (Loop::offload). Notes that come together are written together.
class ReplayJournal
{
public:
    // The starts that are remembered. Beyond it the ones with the earliest start-by go, and may be repeated.
    static constexpr std::size_t MaxStarts = 1'000'000;
    static constexpr std::chrono::seconds SyncAfter{1};
    // A start is forgotten that long after its start-by: the clock may have been set back by less.
    static constexpr std::chrono::seconds Slack{3600};

    struct Start {
        QByteArray serial; // of the certificate
        QByteArray nonce; // of the signed job
        qint64 index = -1; // of the array's task; -1: no array
        std::chrono::seconds startBy{}; // Unix epoch; later the job is refused without the journal's help
    };

    // The journal cannot be read or written. The message is one line that names the file. The job must not begin.
    class Failed : public std::runtime_error
    {
    public:
        explicit Failed(const QString &why) : std::runtime_error(why.toStdString()) { }
    };

    // `spool` must exist. `clock`: the servers' time by which starts are forgotten; none are before it is measured. It
    // outlives this object. Null: the loop's clock.
    ReplayJournal(async::Loop &loop, QString spool, const zk::ServerClock *clock = nullptr);
    ReplayJournal(const ReplayJournal &) = delete;
    ReplayJournal &operator=(const ReplayJournal &) = delete;
    ~ReplayJournal();

    // Notes that the job begins now, and returns true, if it has begun here fewer than `most` times. The note is in the
    // file when this returns. Throws Failed, also if earlier notes did not reach the disk; its own note is taken back
    // then. A cancelled call may have made its note.
    async::Task<bool> begin(Start start, int most);

    // Whether the job has begun here that often. Notes nothing. Throws Failed, also if earlier notes did not reach the
    // disk.
    async::Task<bool> hasBegun(Start start, int times);

    // Takes such a note back: the job has not begun after all. It is done soon; if that fails, the note stays.
    void takeBack(Start start);
    // The start counts no more, if fewer than `most` starts of its job were forgiven; returns whether. One write tells
    // both, so a start that is noted later finds both. It is in the file when this returns. Throws Failed; then the
    // start may count. A cancelled call is carried out nevertheless, once the disk answers.
    async::Task<bool> forgive(Start start, int most);

    // Writes a line that means nothing, and waits for the disk. Throws Failed.
    async::Task<void> tryToWrite();

private:
    struct Note;

    std::chrono::seconds now() const;
    void post(Note note);
    async::Task<bool> written(Note note);
    void takeBack(const std::vector<Note> &notes, const std::vector<bool> &areNoted);
    async::Task<void> writeAll();
    async::Task<void> syncLater();

    async::Loop &m_loop;
    const zk::ServerClock *m_clock;
    std::shared_ptr<ReplayFile> m_file; // used by offloaded calls, which may outlive this object
    std::vector<Note> m_waiting;
    std::exception_ptr m_syncError; // not thrown yet
    async::TaskGroup m_syncing;
    async::TaskGroup m_writer; // last: its task uses the rest
};

// A start that is noted. If the machine could not begin the job, the note is taken back with the last owner of this
// object. Otherwise a machine that is sick for hours would use up all that the signature allows.
class NotedStart
{
public:
    // The journal may go before this object; then the note stays.
    NotedStart(std::weak_ptr<ReplayJournal> journal, ReplayJournal::Start start)
        : m_journal(std::move(journal)), m_start(std::move(start))
    {
    }
    NotedStart(const NotedStart &) = delete;
    NotedStart &operator=(const NotedStart &) = delete;
    ~NotedStart()
    {
        const std::shared_ptr<ReplayJournal> journal = m_mayHaveBegun ? nullptr : m_journal.lock();
        if (journal)
            journal->takeBack(std::move(m_start));
    }

    // True from the moment at which the runner gets the order to begin it; false again once it is certain that it has
    // not.
    void setMayHaveBegun(bool may) { m_mayHaveBegun = may; }

    // The start counts no more: this machine has broken the run off, and is about to give the job back at no cost. At
    // most `most` starts of a job are forgiven here. ReplayJournal::forgive() says what a cancelled call means. Does
    // nothing if the job has not begun. If the journal fails, the start may count.
    async::Task<void> forgive(int most);

private:
    std::weak_ptr<ReplayJournal> m_journal;
    ReplayJournal::Start m_start;
    bool m_mayHaveBegun = false;
};

} // namespace drover::workers
