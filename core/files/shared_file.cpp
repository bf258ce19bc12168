#include "files/shared_file.h"

#include "async/offload.h"
#include "files/append_guard.h"
#include "files/file_log.h"
#include "files/reading.h"
#include "recipes/blocks/line.h"
#include "recipes/blocks/persistent.h"
#include "recipes/locks/mutex.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <iterator>

namespace drover::files {

using namespace std::chrono_literals;
using recipes::Persistent;

namespace {

constexpr std::size_t MaxBatch = 256; // records in one reservation
constexpr qint64 MaxBatchBytes = 128 * 1024; // of them in the ledger's node, which takes 1 MB
constexpr auto TurnLength = 50ms; // then the lock goes to the next in line

// Of an append that only looks for its key.
struct NothingToAppend : FileError {
    NothingToAppend() : FileError(QStringLiteral("find a record"), ENODATA) { }
};

async::Task<std::optional<FileRecord>> findIn(async::Loop &loop, FileStore store, Ledger ledger, QByteArray key)
{
    const std::function<std::optional<FileRecord>()> look = [store, ledger, key] {
        return findRecord(store, ledger, key);
    };
    co_return co_await async::offload<std::optional<FileRecord>>(loop, look);
}

} // namespace

async::Task<std::unique_ptr<SharedFile>> SharedFile::open(zk::Client &zk, jobs::Layout layout, QString path,
                                                          QByteArray about)
{
    const std::function<QString()> resolve = [path] { return FileStore::canonicalPath(path); };
    const QString canonical = co_await async::offload<QString>(zk.loop(), resolve);
    co_return std::make_unique<SharedFile>(zk, layout.file(canonical), FileStore(canonical), about);
}

SharedFile::SharedFile(zk::Client &zk, const zk::Path &node, FileStore store, QByteArray about)
    : m_zk(zk), m_lock(node / "lock"), m_meta(node / "meta"), m_store(std::move(store)), m_about(std::move(about))
{
}

SharedFile::~SharedFile() = default;

async::Task<SharedFile::Appended> SharedFile::append(QByteArray key, QByteArray bytes)
{
    return enqueue(std::move(key), [store = m_store, bytes] { return store.takeIn(bytes); });
}

async::Task<SharedFile::Appended> SharedFile::append(QByteArray key, std::shared_ptr<posix::FileDescriptor> source)
{
    const Reading reading;
    const std::function<Payload()> takeIn = [store = m_store, source, end = reading.end()] {
        return store.takeIn(source->get(), end->get());
    };
    co_return co_await enqueue(std::move(key), takeIn);
}

async::Task<SharedFile::Appended> SharedFile::appendFile(QByteArray key, QString source,
                                                         std::optional<zk::Transaction::Check> guard)
{
    return enqueue(
        std::move(key), [store = m_store, source] { return store.takeIn(source); }, std::move(guard));
}

// An append without bytes: its key is looked for, and it is not reserved. No transaction of ours would show that a
// server is behind.
async::Task<std::optional<SharedFile::Appended>> SharedFile::find(QByteArray key)
{
    const zk::Answer<zk::Stat> ledger = co_await Persistent(m_zk).afterSync(m_meta).exists(m_meta);
    if (!ledger.ok())
        co_return std::nullopt;
    const std::function<Payload()> nothing = []() -> Payload { throw NothingToAppend(); };
    try {
        const Appended found = co_await enqueue(std::move(key), nothing);
        co_return found;
    } catch (const NothingToAppend &) {
    }
    co_return std::nullopt;
}

async::Task<SharedFile::Appended> SharedFile::enqueue(QByteArray key, std::function<Payload()> takeIn,
                                                      std::optional<zk::Transaction::Check> guard)
{
    if (!isValidKey(key))
        throw InvalidKey(key);
    Payload payload;
    std::exception_ptr trouble;
    try {
        payload = co_await async::offload<Payload>(m_zk.loop(), takeIn);
    } catch (const FileError &) {
        trouble = std::current_exception();
    }
    const auto promise = std::make_shared<async::Promise<Appended>>();
    const async::Future<Appended> appended = promise->future();
    m_waiting.push_back(Waiting{key, std::move(payload), trouble, promise, false, {}, std::move(guard)});
    if (m_work.empty())
        m_work.spawn(work());
    co_return co_await appended;
}

async::Task<void> SharedFile::work()
{
    while (!m_waiting.empty()) {
        std::exception_ptr error;
        try {
            co_await turn();
        } catch (const recipes::TicketRevoked &) { // our place in the line was deleted by hand: stand there anew
        } catch (...) {
            error = std::current_exception();
        }
        if (error)
            failAll(error);
    }
}

// One holding of the lock.
async::Task<void> SharedFile::turn()
{
    recipes::Mutex mutex(m_zk, m_lock);
    const recipes::Lock lock = co_await mutex.acquire(m_about);
    const async::TimePoint end = m_zk.loop().now() + TurnLength;
    co_await load();
    do {
        bool holding = co_await settleDisk();
        Ledger next = m_ledger;
        const std::vector<PendingRecord> done = next.commit();
        if (holding && (done.empty() || m_zk.loop().now() < end))
            co_await reserveWaiting(next);
        if (holding && (!done.empty() || !next.pending.empty()))
            holding = co_await save(lock.fence(), next);
        if (!holding) { // what was reserved, others finish
            standAgain(m_reserving, false); // save() knows which may be
            standAgain(m_found, true);
            standAgain(m_reserved, true);
            co_return;
        }
        dropSpools(done);
        answer(std::exchange(m_reserved, std::exchange(m_reserving, {})));
        answer(std::exchange(m_found, {}));
    } while (!m_ledger.pending.empty());
}

async::Task<void> SharedFile::load()
{
    const zk::Answer<zk::Node> node = co_await Persistent(m_zk).get(m_meta);
    if (node.ok()) {
        m_ledger = Ledger::decode(node->data);
        m_version = node->stat.version;
        co_return;
    }
    const std::function<Ledger()> begin = [store = m_store] { return store.begin(); };
    m_ledger = co_await async::offload<Ledger>(m_zk.loop(), begin);
    m_version = -1;
}

// Makes the file what the ledger says, pending records included, and learns the keys that others have committed. False:
// the ledger has moved on without us, and the file with it.
async::Task<bool> SharedFile::settleDisk()
{
    const bool first = m_indexed != m_ledger.id;
    if (first) {
        m_indexed = m_ledger.id;
        m_indexedTo = 0;
        m_keys.clear();
    }
    const std::function<std::vector<size_t>()> settle = [store = m_store, ledger = m_ledger, first,
                                                         from = m_indexedTo] {
        store.apply(ledger);
        if (first)
            store.clearSpools(ledger);
        return from < ledger.logSize ? keyHashes(store, ledger, from) : std::vector<size_t>();
    };
    std::exception_ptr refusal;
    try {
        const std::vector<size_t> hashes = co_await async::offload<std::vector<size_t>>(m_zk.loop(), settle);
        for (const size_t hash : hashes)
            m_keys.insert(hash);
    } catch (const FileRefused &) {
        refusal = std::current_exception();
    }
    if (refusal) {
        const bool current = co_await isCurrent();
        if (current)
            std::rethrow_exception(refusal);
        ++m_deposed;
        co_return false;
    }
    for (const PendingRecord &pending : m_ledger.pending)
        m_keys.insert(qHash(pending.record.key));
    m_indexedTo = std::max(m_indexedTo, m_ledger.logSize + m_ledger.pendingLines().size());
    co_return true;
}

// Whether the ledger is as we last read or wrote it.
async::Task<bool> SharedFile::isCurrent()
{
    const zk::Answer<zk::Stat> stat = co_await Persistent(m_zk).afterSync(m_meta).exists(m_meta);
    co_return m_version == (stat.ok() ? stat->version : -1);
}

// A key that may be known is looked up. A second append of a key that is being reserved waits for the next round.
async::Task<void> SharedFile::reserveWaiting(Ledger &next)
{
    QSet<QByteArray> keys;
    qint64 bytes = 0;
    for (std::size_t i = 0; i < m_waiting.size() && next.pending.size() < MaxBatch && bytes < MaxBatchBytes;) {
        Waiting waiting = m_waiting[i];
        if (keys.contains(waiting.key)) {
            ++i;
            continue;
        }
        std::optional<FileRecord> found;
        if (m_keys.contains(qHash(waiting.key)))
            found = co_await findIn(m_zk.loop(), m_store, next, waiting.key);
        m_waiting.erase(m_waiting.begin() + static_cast<std::ptrdiff_t>(i));
        if (!found && waiting.notTakenIn) {
            fail(Line(1, waiting), waiting.notTakenIn);
            continue;
        }
        if (found) {
            const bool sameBytes = found->sha256 == waiting.payload.sha256 && found->length == waiting.payload.length;
            const bool same = waiting.notTakenIn || sameBytes;
            waiting.result = Appended{found->offset, found->length, !(waiting.tried && same), same};
            m_found.push_back(std::move(waiting));
            continue;
        }
        const FileRecord &record = next.reserve(waiting.key, waiting.payload);
        waiting.result = Appended{record.offset, record.length};
        bytes += waiting.payload.bytes.size();
        keys.insert(waiting.key);
        m_reserving.push_back(std::move(waiting));
    }
}

// One version of the ledger after the other. False: it was changed by others, or the lock's node has gone, or a guard
// was refused. An ACL may hide a guard: that fails its own append, and no other.
async::Task<bool> SharedFile::save(recipes::Fence fence, Ledger next)
{
    const QByteArray data = next.encode();
    zk::Transaction transaction;
    const std::size_t fences = fence.guard(transaction).size();
    if (m_version < 0)
        transaction.create(m_meta, data);
    else
        transaction.set(m_meta, data, m_version);
    for (const Waiting &waiting : m_reserving) {
        if (waiting.guard)
            transaction.check(waiting.guard->path, waiting.guard->version);
    }
    for (;;) {
        bool refused = false;
        const zk::Transaction::Check *guard = nullptr; // that was refused
        std::exception_ptr denied; // by the ACL of one of the nodes
        try {
            const zk::Answer<zk::Committed> committed = co_await m_zk.commit(transaction);
            refused = !committed.ok();
            if (!refused)
                break;
            const auto *check =
                std::get_if<zk::Transaction::Check>(&transaction.operations()[committed->refusedAt().value_or(0)]);
            guard = check && committed->refusedAt() >= fences + 1 ? check : nullptr;
        } catch (const zk::ConnectionLoss &) {
            std::for_each(m_reserving.begin(), m_reserving.end(), [](Waiting &waiting) { waiting.tried = true; });
        } catch (const zk::AccessDenied &) {
            denied = std::current_exception();
        }
        co_await m_zk.connected();
        // Without a sync: a server that lags costs another try, which is refused, and which shows what there is.
        const zk::Answer<zk::Node> node = co_await Persistent(m_zk).get(m_meta);
        const qint32 version = node.ok() ? node->stat.version : -1;
        if (node.ok() && version == m_version + 1 && node->data == data)
            break; // by the try whose reply was lost
        if (guard)
            revoke(*guard, revokedBy(guard->path));
        else if (denied)
            co_await revokeHidden(denied);
        else if (refused || version != m_version)
            ++m_deposed;
        else
            continue;
        co_return false;
    }
    m_ledger = std::move(next);
    ++m_version;
    co_return true;
}

// The others stand again.
void SharedFile::revoke(const zk::Transaction::Check &guard, const std::exception_ptr &why)
{
    const auto isRevoked = [&guard](const Waiting &waiting) {
        return waiting.guard && waiting.guard->path == guard.path && waiting.guard->version == guard.version;
    };
    const auto first = std::stable_partition(m_reserving.begin(), m_reserving.end(), std::not_fn(isRevoked));
    Line line;
    std::move(first, m_reserving.end(), std::back_inserter(line));
    m_reserving.erase(first, m_reserving.end());
    fail(std::move(line), why);
}

// Of the transaction that was denied. Throws that denial if no guard is the cause.
async::Task<void> SharedFile::revokeHidden(std::exception_ptr denied)
{
    bool any = false;
    const Line line = m_reserving;
    for (const Waiting &waiting : line) {
        if (!waiting.guard)
            continue;
        const std::exception_ptr why = co_await whyRefused(m_zk, *waiting.guard);
        if (why)
            revoke(*waiting.guard, why);
        any = any || why;
    }
    if (!any)
        std::rethrow_exception(denied);
}

// Answers the appends that are committed now, and those that were committed before.
void SharedFile::dropSpools(const std::vector<PendingRecord> &done)
{
    std::vector<Payload> spooled;
    const auto add = [&spooled](const Payload &payload) {
        if (!payload.spool.isEmpty())
            spooled.push_back(payload);
    };
    for (const PendingRecord &pending : done)
        add(pending.payload);
    for (const Waiting &waiting : m_found)
        add(waiting.payload);
    if (spooled.empty())
        return;
    const auto drop = [store = m_store, spooled] {
        for (const Payload &payload : spooled)
            store.drop(payload);
    };
    m_zk.loop().offload(drop, [] {});
}

// From the loop: who gets an answer may destroy this object, and with it the task that answers.
void SharedFile::answer(Line line)
{
    if (line.empty())
        return;
    const auto answers = std::make_shared<Line>(std::move(line));
    m_zk.loop().post([answers] {
        for (Waiting &waiting : *answers)
            waiting.promise->set(waiting.result);
    });
}

void SharedFile::standAgain(Line &line, bool tried)
{
    for (auto waiting = line.rbegin(); waiting != line.rend(); ++waiting) {
        waiting->tried = waiting->tried || tried;
        m_waiting.push_front(std::move(*waiting));
    }
    line.clear();
}

void SharedFile::fail(Line line, const std::exception_ptr &error)
{
    if (line.empty())
        return;
    const auto failed = std::make_shared<Line>(std::move(line));
    m_zk.loop().post([failed, error] {
        for (Waiting &waiting : *failed)
            waiting.promise->fail(error);
    });
}

// The error is the file's own refusal, or the system's, or ZooKeeper's. What may be reserved is unsettled then.
void SharedFile::failAll(const std::exception_ptr &error)
{
    std::exception_ptr unsettled;
    bool anyPending = false; // counts: who else writes it may write the others next
    try {
        std::rethrow_exception(error);
    } catch (const zk::SessionLost &) {
        unsettled = error;
    } catch (const FileError &trouble) {
        anyPending = !m_ledger.pending.empty();
        unsettled = std::make_exception_ptr(AppendUnsettled(trouble.what()));
    } catch (const std::exception &trouble) {
        unsettled = std::make_exception_ptr(AppendUnsettled(trouble.what()));
    }
    const auto mayBeReserved = [&](const Waiting &waiting) {
        const auto isOurs = [&](const PendingRecord &record) { return record.record.key == waiting.key; };
        return waiting.tried || anyPending || std::any_of(m_ledger.pending.begin(), m_ledger.pending.end(), isOurs);
    };
    for (Line *line : {&m_waiting, &m_reserving}) {
        Line reserved = std::exchange(*line, {});
        const auto others = std::stable_partition(reserved.begin(), reserved.end(), mayBeReserved);
        Line failed;
        std::move(others, reserved.end(), std::back_inserter(failed));
        reserved.erase(others, reserved.end());
        fail(std::move(reserved), unsettled);
        fail(std::move(failed), error);
    }
    fail(std::exchange(m_found, {}), unsettled);
    fail(std::exchange(m_reserved, {}), unsettled);
}

} // namespace drover::files
