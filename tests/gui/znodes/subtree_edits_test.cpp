#include "gui/znodes/compare_dialog.h"
#include "gui/znodes/copy_dialog.h"
#include "gui/znodes/delete_dialog.h"
#include "gui/znodes/diff_view.h"
#include "gui/znodes/edits_fixture.h"
#include "gui/znodes/import_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QTemporaryDir>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using test::create;
using test::dataOf;
using Fixture = test::EditsFixture;

// What the page does to a node and all below it, and with two nodes.
class SubtreeEditsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsWhatItDeletes()
    {
        Fixture f;
        auto *const dialog = f.open<DeleteDialog>(u"znode.delete"_qs);
        QVERIFY(Fixture::says(dialog, u"This deletes 2 nodes with 30 bytes of data: /app/a and all below it."_qs));
        test::pictureOf(*dialog, u"znode-delete"_qs);
        f.run(create(*f.writer, zk::Path("/app/a/late"), {}, zk::CreateMode::Persistent));
        f.press(dialog, u"Delete"_qs);
        QVERIFY(Fixture::says(dialog, u"It has 3 nodes by now: nothing was deleted."_qs));
        QCOMPARE(f.data("/app/a/b"), QByteArray("data of /app/a/b"));
        dialog->reject();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        f.press(f.open<DeleteDialog>(u"znode.delete"_qs), u"Delete"_qs);
        QCOMPARE(f.data("/app/a"), QByteArray("(missing)"));
        QCOMPARE(f.data("/app"), QByteArray("data of /app"));
    }

    // It made a dialog as wide as the path.
    void aLongPathMakesNoWideDialog()
    {
        Fixture f;
        const QByteArray path = "/app/" + QByteArray(300, 'w');
        f.run(create(*f.writer, zk::Path(path), {}, zk::CreateMode::Persistent));
        f.run(create(*f.writer, zk::Path(path + "/below"), {}, zk::CreateMode::Persistent));
        f.world.runFor(5s); // until the page knows of it
        f.goTo(path.constData());
        const auto *const dialog = f.open<DeleteDialog>(u"znode.delete"_qs);
        QVERIFY(dialog);
        QVERIFY2(dialog->width() < 900, qPrintable(QString::number(dialog->width())));
        QVERIFY(Fixture::says(dialog, u"This deletes 2 nodes"_qs));
        const QList<QLabel *> labels = dialog->findChildren<QLabel *>();
        const bool isTold = std::any_of(labels.begin(), labels.end(), [&](const QLabel *label) {
            return label->toolTip().contains(QString::fromLatin1(path)) && label->text().contains(u'…');
        });
        QVERIFY(isTold);
    }

    void droversOwnNodesWantTheirNameTyped()
    {
        Fixture f;
        f.goTo("/drover/default/locks");
        auto *const dialog = f.open<DeleteDialog>(u"znode.delete"_qs);
        auto *const name = dialog->findChild<QLineEdit *>();
        QVERIFY(Fixture::says(dialog, u"It belongs to Drover"_qs));
        QVERIFY(Fixture::says(dialog, u" ephemeral, and belong to sessions that live."_qs));
        const auto *const confirm = dialog->findChild<QPushButton *>();
        const auto isConfirmable = [&] {
            const QList<QPushButton *> buttons = dialog->findChildren<QPushButton *>();
            return std::any_of(buttons.begin(), buttons.end(), [](const QPushButton *button) {
                return button->text() == u"Delete" && button->isEnabled();
            });
        };
        QVERIFY(confirm && !isConfirmable());
        name->setText(u"lock"_qs);
        QVERIFY(!isConfirmable());
        name->setText(u"locks"_qs);
        test::pictureOf(*dialog, u"znode-delete-drover"_qs);
        QVERIFY(isConfirmable());
        f.press(dialog, u"Delete"_qs);
        QCOMPARE(f.data("/drover/default/locks"), QByteArray("(missing)"));
    }

    void copiesAndMovesASubtree()
    {
        Fixture f;
        f.run(create(*f.writer, zk::Path("/app/a/e"), {}, zk::CreateMode::Ephemeral));
        auto *dialog = f.open<CopyDialog>(u"znode.copy"_qs);
        const auto go = [&](const QString &to, const QString &button) {
            dialog->findChild<QLineEdit *>()->setText(to);
            f.press(dialog, button);
        };
        go(u"/app/a/c"_qs, u"Copy"_qs);
        QVERIFY(Fixture::says(dialog, u"cannot be copied to itself or below itself"_qs));
        go(u"/none/c"_qs, u"Copy"_qs);
        QVERIFY(Fixture::says(dialog, u"there is no node /none"_qs));
        go(u"/copy"_qs, u"Copy"_qs);
        QCOMPARE(f.data("/copy"), QByteArray("data of /app/a"));
        QCOMPARE(f.data("/copy/b"), QByteArray("data of /app/a/b"));
        QCOMPARE(f.data("/copy/e"), QByteArray("(missing)")); // ephemeral
        dialog = f.open<CopyDialog>(u"znode.copy"_qs);
        go(u"/copy"_qs, u"Copy"_qs);
        QVERIFY(Fixture::says(dialog, u"/copy exists already; nothing was written"_qs));
        dialog->reject();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        dialog = f.open<CopyDialog>(u"znode.move"_qs);
        go(u"/moved"_qs, u"Move"_qs);
        QVERIFY(Fixture::says(dialog, u"ephemeral nodes"_qs));
        dialog->reject();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        f.goTo("/copy");
        dialog = f.open<CopyDialog>(u"znode.move"_qs);
        go(u"/moved"_qs, u"Move"_qs);
        QCOMPARE(f.data("/moved/b"), QByteArray("data of /app/a/b"));
        QCOMPARE(f.data("/copy"), QByteArray("(missing)"));
    }

    void exportsAndImportsASubtree()
    {
        Fixture f;
        const QTemporaryDir directory;
        const QString file = directory.filePath(u"a.json"_qs);
        f.write("/app/a/b", QByteArray("\0\xff", 2));
        f.run(create(*f.writer, zk::Path("/app/a/e"), "e", zk::CreateMode::Ephemeral));
        f.edits->exportTo(file);
        f.world.runFor(3s);
        f.write("/app/a", "changed");
        f.goTo("/");
        ImportDialog *dialog = nullptr;
        const auto import = [&](const QString &to, int rule) {
            f.edits->importFrom(file);
            dialog = f.page->findChild<ImportDialog *>();
            dialog->findChild<QLineEdit *>()->setText(to);
            dialog->findChild<QComboBox *>()->setCurrentIndex(rule);
            f.press(dialog, u"Import"_qs);
        };
        import(u"/app/a"_qs, 0);
        QVERIFY(Fixture::says(dialog, u"/app/a exists already; nothing was written"_qs));
        test::pictureOf(*dialog, u"znode-import"_qs);
        dialog->reject();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        import(u"/app/a"_qs, 1);
        QCOMPARE(f.data("/app/a"), QByteArray("changed"));
        import(u"/app/a"_qs, 2);
        QCOMPARE(f.data("/app/a"), QByteArray("data of /app/a"));
        import(u"/other"_qs, 0);
        QVERIFY(!f.isOpen());
        QCOMPARE(f.data("/other/b"), QByteArray("\0\xff", 2));
        QCOMPARE(f.data("/other/e"), QByteArray("(missing)"));
        f.edits->importFrom(file);
        dialog = f.page->findChild<ImportDialog *>();
        dialog->findChild<QLineEdit *>()->setText(u"/third"_qs);
        dialog->findChild<QCheckBox *>()->setChecked(true);
        f.press(dialog, u"Import"_qs);
        QCOMPARE(f.data("/third/e"), QByteArray("e"));
    }

    void saysWhatIsWrongWithAFile()
    {
        Fixture f;
        const QTemporaryDir directory;
        const std::pair<const char *, const char *> cases[] = {
            {"{", "the file is not JSON"},
            {"{}", "the file is not an export of znodes"},
            {R"({"format":"drover-znodes","v":2})", "the file has the version 2"},
            {R"({"format":"drover-znodes","v":1,"top":"/x","nodes":[]})", "the file has no nodes"},
            {R"({"format":"drover-znodes","v":1,"top":"/x","nodes":[{"path":"../y"}]})", "/x/../y"},
            {R"({"format":"drover-znodes","v":1,"top":"/x","nodes":[{"path":"","base64":"?"}]})", "not base64"}};
        for (const auto &[content, expected] : cases) {
            QFile file(directory.filePath(u"x.json"_qs));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) > 0);
            file.close();
            f.edits->importFrom(file.fileName());
            auto *const dialog = f.page->findChild<ImportDialog *>();
            dialog->findChild<QLineEdit *>()->setText(u"/y"_qs);
            f.press(dialog, u"Import"_qs);
            QVERIFY2(Fixture::says(dialog, QLatin1String(expected)), content);
            dialog->reject();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
        QCOMPARE(f.data("/y"), QByteArray("(missing)"));
    }

    void comparesTwoNodes()
    {
        Fixture f;
        f.write("/app/a", R"({"a":1,"b":2})");
        f.write("/app/a/b", R"({"a": 1, "b": 3})");
        f.world.runFor(2s);
        auto *const dialog = f.open<CompareDialog>(u"znode.compare"_qs);
        dialog->findChild<QLineEdit *>()->setText(u"/app/a/b"_qs);
        f.press(dialog, u"Compare"_qs);
        QCOMPARE(dialog->findChild<DiffView *>()->toPlainText(),
                 u"  {\n      \"a\": 1,\n-     \"b\": 2\n+     \"b\": 3\n  }\n"_qs);
        test::pictureOf(*dialog, u"znode-compare"_qs);
        dialog->findChild<QLineEdit *>()->setText(u"/none"_qs);
        f.press(dialog, u"Compare"_qs);
        QVERIFY(Fixture::says(dialog, u"There is no node /none."_qs));
    }
};

QTEST_MAIN(SubtreeEditsTest)
#include "subtree_edits_test.moc"
