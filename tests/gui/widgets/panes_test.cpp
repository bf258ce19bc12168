#include "gui/models/job_model.h"
#include "gui/models/lock_model.h"
#include "gui/models/znode_model.h"
#include "gui/shell/connection_color.h"
#include "gui/shell/status_line.h"
#include "gui/widgets/announce.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/verb_row.h"
#include "gui/widgets/znode_tree.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QShortcut>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace drover;
using namespace drover::gui;

// The panes of the window, each by itself.
class PanesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFilterSaysWhatItHasNotSearched();
    void commentsHaveAColumnOnceThereAreSome();
    void aNarrowTableHidesItsSpareColumns();
    void aTreeThatIsClearedOpensAgain();
    void copiesThePathOfANode();
    void scrollingReachesEveryChild();
    void theBorderOfAFieldIsSeen();
    void newsAreAnnounced();
    void verbsWithoutRoomAreInAMenu();
    void aVerbThatBecomesShorterLeavesTheMenu();
    void aNarrowTableOfJobsKeepsTheCommand();
    void theColoursOfConnectionsAreSeen();
};

namespace {

// Counts the events of one kind.
class EventCount final : public QObject
{
public:
    explicit EventCount(QEvent::Type type) : m_type(type) { }

    int count = 0;

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        count += event->type() == m_type ? 1 : 0;
        return false;
    }

private:
    QEvent::Type m_type;
};

JobsSnapshot oneOf(qint64 total)
{
    JobRow row;
    row.id = {"default", 1};
    row.loaded = true;
    row.name = QStringLiteral("true");
    JobsSnapshot snapshot;
    snapshot.clusterExists = true;
    snapshot.rows = {row};
    snapshot.ready = total;
    return snapshot;
}

bool says(const QWidget &pane, const QString &text)
{
    const QList<QLabel *> labels = pane.findChildren<QLabel *>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel *label) { return !label->isHidden() && label->text().contains(text); });
}

} // namespace

void PanesTest::aFilterSaysWhatItHasNotSearched()
{
    JobModel model;
    JobPane pane(model);
    pane.show();
    model.show(oneOf(5000));
    QVERIFY(says(pane, QStringLiteral("4,999 not shown")));
    pane.findChild<QLineEdit *>()->setText(QStringLiteral("bulk-4999"));
    QVERIFY(says(pane, QStringLiteral("4,999 not searched")));
    model.show(oneOf(1));
    QVERIFY(!says(pane, QStringLiteral("not searched")));
}

void PanesTest::commentsHaveAColumnOnceThereAreSome()
{
    JobModel model;
    JobPane pane(model);
    pane.resize(1400, 400);
    pane.show();
    JobsSnapshot snapshot = oneOf(1);
    model.show(snapshot);
    QVERIFY(pane.table().isColumnHidden(JobModel::Comment));
    snapshot.rows[0].comment = QStringLiteral("for the audit");
    model.show(snapshot);
    QVERIFY(!pane.table().isColumnHidden(JobModel::Comment));
}

