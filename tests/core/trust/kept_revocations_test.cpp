#include "trust/certificate.h"
#include "trust/kept_revocations.h"
#include "trust/revocations.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace drover::trust;

// Revocation lists that a machine keeps, so that ZooKeeper's word is not needed for them.
class KeptRevocationsTest : public QObject
{
    Q_OBJECT

    QByteArray line(qint64 number, std::set<QByteArray> serials) const
    {
        return Revocations{number, std::move(serials)}.signedBy(m_root, m_cluster);
    }
    QString path() const { return m_folder.filePath(QStringLiteral("revocations")); }
    KeptRevocations kept() const { return {path(), m_cluster}; }

    const SigningKey m_root = SigningKey::generate();
    const QByteArray m_cluster = Certificate::newClusterId();
    QTemporaryDir m_folder;

private Q_SLOTS:
    void cleanup() { QFile::remove(path()); }

    void theNewestIsKept()
    {
        QVERIFY(kept().read().isEmpty());
        kept().keep(line(1, {}));
        kept().keep(line(2, {"aa"}));
        QCOMPARE(kept().read(), QByteArrayList{line(2, {"aa"})});
        kept().keep(line(2, {"aa"}));
        kept().keep(line(3, {"aa", "bb"}));
        QCOMPARE(kept().read(), QByteArrayList{line(3, {"aa", "bb"})});
        QCOMPARE(QFile::permissions(path()) & (QFileDevice::ReadGroup | QFileDevice::ReadOther),
                 QFileDevice::Permissions());
    }

    // Until a list names all of them.
    void listsThatDoNotKnowOfEachOtherAreBothKept()
    {
        kept().keep(line(5, {"aa"}));
        kept().keep(line(5, {"bb"}));
        kept().keep(line(1, {"cc"}));
        QCOMPARE(kept().read(), (QByteArrayList{line(5, {"aa"}), line(5, {"bb"}), line(1, {"cc"})}));
        kept().keep(line(6, {"aa", "bb", "cc"}));
        QCOMPARE(kept().read(), QByteArrayList{line(6, {"aa", "bb", "cc"})});
    }

    void clustersAreKeptApart()
    {
        const QByteArray other = Certificate::newClusterId();
        kept().keep(line(5, {"aa"}));
        const QByteArray theirs = Revocations{1, {}}.signedBy(m_root, other);
        KeptRevocations(path(), other).keep(theirs);
        QCOMPARE(kept().read(), QByteArrayList{line(5, {"aa"})});
        QCOMPARE(KeptRevocations(path(), other).read(), QByteArrayList{theirs});
    }

    void aMalformedListIsNotKept()
    {
        QVERIFY_THROWS_EXCEPTION(Untrusted, kept().keep("scribble"));
        QVERIFY(!QFile::exists(path()));
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(m_cluster + " scribble\n\nx");
        file.close();
        kept().keep(line(1, {"aa"}));
        QCOMPARE(kept().read().last(), line(1, {"aa"}));
    }

    void unreadableAndUnwritableFilesAreReported()
    {
        QVERIFY(QDir().mkpath(path()));
        QVERIFY_THROWS_EXCEPTION(BadCredentials, kept().read());
        QVERIFY(QDir().rmdir(path()));
        const KeptRevocations nowhere(m_folder.filePath(QStringLiteral("none/revocations")), m_cluster);
        QVERIFY_THROWS_EXCEPTION(BadCredentials, nowhere.keep(line(1, {})));
    }

    // Several workers share a spool.
    void manyMayKeepAtOnce()
    {
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([this, i] { kept().keep(line(5, {QByteArray::number(i)})); });
        for (std::thread &thread : threads)
            thread.join();
        QCOMPARE(kept().read().size(), 8);
    }
};

QTEST_APPLESS_MAIN(KeptRevocationsTest)
#include "kept_revocations_test.moc"
