#include "app/trust/administrator.h"
#include "support/virtual_loop.h"

#include <QTest>

using namespace drover;
using namespace std::chrono_literals;

// A clock that would give certificates wrong dates.
class AdministratorTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aWrongClockIsNoticed()
    {
        test::VirtualLoop loop;
        const std::chrono::milliseconds now = loop.wallClock();
        QVERIFY(app::clockTrouble(loop, now, now).isEmpty());
        QVERIFY(app::clockTrouble(loop, now, now - 5min).isEmpty());
        QVERIFY(app::clockTrouble(loop, now, now + 5min).isEmpty());
        QVERIFY(app::clockTrouble(loop, now, now - 6min).startsWith(u"this machine's clock is 6m00s ahead of"));
        QVERIFY(app::clockTrouble(loop, now, now + 6min).startsWith(u"this machine's clock is 6m00s behind"));
        // A late answer proves nothing.
        QVERIFY(app::clockTrouble(loop, now - 10min, now - 6min).isEmpty());
    }
};

QTEST_APPLESS_MAIN(AdministratorTest)
#include "administrator_test.moc"
