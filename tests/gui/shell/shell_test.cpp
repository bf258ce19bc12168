#include "gui/pictures.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/command_palette.h"
#include "gui/shell/gateway.h"
#include "gui/shell/page.h"
#include "gui/shell/page_window.h"
#include "gui/shell/rail.h"
#include "gui/shell/shell.h"

#include <QAction>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <QVBoxLayout>

using namespace drover::gui;

namespace {

// A page of two fields that counts how often it was woken and put to sleep.
class FieldsPage final : public Page
{
public:
    explicit FieldsPage(const QString &name) : Page(name, name.toUpper()), first(new QLineEdit), second(new QLineEdit)
    {
        auto *const column = new QVBoxLayout(this);
        column->addWidget(first);
        column->addWidget(second);
    }
    void showState(const ConnectionState &state) override { shown = state; }
    using Page::setBadge;

    QLineEdit *first;
    QLineEdit *second;
    ConnectionState shown;
    QStringList calls;

protected:
    QWidget *mainPart() const override { return first; }
    void activate() override { calls << QStringLiteral("woken"); }
    void deactivate() override { calls << QStringLiteral("asleep"); }
};

struct Fixture {
    Shell shell;
    FieldsPage *jobs = new FieldsPage(QStringLiteral("jobs"));
    FieldsPage *locks = new FieldsPage(QStringLiteral("locks"));
    FieldsPage *znodes = new FieldsPage(QStringLiteral("znodes"));

    Fixture()
    {
        for (FieldsPage *const page : {jobs, locks, znodes})
            shell.addPage(page);
        shell.resize(1200, 600);
        shell.show();
        shell.activateWindow();
    }
    RailButton *entry(const Page *page) const
    {
        const QList<RailButton *> entries = shell.findChildren<RailButton *>();
        const auto found =
            std::find_if(entries.begin(), entries.end(), [&](RailButton *one) { return &one->page() == page; });
        return found == entries.end() ? nullptr : *found;
    }
};

} // namespace

class ShellTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onePageIsSeenAndTheOthersSleep();
    void aClickGivesThePageTheKeyboard();
    void arrowsGoFromEntryToEntryAndEnterGoesIn();
    void thePartThatHadTheKeyboardGetsItAgain();
    void entriesSayTheirBadges();
    void aNarrowWindowHasIconsAlone();
    void remembersThePage();
    void theShortcutOfAPageActsOnlyWhileItIsSeen();
    void aPageCanBeInAWindowOfItsOwn();
    void remembersTheWindowsOfPages();
    void thePaletteFindsAnAction();
    void thePaletteGivesTheKeyboardBack();
    void thePaletteMatchesPartsOfWords();
};

void ShellTest::onePageIsSeenAndTheOthersSleep()
{
    Fixture f;
    QVERIFY(f.jobs->isVisible() && f.jobs->isAwake());
    QVERIFY(!f.locks->isVisible() && !f.locks->isAwake());
    QTest::mouseClick(f.entry(f.locks), Qt::LeftButton);
    QVERIFY(!f.jobs->isVisible() && f.locks->isVisible());
    QCOMPARE(f.jobs->calls, (QStringList{u"woken"_qs, u"asleep"_qs}));
    QCOMPARE(f.locks->calls, QStringList{u"woken"_qs});
    QCOMPARE(f.znodes->calls, QStringList());
}

void ShellTest::aClickGivesThePageTheKeyboard()
{
    Fixture f;
    QVERIFY(QTest::qWaitForWindowActive(&f.shell));
    QTest::mouseClick(f.entry(f.locks), Qt::LeftButton);
    QVERIFY(f.locks->first->hasFocus());
}

void ShellTest::arrowsGoFromEntryToEntryAndEnterGoesIn()
{
    Fixture f;
    QVERIFY(QTest::qWaitForWindowActive(&f.shell));
    f.entry(f.jobs)->setFocus(Qt::TabFocusReason);
    QTest::keyClick(f.entry(f.jobs), Qt::Key_Down);
    QVERIFY(f.locks->isVisible());
    QVERIFY(f.entry(f.locks)->hasFocus());
    QTest::keyClick(f.entry(f.locks), Qt::Key_Return);
    QVERIFY(f.locks->first->hasFocus());
}

