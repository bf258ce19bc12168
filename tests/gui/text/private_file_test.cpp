#include "gui/charts/load_file.h"
#include "gui/recording/recording_file.h"
#include "gui/text/private_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover::gui;

namespace {

int modeOf(const QString &path)
{
    struct stat status = {};
    return ::stat(QFile::encodeName(path).constData(), &status) == 0 ? int(status.st_mode & 0777) : -1;
}

} // namespace

// Where the console keeps its files, and who may read them.
class PrivateFileTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_scratch;

private Q_SLOTS:
    // Qt takes "/" for the home of a program without HOME.
    void withoutAHomeItIsThatOfTheUser()
    {
        const ::passwd *const user = ::getpwuid(::geteuid());
        if (!user)
            QSKIP("this user has no entry");
        const QString state =
            QDir::cleanPath(QFile::decodeName(user->pw_dir)) + QStringLiteral("/.local/state/drover/");
        qputenv("XDG_STATE_HOME", "here"); // no path
        qunsetenv("HOME");
        QCOMPARE(LoadFile::usualPath(), state + QStringLiteral("charts.sqlite"));
        const QString recording = RecordingFile::pathFor({QStringLiteral("127.0.0.1:1"), "default"});
        QVERIFY2(recording.startsWith(state + QStringLiteral("recordings/")), qPrintable(recording));
        qunsetenv("XDG_STATE_HOME");
        qputenv("HOME", "there");
        QCOMPARE(stateFile(QStringLiteral("a")), state + u'a');
        qputenv("HOME", "/nowhere/at all/");
        QCOMPARE(stateFile(QStringLiteral("a/b")), QStringLiteral("/nowhere/at all/.local/state/drover/a/b"));
        qputenv("XDG_STATE_HOME", "/other");
        QCOMPARE(stateFile(QStringLiteral("a")), QStringLiteral("/other/drover/a"));
    }

    void aRecordingOfANewerConsoleIsLeftAlone()
    {
        const QString path = m_scratch.filePath(QStringLiteral("newer.sqlite"));
        {
            const RecordingFile made(path, {});
            QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("newer"));
            database.setDatabaseName(path);
            QVERIFY(database.open());
            QVERIFY(QSqlQuery(database).exec(QStringLiteral("PRAGMA user_version = 100")));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("newer"));
        const QStringList before = QSqlDatabase::connectionNames();
        QVERIFY_THROWS_EXCEPTION(SqliteError, RecordingFile(path, {}));
        QCOMPARE(QSqlDatabase::connectionNames(), before); // the failed one has left none
    }

    void isForItsUserAlone()
    {
        const QString path = m_scratch.filePath(QStringLiteral("state/drover/recordings/a.sqlite"));
        const mode_t before = ::umask(0);
        const QString why = makePrivate(path);
        ::umask(before);
        QCOMPARE(why, QString());
        QCOMPARE(modeOf(path), 0600);
        QCOMPARE(modeOf(QFileInfo(path).path()), 0700);
        QCOMPARE(modeOf(m_scratch.filePath(QStringLiteral("state/drover"))), 0700);
    }

    // Also one that had been opened to others. It keeps what it has.
    void isClosedAgain()
    {
        const QString path = m_scratch.filePath(QStringLiteral("open.sqlite"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("kept") == 4);
        file.close();
        QCOMPARE(::chmod(QFile::encodeName(path).constData(), 0644), 0);
        QCOMPARE(makePrivate(path), QString());
        QCOMPARE(modeOf(path), 0600);
        QCOMPARE(QFileInfo(path).size(), 4);
    }

    void saysWhyNoPrivateFileIsMade()
    {
        const QString link = m_scratch.filePath(QStringLiteral("link.sqlite"));
        QVERIFY(QFile::link(m_scratch.filePath(QStringLiteral("of-another")), link));
        QVERIFY2(makePrivate(link).startsWith(link + QStringLiteral(": ")), qPrintable(makePrivate(link)));
        QVERIFY(!QFileInfo::exists(m_scratch.filePath(QStringLiteral("of-another"))));
        QVERIFY(!makePrivate(m_scratch.path()).isEmpty()); // a folder
    }
};

QTEST_APPLESS_MAIN(PrivateFileTest)
#include "private_file_test.moc"
