#include "gui/fixed_clock.h"
#include "gui/kept_pictures.h"
#include "gui/shell/page.h"
#include "gui/shell/rail.h"
#include "gui/shell/shell.h"
#include "gui/widgets/table_view.h"
#include "gui/window_fixture.h"

#include <QDialog>
#include <QDir>
#include <QTest>

#include <cmath>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using test::FixedNow;

namespace {

constexpr QSize Size(1000, 640);

// Half an hour of a busy cluster, with an outage.
std::vector<LoadSample> someLoad()
{
    std::vector<LoadSample> samples;
    for (int i = 0; i < 360; ++i) {
        if (i >= 200 && i < 220)
            continue;
        samples.push_back({.at = FixedNow - (360 - i) * 5000,
                           .width = 5000,
                           .ready = 14 + qint64(9 * std::sin(i / 25.0)),
                           .running = 5 + qint64(2 * std::cos(i / 40.0)),
                           .submitted = i % 4,
                           .ended = (i + 1) % 3});
    }
    return samples;
}

// The window on the same cluster each time.
struct PictureFixture : test::WindowFixture {
    PictureFixture() : test::WindowFixture()
    {
        window.resize(Size);
        models.load.restore(someLoad());
        QList<QueueDepth> queues = {{"default", 9}, {"gpu", 6}, {"nightly", 3}};
        for (int i = 0; i < 600; ++i) {
            queues[0].depth = 9 + qint64(5 * std::sin(i / 60.0));
            queues[1].depth = 6 + i / 200;
            models.queues.show(queues);
            models.queues.sampleAt(FixedNow - (600 - i) * QueueHistory::Interval.count());
        }
    }

    QImage picture(QWidget &widget)
    {
        for (int i = 0; i < 3; ++i) { // a layout may ask for another
            world.runFor(100ms);
            QCoreApplication::processEvents();
        }
        return widget.grab().toImage();
    }
};

RailButton *entryOf(const MainWindow &window, const Page &page)
{
    const QList<RailButton *> entries = window.findChildren<RailButton *>();
    const auto its = std::find_if(entries.begin(), entries.end(),
                                  [&page](const RailButton *entry) { return &entry->page() == &page; });
    return its == entries.end() ? nullptr : *its;
}

QString nameIn(ThemeChoice theme, const QString &of)
{
    return of + (theme == ThemeChoice::Dark ? QStringLiteral("-dark") : QStringLiteral("-light"));
}

} // namespace

// Each page and two dialogs, light and dark, beside the pictures in tests/gui/kept_pictures.
class KeptPicturesTest : public QObject
{
    Q_OBJECT

    const QString m_failures = QDir::current().filePath(QStringLiteral("pictures-that-differ"));

    void compare(const QImage &picture, const QString &name)
    {
        const QString wrong = test::compareWithKept(picture, name, m_failures);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

private Q_SLOTS:
    void pages_data()
    {
        QTest::addColumn<QString>("page");
        const PictureFixture fixture;
        for (const QString &page : fixture.window.pageNames())
            QTest::newRow(qPrintable(page)) << page;
    }

    void pages()
    {
        QFETCH(QString, page);
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            PictureFixture fixture;
            applyTheme(theme);
            QVERIFY(fixture.window.showPage(page));
            compare(fixture.picture(fixture.window), nameIn(theme, page));
        }
    }

    void inspector()
    {
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            PictureFixture fixture;
            applyTheme(theme);
            fixture.openDetails(*jobs::JobId::parse(QStringLiteral("default-8")));
            compare(fixture.picture(fixture.window), nameIn(theme, QStringLiteral("inspector")));
        }
    }

    void dialogs_data()
    {
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("action");
        QTest::newRow("submit") << QStringLiteral("jobs") << QStringLiteral("job.submit");
        QTest::newRow("pause") << QStringLiteral("queues") << QStringLiteral("queue.pause");
    }

    void dialogs()
    {
        QFETCH(QString, page);
        QFETCH(QString, action);
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            PictureFixture fixture;
            applyTheme(theme);
            QVERIFY(fixture.window.showPage(page));
            if (auto *const table = fixture.window.findChild<Shell *>()->current()->findChild<TableView *>())
                table->setCurrentIndex(table->model()->index(0, 0));
            fixture.window.findChild<QAction *>(action)->trigger();
            fixture.picture(fixture.window);
            auto *const dialog = fixture.window.findChild<QDialog *>();
            QVERIFY(dialog);
            QVERIFY2(dialog->windowTitle().contains(QStringLiteral("default on ") + test::Nowhere),
                     qPrintable(dialog->windowTitle()));
            compare(fixture.picture(*dialog),
                    nameIn(theme, QString::fromUtf8(QTest::currentDataTag()) + QStringLiteral("-dialog")));
        }
    }

    // What the comparison must see, and what it must not.
    void aMissingIconIsSeen()
    {
        PictureFixture fixture;
        fixture.window.showPage(QStringLiteral("jobs"));
        const QImage with = test::asKept(fixture.picture(fixture.window));
        QVERIFY(test::differenceOf(with, with).isEmpty());
        for (const Page *const one : fixture.window.findChild<Shell *>()->pages()) {
            RailButton *const entry = entryOf(fixture.window, *one);
            QVERIFY(entry);
            const QIcon icon = entry->icon();
            entry->setIcon({});
            const QImage without = test::asKept(fixture.picture(fixture.window));
            entry->setIcon(icon);
            QVERIFY2(!test::differenceOf(with, without).isEmpty(), qPrintable(one->name()));
        }
        // Letters that are drawn a little softer are the same.
        QImage softer = with;
        for (int y = 0; y < softer.height(); ++y) {
            for (int x = 0; x < softer.width(); ++x) {
                const QColor color = with.pixelColor(x, y);
                softer.setPixelColor(
                    x, y, QColor(std::min(255, color.red() + 32), color.green(), std::max(0, color.blue() - 32)));
            }
        }
        QVERIFY2(test::differenceOf(with, softer).isEmpty(), qPrintable(test::differenceOf(with, softer)));
    }
};

int main(int argc, char **argv)
{
    qputenv("FONTCONFIG_FILE", DROVER_KEPT_PICTURES "/fonts.conf");
    qputenv("TZ", "UTC");
    qputenv("LC_ALL", "C.UTF-8");
    qputenv("QT_SCALE_FACTOR", "1");
    qputenv("QT_FONT_DPI", "96");
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
    QApplication application(argc, argv);
    QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 9));
    QApplication::setCursorFlashTime(0);
    KeptPicturesTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "kept_pictures_test.moc"
