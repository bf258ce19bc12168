#include "app/submission/submit_texts.h"
#include "gui/kept_pictures.h"
#include "gui/pages/replay/record_switch.h"
#include "gui/scenes.h"
#include "gui/shell/page.h"
#include "gui/shell/rail.h"
#include "gui/shell/shell.h"
#include "gui/widgets/table_view.h"
#include "two_clusters.h"

#include <QDialog>
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr QSize Size(1000, 640);

// The widget, once the window of the fixture is at rest.
template <typename Fixture>
QImage pictureIn(Fixture &fixture, QWidget &widget)
{
    // A thread tells it of the connection.
    const RecordSwitch *const recording = fixture.window.shown().template findChild<RecordSwitch *>();
    if (!QTest::qWaitFor([recording] { return recording->isEnabled(); }, 30'000))
        qWarning("the recording is not ready");
    for (int i = 0; i < 3; ++i) { // a layout may ask for another
        fixture.world.runFor(100ms);
        QCoreApplication::processEvents();
    }
    return widget.grab().toImage();
}

// The window on the same cluster each time.
struct PictureFixture : test::WindowFixture {
    PictureFixture() : test::WindowFixture()
    {
        window.resize(Size);
        test::showSomeLoad(models);
    }

    // What the page is about, beside what the cluster has anyhow.
    void addTo(const QString &page)
    {
        if (page == u"workers")
            test::showPastJobs(models);
        else if (page == u"ensemble")
            test::showPastAnswers(models);
        else if (page == u"waits" || page == u"locks")
            test::addWaits(*this);
        else if (page == u"schedules")
            test::addSchedules(*this);
        else if (page == u"events")
            test::letThingsHappen(*this);
    }

    // A thread reads it.
    bool awaitRecording()
    {
        const TableView *const table = window.findChild<Shell *>()->current()->findChild<TableView *>();
        return QTest::qWaitFor([table] { return table->model()->rowCount() > 0; }, 30'000);
    }

    QImage picture(QWidget &widget)
    {
        pictureIn(*this, widget);
        test::showSomeDepths(models.queues); // a slow machine has taken samples meanwhile
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

// Each page and three dialogs, light and dark, and a deadlock, light, beside the pictures in tests/gui/kept_pictures.
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
            const QTemporaryDir state;
            qputenv("XDG_STATE_HOME", state.path().toUtf8());
            if (page == u"replay")
                test::recordSomeMinutes();
            PictureFixture fixture;
            applyTheme(theme);
            QVERIFY(fixture.window.showPage(page));
            fixture.addTo(page);
            if (page == u"replay")
                QVERIFY(fixture.awaitRecording());
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

    void deadlock()
    {
        PictureFixture fixture;
        applyTheme(ThemeChoice::Light);
        QVERIFY(fixture.window.showPage(QStringLiteral("waits")));
        test::addDeadlock(fixture);
        compare(fixture.picture(*fixture.window.findChild<Shell *>()->current()), QStringLiteral("deadlock-light"));
    }

    // One may be edited and is red; the other is shown.
    void twoTabs()
    {
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            test::TwoClusters fixture;
            fixture.window.resize(Size);
            fixture.openBoth();
            fixture.action(QStringLiteral("connection.color.blue"))->trigger();
            fixture.action(QStringLiteral("tab.previous"))->trigger();
            fixture.action(QStringLiteral("connection.color.red"))->trigger();
            fixture.action(QStringLiteral("connection.edit"))->trigger();
            fixture.action(QStringLiteral("tab.next"))->trigger();
            applyTheme(theme);
            QVERIFY(fixture.window.showPage(QStringLiteral("queues")));
            compare(pictureIn(fixture, fixture.window), nameIn(theme, QStringLiteral("tabs")));
        }
    }

    void dialogs_data()
    {
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("action");
        QTest::newRow("submit") << QStringLiteral("jobs") << QStringLiteral("job.submit");
        QTest::newRow("schedule") << QStringLiteral("schedules") << QStringLiteral("schedule.edit");
        QTest::newRow("pause") << QStringLiteral("queues") << QStringLiteral("queue.pause");
    }

    void dialogs()
    {
        QFETCH(QString, page);
        QFETCH(QString, action);
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            const app::SubmitTexts options; // as the program has them
            PictureFixture fixture;
            fixture.window.shown().setJobOptions(options);
            applyTheme(theme);
            QVERIFY(fixture.window.showPage(page));
            fixture.addTo(page);
            if (auto *const table = fixture.window.findChild<Shell *>()->current()->findChild<TableView *>())
                table->setCurrentIndex(table->model()->index(0, 0));
            fixture.window.findChild<QAction *>(action)->trigger();
            fixture.picture(fixture.window);
            const QList<QDialog *> dialogs = fixture.window.findChildren<QDialog *>(); // some wait for their turn
            const auto open = std::find_if(dialogs.begin(), dialogs.end(), [](auto *one) { return one->isVisible(); });
            QVERIFY(open != dialogs.end());
            QDialog *const dialog = *open;
            QVERIFY2(dialog->windowTitle().contains(QStringLiteral("default on ") + test::Nowhere),
                     qPrintable(dialog->windowTitle()));
            compare(fixture.picture(*dialog),
                    nameIn(theme, QString::fromUtf8(QTest::currentDataTag()) + QStringLiteral("-dialog")));
        }
    }

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
    }

    void lettersMayBeSofter()
    {
        PictureFixture fixture;
        fixture.window.showPage(QStringLiteral("jobs"));
        const QImage with = test::asKept(fixture.picture(fixture.window));
        QImage softer = with;
        int changed = 0;
        for (int y = 1; y < with.height() - 1; ++y) {
            for (int x = 1; x < with.width() - 1; ++x) {
                const QRgb its = with.pixel(x, y);
                const bool goesOn = (with.pixel(x - 1, y) == its && with.pixel(x + 1, y) == its)
                    || (with.pixel(x, y - 1) == its && with.pixel(x, y + 1) == its);
                if (goesOn) // an area or a straight line
                    continue;
                const QColor color(its);
                softer.setPixelColor(
                    x, y, QColor(std::min(255, color.red() + 32), color.green(), std::max(0, color.blue() - 32)));
                ++changed;
            }
        }
        QVERIFY(changed > 10'000);
        QVERIFY2(test::differenceOf(with, softer).isEmpty(), qPrintable(test::differenceOf(with, softer)));
    }

    // Of a line or an area, by a few levels in each theme.
    void anotherGreyIsSeen()
    {
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            PictureFixture fixture;
            applyTheme(theme);
            fixture.window.showPage(QStringLiteral("jobs"));
            const QImage before = test::asKept(fixture.picture(fixture.window));
            QPalette palette = QApplication::palette();
            const QColor window = palette.color(QPalette::Window);
            const bool grows = isDark(palette);
            const auto other = [grows](int level) { return grows ? level + 20 : level - 20; };
            palette.setColor(QPalette::Window, QColor(other(window.red()), window.green(), other(window.blue())));
            QApplication::setPalette(palette);
            const QImage after = test::asKept(fixture.picture(fixture.window));
            QVERIFY2(!test::differenceOf(before, after).isEmpty(), qPrintable(nameIn(theme, QString())));
        }
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
