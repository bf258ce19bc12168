#include "app/support/drover_on_server.h"
#include "asking_console.h"
#include "gui/credentials/credentials_control.h"
#include "gui/credentials/credentials_text.h"
#include "gui/launch/launch_dialog.h"
#include "gui/pictures.h"
#include "gui/shell/action_registry.h"
#include "private_keyring.h"
#include "support/await.h"
#include "trust/issuer.h"

#include <QSettings>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

constexpr int Patience = 60'000; // ms

async::Task<zk::AclList> aclOf(zk::Client &zk, zk::Path path)
{
    const zk::Answer<zk::AclOfNode> found = co_await zk.acl(path);
    found.require();
    co_return found->acl;
}

} // namespace

// Credentials that the user gives or the keyring keeps: a closed cluster on a real server, and a real secret service.
class CredentialsTest : public QObject
{
    Q_OBJECT

    PrivateKeyring m_desktop;
    DroverOnServer m_cluster;
    Target target() const { return {m_cluster.server.connectString(), "default"}; }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"batch"}); }

    void asksEachTimeWithoutAKeyring()
    {
        AskingConsole console;
        console.window.connectTo(target());
        QTRY_VERIFY_WITH_TIMEOUT(console.dialog(), Patience);
        CredentialsDialog *dialog = console.dialog();
        QVERIFY(says(*dialog, u"closed to those without credentials"_qs));
        QTRY_VERIFY_WITH_TIMEOUT(says(*dialog, u"no keyring here"_qs), Patience);
        QVERIFY(!named<QCheckBox>(*dialog, u"Remember in the keyring"_qs)->isEnabled());
        pictureOf(*dialog, u"credentials-without-keyring"_qs);
        QVERIFY(!named<QPushButton>(*dialog, u"Connect"_qs)->isEnabled());

        // What cannot be theirs is refused before it is sent anywhere.
        const trust::Issuer other = trust::Issuer::found("other", u"zk9:2181"_qs);
        const trust::Grant all{.name = u"alice"_qs, .roles = {trust::Role::Viewer}};
        paste(*dialog, "nonsense");
        QVERIFY(says(*dialog, u"neither the text of a credentials file"_qs));
        paste(*dialog, other.issue(all).encode());
        QVERIFY(says(*dialog, u"of the cluster other, not of default"_qs));
        QVERIFY(!named<QPushButton>(*dialog, u"Connect"_qs)->isEnabled());

        // Wrong ones are asked for again, once.
        const trust::Issuer forger = trust::Issuer::found("default", u"zk9:2181"_qs);
        paste(*dialog, forger.issue(all).encode());
        QVERIFY(says(*dialog, u"their passwords go to "_qs + target().connect));
        pictureOf(*dialog, u"credentials-of-other-servers"_qs);
        QPointer<CredentialsDialog> first = dialog;
        connectBy(*dialog);
        QTRY_VERIFY_WITH_TIMEOUT(!first && console.dialog(), Patience);
        dialog = console.dialog();
        QVERIFY(says(*dialog, u"The cluster refuses “alice: viewer"_qs));

        // A user and a password, as of an ensemble of others.
        const QByteArray secret = m_cluster.credentials().digestSecret(trust::Role::Viewer);
        const QList<QLineEdit *> fields = dialog->findChildren<QLineEdit *>();
        QTest::keyClicks(fields[0], QString::fromUtf8(secret.left(secret.indexOf(':'))));
        QTest::keyClicks(fields[1], QString::fromUtf8(secret.mid(secret.indexOf(':') + 1)));
        QCOMPARE(fields[1]->echoMode(), QLineEdit::Password);
        connectBy(*dialog);
        QTRY_VERIFY_WITH_TIMEOUT(console.isAllowed(), Patience);
        QVERIFY(!console.dialog());
        QVERIFY(!console.window.shown().isHidden());
    }

    // The passwords of all roles let it into the cluster, which is not open for that.
    void aPasswordOfZooKeeperChangesZnodesAlone()
    {
        AskingConsole console;
        console.window.connectTo(target());
        QTRY_VERIFY_WITH_TIMEOUT(console.dialog(), Patience);
        const QByteArray secret = m_cluster.credentials().digestSecret(trust::Role::Admin);
        const QByteArray user = secret.left(secret.indexOf(':'));
        paste(*console.dialog(), "digest:" + secret);
        connectBy(*console.dialog());
        QTRY_VERIFY_WITH_TIMEOUT(console.isAllowed(), Patience);
        const Workspace &shown = console.window.shown();
        QTRY_VERIFY_WITH_TIMEOUT(shown.state().clusterExists, Patience);
        QVERIFY(!shown.state().isOpen());
        QVERIFY(says(console.window, u"ZooKeeper user "_qs + QString::fromUtf8(user)));
        console.window.findChild<QAction *>(u"connection.edit"_qs)->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(console.window.findChild<QAction *>(u"znode.create"_qs)->isEnabled(), Patience);
        const QAction *const submit = console.window.findChild<QAction *>(u"job.submit"_qs);
        QVERIFY(!submit->isEnabled());
        QVERIFY(submit->toolTip().contains(u"has no credentials of the cluster"_qs));

        const auto create = [&](const char *path) { return madeBy(console, zk::Path(path)); };
        QCOMPARE(create("/of-the-user").kind, ZnodeAnswer::Kind::Done);
        const zk::AclList acl = await(aclOf(m_cluster.zk(), zk::Path("/of-the-user")));
        QCOMPARE(acl.size(), std::size_t(1));
        QCOMPARE(acl.front().scheme, QByteArray("digest"));
        QVERIFY(acl.front().id.startsWith(user + ':'));
        QCOMPARE(create("/drover/default/jobs/of-the-user").kind, ZnodeAnswer::Kind::Failed);
    }

    void theKeyringOpensTheClusterTheNextTime()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        m_desktop.start();
        {
            AskingConsole console;
            console.window.connectTo(target());
            QTRY_VERIFY_WITH_TIMEOUT(console.dialog(), Patience);
            auto *const remember = named<QCheckBox>(*console.dialog(), u"Remember in the keyring"_qs);
            QTRY_VERIFY_WITH_TIMEOUT(remember->isEnabled(), Patience);
            QVERIFY(!remember->isChecked());
            remember->click();
            paste(*console.dialog(), m_cluster.credentials().encode());
            connectBy(*console.dialog());
            QTRY_VERIFY_WITH_TIMEOUT(console.isAllowed(), Patience);
            QCOMPARE(console.user(), u"test"_qs);
            QTRY_VERIFY_WITH_TIMEOUT(isKept(console, settings), Patience);
        }
        QFile file(settings.fileName());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray clear = file.readAll() + m_desktop.stored();
        for (const QByteArray &secret : m_cluster.credentials().digestSecrets())
            QVERIFY(!clear.contains(secret.mid(secret.indexOf(':') + 1)));
        {
            AskingConsole console;
            console.window.restoreFrom(settings);
            console.window.connectTo(target());
            QTRY_VERIFY_WITH_TIMEOUT(console.isAllowed(), Patience);
            QVERIFY(!console.dialog());

            // The user lets it forget them.
            console.window.findChild<QAction *>(u"connection.credentials"_qs)->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(says(*console.dialog(), u"It has some"_qs), Patience);
            pictureOf(*console.dialog(), u"credentials-in-the-keyring"_qs);
            named<QPushButton>(*console.dialog(), u"Forget"_qs)->click();
            QTRY_VERIFY_WITH_TIMEOUT(!isKept(console, settings), Patience);
        }
        QCOMPARE(decodeCredentials(m_cluster.credentials().encode(), target()).ofCluster->cluster,
                 QByteArray("default"));
        QCOMPARE(decodeCredentials("digest:eve:ends in a blank ", target()).digest, QByteArray("eve:ends in a blank "));
    }

    // The user can go on without it, and it may answer later.
    void aKeyringThatHangsKeepsNobody()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        m_desktop.start();
        {
            AskingConsole before;
            remember(before, settings);
        }
        AskingConsole console; // which has not shown the cluster yet
        m_desktop.pause();
        console.window.restoreFrom(settings);
        console.window.connectTo(target());
        QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"The keyring has not answered yet."_qs), Patience);
        QVERIFY(!console.window.isConnected());
        QVERIFY(console.window.findChild<LaunchDialog *>()->windowTitle().contains(target().connect));
        console.window.connectTo(target());
        QTRY_VERIFY_WITH_TIMEOUT(console.dialog(), Patience);
        QVERIFY(!says(console.window, u"The keyring has not answered yet."_qs));
        paste(*console.dialog(), m_cluster.credentials().encode());
        connectBy(*console.dialog());
        QTRY_VERIFY_WITH_TIMEOUT(console.isAllowed(), Patience);
        m_desktop.resume();
    }

    // Each time that a connection is opened; not when a session follows another, and not for what an older one says.
    void asksOnceForEachConnection()
    {
        QWidget window;
        ActionRegistry actions(window, nullptr);
        KnownConnections known;
        Keyring keyring;
        CredentialsControl control(keyring, known, actions, window);
        const auto dialogs = [&] { return window.findChildren<CredentialsDialog *>().size(); };
        QVERIFY(!actions.find(u"connection.credentials"_qs)->isEnabled());
        control.open(target());
        control.showStatus(said(ClusterAccess::Refused)); // of the session before
        QCOMPARE(dialogs(), 0);
        control.showStatus({});
        control.showStatus(said(ClusterAccess::Refused));
        QCOMPARE(dialogs(), 1);
        QVERIFY(control.notice().contains(u"closed to those without credentials"_qs)); // also once it is cancelled
        delete window.findChild<CredentialsDialog *>(); // the user has cancelled it
        control.showStatus(said(ClusterAccess::Unknown));
        control.showStatus(said(ClusterAccess::Refused)); // of a session that replaces it
        QCOMPARE(dialogs(), 0);

        // Who was let in before reads it, and is not interrupted.
        control.open(target());
        control.showStatus({});
        control.showStatus(said(ClusterAccess::Closed));
        QCOMPARE(control.notice(), QString());
        control.showStatus(said(ClusterAccess::Refused));
        QCOMPARE(dialogs(), 0);
        QVERIFY(control.notice().contains(u"closed to those without credentials now"_qs));
        SessionStatus alices = said(ClusterAccess::Closed);
        alices.user = u"alice"_qs;
        control.showStatus(alices);
        QCOMPARE(control.notice(), QString());
        alices.access = ClusterAccess::Refused;
        control.showStatus(alices);
        QVERIFY(control.notice().contains(u"refuses the credentials now"_qs));
        control.showStatus(said(ClusterAccess::Closed));
        QCOMPARE(control.notice(), QString());

        // A tab that is hidden asks once it is seen.
        control.setSeen(false);
        control.open(target());
        control.showStatus({});
        control.showStatus(said(ClusterAccess::Refused));
        QCOMPARE(dialogs(), 0);
        control.setSeen(true);
        QCOMPARE(dialogs(), 1);
        control.cancel();
        QCOMPARE(dialogs(), 0);
    }

