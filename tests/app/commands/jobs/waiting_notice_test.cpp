#include "app/commands/jobs/waiting_notice.h"

#include <QTest>

using namespace drover::app;

class WaitingNoticeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // A line is repeated only when the reason is another, not when one job more or less waits.
    void aReasonIsTheSameWithOtherNumbers_data()
    {
        QTest::addColumn<QString>("other");
        QTest::newRow("1 job called \"a\" came before it and has not ended: default-3")
            << QStringLiteral("12 jobs called \"a\" came before it and have not ended: default-14");
        QTest::newRow("limit db: 0 of 1 permit is held; 1 other waits before it")
            << QStringLiteral("limit db: 2 of 3 permits are held; 2 others wait before it");
        QTest::newRow("lock db, held by default-7 on host (worker w-2) for 31s")
            << QStringLiteral("lock db, held by default-7 on host (worker w-2) for 1m2s");
    }
    void aReasonIsTheSameWithOtherNumbers()
    {
        QFETCH(QString, other);
        QCOMPARE(withoutNumbers(QString::fromUtf8(QTest::currentDataTag())), withoutNumbers(other));
    }

    void anotherReasonIsAnother()
    {
        QVERIFY(withoutNumbers(QStringLiteral("no worker serves queue a"))
                != withoutNumbers(QStringLiteral("no worker serves queue b")));
        QVERIFY(withoutNumbers(QStringLiteral("queue a is paused"))
                != withoutNumbers(QStringLiteral("queue a allows 2 jobs at a time")));
    }
};

QTEST_GUILESS_MAIN(WaitingNoticeTest)
#include "waiting_notice_test.moc"
