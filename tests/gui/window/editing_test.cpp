#include "gui/pictures.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/command_palette.h"
#include "gui/shell/connection_band.h"
#include "gui/shell/edit_switch.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"
#include "gui/widgets/action_button.h"
#include "gui/widgets/submit_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/window/look/theme_menu.h"
#include "gui/window_fixture.h"
#include "support/closed_cluster.h"
#include "zk/access.h"

#include <QAction>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

struct Fixture : test::WindowFixture {
    explicit Fixture(bool editing) : WindowFixture(editing)
    {
        window.showPage(u"jobs"_qs);
        window.activateWindow();
    }
    QAction *action(const QString &name) const { return window.shown().findChild<ActionRegistry *>()->find(name); }
    ActionButton *button(const QString &text) const
    {
        const QList<ActionButton *> buttons = window.findChildren<ActionButton *>();
        const auto found =
            std::find_if(buttons.begin(), buttons.end(), [&](const auto *one) { return one->text() == text; });
        return found == buttons.end() ? nullptr : *found;
    }
    void selectAll() { window.findChild<JobPane *>()->table().selectAll(); }
    void press(Qt::Key key) { QTest::keyClick(&window, key, Qt::ControlModifier); }
    void connectAs(const trust::Roles &roles)
    {
        const test::ClosedCluster closed;
        credentials = closed.person(u"alice"_qs, [&](trust::Certificate &paper) { paper.roles = roles; });
        window.connectTo({test::Nowhere, "default"});
        world.runFor(3s);
    }
    // Of the whole width, below the menus.
    QColor bandColor(const QString &picture)
    {
        const auto *const band = window.findChild<ConnectionBand *>();
        const QImage image = test::pictureOf(window, picture);
        return band->isVisible() ? image.pixelColor(band->mapTo(&window, band->rect().center())) : QColor();
    }
};

// Whether an action changes nothing in a cluster, by the begin of its name.
bool isHarmless(const QString &name)
{
    static const QRegularExpression harmless(
        u"^(page|go|window|tab|theme|language|help|connection)\\.|^job\\.(details|fold|filter|(group|view)-[a-z-]+)$"
        "|^znode\\.(refresh|go|find|search|searchdata|bookmark|compare|export)$"
        "|^events\\.(open|follow|subscribe)|^[a-z]+\\.(filter|export|copy-(csv|json|markdown))$"
        "|^lock\\.search$"
        "|^(jobs|queues|workers|locks|events|schedules|ensemble|waits)\\.copy$"_qs);
    return name.contains(harmless);
}

async::Task<void> giveAcl(zk::Client &zk, zk::Path path, zk::AclList acl)
{
    const zk::Answer<zk::Nothing> given = co_await zk.setAcl(path, acl);
    given.require();
}

} // namespace

