#pragma once

#include "jobs/layout.h"
#include "recipes/fence.h"
#include "workers/files/file_store.h"
#include "workers/runner/fd.h"
#include "zk/coordinator.h"

#include <QSet>

#include <deque>

namespace drover::workers {

// Appends records to a file that processes on many machines share: each whole, each once, whoever dies or stands still.
//
//     <cluster>/files/<sha256 of the path>/meta     persistent: the Ledger, changed by version only
//                                         /lock/    who writes, and who waits for it; see recipes::Mutex
//
//     append: spool the bytes if they are long; await the file's lock; read the ledger
//       finish what is pending: write it at its place, sync, commit          -- a dead writer's, or nothing
//       reserve {key, offset, length, sha256} for all who wait here          -- one transaction, their group commit
//       write, sync
//       commit, and reserve for those who have come meanwhile                -- one transaction
//       release after a while, for others
//
// Each transaction checks the lock's node and the ledger's version. The lock is for order and speed alone; what makes
// it right is the version: a range is reserved once, for one key with one hash, and before anything else is reserved it
// is finished. A writer that has lost the lock without noticing can therefore do no more than write the same bytes to
// the same place once again (README.md has the proof).
//
// What is reserved may be in the file one day, whoever writes it. So an append whose record is reserved, or may be, never
// fails for the file's sake: it is AppendUnsettled, and the same key is to be tried again until the file can be written.
//
//     ENOSPC, EIO, a refused file, while a record with this key is pending      unsettled
//     the system refuses, while records of others are pending                   unsettled: those may be written any time
//     the record cannot be taken in (no room to spool it)                       its key is looked for first: if it is
//                                                                               there, an earlier try has appended it
//     otherwise                                                                 the failure itself: it is not reserved
//
// A key appends once, ever: keys that were committed are looked up in the file's log. One thread, the session's; files
// are read and written in the pool. Has to outlive its appends.
class SharedFile
{
public:
    struct Appended {
        qint64 offset = 0;
        qint64 length = 0;
        bool already = false; // the key was there before; offset and length are of that record
        bool sameBytes = true; // false: it was there with other bytes, and still is
    };

    // `about` is stored in the lock's node for people to read. Throws FileError if the file's folder is not there.
    static async::Task<std::unique_ptr<SharedFile>> open(zk::Coordinator &zk, jobs::Layout layout, QString path,
                                                         QByteArray about);

    SharedFile(zk::Coordinator &zk, const zk::Path &node, FileStore store, QByteArray about);
    ~SharedFile();

    const FileStore &store() const { return m_store; }

    // Returns when the record is in the file, synced and committed. Throws InvalidKey; FileRefused, FileError: nothing of
    // this key is in the file, nor will be; AppendUnsettled, jobs::Malformed (somebody has written to the ledger's node),
    // SessionLost: the record may be appended or not. The same key may always be tried again, here or elsewhere.
    // Cancelled: likewise.
    async::Task<Appended> append(QByteArray key, QByteArray bytes);
    // All that can be read from `source`, which may be a pipe or a terminal: cancelled, it is not waited for.
    async::Task<Appended> append(QByteArray key, std::shared_ptr<runner::Fd> source);
    async::Task<Appended> appendFile(QByteArray key, QString source);

    // How often the lock was lost to others before our transaction, or our write, had come through.
    qint64 deposed() const { return m_deposed; }

private:
    struct Waiting {
        QByteArray key;
        Payload payload;
        std::exception_ptr notTakenIn; // then there is no payload, but there may be a record
        std::shared_ptr<async::Promise<Appended>> promise;
        bool tried = false; // it may have been reserved, and finished by others
        Appended result;
    };
    using Line = std::deque<Waiting>;

    async::Task<Appended> enqueue(QByteArray key, std::function<Payload()> takeIn);
    async::Task<void> work();
    async::Task<void> turn();
    async::Task<void> load();
    async::Task<bool> settleDisk();
    async::Task<bool> isCurrent();
    async::Task<void> reserveWaiting(Ledger &next);
    async::Task<std::optional<FileRecord>> find(Ledger ledger, QByteArray key);
    async::Task<bool> save(recipes::Fence fence, Ledger next);
    void dropSpools(const std::vector<PendingRecord> &done);
    void answer(Line line);
    void standAgain(Line &line);
    void fail(Line line, const std::exception_ptr &error);
    void failAll(const std::exception_ptr &error);
    bool mayBeReserved(const Waiting &waiting, bool refused) const;

    zk::Coordinator &m_zk;
    zk::Path m_lock;
    zk::Path m_meta;
    FileStore m_store;
    QByteArray m_about;

    Ledger m_ledger; // as last read or written
    qint32 m_version = -1; // of its node
    QByteArray m_indexed; // id of the ledger whose keys are in m_keys
    qint64 m_indexedTo = 0; // bytes of its log
    QSet<size_t> m_keys; // hashes

    qint64 m_deposed = 0;
    Line m_waiting;
    Line m_found; // their keys are in the file, or will be with the transaction under way
    Line m_reserving; // by the transaction under way
    Line m_reserved; // what is pending in m_ledger, if it is ours
    async::TaskGroup m_work; // last: destroyed first
};

} // namespace drover::workers
