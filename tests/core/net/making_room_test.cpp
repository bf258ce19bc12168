#include "net/making_room.h"

#include <QTest>

using namespace drover::net;
using Stage = Occupant::Stage;

class MakingRoomTest : public QObject
{
    Q_OBJECT

    // "S1 I2": a silent connection of network 1, then an idle one of network 2.
    static std::vector<Occupant> occupants(const QString &text)
    {
        std::vector<Occupant> all;
        for (const QString &one : text.split(u' ', Qt::SkipEmptyParts)) {
            const QHash<QChar, Stage> stages{
                {u'S', Stage::Silent}, {u'G', Stage::Greeting}, {u'I', Stage::Idle}, {u'W', Stage::AtWork}};
            all.push_back({QHostAddress(QStringLiteral("10.0.0.") + one.mid(1)), stages[one.front()]});
        }
        return all;
    }

private Q_SLOTS:
    void theLeastNeededConnectionIsChosen_data()
    {
        QTest::addColumn<QString>("present");
        QTest::addColumn<int>("goes"); // -1: none
        QTest::newRow("none is there") << QString() << -1;
        QTest::newRow("all are at work") << QStringLiteral("W1 W1 W2") << -1;
        QTest::newRow("silent before greeting") << QStringLiteral("G1 S1 S1") << 1;
        QTest::newRow("unproven before idle") << QStringLiteral("I1 I1 I1 G2") << 3;
        QTest::newRow("idle before at work") << QStringLiteral("W1 W1 I2") << 2;
        QTest::newRow("the one that has waited longest") << QStringLiteral("W1 I1 I1") << 1;
        QTest::newRow("of the network that has most") << QStringLiteral("S1 S2 S2 S3") << 1;
        QTest::newRow("even if its own have greeted") << QStringLiteral("S1 G2 G2") << 1;
        QTest::newRow("others' connections at work count for nothing") << QStringLiteral("W1 W1 W1 S1 S2 S2") << 4;
        QTest::newRow("idle ones of many do not cost those of few") << QStringLiteral("I1 I2 I2 I2") << 1;
    }
    void theLeastNeededConnectionIsChosen()
    {
        QFETCH(QString, present);
        QFETCH(int, goes);
        const std::optional<std::size_t> chosen = leastNeeded(occupants(present));
        QCOMPARE(chosen ? static_cast<int>(*chosen) : -1, goes);
    }

    void aNetworkIsWhatOneClientCanHave()
    {
        const auto of = [](const char *address) { return networkOf(QHostAddress(QString::fromLatin1(address))); };
        QCOMPARE(of("10.0.0.1"), of("::ffff:10.0.0.1"));
        QVERIFY(of("10.0.0.1") != of("10.0.0.2"));
        QCOMPARE(of("2001:db8::1"), of("2001:db8::ffff:1:2"));
        QVERIFY(of("2001:db8::1") != of("2001:db8:0:1::1"));
    }
};

QTEST_GUILESS_MAIN(MakingRoomTest)
#include "making_room_test.moc"
