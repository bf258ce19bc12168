#include "core/files/shared_file_fixture.h"

#include <QTest>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;
using namespace drover::files;

namespace {

// What a power cut would leave: bytes that were synced, under names whose folder was synced. Told by the calls below.
class Disk
{
public:
    void noteWrite(int fd)
    {
        const bool syncs = (::fcntl(fd, F_GETFL) & O_DSYNC) == O_DSYNC;
        ++writes[pathOf(fd)];
        if (!syncs)
            m_unsynced.insert(pathOf(fd));
    }

    void noteSync(int fd)
    {
        const QString path = pathOf(fd);
        m_unsynced.remove(path);
        if (QFileInfo(path).isDir())
            m_names[path] = namesIn(path);
    }

    // The files of these folders that would not be there, or not whole.
    QStringList atRisk(const QStringList &folders) const
    {
        QStringList risks;
        for (const QString &folder : folders) {
            for (const QString &name : namesIn(folder)) {
                const QString path = folder + u'/' + name;
                if (m_unsynced.contains(path) || !m_names.value(folder).contains(name))
                    risks.append(path);
            }
        }
        return risks;
    }

    QHash<QString, int> writes; // calls, by the file's path

private:
    static QString pathOf(int fd) { return QFile::symLinkTarget(QStringLiteral("/proc/self/fd/%1").arg(fd)); }
    static QStringList namesIn(const QString &folder)
    {
        return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    QSet<QString> m_unsynced;
    QHash<QString, QStringList> m_names; // of each folder, when it was synced
};

Disk *disk = nullptr;

} // namespace

// In the place of the C library's, for all that is linked with this program.
extern "C" {

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    const ssize_t written = ::syscall(SYS_pwrite64, fd, bytes, size, offset);
    if (disk)
        disk->noteWrite(fd);
    return written;
}

int fsync(int fd)
{
    if (disk)
        disk->noteSync(fd);
    return static_cast<int>(::syscall(SYS_fsync, fd));
}
}

// What the ledger says of a shared file is on the disk before. So a power cut cannot make the ledger wrong.
class DurabilityTest : public QObject
{
    Q_OBJECT

    // Appends them in turn. What was at risk when the ledger was written, as it is there now.
    static QString risksOf(const QByteArrayList &records)
    {
        Disk seen;
        disk = &seen;
        const auto restore = qScopeGuard([] { disk = nullptr; });
        SharedFileFixture files;
        const QStringList folders{files.directory.path(), files.store().sidecar()};
        QStringList risks;
        files.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            const FakeTree::Znode *ledger = files.server.tree().find(files.meta());
            if (ledger && ledger->stat.mzxid == commit.zxid)
                risks += seen.atRisk(folders);
        });
        for (int i = 0; i < records.size(); ++i)
            files.append(0, "key-" + QByteArray::number(i), records[i]);
        for (const QString &file : {files.path, files.store().logOf(files.ledger())}) {
            if (seen.writes.value(file) < records.size())
                risks.append(file + QStringLiteral(": its writes were not seen"));
        }
        risks.removeDuplicates();
        return risks.join(u'\n');
    }

private Q_SLOTS:
    void anAppendIsOnTheDiskBeforeItIsCommitted() { QCOMPARE(risksOf({"one\n", "two\n", "three\n"}), QString()); }

    // From its spool the next writer finishes it, whatever has become of the one that has reserved it.
    void aLongRecordIsOnTheDiskBeforeItIsReserved()
    {
        QCOMPARE(risksOf({longRecord(), "one\n", longRecord() + "two\n"}), QString());
    }
};

QTEST_GUILESS_MAIN(DurabilityTest)
#include "durability_test.moc"