void PanesTest::aNarrowTableHidesItsSpareColumns()
{
    LockModel model;
    TableView table(&model, LockModel::Place);
    table.setColumnWidths({18, 4, 12, 0, 20, 12, 4, 10});
    table.setSpareColumns({LockModel::Fence, LockModel::Session, LockModel::Since});
    const int character = table.fontMetrics().averageCharWidth();
    table.resize(70 * character, 200);
    table.show();
    QVERIFY(table.isColumnHidden(LockModel::Session));
    QVERIFY(table.columnWidth(LockModel::Who) >= 12 * character);
    table.resize(200 * character, 200);
    QTRY_VERIFY_WITH_TIMEOUT(!table.isColumnHidden(LockModel::Session), 30'000);
    QVERIFY(!table.isColumnHidden(LockModel::Since));
}

// Before: the comment kept its width, and the command had what was left.
void PanesTest::aNarrowTableOfJobsKeepsTheCommand()
{
    JobModel model;
    JobPane pane(model);
    pane.resize(1600, 400);
    pane.show();
    JobsSnapshot snapshot = oneOf(3000);
    snapshot.rows[0].comment = QStringLiteral("for the audit");
    model.show(snapshot);
    QVERIFY(!pane.table().isColumnHidden(JobModel::Comment));
    pane.resize(740, 400);
    QTRY_VERIFY_WITH_TIMEOUT(pane.table().isColumnHidden(JobModel::Comment), 30'000);
    QVERIFY(pane.table().columnWidth(JobModel::Command) >= 18 * pane.fontMetrics().averageCharWidth());
}

void PanesTest::newsAreAnnounced()
{
    QStringList announcements;
    alsoAnnounceTo([&](const QWidget &widget) { announcements << qobject_cast<const QLabel *>(&widget)->text(); });
    Notice notice;
    notice.say(QStringLiteral("Deadlock: a, b."));
    notice.say(QStringLiteral("Deadlock: a, b.")); // already said
    notice.say({});
    QWidget hiddenPage;
    Notice ofHiddenPage(&hiddenPage);
    ofHiddenPage.say(QStringLiteral("Deadlock: a, b."));
    StatusLine line;
    line.say(QStringLiteral("1,200 of 5,000 jobs…"), std::chrono::seconds(5)); // comes again and again
    line.say(QStringLiteral("Held: 3 jobs."), std::chrono::seconds(5));
    ConnectionState state;
    for (const auto phase : {SessionStatus::Phase::Connecting, SessionStatus::Phase::Connected,
                             SessionStatus::Phase::Connected, SessionStatus::Phase::Lost}) {
        state.session.phase = phase;
        line.showState(state);
    }
    alsoAnnounceTo({});
    QCOMPARE(announcements,
             (QStringList{u"Deadlock: a, b."_qs, u"Held: 3 jobs."_qs, u"Connecting…"_qs, u"Connected"_qs,
                          u"Session lost"_qs}));
}

void PanesTest::verbsWithoutRoomAreInAMenu()
{
    QAction hold(u"&Hold 12 jobs…"_qs);
    QAction release(u"&Release what is held"_qs);
    VerbRow row;
    row.add(&hold, u"Hold…"_qs);
    row.add(&release);
    row.resize(row.sizeHint());
    row.show();
    const auto shown = [&row] {
        QStringList texts;
        for (const QPushButton *const button : row.findChildren<QPushButton *>()) {
            if (!button->isHidden())
                texts << button->text();
        }
        texts.sort();
        return texts;
    };
    QCOMPARE(shown(), (QStringList{u"Hold…"_qs, u"Release what is held"_qs}));
    row.resize(row.sizeHint().width() - 1, row.height());
    QCOMPARE(shown(), (QStringList{u"Hold…"_qs, u"More"_qs}));
    QCOMPARE(row.findChild<QMenu *>()->actions(), QList<QAction *>{&release});
    row.resize(row.minimumSizeHint());
    QCOMPARE(shown(), QStringList{u"More"_qs});
    QCOMPARE(row.findChild<QMenu *>()->actions(), (QList<QAction *>{&hold, &release}));
    release.setText(u"Release what is held, wherever it is"_qs); // while there is no room for it
    row.resize(row.sizeHint());
    QCOMPARE(shown(), (QStringList{u"Hold…"_qs, u"Release what is held, wherever it is"_qs}));
}

// The menu may be open while the row is laid out.
void PanesTest::aVerbThatBecomesShorterLeavesTheMenu()
{
    QAction hold(u"&Hold"_qs);
    QAction release(u"&Release what is held, wherever it is"_qs);
    QWidget holder;
    auto *const line = new QHBoxLayout(&holder);
    auto *const row = new VerbRow;
    row->add(&hold);
    row->add(&release);
    line->addWidget(row);
    holder.resize(row->sizeHint().width(), 60);
    holder.show();
    QMenu *const menu = row->findChild<QMenu *>();
    QCOMPARE(menu->actions(), QList<QAction *>{&release});
    EventCount removed(QEvent::ActionRemoved);
    menu->installEventFilter(&removed);
    QEvent request(QEvent::LayoutRequest);
    QCoreApplication::sendEvent(row, &request);
    QCOMPARE(removed.count, 0);
    const int before = row->sizeHint().width();
    release.setText(u"&Let go"_qs);
    QVERIFY(row->sizeHint().width() < before);
    QTRY_VERIFY_WITH_TIMEOUT(menu->actions().isEmpty(), 30'000);
}

// As on a change to another cluster: the root stayed open in the view, and nothing was listed any more.
void PanesTest::aTreeThatIsClearedOpensAgain()
{
    ZnodeModel model;
    ZnodeTree tree(model);
    QSignalSpy wanted(&model, &ZnodeModel::openWanted);
    const zk::Path goal("/drover/default");
    tree.reveal(goal);
    QCOMPARE(wanted.size(), 1);
    model.showListing({zk::Path(), NodeCondition::Ok, {"drover"}, {}});
    model.clear();
    tree.reveal(goal);
    QVERIFY(wanted.size() >= 2);
    QVERIFY(wanted.back()[0].value<zk::Path>().isRoot());
    model.showListing({zk::Path(), NodeCondition::Ok, {"drover", "zookeeper"}, {}});
    QCOMPARE(model.rowCount(model.index(0, 0)), 2);
    QVERIFY(tree.isExpanded(model.index(0, 0)));
}

// By the keys as by the menu; Qt itself copies the name.
void PanesTest::copiesThePathOfANode()
{
    ZnodeModel model;
    ZnodeTree tree(model);
    tree.show();
    tree.reveal(zk::Path("/drover"));
    model.showListing({zk::Path(), NodeCondition::Ok, {"drover"}, {}});
    auto *const copy = tree.findChild<QShortcut *>();
    QVERIFY(copy && copy->key() == QKeySequence(QKeySequence::Copy));
    Q_EMIT copy->activated();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("/drover"));
}

// A sibling below the "more" row kept it from being the last in sight, and nothing was revealed.
void PanesTest::scrollingReachesEveryChild()
{
    ZnodeModel model;
    ZnodeTree tree(model);
    tree.resize(300, 400);
    tree.show();
    tree.reveal(zk::Path("/big"));
    model.showListing({zk::Path(), NodeCondition::Ok, {"big", "other", "zookeeper"}, {}});
    QByteArrayList names;
    constexpr int Children = 20'000;
    for (int i = 0; i < Children; ++i)
        names << QByteArray::number(i).rightJustified(8, '0');
    model.showListing({zk::Path("/big"), NodeCondition::Ok, names, {}});
    const auto revealed = [&] { return model.rowCount(model.indexOf(zk::Path("/big"))); };
    QVERIFY(revealed() < Children);
    const auto revealedAtTheEnd = [&] { // a slice further with each End, once the rows have their places
        tree.verticalScrollBar()->setValue(tree.verticalScrollBar()->maximum());
        QCoreApplication::processEvents();
        return revealed();
    };
    QTRY_COMPARE_WITH_TIMEOUT(revealedAtTheEnd(), Children, 30'000);
}

namespace {

// Of the Web Content Accessibility Guidelines.
double luminance(const QColor &color)
{
    const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor &a, const QColor &b)
{
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

} // namespace

// In a dark window a field had none that could be seen.
void PanesTest::theBorderOfAFieldIsSeen()
{
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
        applyTheme(theme);
        QLineEdit field;
        field.resize(200, 30);
        const QImage picture = field.grab().toImage();
        const QColor border = picture.pixelColor(0, 15);
        const QColor inside = picture.pixelColor(100, 5);
        QVERIFY2(contrast(border, inside) >= 3, qPrintable(border.name() + u' ' + inside.name()));
        if (theme == ThemeChoice::Dark)
            QVERIFY(contrast(border, field.palette().color(QPalette::Window)) >= 3);
    }
}

// White text stands on them, and a band of them on the window.
void PanesTest::theColoursOfConnectionsAreSeen()
{
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
        applyTheme(theme);
        const QPalette palette = QApplication::palette();
        for (const ConnectionColor color : AllConnectionColors) {
            const ConnectionLook look{.color = color, .isOpen = true};
            QVERIFY2(contrast(look.fill(), Qt::white) >= 4.5, qPrintable(colorTitle(color)));
            QVERIFY2(contrast(look.band(palette), palette.color(QPalette::Window)) >= 3, qPrintable(colorTitle(color)));
            QCOMPARE(colorNamed(colorName(color)), color);
        }
    }
}

QTEST_MAIN(PanesTest)
#include "panes_test.moc"
