#include "core/files/shared_file_fixture.h"
#include "files/append_guard.h"
#include "files/ledgers.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace drover::files;

// What the second process reads from a server that is behind, after the first has written.
class LaggingReadsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aLedgerIsReadAsItIs()
    {
        SharedFileFixture files(2);
        files.append(0, "a", "one\n");
        files.lag(1);
        files.append(0, "b", "two\n");
        const auto stored = files.run(readLedger(files[1], files.layout, FileStore::canonicalPath(files.path)));
        QCOMPARE(stored->stat.version, files.server.tree().find(files.meta())->stat.version);
    }

    void aRecordIsFound()
    {
        SharedFileFixture files(2);
        files.lag(1);
        files.append(0, "a", "one\n");
        const std::optional<Appended> found = files.run(files(1).find("a"));
        QVERIFY(found);
        QVERIFY(found->already);
    }

    void aLedgerOfThatNameIsFound()
    {
        SharedFileFixture files(2);
        files.lag(1);
        files.append(0, "a", "one\n");
        QVERIFY(files.run(mayHaveRecord(files[1], files.layout, files.path, "a")));
    }

    void aGuardThatHasChangedRefuses()
    {
        SharedFileFixture files(2);
        const zk::Path guard("/guard");
        files.get(files[0].create(guard, {})).require();
        files.settle();
        files.lag(1);
        files.get(files[0].set(guard, "claimed anew")).require();
        const std::exception_ptr refusal = files.run(whyRefused(files[1], {guard, 0}));
        QVERIFY(refusal);
        QVERIFY_THROWS_EXCEPTION(AppendRevoked, std::rethrow_exception(refusal));
    }
};

QTEST_GUILESS_MAIN(LaggingReadsTest)
#include "lagging_reads_test.moc"
