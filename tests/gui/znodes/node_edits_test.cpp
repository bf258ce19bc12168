#include "gui/znodes/acl_dialog.h"
#include "gui/znodes/create_dialog.h"
#include "gui/znodes/data_dialog.h"
#include "gui/znodes/diff_view.h"
#include "gui/znodes/edits_fixture.h"
#include "gui/znodes/node_view.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QPlainTextEdit>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using test::create;
using test::dataOf;
using Fixture = test::EditsFixture;

namespace {

async::Task<zk::AclList> aclOf(zk::Client &zk, zk::Path path)
{
    const auto acl = co_await zk.acl(path);
    co_return acl.value().acl;
}

} // namespace

// What the page changes in one node, by its dialogs.
class NodeEditsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void changesNothingUntilItIsEnabled()
    {
        Fixture f;
        f.allowChanges(false);
        for (const char *const name :
             {"znode.create", "znode.edit", "znode.acl", "znode.copy", "znode.move", "znode.delete", "znode.import"})
            QVERIFY2(!f.action(QLatin1String(name))->isEnabled(), name);
        QVERIFY(f.action(u"znode.export"_qs)->isEnabled());
        QVERIFY(f.action(u"znode.compare"_qs)->isEnabled());
        f.edits->create();
        f.edits->editData();
        f.edits->editAcl();
        f.edits->copy(false);
        f.edits->remove();
        f.edits->importFrom(u"/dev/null"_qs);
        QVERIFY(!f.isOpen());
    }

    void createsANode()
    {
        Fixture f;
        auto *const dialog = f.open<CreateDialog>(u"znode.create"_qs);
        const auto name = dialog->findChild<QLineEdit *>();
        name->setText(u"b"_qs);
        f.press(dialog, u"Create"_qs);
        QVERIFY(Fixture::says(dialog, u"/app/a/b exists already."_qs));
        name->setText(u"new"_qs);
        dialog->findChild<QPlainTextEdit *>()->setPlainText(u"hello"_qs);
        test::pictureOf(*dialog, u"znode-create"_qs);
        f.press(dialog, u"Create"_qs);
        QVERIFY(!f.isOpen());
        QCOMPARE(f.data("/app/a/new"), QByteArray("hello"));
        QCOMPARE(f.page->node().contents().path, zk::Path("/app/a/new")); // it is shown
        auto *const numbered = f.open<CreateDialog>(u"znode.create"_qs);
        numbered->findChild<QLineEdit *>()->setText(u"n-"_qs);
        numbered->findChild<QCheckBox *>()->setChecked(true);
        f.press(numbered, u"Create"_qs);
        QCOMPARE(f.data("/app/a/new/n-0000000000"), QByteArray());
    }

    void showsADifferenceBeforeItWrites()
    {
        Fixture f;
        auto *const dialog = f.open<DataDialog>(u"znode.edit"_qs);
        auto *const editor = dialog->findChild<QPlainTextEdit *>();
        QCOMPARE(editor->toPlainText(), u"data of /app/a"_qs);
        editor->setPlainText(u"data of /app/a\nand more"_qs);
        f.press(dialog, u"Review…"_qs);
        QCOMPARE(f.data("/app/a"), QByteArray("data of /app/a"));
        QCOMPARE(dialog->findChild<DiffView *>()->toPlainText(), u"  data of /app/a\n+ and more\n"_qs);
        test::pictureOf(*dialog, u"znode-review"_qs);
        f.press(dialog, u"Write"_qs);
        QVERIFY(!f.isOpen());
        QCOMPARE(f.data("/app/a"), QByteArray("data of /app/a\nand more"));
    }

    void aChangeMeanwhileIsNeverOverwrittenUnseen()
    {
        Fixture f;
        auto *const dialog = f.open<DataDialog>(u"znode.edit"_qs);
        auto *const editor = dialog->findChild<QPlainTextEdit *>();
        auto *const diff = dialog->findChild<DiffView *>();
        editor->setPlainText(u"mine"_qs);
        f.write("/app/a", "theirs");
        f.press(dialog, u"Review…"_qs);
        f.press(dialog, u"Write"_qs);
        QCOMPARE(f.data("/app/a"), QByteArray("theirs"));
        QVERIFY(Fixture::says(dialog, u"Another client has changed the node meanwhile: it has version 1."_qs));
        QCOMPARE(diff->toPlainText(), u"- theirs\n+ mine\n"_qs);
        test::pictureOf(*dialog, u"znode-conflict"_qs);
        f.press(dialog, u"Keep editing"_qs);
        QCOMPARE(editor->toPlainText(), u"mine"_qs);
        f.press(dialog, u"Review…"_qs);
        f.write("/app/a", "theirs again");
        f.press(dialog, u"Write"_qs);
        f.write("/app/a", "and again"); // after they were shown
        f.press(dialog, u"Write over them"_qs);
        QCOMPARE(f.data("/app/a"), QByteArray("and again"));
        f.press(dialog, u"Take the other data"_qs);
        QCOMPARE(editor->toPlainText(), u"and again"_qs);
        editor->setPlainText(u"both"_qs);
        f.press(dialog, u"Review…"_qs);
        f.press(dialog, u"Write"_qs);
        QVERIFY(!f.isOpen());
        QCOMPARE(f.data("/app/a"), QByteArray("both"));
    }

    void aLostServerLosesNoText()
    {
        Fixture f;
        auto *const dialog = f.open<DataDialog>(u"znode.edit"_qs);
        auto *const editor = dialog->findChild<QPlainTextEdit *>();
        editor->setPlainText(u"typed with care"_qs);
        f.press(dialog, u"Review…"_qs);
        f.server.stop();
        f.press(dialog, u"Write"_qs);
        f.world.runFor(60s); // the session ends
        f.server.start();
        f.world.runFor(30s);
        QVERIFY(f.isOpen());
        QCOMPARE(editor->toPlainText(), u"typed with care"_qs);
        QVERIFY(Fixture::says(dialog, u"The session has ended before the answer came"_qs));
        f.press(dialog, u"Write"_qs);
        QVERIFY(!f.isOpen());
        const std::unique_ptr<zk::Client> reader = f.server.connect(f.clusterLoop); // the writer has ended, too
        QCOMPARE(f.run(dataOf(*reader, zk::Path("/app/a"))), QByteArray("typed with care"));
    }

    void aDialogObeysTheSwitchAndTheConnection()
    {
        Fixture f;
        auto *const dialog = f.open<CreateDialog>(u"znode.create"_qs);
        dialog->findChild<QLineEdit *>()->setText(u"late"_qs);
        f.allowChanges(false);
        f.press(dialog, u"Create"_qs);
        QVERIFY(Fixture::says(dialog, u"Editing has been switched off: nothing was changed."_qs));
        f.allowChanges(true);
        f.window.connectTo({u"another"_qs, "default"}); // whose nodes the dialog is not about
        QVERIFY(!f.isOpen());
        QCOMPARE(f.data("/app/a/late"), QByteArray("(missing)"));
    }

    void binaryDataAreEditedAsBase64()
    {
        Fixture f;
        f.write("/app/a", QByteArray("\0\xff", 2));
        f.world.runFor(2s);
        auto *const dialog = f.open<DataDialog>(u"znode.edit"_qs);
        auto *const editor = dialog->findChild<QPlainTextEdit *>();
        QCOMPARE(editor->toPlainText(), u"AP8="_qs);
        editor->setPlainText(u"not base64!"_qs);
        f.press(dialog, u"Review…"_qs);
        QVERIFY(Fixture::says(dialog, u"This is not base64."_qs));
        editor->setPlainText(u"AAE="_qs);
        f.press(dialog, u"Review…"_qs);
        f.press(dialog, u"Write"_qs);
        QCOMPARE(f.data("/app/a"), QByteArray("\0\1", 2));
    }

    void changesAnAcl()
    {
        Fixture f;
        auto *const dialog = f.open<AclDialog>(u"znode.acl"_qs);
        auto *const entries = dialog->findChild<QPlainTextEdit *>();
        QCOMPARE(entries->toPlainText(), u"world:anyone:cdrwa"_qs);
        entries->setPlainText(u"world:anyone:x"_qs);
        QVERIFY(!Fixture::says(dialog, u"everyone"_qs));
        entries->setPlainText(u"world:anyone:ra\nip:10.0.0.0/8:cdrwa"_qs);
        QVERIFY(Fixture::says(dialog, u"everyone: read and change this list"_qs));
        test::pictureOf(*dialog, u"znode-acl"_qs);
        f.press(dialog, u"Change"_qs);
        QVERIFY(!f.isOpen());
        const zk::AclList acl = f.run(aclOf(*f.writer, zk::Path("/app/a")));
        QCOMPARE(acl.size(), std::size_t(2));
        QCOMPARE(acl[0].permissions, 17);
    }
};

QTEST_MAIN(NodeEditsTest)
#include "node_edits_test.moc"
