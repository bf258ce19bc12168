#include "recipes/locks/outer_owners.h"

#include <QTest>

using namespace drover::recipes;

// What a command passes on of the lock that it runs under.
class OuterOwnersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ownersStandInTheDataOfANode()
    {
        const QList<OuterOwner> owners{{0x1000a}, {0x2000b, "default-8.3"}, {-1}};
        QCOMPARE(encodeOwners(owners), "0x1000a,0x2000b default-8.3,0xffffffffffffffff");
        QCOMPARE(parseOwners(encodeOwners(owners)), owners);
        const QByteArray about = "host process 7: sh";
        const QByteArray data = aboutWithin(about, owners);
        QCOMPARE(data, about + "; within " + encodeOwners(owners));
        QCOMPARE(ownersIn(data), owners);
        QCOMPARE(withoutOwners(data), about);
        QCOMPARE(aboutWithin(about, {}), about);
    }

    // Other programs may have written it, and a command may have such a name.
    void otherTextsNameNobody_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char *const text :
             {"", "0x", "7", "0x0", "0x1,", ",0x1", "0x1 a b", "0x1 a/b", "0xg", "0x1; within ", "0x11112222333344445"})
            QTest::newRow(text) << QByteArray(text);
    }
    void otherTextsNameNobody()
    {
        QFETCH(QByteArray, text);
        QVERIFY(parseOwners(text).isEmpty());
        const QByteArray data = "host process 7: sh; within " + text;
        QVERIFY(ownersIn(data).isEmpty());
        QCOMPARE(withoutOwners(data), data);
        QVERIFY(ownersIn(text).isEmpty());
    }

    void theInnermostArePassedOn()
    {
        QList<OuterOwner> owners;
        for (int i = 1; i <= 20; ++i)
            owners.append(OuterOwner{i});
        QCOMPARE(parseOwners(encodeOwners(owners)), owners.mid(4));
        QVERIFY(parseOwners("0x1," + encodeOwners(owners)).isEmpty());
    }
};

QTEST_APPLESS_MAIN(OuterOwnersTest)
#include "outer_owners_test.moc"