// What may be changed by the window, and how it says that.
class EditingTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aConnectionIsReadOnlyUntilEditingIsSwitchedOn()
    {
        Fixture f(false);
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        f.selectAll();
        for (const char *const name : {"job.submit", "job.cancel", "job.repeat"}) {
            const QAction *const action = f.action(QLatin1String(name));
            QVERIFY2(!action->isEnabled() && action->toolTip().contains(u"read-only"_qs), name);
        }
        const ActionButton *const submit = f.button(u"Submit a job…"_qs);
        QVERIFY(submit && !submit->isEnabled() && submit->toolTip().contains(u"Ctrl+E"_qs));
        f.press(Qt::Key_N);
        QVERIFY(!f.window.findChild<SubmitDialog *>());
        test::pictureOf(f.window, u"read-only"_qs);

        auto *const edit = f.window.findChild<EditSwitch *>();
        QCOMPARE(edit->accessibleName(), u"Read-only"_qs);
        QTest::mouseClick(edit, Qt::LeftButton);
        QCOMPARE(edit->accessibleName(), u"Editing is on"_qs);
        QVERIFY(f.action(u"job.cancel"_qs)->isEnabled() && f.action(u"job.repeat"_qs)->isEnabled());
        QVERIFY(submit->isEnabled() && submit->toolTip() == u"Ctrl+N"_qs);
        test::pictureOf(f.window, u"editing"_qs);
        f.press(Qt::Key_N);
        QVERIFY(f.window.findChild<SubmitDialog *>());
    }

    // Nothing that is selected makes an action possible that may not be done.
    void withoutASelectionAnActionStaysDisabled()
    {
        Fixture f(false);
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        f.selectAll();
        QVERIFY(!f.action(u"job.cancel"_qs)->isEnabled());
        f.press(Qt::Key_E);
        QVERIFY(f.action(u"job.cancel"_qs)->isEnabled());
        f.window.findChild<JobPane *>()->table().clearSelection();
        QVERIFY(!f.action(u"job.cancel"_qs)->isEnabled());
        QVERIFY(f.button(u"Cancel jobs…"_qs)->toolTip().contains(u"Select jobs"_qs));
    }

    // An action that says nothing about itself must be one of those that are known to be harmless. The others have an
    // icon.
    void everyActionThatIsNotHarmlessIsRefused()
    {
        Fixture f(false);
        const auto *const actions = f.window.shown().findChild<ActionRegistry *>();
        QList<QAction *> all = actions->ofWindow();
        for (const Page *const page : f.window.findChild<Shell *>()->pages())
            all += actions->of(page);
        int refused = 0;
        for (const QAction *const action : std::as_const(all)) {
            QVERIFY2(isHarmless(action->objectName()) != isRefused(*action), qPrintable(action->objectName()));
            QVERIFY2(isHarmless(action->objectName()) || !action->icon().isNull(), qPrintable(action->objectName()));
            refused += isRefused(*action) ? 1 : 0;
        }
        QVERIFY(refused >= 3);
    }

    void thePaletteSaysWhatIsNotAllowed()
    {
        Fixture f(false);
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        f.press(Qt::Key_K);
        auto *const palette = f.window.findChild<CommandPalette *>();
        palette->findChild<QLineEdit *>()->setText(u"submit a job"_qs);
        const auto items = palette->findChild<QTreeWidget *>()->findItems(u"Submit a job…"_qs, Qt::MatchExactly);
        QCOMPARE(items.size(), 1);
        const QTreeWidgetItem *const item = items.front();
        QCOMPARE(item->text(1), u"read-only: Ctrl+E"_qs);
        QVERIFY(item->toolTip(0).contains(u"read-only"_qs));
        test::pictureOf(f.window, u"read-only-palette"_qs);
        QTest::keyClick(palette->findChild<QLineEdit *>(), Qt::Key_Return);
        QVERIFY(!f.window.findChild<SubmitDialog *>());
    }

    // It was opened before.
    void aDialogIsRefusedOnceEditingIsSwitchedOff()
    {
        Fixture f(true);
        f.action(u"job.submit"_qs)->trigger();
        auto *const dialog = f.window.findChild<SubmitDialog *>();
        QVERIFY(dialog);
        dialog->findChild<QPlainTextEdit *>()->setPlainText(u"echo never"_qs);
        const int jobs = f.models.jobs.rowCount();
        f.action(u"connection.edit"_qs)->setChecked(false);
        const QList<QPushButton *> buttons = dialog->findChildren<QPushButton *>();
        for (QPushButton *const one : buttons) {
            if (one->text() == u"&Submit"_qs)
                one->click();
        }
        f.world.runFor(3s);
        QVERIFY(f.says(u"read-only here"_qs));
        QCOMPARE(f.models.jobs.rowCount(), jobs);
        const auto claimed = f.count(jobs::JobState::Running);
        const auto held = f.count(jobs::JobState::Held);
        QList<jobs::JobId> all;
        for (int i = 0; i < jobs; ++i)
            all << f.models.jobs.row(i).id;
        for (const jobs::JobId &job : std::as_const(all)) // one alone is held without a question
            Q_EMIT f.window.findChild<JobPane *>()->verbWanted(JobVerb::Kind::Hold, {job});
        f.world.runFor(3s);
        QCOMPARE(f.count(jobs::JobState::Held), held);
        QCOMPARE(f.count(jobs::JobState::Running), claimed);
    }

    void eachConnectionHasItsOwnSwitchAndColour()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        const Target other{test::Nowhere, "other"};
        {
            Fixture f(true);
            f.action(u"connection.color.red"_qs)->trigger();
            QCOMPARE(f.bandColor(u"red"_qs), (ConnectionLook{ConnectionColor::Red}.fill()));
            f.window.connectTo(other);
            f.world.runFor(3s);
            QVERIFY(!f.action(u"connection.edit"_qs)->isChecked() && !f.action(u"job.submit"_qs)->isEnabled());
            QCOMPARE(f.bandColor(u"no-colour"_qs), QColor());
            f.window.saveTo(settings);
        }
        Fixture f(false);
        f.window.restoreFrom(settings);
        QVERIFY(f.action(u"connection.edit"_qs)->isChecked() && f.action(u"job.submit"_qs)->isEnabled());
        f.window.theme().chooseOnce(ThemeChoice::Dark);
        QCOMPARE(f.bandColor(u"red-dark"_qs), (ConnectionLook{ConnectionColor::Red}.fill()));
        f.window.connectTo(other);
        f.world.runFor(3s);
        QVERIFY(!f.action(u"connection.edit"_qs)->isChecked());
    }

    void anOpenClusterHasTheColourOfAWarning()
    {
        Fixture f(false);
        const QColor band = f.bandColor(u"open"_qs);
        QCOMPARE(band, toneColor(Tone::Waiting, f.window.palette()));
        QVERIFY(f.says(u"open cluster"_qs));
        f.connectAs({trust::Role::Submit});
        QCOMPARE(f.bandColor(u"open-with-credentials"_qs), band); // it is open all the same
        f.run(giveAcl(*f.writer, f.cluster.layout().root(), zk::parseAcl("digest:submit:aGFzaA==:cdrwa")));
        f.world.runFor(10s);
        QCOMPARE(f.bandColor(u"closed"_qs), QColor());
        QVERIFY(f.says(u"alice: submit"_qs));
    }

    void aRoleThatIsMissingIsNamed()
    {
        Fixture f(true);
        f.selectAll();
        f.connectAs({trust::Role::Viewer});
        f.selectAll();
        const QAction *const cancel = f.action(u"job.cancel"_qs);
        const QAction *const submit = f.action(u"job.submit"_qs);
        QVERIFY(!cancel->isEnabled() && !submit->isEnabled());
        QVERIFY2(cancel->toolTip().contains(u"the role operate, and alice is viewer"_qs),
                 qPrintable(cancel->toolTip()));
        QVERIFY(cancel->toolTip().contains(u"drover user add alice --role viewer --role operate"_qs));
        QVERIFY(submit->toolTip().contains(u"the role submit"_qs));
        f.connectAs({trust::Role::Submit});
        QVERIFY(submit->isEnabled() && !cancel->isEnabled());
        f.connectAs({trust::Role::Operate}); // it signs nothing
        f.selectAll();
        QVERIFY(cancel->isEnabled() && !submit->isEnabled());
    }
};

QTEST_MAIN(EditingTest)
#include "editing_test.moc"