void ShellTest::thePartThatHadTheKeyboardGetsItAgain()
{
    Fixture f;
    QVERIFY(QTest::qWaitForWindowActive(&f.shell));
    f.shell.goTo(f.locks);
    f.locks->second->setFocus();
    f.shell.goTo(f.jobs);
    QVERIFY(f.jobs->first->hasFocus());
    f.shell.goTo(f.locks);
    QVERIFY(f.locks->second->hasFocus());
}

void ShellTest::entriesSayTheirBadges()
{
    Fixture f;
    QCOMPARE(f.entry(f.jobs)->accessibleName(), u"JOBS"_qs);
    QVERIFY(f.entry(f.jobs)->toolTip().contains(u"Ctrl+1"_qs));
    f.jobs->setBadge({u"4.9k"_qs, u"4,912 unfinished"_qs, Tone::Busy});
    QCOMPARE(f.entry(f.jobs)->accessibleName(), u"JOBS: 4,912 unfinished"_qs);
}

void ShellTest::aNarrowWindowHasIconsAlone()
{
    Fixture f;
    const int wide = f.entry(f.jobs)->width();
    f.shell.resize(800, 600);
    QTRY_VERIFY_WITH_TIMEOUT(f.entry(f.jobs)->width() < wide / 2, 30'000);
    QVERIFY(f.jobs->width() > 740);
    f.shell.resize(1200, 600);
    QTRY_COMPARE_WITH_TIMEOUT(f.entry(f.jobs)->width(), wide, 30'000);
}

void ShellTest::remembersThePage()
{
    const QTemporaryDir directory;
    QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
    {
        Fixture f;
        f.shell.showPage(f.znodes);
        f.shell.saveTo(settings);
    }
    Fixture f;
    f.shell.restoreFrom(settings);
    QCOMPARE(f.shell.current(), f.znodes);
    settings.setValue(u"window/page"_qs, u"gone"_qs);
    f.shell.restoreFrom(settings);
    QCOMPARE(f.shell.current(), f.znodes);
}

void ShellTest::theShortcutOfAPageActsOnlyWhileItIsSeen()
{
    Fixture f;
    Gateway gateway;
    ActionRegistry actions(f.shell, &gateway);
    int acted = 0;
    QAction act;
    connect(&act, &QAction::triggered, this, [&] { ++acted; });
    actions.add("jobs.act", &act, Qt::CTRL | Qt::Key_J, f.jobs);
    QVERIFY(QTest::qWaitForWindowActive(&f.shell));
    QTest::keyClick(&f.shell, Qt::Key_J, Qt::ControlModifier);
    QCOMPARE(acted, 1);
    f.shell.goTo(f.locks);
    QTest::keyClick(&f.shell, Qt::Key_J, Qt::ControlModifier);
    QCOMPARE(acted, 1);
    QCOMPARE(actions.of(f.jobs), QList<QAction *>{&act});
    QVERIFY(actions.of(f.locks).isEmpty());
    QCOMPARE(actions.find(u"jobs.act"_qs), &act);
}

void ShellTest::aPageCanBeInAWindowOfItsOwn()
{
    Fixture f;
    f.shell.openInWindow(f.locks);
    PageWindow *const window = f.shell.windowOf(f.locks);
    QVERIFY(window && window->isVisible() && f.locks->isVisible());
    QVERIFY(window->isAncestorOf(f.locks));
    QVERIFY(QTest::qWaitForWindowActive(window));
    QVERIFY(f.locks->first->hasFocus());
    f.shell.showPage(f.jobs);
    QVERIFY(f.jobs->isVisible() && f.locks->isVisible());
    QVERIFY(f.locks->isAwake()); // although another page is beside the rail
    f.shell.goTo(f.locks);
    QVERIFY(!f.jobs->isVisible());
    window->close();
    QVERIFY(!f.shell.windowOf(f.locks));
    QVERIFY(f.shell.isAncestorOf(f.locks) && f.locks->isVisible());
    QCOMPARE(f.locks->calls, QStringList{u"woken"_qs});

    f.shell.openInWindow(f.locks);
    f.shell.showPage(f.jobs);
    f.shell.windowOf(f.locks)->close();
    QVERIFY(f.jobs->isVisible());
    QVERIFY(!f.locks->isVisible() && !f.locks->isAwake());
}

void ShellTest::remembersTheWindowsOfPages()
{
    const QTemporaryDir directory;
    QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
    {
        Fixture f;
        f.shell.openInWindow(f.locks);
        f.shell.windowOf(f.locks)->resize(333, 222);
        f.shell.saveTo(settings);
    }
    Fixture f;
    f.shell.restoreFrom(settings);
    QVERIFY(f.shell.windowOf(f.locks) && !f.shell.windowOf(f.jobs));
    QCOMPARE(f.shell.windowOf(f.locks)->size(), QSize(333, 222));
}

void ShellTest::thePaletteFindsAnAction()
{
    Fixture f;
    Gateway gateway;
    ActionRegistry actions(f.shell, &gateway);
    CommandPalette palette(actions, f.shell);
    QStringList acted;
    QAction cancel(u"&Cancel job…"_qs);
    connect(&cancel, &QAction::triggered, this, [&] { acted << u"cancel"_qs; });
    actions.add("jobs.cancel", &cancel, Qt::CTRL | Qt::Key_Delete, f.jobs);
    actions.add("window.quit", {}, u"&Quit"_qs, {}, [&] { acted << u"quit"_qs; });
    actions.add("locks.break", {}, u"&Break"_qs, {}, [&] { acted << u"break"_qs; })->setEnabled(false);
    palette.open(f.jobs);
    auto *const text = palette.findChild<QLineEdit *>();
    const auto *const list = palette.findChild<QTreeWidget *>();
    QCOMPARE(list->topLevelItemCount(), 3);
    QCOMPARE(list->topLevelItem(0)->text(0), u"JOBS: Cancel job…"_qs);
    QCOMPARE(list->topLevelItem(0)->text(1), QKeySequence(Qt::CTRL | Qt::Key_Delete).toString());
    drover::test::pictureOf(f.shell, u"palette"_qs);
    QTest::keyClicks(text, u"qu"_qs);
    QCOMPARE(list->topLevelItemCount(), 1);
    QTest::keyClick(text, Qt::Key_Return);
    QCOMPARE(acted, QStringList{u"quit"_qs});
    QVERIFY(!palette.isVisible());

    palette.open(f.jobs);
    QTest::keyClicks(text, u"break"_qs);
    QTest::keyClick(text, Qt::Key_Return);
    QCOMPARE(acted, QStringList{u"quit"_qs}); // it is grey
    palette.open(f.jobs);
    QTest::keyClick(text, Qt::Key_Down);
    QTest::keyClick(text, Qt::Key_Up);
    QTest::keyClick(text, Qt::Key_Return);
    QCOMPARE(acted.back(), u"cancel"_qs);
    palette.open(f.locks);
    QCOMPARE(list->topLevelItemCount(), 2); // not those of another page
}

void ShellTest::thePaletteGivesTheKeyboardBack()
{
    Fixture f;
    Gateway gateway;
    ActionRegistry actions(f.shell, &gateway);
    CommandPalette palette(actions, f.shell);
    QVERIFY(QTest::qWaitForWindowActive(&f.shell));
    f.jobs->second->setFocus();
    palette.open(f.jobs);
    auto *const text = palette.findChild<QLineEdit *>();
    QVERIFY(text->hasFocus());
    QTest::keyClick(text, Qt::Key_Escape);
    QVERIFY(!palette.isVisible());
    QVERIFY(f.jobs->second->hasFocus());
    palette.open(f.jobs);
    f.jobs->first->setFocus(); // by a click beside it
    QVERIFY(!palette.isVisible());
    QVERIFY(f.jobs->first->hasFocus());
}

void ShellTest::thePaletteMatchesPartsOfWords()
{
    QCOMPARE(CommandPalette::fit(u"Jobs: Submit again"_qs, u"sub ag"_qs), 2);
    QCOMPARE(CommandPalette::fit(u"Jobs: Submit again"_qs, u"bmit"_qs), 1);
    QCOMPARE(CommandPalette::fit(u"Jobs: Submit again"_qs, u"sub x"_qs), 0);
    for (const QString &whole : {u"Locks"_qs, u"Go to: locks"_qs, u"Locks…"_qs}) // before what only begins so
        QCOMPARE(CommandPalette::fit(whole, u"locks "_qs), 3);
    QCOMPARE(CommandPalette::fit(u"Go to the locks"_qs, u"locks"_qs), 2);
}

QTEST_MAIN(ShellTest)
#include "shell_test.moc"
