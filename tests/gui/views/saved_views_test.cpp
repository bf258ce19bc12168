#include "gui/pages/jobs_page.h"
#include "gui/pictures.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/command_palette.h"
#include "gui/views/saved_views.h"
#include "gui/views/view_button.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/table_view.h"
#include "gui/window_fixture.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::JobState;

namespace {

// The program as one starts it: the window with its settings, on a cluster.
struct Console : test::FeedsFixture {
    MainWindow window{models, console};
    JobPane &pane = *window.findChild<JobPane *>();
    ViewButton &button = *window.findChild<ViewButton *>();
    QLineEdit &filter = *pane.findChild<QLineEdit *>();

    explicit Console(QSettings &settings, const QByteArray &name = "default")
    {
        applyTheme(ThemeChoice::Light);
        run(cluster.fill());
        window.restoreFrom(settings);
        applyTheme(ThemeChoice::Light);
        window.resize(1200, 720);
        window.show();
        window.connectTo({test::Nowhere, name});
        world.runFor(3s);
        window.showPage(QStringLiteral("jobs"));
    }

    TableView &table() { return pane.table(); }
    QStringList menu()
    {
        Q_EMIT button.menu()->aboutToShow();
        QStringList texts;
        for (const QAction *const action : button.menu()->actions()) {
            if (!action->isSeparator())
                texts << (action->isChecked() ? u"✓ "_qs : QString()) + action->text().remove(u'&');
        }
        return texts.mid(1, texts.size() - 6); // the views
    }
    // Opens the menu by a click, which returns once the menu is closed again, and clicks the entry.
    void choose(const QString &text)
    {
        bool isFound = false;
        QTimer::singleShot(0, &window, [&] {
            QMenu *const menu = button.menu();
            for (QAction *const action : menu->actions()) {
                if (isFound || action->text().remove(u'&') != text || !action->isEnabled())
                    continue;
                isFound = true;
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            }
            menu->close();
        });
        QTest::mouseClick(&button, Qt::LeftButton);
        QVERIFY2(isFound, qPrintable(u"the menu has no “%1”"_qs.arg(text)));
    }
    ChangeDialog *dialog() { return window.findChild<ChangeDialog *>(); }
    QPushButton *yes() { return qobject_cast<QPushButton *>(dialog()->findChild<QDialogButtonBox *>()->buttons()[0]); }
    void answer(const QString &name)
    {
        QVERIFY(dialog());
        auto *const field = dialog()->findChild<QLineEdit *>();
        field->selectAll();
        QTest::keyClicks(field, name);
        QVERIFY(yes()->isEnabled());
        QTest::mouseClick(yes(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog(), 30'000);
    }
    void saveAs(const QString &name)
    {
        choose(u"Save as a view…"_qs);
        answer(name);
    }
    void showFailed()
    {
        pane.choose({JobState::Failed});
        filter.setText(u"queue:default"_qs);
        table().sortByColumn(JobModel::Since, Qt::DescendingOrder);
        table().chooseColumn(JobModel::Worker, false);
        pane.group(Grouping::Tag);
    }
};

QString textOf(const QPushButton &button)
{
    return button.text().remove(u'&');
}

} // namespace

// What the page of the jobs shows, saved under names.
class SavedViewsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings = std::make_unique<QSettings>(m_directory.filePath(u"settings-%1.ini"_qs.arg(++m_count)),
                                                 QSettings::IniFormat);
    }

