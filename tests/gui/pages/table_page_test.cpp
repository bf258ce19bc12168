#include "gui/models/lock_model.h"
#include "gui/pages/locks_page.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/gateway.h"
#include "gui/widgets/table_actions.h"
#include "gui/widgets/table_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;

namespace {

LockRow contender(const QByteArray &lock, int place, const QByteArray &about)
{
    return {lock, place, "lock-000000000" + QByteArray::number(place), about, 0x10 + place, 0};
}

// The page of three contenders for two locks, as it stands in a window.
struct Fixture {
    QWidget window;
    Gateway gateway;
    ActionRegistry actions{window, &gateway};
    LockModel model;
    LocksPage page{model, actions};

    explicit Fixture(int width = 1400)
    {
        page.resize(width, 400);
        page.show();
        page.setAwake(true);
        model.show({contender("db", 0, "a|b \"1\""), contender("db", 1, "backup"), contender("disk", 0, "=1,2")});
    }
    TableView &table() { return page.table(); }
    QModelIndex cell(int row, int column) { return table().model()->index(row, column); }
    QStringList shown()
    {
        QStringList locks;
        for (int row = 0; row < table().model()->rowCount(); ++row)
            locks << cell(row, LockModel::Who).data().toString();
        return locks;
    }
    QAction *action(const char *name) const { return actions.find(QLatin1String(name)); }
    QMenu *menuAt(QWidget *widget, const QPoint &position)
    {
        QContextMenuEvent event(QContextMenuEvent::Mouse, position, widget->mapToGlobal(position));
        QApplication::sendEvent(widget, &event);
        return qobject_cast<QMenu *>(QApplication::activePopupWidget());
    }
    QMenu *menuOfCell(int row, int column)
    {
        return menuAt(table().viewport(), table().visualRect(cell(row, column)).center());
    }
    QMenu *menuOfHeader()
    {
        QWidget *const header = table().header()->viewport();
        return menuAt(header, header->rect().center());
    }
};

QAction *entry(const QMenu *menu, const QString &text)
{
    const QList<QAction *> entries = menu->actions();
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const QAction *one) { return one->text().remove(u'&') == text; });
    return found == entries.end() ? nullptr : *found;
}

void choose(QMenu *menu, const QString &text)
{
    QVERIFY(menu);
    QAction *const action = entry(menu, text);
    QVERIFY2(action && action->isEnabled(), qPrintable(text));
    action->trigger();
    menu->close();
}

QString copied()
{
    return QGuiApplication::clipboard()->text();
}

QByteArray read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

