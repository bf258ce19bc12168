#pragma once

#include "files/file_store.h"
#include "workers/working.h"

#include <QTest>

namespace drover::test {

// A job whose output of five bytes is appended to a file. Lost that often, it is given up.
inline jobs::JobSpec lastAttempts(int count, const QString &file)
{
    jobs::JobSpec spec = JobCluster::spec();
    spec.environment[QStringLiteral("TAKES")] = QStringLiteral("1000");
    spec.environment[QStringLiteral("WRITES")] = QStringLiteral("5");
    spec.appendTo = file;
    spec.maxAttempts = count;
    return spec;
}

// As far as the job's first worker has come.
inline void reserve(WorkerCluster &fake, const workers::ClaimedJob &job, bool committed)
{
    const files::FileStore store(files::FileStore::canonicalPath(job.spec.appendTo));
    files::Ledger ledger = store.begin();
    ledger.reserve(job.id.bytes(), files::Payload::of("five\n"));
    if (committed) {
        store.apply(ledger);
        ledger.commit();
    }
    const zk::Path node = fake.layout.file(store.path());
    fake.run(fake[2].ensurePath(node));
    fake.commit(zk::Transaction().create(node / "meta", ledger.encode()));
}

inline void verifyIsInDoubt(WorkerCluster &fake, const jobs::JobId &id, const QString &path)
{
    QVERIFY(fake.exists(fake.layout.done(id)));
    const jobs::FinalRecord record = fake.recordOf(id);
    QCOMPARE(record.state(), jobs::JobState::Failed);
    const QString doubt = path + QStringLiteral(" may have the output of an earlier attempt");
    QVERIFY2(record.reason.contains(doubt), qPrintable(record.reason));
}

// What this worker does with files never comes to an end.
inline void hangFilesOf(WorkerCluster &fake, int who)
{
    fake.process(who).setPool([](const std::function<void()> &) {});
}

} // namespace drover::test