    void isSavedAndChosenAgain()
    {
        Console f(*m_settings);
        QCOMPARE(textOf(f.button), u"Views"_qs);
        f.showFailed();
        f.saveAs(u"Failed here"_qs);
        QCOMPARE(textOf(f.button), u"Failed here"_qs);
        QVERIFY(!f.button.isChanged());
        QCOMPARE(f.menu(), QStringList{u"✓ Failed here"_qs});
        const int failed = f.table().model()->rowCount();

        f.choose(u"Show all jobs"_qs);
        QCOMPARE(textOf(f.button), u"Views"_qs);
        QVERIFY(f.filter.text().isEmpty());
        QVERIFY(f.pane.search().states.empty());
        QVERIFY(!f.table().isColumnHidden(JobModel::Worker));
        QCOMPARE(f.pane.grouping(), Grouping::None);
        QCOMPARE(f.table().header()->sortIndicatorSection(), int(JobModel::State));
        QVERIFY(f.table().model()->rowCount() > failed);

        f.choose(u"Failed here"_qs);
        QCOMPARE(f.filter.text(), u"queue:default"_qs);
        QCOMPARE(f.pane.search().states, std::set<JobState>{JobState::Failed});
        QVERIFY(f.table().isColumnHidden(JobModel::Worker));
        QCOMPARE(f.pane.grouping(), Grouping::Tag);
        QCOMPARE(f.table().header()->sortIndicatorSection(), int(JobModel::Since));
        QCOMPARE(f.table().header()->sortIndicatorOrder(), Qt::DescendingOrder);
        QCOMPARE(f.table().model()->rowCount(), failed);
    }

    void aChangeIsSeenAndSavedOnlyOnDemand()
    {
        Console f(*m_settings);
        f.showFailed();
        f.saveAs(u"Failed here"_qs);
        const auto isChangedBy = [&](const std::function<void()> &change) {
            change();
            const bool isSeen = f.button.isChanged() && f.button.text().endsWith(u'*')
                && f.button.accessibleName().contains(u"changed")
                && f.menu() == QStringList{u"✓ Failed here (changed)"_qs};
            f.choose(u"Failed here (changed)"_qs); // as it was saved
            return isSeen && !f.button.isChanged();
        };
        QVERIFY(isChangedBy([&] { QTest::keyClicks(&f.filter, u" words"_qs); }));
        QVERIFY(isChangedBy([&] { f.pane.findChild<QCheckBox *>()->click(); }));
        QVERIFY(isChangedBy([&] { f.pane.findChild<QComboBox *>()->setCurrentIndex(0); }));
        QVERIFY(isChangedBy([&] { f.table().sortByColumn(JobModel::Name, Qt::AscendingOrder); }));
        QVERIFY(isChangedBy([&] { f.table().chooseColumn(JobModel::Comment, true); }));
        QVERIFY(isChangedBy([&] { f.window.findChild<QAction *>(u"job.group-user"_qs)->trigger(); }));

        f.filter.setText(u"queue:gpu"_qs);
        f.choose(u"Save the changes of the view"_qs);
        QVERIFY(!f.button.isChanged());
        f.choose(u"Show all jobs"_qs);
        f.choose(u"Failed here"_qs);
        QCOMPARE(f.filter.text(), u"queue:gpu"_qs);
    }

    // Two hours ago is another time whenever the filter is read.
    void aTimeAgoIsNoChange()
    {
        Console f(*m_settings);
        f.filter.setText(u"worker:up-3 since:2h until:1h"_qs);
        f.saveAs(u"Lately"_qs);
        QVERIFY(!f.button.isChanged());
        QCOMPARE(f.menu(), QStringList{u"✓ Lately"_qs});
        f.filter.setText(u"worker:up-3 since:3h until:1h"_qs);
        QVERIFY(f.button.isChanged());
        f.window.saveTo(*m_settings);
        SavedViews saved;
        saved.restoreFrom(*m_settings);
        const QByteArray stored = saved.find({test::Nowhere, "default"}, u"Lately"_qs);
        QVERIFY2(stored.contains(R"("conditions":["worker","since","until"])"), stored.constData());
    }

    void isRenamedAndDeleted()
    {
        Console f(*m_settings);
        f.showFailed();
        f.saveAs(u"Failed here"_qs);
        f.choose(u"Rename the view…"_qs);
        const QList<QLabel *> labels = f.dialog()->findChildren<QLabel *>(); // its own name is no mistake
        QVERIFY(std::none_of(labels.begin(), labels.end(),
                             [](const QLabel *label) { return label->text().startsWith(u"There is a view"_qs); }));
        f.answer(u"R&D"_qs);
        QCOMPARE(f.button.text(), u"R&&D"_qs);
        QCOMPARE(f.button.accessibleName(), u"The view “R&D”"_qs);
        f.choose(u"Delete the view…"_qs);
        QVERIFY(!f.yes()->isDefault());
        QTest::mouseClick(f.yes(), Qt::LeftButton);
        QCOMPARE(textOf(f.button), u"Views"_qs);
        QVERIFY(f.menu().isEmpty());
        QCOMPARE(f.filter.text(), u"queue:default"_qs); // the table goes on as it was
    }