// What every page with a table has, on the page of the locks.
class TablePageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theMenuOfTheHeaderChoosesColumns()
    {
        Fixture f;
        choose(f.menuOfHeader(), u"Session"_qs);
        QVERIFY(f.table().isColumnHidden(LockModel::Session));
        choose(f.menuOfHeader(), u"Session"_qs);
        QVERIFY(!f.table().isColumnHidden(LockModel::Session));
    }

    // A narrow table hid a column again that one had asked for.
    void aChosenColumnStaysInANarrowTable()
    {
        Fixture f(420);
        QVERIFY(f.table().isColumnHidden(LockModel::Session));
        choose(f.menuOfHeader(), u"Session"_qs);
        QVERIFY(!f.table().isColumnHidden(LockModel::Session));
        f.page.resize(430, 400);
        QCoreApplication::processEvents();
        QVERIFY(!f.table().isColumnHidden(LockModel::Session));
        choose(f.menuOfHeader(), u"As the width allows"_qs);
        QVERIFY(f.table().isColumnHidden(LockModel::Session));
    }

    // They were cut, beside two columns that say how long ago it was.
    void namesAreReadBeforeInstants()
    {
        Fixture f;
        const int character = f.table().fontMetrics().averageCharWidth();
        int others = 0; // the widths of all columns but that of the holders; pixels
        for (int column = 0; column < f.table().header()->count(); ++column)
            others += column == LockModel::Who ? 0 : f.table().columnWidth(column);
        f.page.resize(others + 24 * character, 400); // which is too narrow for a holder
        QCoreApplication::processEvents();
        QVERIFY(f.table().isColumnHidden(LockModel::Since));
        for (const LockModel::Column column : {LockModel::Session, LockModel::For, LockModel::Fence})
            QVERIFY2(!f.table().isColumnHidden(column), qPrintable(QString::number(column)));
        QVERIFY(f.table().columnWidth(LockModel::Who) >= 30 * character);
        QVERIFY(f.table().columnWidth(LockModel::Lock) >= 26 * character);
        QCOMPARE(f.table().textElideMode(), Qt::ElideMiddle);
        LockRow found = contender("/app/locks/a/long/way/down/db", 0, "ada");
        found.directory = found.lock;
        f.model.showFound({found});
        const QString tip = f.model.index(3, LockModel::Lock).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(u"/app/locks/a/long/way/down/db/lock-0000000000"_qs), qPrintable(tip));
    }

    void theLastColumnCannotBeHidden()
    {
        Fixture f;
        for (const QString &title :
             {u"Kind"_qs, u"Place"_qs, u"Holder and waiters"_qs, u"Session"_qs, u"Since"_qs, u"For"_qs, u"Fence"_qs})
            choose(f.menuOfHeader(), title);
        QMenu *const menu = f.menuOfHeader();
        QVERIFY(!entry(menu, u"Lock"_qs)->isEnabled());
        menu->close();
    }

    void columnsAndFilterAreKept()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        {
            Fixture f;
            choose(f.menuOfHeader(), u"Session"_qs);
            f.table().sortByColumn(LockModel::Who, Qt::DescendingOrder);
            f.page.findChild<QLineEdit *>()->setText(u"db"_qs);
            f.page.saveTo(settings);
        }
        Fixture f;
        f.page.restoreFrom(settings);
        QVERIFY(f.table().isColumnHidden(LockModel::Session));
        QVERIFY(!f.table().isColumnHidden(LockModel::Place));
        QCOMPARE(f.shown(), (QStringList{u"backup"_qs, u"a|b \"1\""_qs}));
    }

    void aFieldFiltersByAnyCell()
    {
        Fixture f;
        ConnectionState state;
        state.session.phase = SessionStatus::Phase::Connected;
        f.page.showState(state);
        auto *const field = f.page.findChild<QLineEdit *>();
        f.action("locks.filter")->trigger();
        field->setText(u"DISK"_qs);
        QCOMPARE(f.shown(), QStringList{u"=1,2"_qs});
        field->setText(u"waits"_qs);
        QCOMPARE(f.shown(), QStringList{u"backup"_qs});
        field->setText(u"nothing"_qs);
        QCOMPARE(f.shown(), QStringList());
        const QList<QLabel *> labels = f.table().findChildren<QLabel *>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
            return !label->isHidden() && label->text() == u"No row fits the filter."_qs;
        }));
    }

    void theMenuOfACellCopiesIt()
    {
        Fixture f;
        choose(f.menuOfCell(1, LockModel::Who), u"Copy the cell"_qs);
        QCOMPARE(copied(), u"backup"_qs);
    }

    // In each form the columns are those that are seen, in the order in which they are seen.
    void copiesTheSelectedRows()
    {
        Fixture f;
        for (const int column :
             {LockModel::Kind, LockModel::Session, LockModel::Since, LockModel::For, LockModel::Fence})
            f.table().chooseColumn(column, false);
        f.table().header()->moveSection(LockModel::Who, 0);
        f.table().sortByColumn(LockModel::Lock, Qt::AscendingOrder);
        QVERIFY(!f.action("locks.copy-csv")->isEnabled());
        f.table().selectAll();
        f.action("locks.copy")->trigger();
        QCOMPARE(copied(), u"a|b \"1\"\tdb\tHolds\nbackup\tdb\tWaits, 1\n'=1,2\tdisk\tHolds"_qs);
        f.action("locks.copy-csv")->trigger();
        QCOMPARE(copied(),
                 u"Holder and waiters,Lock,Place\r\n\"a|b \"\"1\"\"\",db,Holds\r\nbackup,db,\"Waits, 1\"\r\n"
                 "\"'=1,2\",disk,Holds\r\n"_qs);
        f.table().setCurrentIndex(f.cell(0, 0));
        choose(f.menuOfCell(0, 0), u"Copy the rows as Markdown"_qs);
        QCOMPARE(copied(),
                 u"| Holder and waiters | Lock | Place |\n| --- | --- | --- |\n| a\\|b \"1\" | db | Holds |\n"_qs);
        f.action("locks.copy-json")->trigger();
        QCOMPARE(copied(),
                 u"[\n    {\n        \"Holder and waiters\": \"a|b \\\"1\\\"\",\n        \"Lock\": \"db\",\n"
                 "        \"Place\": \"Holds\"\n    }\n]\n"_qs);
    }

    void exportsWhatTheFilterLeaves()
    {
        const QTemporaryDir directory;
        Fixture f;
        f.page.findChild<QLineEdit *>()->setText(u"db"_qs);
        for (const int column : {LockModel::Kind, LockModel::Session, LockModel::Since, LockModel::For,
                                 LockModel::Fence, LockModel::Place})
            f.table().chooseColumn(column, false);
        f.action("locks.export")->trigger();
        auto *const dialog = f.table().findChild<QFileDialog *>();
        QVERIFY(dialog);
        dialog->selectFile(directory.filePath(u"locks.md"_qs));
        QVERIFY(QMetaObject::invokeMethod(dialog, "accept"));
        QCOMPARE(read(directory.filePath(u"locks.md"_qs)),
                 "| Lock | Holder and waiters |\n| --- | --- |\n| db | a\\|b \"1\" |\n| db | backup |\n");
    }

    void saysWhatCannotBeWritten()
    {
        Fixture f;
        const QString why = f.table().actionsOnRows().exportTo(u"/nonexistent/locks.csv"_qs, TableFormat::Csv);
        QVERIFY2(why.startsWith(u"Cannot write /nonexistent/locks.csv: "_qs), qPrintable(why));
    }
};

QTEST_MAIN(TablePageTest)
#include "table_page_test.moc"
