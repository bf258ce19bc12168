#include "posix/trusted_open.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace drover::posix;

// Whose symbolic links are followed to the files that a job's submitter names.
class TrustedOpenTest : public QObject
{
    Q_OBJECT

    static constexpr uid_t Stranger = 65534;

    QTemporaryDir m_directory;

    std::string at(const char *name) const { return m_directory.filePath(QLatin1String(name)).toStdString(); }

    QByteArray contents(const char *name) const
    {
        QFile file(m_directory.filePath(QLatin1String(name)));
        return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
    }

    void link(const char *target, const char *name, bool ofStranger) const
    {
        QCOMPARE(::symlink(target, at(name).c_str()), 0);
        if (ofStranger)
            QCOMPARE(::lchown(at(name).c_str(), Stranger, Stranger), 0);
    }

    bool writes(const char *name, std::optional<mode_t> folders = std::nullopt) const
    {
        const FileDescriptor file = openTrusted(at(name), O_WRONLY | O_CREAT, 0600, folders);
        return file && ::write(file.get(), "new", 3) == 3;
    }

private Q_SLOTS:
    void init()
    {
        QVERIFY(QDir(m_directory.path()).removeRecursively()
                && QDir().mkpath(m_directory.filePath(QStringLiteral("real"))));
        QFile old(m_directory.filePath(QStringLiteral("real/file")));
        QVERIFY(old.open(QFile::WriteOnly) && old.write("old") == 3);
    }

    void linksOfOurOwnAreFollowed()
    {
        link("real", "home", false);
        link("../real/file", "real/there", false);
        QVERIFY(writes("home/there"));
        QCOMPARE(contents("real/file"), "new");
        link("real/none yet", "dangling", false);
        QVERIFY(writes("dangling"));
        QCOMPARE(contents("real/none yet"), "new");
    }

    void linksOfRootAreFollowed()
    {
        const FileDescriptor null = openTrusted("/dev/../dev/null", O_WRONLY, 0);
        QVERIFY(null);
        QVERIFY(openTrustedFile("/dev/null", O_WRONLY | O_CREAT, 0600));
        const std::optional<TrustedPlace> place = trustedPlace("/proc/self/../self/status"); // the kernel's links
        QVERIFY(place && place->name == "status");
    }

    void linksOfOthersAreNot_data()
    {
        QTest::addColumn<QByteArray>("target");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("path");
        QTest::newRow("the last part") << QByteArray("real/file") << QByteArray("out") << QByteArray("out");
        QTest::newRow("a folder") << QByteArray("real") << QByteArray("folder") << QByteArray("folder/file");
        QTest::newRow("to nothing yet") << QByteArray("real/other") << QByteArray("out") << QByteArray("out");
    }
    void linksOfOthersAreNot()
    {
        if (::geteuid() != 0)
            QSKIP("only root may give a link to another user");
        QFETCH(QByteArray, target);
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, path);
        link(target.constData(), name.constData(), true);
        QVERIFY(!writes(path.constData(), 0777));
        QCOMPARE(errno, EACCES);
        QCOMPARE(contents("real/file"), "old");
        QVERIFY(!QFile::exists(m_directory.filePath(QStringLiteral("real/other"))));
        QVERIFY(!trustedPlace(at(path.constData())));
    }

    void theLastLinkMayBeRefused()
    {
        link("real/file", "out", false);
        QVERIFY(!openTrusted(at("out"), O_RDONLY | O_NOFOLLOW, 0));
        QCOMPARE(errno, ELOOP);
        link("circle", "circle", false);
        QVERIFY(!openTrusted(at("circle"), O_RDONLY, 0));
        QCOMPARE(errno, ELOOP);
    }

    void missingFoldersAreMade()
    {
        QVERIFY(!writes("real/a/b/file"));
        QCOMPARE(errno, ENOENT);
        QVERIFY(writes("real/a/b/file", 0777));
        QCOMPARE(contents("real/a/b/file"), "new");
        QVERIFY(!writes("real/file/x", 0777));
        QCOMPARE(errno, ENOTDIR);
    }

    void placesHaveOneName()
    {
        link("real", "home", false);
        const QString canonical = QFileInfo(m_directory.filePath(QStringLiteral("real/file"))).canonicalFilePath();
        for (const char *const name : {"real/file", "home/file", "home/../real/./file", "real//file"}) {
            const std::optional<TrustedPlace> place = trustedPlace(at(name));
            QVERIFY(place);
            QCOMPARE(QString::fromStdString(place->path()), canonical);
        }
        QCOMPARE(trustedPlace("/")->path(), std::string("/"));
        QCOMPARE(trustedPlace("/etc/../etc")->path(), std::string("/etc"));
    }
};

QTEST_GUILESS_MAIN(TrustedOpenTest)
#include "trusted_open_test.moc"