    void aNameIsBoundedAndPlain()
    {
        Console f(*m_settings);
        f.saveAs(u"one"_qs);
        f.choose(u"Save as a view…"_qs);
        QVERIFY(!f.yes()->isEnabled()); // without a name
        auto *const field = f.dialog()->findChild<QLineEdit *>();
        field->setText(u"one "_qs);
        QVERIFY(!f.yes()->isEnabled());
        QVERIFY(f.dialog()->findChild<QLabel *>());
        field->setText(u"a\u202eb"_qs);
        QVERIFY(!f.yes()->isEnabled());
        field->setText(QString(100, u'x'));
        QCOMPARE(field->text().size(), SavedViews::MaxName);
        QVERIFY(f.yes()->isEnabled());
        test::pictureOf(*f.dialog(), u"view-dialog"_qs);
        QTest::keyClick(f.dialog(), Qt::Key_Escape);

        SavedViews views;
        const Target target{test::Nowhere, "default"};
        QVERIFY(!views.whyNot(target, QString(SavedViews::MaxName + 1, u'x')).isEmpty());
    }

    // Also while the first program still runs, and if it is killed.
    void comesBackForItsClusterAlone()
    {
        {
            Console f(*m_settings);
            f.showFailed();
            f.saveAs(u"Failed here"_qs);
            {
                QSettings other(m_settings->fileName(), QSettings::IniFormat);
                Console second(other);
                QCOMPARE(second.menu(), QStringList{u"Failed here"_qs});
                second.saveAs(u"Of the second"_qs);
            }
            f.filter.setText(u"queue:gpu"_qs);
            f.choose(u"Save the changes of the view"_qs);
            f.window.saveTo(*m_settings);
        }
        m_settings->sync();
        {
            Console f(*m_settings);
            QCOMPARE(textOf(f.button), u"Failed here"_qs); // the one that was chosen
            QVERIFY(!f.button.isChanged());
            QCOMPARE(f.filter.text(), u"queue:gpu"_qs);
            QCOMPARE(f.menu(), (QStringList{u"✓ Failed here"_qs, u"Of the second"_qs}));
            f.window.connectTo({test::Nowhere, "other"});
            f.world.runFor(3s);
            QVERIFY(f.menu().isEmpty());
            QCOMPARE(textOf(f.button), u"Views"_qs);
        }
        Console other(*m_settings, "other");
        QVERIFY(other.menu().isEmpty());
    }

