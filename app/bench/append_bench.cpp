#include "app/bench/benches.h"
#include "app/bench/figures/distribution.h"
#include "async/offload.h"
#include "files/file_log.h"
#include "files/ledgers.h"
#include "files/shared_file.h"
#include "jobs/model/cluster.h"

#include <stdexcept>

namespace drover::app {

using namespace std::chrono_literals;
using files::FileStore;
using files::SharedFile;

namespace {

struct Contest {
    int recordSize = 0;
    bool over = false;
    qint64 appended = 0;
    Distribution times;
    std::exception_ptr failure;
};

QByteArray recordOf(const QByteArray &key, int size)
{
    return key.leftJustified(std::max(size - 1, 0), '.', true) + '\n';
}

async::Task<void> append(async::Loop &loop, SharedFile &file, int writer, Contest &contest)
{
    for (int i = 0; !contest.over; ++i) {
        const QByteArray key = QByteArray::number(writer) + '-' + QByteArray::number(i);
        const async::TimePoint begin = loop.now();
        const SharedFile::Appended appended = co_await file.append(key, recordOf(key, contest.recordSize));
        if (appended.already)
            throw std::runtime_error("the file had a record of that key; give one that is not there yet");
        contest.times.add(loop.now() - begin);
        ++contest.appended;
    }
}

async::Task<void> verify(jobs::Cluster cluster, QString path, qint64 records)
{
    const std::optional<files::StoredLedger> stored = co_await files::readLedger(cluster.zk, cluster.layout, path);
    if (!stored || stored->ledger.records != records || !stored->ledger.pending.empty())
        throw std::runtime_error("the ledger does not have the records that were appended");
    const std::function<files::Comparison()> compare = [path, ledger = stored->ledger] {
        return files::compare(FileStore(path), ledger);
    };
    const files::Comparison comparison = co_await async::offload<files::Comparison>(cluster.zk.loop(), compare);
    if (!comparison.faults.isEmpty() || comparison.size != stored->ledger.committed)
        throw std::runtime_error("the file is not what was appended to it");
}

} // namespace

async::Task<Figures> measureAppend(std::vector<zk::Client *> sessions, jobs::Layout layout, AppendBenchOptions options)
{
    async::Loop &loop = sessions.front()->loop();
    std::vector<std::unique_ptr<SharedFile>> files;
    for (zk::Client *session : sessions) {
        std::unique_ptr<SharedFile> file = co_await SharedFile::open(*session, layout, options.path, "bench");
        files.push_back(std::move(file));
    }
    Contest contest;
    contest.recordSize = options.recordSize;
    async::TaskGroup writers([&contest](const std::exception_ptr &error) {
        contest.failure = error;
        contest.over = true;
    });
    const async::TimePoint begin = loop.now();
    for (int writer = 0; writer < options.writers; ++writer)
        writers.spawn(append(loop, *files[static_cast<std::size_t>(writer) % files.size()], writer, contest));
    co_await async::sleepFor(loop, options.duration);
    contest.over = true;
    co_await writers.drained();
    const async::Duration elapsed = loop.now() - begin;
    if (contest.failure)
        std::rethrow_exception(contest.failure);
    co_await verify(jobs::Cluster(*sessions.front(), layout), files.front()->store().path(), contest.appended);

    Figures figures("append");
    figures.add("writers", options.writers, "at a time");
    figures.add("sessions", static_cast<int>(sessions.size()), "that they share");
    figures.add("bytes", options.recordSize, "a record");
    figures.addMilliseconds("elapsed_ms", elapsed, "measured");
    figures.add("records", contest.appended, "appended, compared afterwards");
    figures.add("per_s", static_cast<double>(contest.appended) / std::chrono::duration<double>(elapsed).count(),
                "appends a second");
    figures.addTimes("", contest.times, "an append");
    co_return figures;
}

} // namespace drover::app
