#include "jobs/model/job_id.h"
#include "jobs/model/layout.h"
#include "jobs/model/queue_entry.h"

#include <QTest>

using namespace drover::jobs;

class NamesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idsAreReadAndWritten_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("valid");
        QTest::newRow("plain") << QStringLiteral("default-42") << true;
        QTest::newRow("zero") << QStringLiteral("default-0") << true;
        QTest::newRow("hyphens in the queue") << QStringLiteral("gpu-2-17") << true;
        QTest::newRow("largest") << QStringLiteral("q-2147483647") << true;
        QTest::newRow("too large") << QStringLiteral("q-2147483648") << false;
        QTest::newRow("no number") << QStringLiteral("default") << false;
        QTest::newRow("no queue") << QStringLiteral("-42") << false;
        QTest::newRow("leading zero") << QStringLiteral("default-042") << false;
        QTest::newRow("sign") << QStringLiteral("default-+42") << false;
        QTest::newRow("upper case") << QStringLiteral("Default-42") << false;
        QTest::newRow("path") << QStringLiteral("../default-42") << false;
        QTest::newRow("task of an array") << QStringLiteral("default-42.7") << true;
        QTest::newRow("task 0") << QStringLiteral("default-42.0") << true;
        QTest::newRow("no task") << QStringLiteral("default-42.") << false;
        QTest::newRow("task with a leading zero") << QStringLiteral("default-42.07") << false;
        QTest::newRow("task of a task") << QStringLiteral("default-42.7.1") << false;
        QTest::newRow("empty") << QString() << false;
    }
    void idsAreReadAndWritten()
    {
        QFETCH(QString, text);
        QFETCH(bool, valid);
        const std::optional<JobId> id = JobId::parse(text);
        QCOMPARE(id.has_value(), valid);
        if (id)
            QCOMPARE(id->toString(), text);
    }

    void entriesAreReadAndWritten()
    {
        const std::optional<QueueEntry> entry = QueueEntry::parse("q5-0000000042");
        QVERIFY(entry);
        QCOMPARE(entry->priority, 5);
        QCOMPARE(entry->number, 42);
        QCOMPARE(entry->name(), QByteArray("q5-0000000042"));
        const std::optional<QueueEntry> task = QueueEntry::parse("w0-0000000042.1000000");
        QVERIFY(task);
        QCOMPARE(task->idIn("default").toString(), QStringLiteral("default-42.1000000"));
        QCOMPARE(task->name(), QByteArray("w0-0000000042.1000000"));
        for (const QByteArray &foreign : {QByteArray("x5-0000000042"), QByteArray("q5-42"), QByteArray("qq-0000000042"),
                                          QByteArray("q5-000000004x"), QByteArray("q5-0000000042.x"),
                                          QByteArray("q5-0000000042."), QByteArray("q5--000000042"), QByteArray()})
            QVERIFY2(!QueueEntry::parse(foreign), foreign.constData());
    }

    void aListingIsTheOrderOfDispatch()
    {
        const QByteArrayList names{"q5-0000000003", "q5-0000000002.10", "q5-0000000002.9", "a5-0000000002",
                                   "w0-0000000001", "q0-0000000009",    "q5-0000000002",   "rubbish"};
        QByteArrayList order;
        for (const QueueEntry &entry : readyInOrder(names))
            order.append(entry.name());
        QCOMPARE(
            order,
            (QByteArrayList{"q0-0000000009", "q5-0000000002", "q5-0000000002.9", "q5-0000000002.10", "q5-0000000003"}));
    }

    void theLayoutIsTheDocumentedOne()
    {
        const Layout layout("demo");
        const JobId id{"default", 42};
        QCOMPARE(layout.job("default", *QueueEntry::parse("q5-0000000042")).bytes(),
                 QByteArray("/drover/demo/queues/default/q5-0000000042"));
        QCOMPARE(layout.claim(id).bytes(), QByteArray("/drover/demo/claims/default-42"));
        QCOMPARE(layout.done(id).bytes(), QByteArray("/drover/demo/done/default-42"));
    }
};

QTEST_GUILESS_MAIN(NamesTest)
#include "names_test.moc"
