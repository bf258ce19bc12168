#include "gui/pages/replay/time_line.h"
#include "gui/pictures.h"
#include "gui/widgets/theme.h"
#include "gui/zone.h"

#include <QDateTime>
#include <QTest>

using namespace drover;
using namespace drover::gui;

// The time line of the replay.
class TimeLineTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Also after the night in which clocks change: the ticks of two days are at hours that six divides.
    void ticksAreRoundBeyondAClockChange()
    {
        const test::Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
        constexpr int Padding = 12; // beside the track
        constexpr int BelowTrack = 12 + 26 + 3;
        applyTheme(ThemeChoice::Light);
        const qint64 from = QDateTime(QDate(2026, 10, 24), QTime(13, 30)).toMSecsSinceEpoch();
        const qint64 until = QDateTime(QDate(2026, 10, 26), QTime(13, 30)).toMSecsSinceEpoch();
        TimeLine line;
        line.resize(700, line.sizeHint().height());
        line.setRange(from, until);
        line.setHandles(from, until);
        const QImage picture = test::pictureOf(line, u"time-line"_qs);
        const QColor background = line.palette().color(QPalette::Window);
        int found = 0;
        for (int x = Padding + 4; x < 700 - Padding - 4; ++x) {
            if (picture.pixelColor(x, BelowTrack) == background)
                continue;
            ++found;
            const double share = (x + 0.5 - Padding) / (700 - 2 * Padding);
            const QDateTime at = QDateTime::fromMSecsSinceEpoch(from + qint64(share * double(until - from)));
            const int minutes = (at.time().hour() * 60 + at.time().minute()) % (6 * 60);
            QVERIFY2(std::min(minutes, 6 * 60 - minutes) <= 8, qPrintable(at.toString(Qt::ISODate)));
        }
        QVERIFY2(found >= 4, qPrintable(QString::number(found)));
    }
};

QTEST_MAIN(TimeLineTest)
#include "time_line_test.moc"
