#pragma once

#include "files/file_store.h"
#include "jobs/model/layout.h"
#include "posix/file_descriptor.h"
#include "recipes/blocks/fence.h"
#include "zk/client.h"

#include <QSet>

#include <deque>

namespace drover::files {

// Appends records to a file that processes on many machines share. Each record is appended whole and once, whatever
// process dies or stands still.
//
//     <cluster>/files/<sha256 of the path>/meta     persistent: the Ledger, changed by version only
//                                         /lock/    the writer and the waiting ones; see recipes::Mutex
//
//     append: spool the bytes if they are long; await the file's lock; read the ledger
//       finish the pending records: write them at their places, sync, commit  -- of a dead writer, if any
//       reserve {key, offset, length, sha256} for all waiting appends         -- one transaction, their group commit
//       write, sync
//       commit, and reserve for the appends that have come meanwhile          -- one transaction
//       release after a while, for others
//
// Each transaction checks the lock's node and the ledger's version. The lock gives order and speed; the version makes
// the result correct. A range is reserved once, for one key with one hash, and is finished before anything else is
// reserved. A writer that has lost the lock without noticing can only write the same bytes to the same place once again
// (README.md has the proof).
//
// Another writer may write a reserved record at any time. So an append whose record is reserved, or may be, never fails
// because of the file. It throws AppendUnsettled, and the caller retries the same key until the file can be written.
//
//     ENOSPC, EIO, a refused file, while a record with this key is pending      unsettled
//     the system refuses, while records of others are pending                   unsettled: they may be written any time
//     the record cannot be taken in (no room to spool it)                       its key is looked for first: if it is
//                                                                               there, an earlier try has appended it
//     otherwise                                                                 the failure itself: it is not reserved
//
// A key appends once, ever: the file's log has all committed keys. Use it on the session's thread; files are read and
// written in the pool. It must outlive its appends.
class SharedFile
{
public:
    struct Appended {
        qint64 offset = 0;
        qint64 length = 0;
        bool already = false; // the key existed; offset and length are that record's
        bool sameBytes = true; // false: it was there with other bytes, and still is
    };

    // `about` is stored in the lock's node for people to read. Throws FileError if the file's folder is not there.
    static async::Task<std::unique_ptr<SharedFile>> open(zk::Client &zk, jobs::Layout layout, QString path,
                                                         QByteArray about);

    SharedFile(zk::Client &zk, const zk::Path &node, FileStore store, QByteArray about);
    ~SharedFile();

    const FileStore &store() const { return m_store; }

    // Returns when the record is in the file, synced and committed. Throws InvalidKey, FileRefused, FileError: the
    // record is not in the file and never will be. Throws AppendUnsettled, SessionLost, jobs::Malformed (the ledger's
    // node was written by hand): the record may be appended or not, as after a cancelled call. The caller may always
    // retry the key, here or elsewhere.
    async::Task<Appended> append(QByteArray key, QByteArray bytes);
    // Appends all that can be read from `source`, which may be a pipe or a terminal. A cancelled call stops reading.
    async::Task<Appended> append(QByteArray key, std::shared_ptr<posix::FileDescriptor> source);
    // With `guard`, the record is reserved only while that node has that version; else this throws AppendRevoked. It
    // throws AccessDenied if this session may not read that node: the record is not in the file.
    async::Task<Appended> appendFile(QByteArray key, QString source, std::optional<zk::Transaction::Check> guard = {});
    // Finishes what is reserved and says where the record with this key is. Nothing: it is not in the file. It gets
    // there only by an append that has not reserved it yet. Throws as append() does.
    async::Task<std::optional<Appended>> find(QByteArray key);

    // How often the lock was lost to another writer before a transaction or a write had come through.
    qint64 deposed() const { return m_deposed; }

private:
    struct Waiting {
        QByteArray key;
        Payload payload;
        std::exception_ptr notTakenIn; // then there is no payload, but there may be a record
        std::shared_ptr<async::Promise<Appended>> promise;
        bool tried = false; // it may have been reserved, and finished by others
        Appended result;
        std::optional<zk::Transaction::Check> guard;
    };
    using Line = std::deque<Waiting>;

    async::Task<Appended> enqueue(QByteArray key, std::function<Payload()> takeIn,
                                  std::optional<zk::Transaction::Check> guard = {});
    async::Task<void> work();
    async::Task<void> turn();
    async::Task<void> load();
    async::Task<bool> settleDisk();
    async::Task<bool> isCurrent();
    async::Task<void> reserveWaiting(Ledger &next);
    async::Task<bool> save(recipes::Fence fence, Ledger next);
    void revoke(const zk::Transaction::Check &guard, const std::exception_ptr &why);
    async::Task<void> revokeHidden(std::exception_ptr denied);
    void dropSpools(const std::vector<PendingRecord> &done);
    void answer(Line line);
    void standAgain(Line &line, bool tried);
    void fail(Line line, const std::exception_ptr &error);
    void failAll(const std::exception_ptr &error);

    zk::Client &m_zk;
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
    Line m_found; // keys in the file, or in the present transaction
    Line m_reserving; // by the transaction under way
    Line m_reserved; // what is pending in m_ledger, if it is ours
    async::TaskGroup m_work; // last: destroyed first
};

} // namespace drover::files