    void thePaletteReachesEach()
    {
        Console f(*m_settings);
        f.showFailed();
        f.saveAs(u"R&D failures"_qs);
        f.choose(u"Show all jobs"_qs);
        auto *const palette = f.window.findChild<CommandPalette *>();
        const auto type = [&](const QString &words) {
            f.window.activateWindow(); // a menu had the keyboard
            QTRY_VERIFY_WITH_TIMEOUT(f.window.isActiveWindow(), 30'000);
            f.table().setFocus();
            QTest::keyClick(&f.table(), Qt::Key_K, Qt::ControlModifier);
            QVERIFY(palette->isVisible());
            QTest::keyClicks(palette->findChild<QLineEdit *>(), words);
            QTest::keyClick(palette->findChild<QLineEdit *>(), Qt::Key_Return);
        };
        type(u"r&d fail"_qs);
        QCOMPARE(f.pane.search().states, std::set<JobState>{JobState::Failed});
        type(u"delete the view"_qs);
        QTest::mouseClick(f.yes(), Qt::LeftButton);
        QTest::keyClick(&f.table(), Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(palette->findChild<QLineEdit *>(), u"r&d"_qs);
        QTest::keyClick(palette->findChild<QLineEdit *>(), Qt::Key_Return); // nothing is left that it could do
        QTest::keyClick(palette->findChild<QLineEdit *>(), Qt::Key_Escape);
    }

    void whatALaterVersionFiltersByIsKept_data()
    {
        QTest::addColumn<QByteArray>("stored");
        QTest::addColumn<QString>("unknown");
        QTest::newRow("state") << QByteArray(R"({"filter":{"states":["paused"],"text":""}})") << u"paused"_qs;
        QTest::newRow("several") << QByteArray(R"({"filter":{"states":["failed","held"],"text":""}})")
                                 << u"held, failed"_qs;
        QTest::newRow("condition") << QByteArray(R"({"filter":{"conditions":["host"],"text":"host:n1"}})")
                                   << u"host"_qs;
        QTest::newRow("field") << QByteArray(R"({"filter":{"since":"2h","text":""}})") << u"since"_qs;
        QTest::newRow("no JSON") << QByteArray("filter: all\x1b") << u"filter: all\\x1b"_qs;
    }
    void whatALaterVersionFiltersByIsKept()
    {
        QFETCH(QByteArray, stored);
        QFETCH(QString, unknown);
        const Target target{test::Nowhere, "default"};
        {
            SavedViews later;
            later.put(target, u"Later"_qs, stored);
            later.saveTo(*m_settings);
        }
        Console f(*m_settings);
        f.filter.setText(u"words"_qs);
        f.choose(u"Later"_qs);
        const QList<Notice *> notices = f.window.findChild<JobsPage *>()->findChildren<Notice *>();
        QCOMPARE(notices.size(), 1);
        QVERIFY(notices[0]->isVisible());
        const QString said = notices[0]->findChild<QLabel *>()->text();
        QVERIFY2(said.contains(u"“Later”"_qs) && said.contains(u"(%1)"_qs.arg(unknown)), qPrintable(said));
        QVERIFY(!said.contains(u'\n'));
        QCOMPARE(f.filter.text(), u"words"_qs); // nothing is shown by halves
        QCOMPARE(textOf(f.button), u"Views"_qs);
        f.choose(u"Show all jobs"_qs);
        QVERIFY(!notices[0]->isVisible());
        f.window.saveTo(*m_settings);
        SavedViews again;
        again.restoreFrom(*m_settings);
        QCOMPARE(again.find(target, u"Later"_qs), stored);
    }

    void whatALaterVersionHasBesideTheFilterStays()
    {
        const Target target{test::Nowhere, "default"};
        {
            SavedViews later;
            later.put(target, u"Later"_qs, R"({"columns":{"cost":true},"filter":{"text":"words"},"group":"host"})");
            later.saveTo(*m_settings);
        }
        Console f(*m_settings);
        f.choose(u"Later"_qs);
        QCOMPARE(f.filter.text(), u"words"_qs);
        QVERIFY(!f.button.isChanged());
        f.filter.setText(u"gpu"_qs);
        f.choose(u"Save the changes of the view"_qs);
        f.window.saveTo(*m_settings);
        SavedViews again;
        again.restoreFrom(*m_settings);
        const QByteArray stored = again.find(target, u"Later"_qs);
        QVERIFY2(stored.contains(R"("group":"host")") && stored.contains(R"("cost":true)")
                     && stored.contains(R"("text":"gpu")"),
                 stored.constData());
    }

    void looksRight()
    {
        Console f(*m_settings);
        f.showFailed();
        f.saveAs(u"Failures of the night, default"_qs);
        f.filter.setText(u"queue:default words"_qs);
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            for (const QSize size : {QSize(800, 600), QSize(1200, 720)}) {
                f.window.resize(size);
                const QString name = u"views-%1-%2"_qs.arg(int(theme)).arg(size.width());
                test::pictureOf(f.window, name);
                QVERIFY(f.button.geometry().right() < f.pane.findChild<QComboBox *>()->geometry().left());
                QVERIFY(f.filter.width() > f.filter.fontMetrics().averageCharWidth() * 12);
                f.button.menu()->popup(f.button.mapToGlobal(QPoint(0, f.button.height())));
                test::pictureOf(*f.button.menu(), name + u"-menu"_qs);
                f.button.menu()->close();
            }
        }
        applyTheme(ThemeChoice::Light);
    }

private:
    QTemporaryDir m_directory;
    std::unique_ptr<QSettings> m_settings;
    int m_count = 0;
};

QTEST_MAIN(SavedViewsTest)
#include "saved_views_test.moc"
