#include "gui/shell/page.h"
#include "gui/shell/rail.h"
#include "gui/window_fixture.h"

#include <QTest>

using namespace drover;
using namespace drover::gui;

namespace {

// Before there is an application, as a user would.
const bool Doubled = qputenv("QT_SCALE_FACTOR", "2");

struct SharpFixture : test::WindowFixture {
    SharpFixture() { window.resize(800, 600); }

    QImage picture(QWidget &widget)
    {
        for (int i = 0; i < 3; ++i) { // a layout may ask for another
            world.runFor(std::chrono::milliseconds(100));
            QCoreApplication::processEvents();
        }
        return widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
    }
};

// Whether something begins or ends between the two halves of a pixel of the layout. A picture of 1x that was doubled
// has the same colour in both.
bool isSharp(const QImage &picture)
{
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x + 1 < picture.width(); x += 2) {
            if (picture.pixel(x, y) != picture.pixel(x + 1, y))
                return true;
        }
    }
    return false;
}

} // namespace

// The window on a screen with two pixels for each of the layout.
class SharpTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(Doubled); }

    void aDoubledPictureIsNotSharp()
    {
        SharpFixture f;
        const QImage sharp = f.picture(f.window);
        QVERIFY(isSharp(sharp));
        QVERIFY(!isSharp(sharp.scaled(sharp.size() / 2).scaled(sharp.size())));
    }

    void everyPageIsDrawnInThePixelsOfTheScreen()
    {
        SharpFixture f;
        for (const QString &page : f.window.pageNames()) {
            QVERIFY(f.window.showPage(page));
            const QImage picture = f.picture(f.window);
            QCOMPARE(picture.size(), QSize(1600, 1200)); // the page needs no more than 800 x 600
            QVERIFY2(isSharp(picture), qPrintable(page));
        }
    }

    void iconsAreDrawnInThePixelsOfTheScreen()
    {
        SharpFixture f;
        const QList<RailButton *> entries = f.window.findChildren<RailButton *>();
        QVERIFY(entries.size() > 8);
        for (RailButton *const entry : entries) {
            const QPixmap icon = entry->icon().pixmap(QSize(20, 20), 2.0);
            QCOMPARE(icon.size(), QSize(40, 40));
            QVERIFY2(isSharp(icon.toImage()), qPrintable(entry->page().name()));
        }
    }
};

QTEST_MAIN(SharpTest)
#include "sharp_test.moc"
