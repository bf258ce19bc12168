#include "app/submission/submit_texts.h"
#include "gui/accessible_walk.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"
#include "gui/shell/start_view.h"
#include "gui/widgets/accessible_combo.h"
#include "gui/widgets/table_view.h"
#include "gui/workspace/launch_links.h"
#include "gui/znodes/edits_fixture.h"

#include <QComboBox>
#include <QDialog>
#include <QFileDialog>
#include <QPointer>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

struct Fixture : test::EditsFixture {
    app::SubmitTexts options;
    QStringList seen; // the titles of the dialogs that were opened
    QStringList nameless;

    Fixture()
    {
        window.shown().setJobOptions(options);
        window.shown().launch().setPrograms([](const Target &) {
            return LaunchProgram{QStringLiteral("/bin/true"), {}, {}};
        });
    }
    void walk(QWidget &over, const QString &where)
    {
        QCoreApplication::processEvents();
        const QStringList found = test::namelessIn(over);
        for (const QString &one : found)
            nameless << where + u": "_qs + one;
    }
    // Shows the page with its first row selected, if it has rows.
    void show(const QString &name)
    {
        window.showPage(name);
        world.runFor(1s);
        auto *const table = window.findChild<Shell *>()->current()->findChild<TableView *>();
        if (table && table->model()->rowCount() > 0)
            table->setCurrentIndex(table->model()->index(0, 0));
        if (name == u"znodes")
            goTo("/app/a");
        QCoreApplication::processEvents();
    }
    // The dialogs that are open now are looked at, and closed.
    void endDialogs()
    {
        const QWidgetList all = QApplication::topLevelWidgets();
        for (QWidget *const one : all) {
            auto *const dialog = qobject_cast<QDialog *>(one);
            if (!dialog || !dialog->isVisible())
                continue;
            if (!qobject_cast<QFileDialog *>(dialog)) { // whose parts are Qt's
                seen << dialog->windowTitle();
                walk(*dialog, dialog->windowTitle());
            }
            dialog->reject();
        }
    }
    void trigger(QAction &action)
    {
        QTimer timer; // some actions return only when their dialog has ended
        timer.callOnTimeout([this] {
            if (QApplication::activeModalWidget())
                endDialogs();
        });
        timer.start(20ms);
        action.trigger();
        world.runFor(1s);
        timer.stop();
        endDialogs();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
};

} // namespace

// A user who hears the console, and does not see it, hears a name wherever the Tab key leads.
class AccessibleNamesTest : public QObject
{
    Q_OBJECT

    static void verifyNone(QStringList nameless)
    {
        nameless.removeDuplicates();
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u'\n')));
    }

private Q_SLOTS:
    void theWalkFindsWhatHasNoName()
    {
        nameComboBoxes();
        QWidget window;
        auto *const column = new QVBoxLayout(&window);
        auto *const combo = new QComboBox;
        combo->addItem(u"all"_qs);
        auto *const button = new QToolButton;
        button->setFocusPolicy(Qt::StrongFocus);
        column->addWidget(combo);
        column->addWidget(button);
        window.show();
        QCOMPARE(test::namelessIn(window).size(), 2);
        combo->setAccessibleName(u"what to show"_qs);
        button->setText(u"Show"_qs);
        QCOMPARE(test::namelessIn(window), QStringList());
        const QAccessibleInterface &heard = *QAccessible::queryAccessibleInterface(combo);
        QCOMPARE(heard.text(QAccessible::Name), u"what to show"_qs);
        QCOMPARE(heard.text(QAccessible::Value), u"all"_qs);
    }

    void everyPageHasNames()
    {
        Fixture f;
        const QStringList pages = f.window.pageNames();
        for (const QString &page : pages) {
            f.show(page);
            f.walk(f.window, page);
        }
        verifyNone(f.nameless);
    }

    void theInspectorHasNames()
    {
        Fixture f;
        f.openDetails(*jobs::JobId::parse(u"default-8"_qs));
        f.walk(f.window, u"a job"_qs);
        verifyNone(f.nameless);
    }

    void whatIsShownWithoutAClusterHasNames()
    {
        Fixture f;
        Q_EMIT f.window.shown().closeWanted();
        f.world.runFor(1s);
        QVERIFY(f.window.findChild<StartView *>()->isVisible());
        f.walk(f.window, u"start"_qs);
        verifyNone(f.nameless);
    }

    // That every action opens which ends with "…".
    void everyDialogHasNames()
    {
        Fixture f;
        const QStringList pages = f.window.pageNames();
        for (const QString &page : pages) {
            f.show(page);
            const QList<QAction *> actions = f.window.findChildren<QAction *>();
            for (const QPointer<QAction> action : actions) {
                if (!action || !action->text().endsWith(u'…') || !action->isEnabled())
                    continue;
                f.show(page);
                f.trigger(*action);
            }
        }
        verifyNone(f.nameless);
        f.seen.removeDuplicates();
        QVERIFY2(f.seen.size() >= 20, qPrintable(f.seen.join(u'\n')));
    }
};

QTEST_MAIN(AccessibleNamesTest)
#include "accessible_names_test.moc"