private:
    static SessionStatus said(ClusterAccess access)
    {
        SessionStatus status;
        status.phase = SessionStatus::Phase::Connected;
        status.access = access;
        return status;
    }
    // Whether the settings say that the keyring has the credentials of the connection.
    bool isKept(const AskingConsole &console, QSettings &settings) const
    {
        console.window.saveTo(settings);
        settings.sync();
        KnownConnections known;
        known.restoreFrom(settings);
        return known.isInKeyring(target());
    }
    void remember(AskingConsole &console, QSettings &settings) const
    {
        console.window.connectTo(target());
        QTRY_VERIFY_WITH_TIMEOUT(console.dialog(), Patience);
        auto *const box = named<QCheckBox>(*console.dialog(), u"Remember in the keyring"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(box->isEnabled(), Patience);
        box->click();
        paste(*console.dialog(), m_cluster.credentials().encode());
        connectBy(*console.dialog());
        QTRY_VERIFY_WITH_TIMEOUT(isKept(console, settings), Patience);
    }
    static ZnodeAnswer madeBy(AskingConsole &console, const zk::Path &path)
    {
        ZnodeEdits &edits = console.feeds.session().znodeEdits();
        std::optional<ZnodeAnswer> answer;
        const QObject receiver;
        QObject::connect(&edits, &ZnodeEdits::answered, &receiver,
                         [&](int, const ZnodeAnswer &given) { answer = given; });
        QMetaObject::invokeMethod(&edits, [&edits, path] { edits.create(1000, {path, "made by a test"}); });
        [&] { QTRY_VERIFY_WITH_TIMEOUT(answer, Patience); }();
        return answer.value_or(ZnodeAnswer());
    }
};

QTEST_MAIN(CredentialsTest)
#include "credentials_test.moc"
