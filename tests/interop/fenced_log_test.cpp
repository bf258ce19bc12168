#include "interop/fenced_log.h"

#include <QTest>

using namespace drover;
using namespace drover::test;

// The checker of the other tests, tried on logs that are known to be good and bad.
class FencedLogTest : public QObject
{
    Q_OBJECT

    static QStringList faultsOf(const char *log, int permits)
    {
        FencedLog file;
        for (const QByteArray &line : QByteArray(log).split(';')) {
            const QByteArrayList words = line.trimmed().split(' ');
            if (words[0] == "begin")
                file.begin(words[1], words[2], words[3].toLongLong());
            else
                file.end(words[1], words[2], words[3].toLongLong());
        }
        return faults(file.entries(), permits);
    }

private Q_SLOTS:
    void findsViolations_data()
    {
        QTest::addColumn<QByteArray>("log");
        QTest::addColumn<int>("permits");
        QTest::addColumn<QString>("fault"); // empty: none
        const auto add = [](const char *name, const char *log, const QString &fault, int permits = 1) {
            QTest::newRow(name) << QByteArray(log) << permits << fault;
        };
        const QString none;

        add("one after the other", "begin a lock 1;end a lock 1;begin b lock 2;end b lock 2", none);
        add("readers together", "begin a read 1;begin b read 2;end a read 1;end b read 2;begin c write 3;end c write 3",
            none);
        add("readers in any order", "begin a read 2;begin b read 1;end a read 2;end b read 1", none);
        add("permits", "begin a semaphore 2;begin b semaphore 1;end a semaphore 2;end b semaphore 1", none, 2);

        add("two locks", "begin a lock 1;begin b lock 2;end a lock 1;end b lock 2",
            QStringLiteral("b (lock, 2) begins beside a (lock, 1)"));
        add("itself twice", "begin a lock 1;begin a lock 2;end a lock 1;end a lock 2",
            QStringLiteral("a (lock, 2) begins beside a (lock, 1)"));
        add("writer beside reader", "begin a read 1;begin b write 2;end a read 1;end b write 2",
            QStringLiteral("b (write, 2) begins beside a (read, 1)"));
        add("reader beside writer", "begin a write 1;begin b read 2;end a write 1;end b read 2",
            QStringLiteral("b (read, 2) begins beside a (write, 1)"));
        add("a permit too many",
            "begin a semaphore 1;begin b semaphore 2;begin c semaphore 3;"
            "end a semaphore 1;end b semaphore 2;end c semaphore 3",
            QStringLiteral("c (semaphore, 3) begins beside b (semaphore, 2)"), 2);
        add("overtaken in the lock", "begin a lock 2;end a lock 2;begin b lock 1;end b lock 1",
            QStringLiteral("b (lock, 1) was overtaken"));
        add("a writer overtaken by a reader", "begin a read 2;end a read 2;begin b write 1;end b write 1",
            QStringLiteral("b (write, 1) was overtaken"));
        add("a reader overtaken by a writer", "begin a write 2;end a write 2;begin b read 1;end b read 1",
            QStringLiteral("b (read, 1) was overtaken"));
        add("the same token twice", "begin a lock 1;end a lock 1;begin b lock 1;end b lock 1",
            QStringLiteral("b (lock, 1) was overtaken"));
        add("no end", "begin a lock 1", QStringLiteral("a (lock, 1) never ends"));
        add("no beginning", "end a lock 1", QStringLiteral("a (lock, 1) ends without having begun"));
        add("the end of another", "begin a lock 1;end b lock 1;end a lock 1",
            QStringLiteral("b (lock, 1) ends without having begun"));
        add("unknown mode", "begin a lease 1", QStringLiteral("a (lease, 1) holds nothing that is known"));
    }

    void findsViolations()
    {
        QFETCH(QByteArray, log);
        QFETCH(int, permits);
        QFETCH(QString, fault);
        QCOMPARE(faultsOf(log.constData(), permits), fault.isEmpty() ? QStringList() : QStringList{fault});
    }

    void counts()
    {
        FencedLog file;
        for (const char *const who : {"a", "a", "b", "a"}) {
            file.begin(who, "lock", 1);
            file.end(who, "lock", 1);
        }
        QCOMPARE(rounds(file.entries()), (std::map<QByteArray, int>{{"a", 3}, {"b", 1}}));
        QCOMPARE(handOvers(file.entries()), 2);
    }

    void refusesWhatIsNoLog()
    {
        FencedLog file;
        file.begin("a b", "lock", 1);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, file.entries());
    }
};

QTEST_GUILESS_MAIN(FencedLogTest)
#include "fenced_log_test.moc"
