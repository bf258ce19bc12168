#include "history/error.h"
#include "history/location.h"
#include "history/search_words.h"

#include <QSysInfo>
#include <QTest>

using namespace drover::history;
using Engine = Location::Engine;

class LocationTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFileIsAnAbsolutePathOfThisMachine()
    {
        const Location location = Location::parse(QStringLiteral("some/history.sqlite"));
        QCOMPARE(location.engine, Engine::Sqlite);
        QVERIFY(location.file.startsWith(u'/') && location.file.endsWith(u"/some/history.sqlite"));
        QCOMPARE(location.display(), QSysInfo::machineHostName() + u':' + location.file);
    }

    void aSharedFileHasOneNameEverywhere()
    {
        const Location location = Location::parse(QStringLiteral("shared:/mnt/history.sqlite"));
        QCOMPARE(location.engine, Engine::Sqlite);
        QVERIFY(location.shared);
        QCOMPARE(location.file, QStringLiteral("/mnt/history.sqlite"));
        QCOMPARE(location.display(), QStringLiteral("shared:/mnt/history.sqlite"));
    }

    void aUrlIsPostgres()
    {
        const Location location = Location::parse(
            QStringLiteral("postgresql://me:se%27cret@db.example:5433/jobs?sslmode=require&options=-c%20a%3Db"));
        QCOMPARE(location.engine, Engine::Postgres);
        QCOMPARE(location.host, QStringLiteral("db.example"));
        QCOMPARE(location.port, 5433);
        QCOMPARE(location.user, QStringLiteral("me"));
        QCOMPARE(location.password, QStringLiteral("se'cret"));
        QCOMPARE(location.database, QStringLiteral("jobs"));
        QCOMPARE(location.parameters.trimmed(), QStringLiteral("sslmode='require' options='-c a=b'"));
        QCOMPARE(location.display(), QStringLiteral("postgresql://me@db.example:5433/jobs"));
    }

    void aUrlMayNameASocket()
    {
        const Location location = Location::parse(QStringLiteral("postgres:///jobs?host=/run/postgresql"));
        QCOMPARE(location.host, QStringLiteral("/run/postgresql"));
        QCOMPARE(location.port, -1);
        QCOMPARE(location.display(), QStringLiteral("postgresql:///jobs?host=/run/postgresql"));
    }

    void aShownLocationIsAValidSetting()
    {
        for (const char *const text : {"postgresql://me@[::1]:5433/jobs", "postgresql://:5433/jobs?host=a.example,/run",
                                       "postgresql:///jobs?host=@abstract", "shared:/mnt/a.sqlite"}) {
            const Location location = Location::parse(QString::fromLatin1(text));
            QCOMPARE(location.setting(), QString::fromLatin1(text));
        }
        QCOMPARE(Location::parse(QStringLiteral("/srv/a.sqlite")).setting(), QStringLiteral("/srv/a.sqlite"));
    }

    void thePlaceOfTheClusterGetsNoPassword()
    {
        const QString place = QStringLiteral("postgresql://me:theirs@db.example/jobs?sslmode=require");
        const Location location = Location::fromCluster(place, {QStringLiteral("postgresql://me@other/jobs")});
        QVERIFY(location.unnamedHere);
        QVERIFY(location.password.isEmpty());
        QVERIFY2(location.parameters.startsWith(u"sslmode='require' password='' passfile="),
                 qPrintable(location.parameters));
    }

    void theClusterNamesNoFileAndNoSocketOfThisMachine_data()
    {
        QTest::addColumn<QString>("place");
        for (const char *const place :
             {"/srv/history.sqlite", "shared:/mnt/history.sqlite", "postgresql:///jobs", "postgresql://me@/jobs",
              "postgresql:///jobs?host=/run/postgresql", "postgresql://db/jobs?host=db.example,/run/postgresql",
              "postgresql://db/jobs?host=@abstract"})
            QTest::newRow(place) << QString::fromLatin1(place);
    }
    void theClusterNamesNoFileAndNoSocketOfThisMachine()
    {
        QFETCH(QString, place);
        QVERIFY_THROWS_EXCEPTION(LocationNotListed, Location::fromCluster(place, {QStringLiteral("/srv/other")}));
        const Location listed = Location::fromCluster(place, {QStringLiteral("/srv/other"), place});
        QCOMPARE(Location::parse(listed.setting()).display(), Location::parse(place).display());
        QVERIFY(!listed.unnamedHere);
    }

    void thePlaceThatThisMachineNamesIsTakenAsItIsNamedHere()
    {
        const Location location =
            Location::fromCluster(QStringLiteral("postgresql://me@db.example/jobs?sslmode=disable"),
                                  {QStringLiteral("postgresql://me:mine@db.example/jobs?sslmode=verify-full")});
        QVERIFY(!location.unnamedHere);
        QCOMPARE(location.password, QStringLiteral("mine"));
        QCOMPARE(location.parameters.trimmed(), QStringLiteral("sslmode='verify-full'"));
    }

    void theClusterSetsHarmlessParametersOnly_data()
    {
        QTest::addColumn<QByteArray>("parameter");
        for (const char *const name : {"hostaddr", "passfile", "service", "sslkey", "sslcert", "password", "options",
                                       "sslrootcert", "requirepeer", "krbsrvname"})
            QTest::newRow(name) << QByteArray(name);
    }
    void theClusterSetsHarmlessParametersOnly()
    {
        QFETCH(QByteArray, parameter);
        const QString place = QStringLiteral("postgresql://db.example/jobs?%1=x").arg(QString::fromLatin1(parameter));
        QVERIFY_THROWS_EXCEPTION(InvalidLocation, Location::fromCluster(place, {}));
    }

    void nonsenseIsRefusedWithoutItsPassword_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("empty") << QString();
        QTest::newRow("blank") << QStringLiteral("  ");
        QTest::newRow("another engine") << QStringLiteral("mysql://me:secret@host/db");
        QTest::newRow("a shared file here or there") << QStringLiteral("shared:history.sqlite");
        QTest::newRow("no database") << QStringLiteral("postgresql://me:secret@host");
        QTest::newRow("two databases") << QStringLiteral("postgresql://me:secret@host/a/b");
        QTest::newRow("no port") << QStringLiteral("postgresql://me:secret@host:port/db");
        QTest::newRow("semicolon") << QStringLiteral("postgresql://me:secret@host/db?a=b%3Bc");
        QTest::newRow("two parameters in one name") << QStringLiteral("postgresql://me:secret@host/db?a%3B%20b=c");
    }
    void nonsenseIsRefusedWithoutItsPassword()
    {
        QFETCH(QString, text);
        try {
            Location::parse(text);
        } catch (const InvalidLocation &error) {
            const QByteArray what = error.what();
            QVERIFY2(what.contains("give a file, shared:/FILE, or postgresql://") && !what.contains("secret"), what);
            return;
        }
        QFAIL("it was accepted");
    }

    void textIsSplitIntoWords_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("words");
        QTest::newRow("nothing") << QString() << QStringList();
        QTest::newRow("punctuation") << QStringLiteral(" -- '\"*&|!:() ") << QStringList();
        QTest::newRow("a command") << QStringLiteral("/opt/Train.py --lr=0.1 --lr")
                                   << QStringLiteral("opt train py lr 0 1").split(u' ');
        QTest::newRow("letters of others") << QStringLiteral("\u00dcbung \u6d4b\u8bd5_\u0444")
                                           << QStringLiteral("\u00fcbung \u6d4b\u8bd5 \u0444").split(u' ');
        QTest::newRow("composed and not") << QStringLiteral("u\u0308 \u00fc") << QStringList(QStringLiteral("\u00fc"));
        QTest::newRow("no end") << QString(1000, u'x') << QStringList(QString(64, u'x'));
    }
    void textIsSplitIntoWords()
    {
        QFETCH(QString, text);
        QTEST(searchWords(text), "words");
    }
};

QTEST_GUILESS_MAIN(LocationTest)
#include "location_test.moc"
