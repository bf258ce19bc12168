#include "app/support/drover_on_server.h"
#include "asking_console.h"
#include "gui/credentials/credentials_text.h"
#include "gui/credentials/keyring.h"
#include "gui/shell/known_connections.h"
#include "private_keyring.h"
#include "support/await.h"

#include <QSettings>
#include <QTemporaryDir>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;

namespace {

constexpr int Patience = 60'000; // ms

bool isOff(const AskingConsole &console)
{
    return console.window.shown().state().session.phase == SessionStatus::Phase::Disconnected;
}

} // namespace

// How long given credentials last: over a disconnect, a change of the cluster, the end of the program.
class LastingCredentialsTest : public QObject
{
    Q_OBJECT

    PrivateKeyring m_desktop;
    DroverOnServer m_cluster;
    Target target() const { return {m_cluster.server.connectString(), "default"}; }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"batch"});
        m_desktop.start();
    }

    void countAgainAfterADisconnect_data()
    {
        QTest::addColumn<bool>("isPassword");
        QTest::newRow("a file's text") << false;
        QTest::newRow("a user and a password") << true;
    }
    void countAgainAfterADisconnect()
    {
        QFETCH(bool, isPassword);
        AskingConsole console;
        console.window.connectTo(target());
        QTRY_VERIFY_WITH_TIMEOUT(console.dialog(), Patience);
        paste(*console.dialog(),
              isPassword ? "digest:" + m_cluster.credentials().digestSecret(trust::Role::Viewer)
                         : m_cluster.credentials().encode());
        connectBy(*console.dialog());
        QTRY_VERIFY_WITH_TIMEOUT(console.isAllowed(), Patience);
        for (const Target &other : {target(), Target{target().connect + u"/elsewhere"_qs, "default"}}) {
            console.window.connectTo(other);
            QTRY_VERIFY_WITH_TIMEOUT(console.window.isConnected(), Patience);
            console.press(u"Disconnect"_qs);
            QTRY_VERIFY_WITH_TIMEOUT(isOff(console), Patience);
            console.window.connectTo(target());
            QTRY_VERIFY_WITH_TIMEOUT(console.isAllowed() || console.dialog(), Patience);
            QVERIFY2(!console.dialog(), "it asks for what the user has given");
            QCOMPARE(console.user(), isPassword ? QString() : u"test"_qs);
        }
    }

    // Nothing has shown yet that they are good.
    void areNotKeptBeforeTheClusterIsThere()
    {
        const Target later{target().connect + u"/later"_qs, "default"};
        AskingConsole console;
        console.window.showPage(u"jobs"_qs);
        console.window.connectTo(later);
        QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"does not exist here yet"_qs), Patience);
        console.action(u"connection.credentials"_qs)->trigger();
        auto *const remember = named<QCheckBox>(*console.dialog(), u"Remember in the keyring"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(remember->isEnabled(), Patience);
        remember->click();
        paste(*console.dialog(), m_cluster.credentials().encode());
        connectBy(*console.dialog());
        QTRY_VERIFY_WITH_TIMEOUT(console.user() == u"test"_qs, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"does not exist here yet"_qs), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"once the cluster is there"_qs) || !keptFor(later).isEmpty(),
                                 Patience);
        QCOMPARE(keptFor(later), QByteArray());

        // A disconnect does not forget what was wanted.
        console.press(u"Disconnect"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(isOff(console), Patience);
        console.window.connectTo(later);
        QTRY_VERIFY_WITH_TIMEOUT(console.user() == u"test"_qs, Patience);
        makeClosed("/later");
        QTRY_VERIFY_WITH_TIMEOUT(!keptFor(later).isEmpty(), Patience);
        QCOMPARE(keptFor(later), m_cluster.credentials().encode());
    }

    // The settings have it at once: the console may be killed.
    void areKnownToBeKeptAtOnce()
    {
        const QTemporaryDir directory;
        const QString file = directory.filePath(u"settings.ini"_qs);
        QSettings settings(file, QSettings::IniFormat);
        AskingConsole console;
        console.window.restoreFrom(settings);
        console.window.connectTo(target());
        QTRY_VERIFY_WITH_TIMEOUT(console.dialog(), Patience);
        auto *const remember = named<QCheckBox>(*console.dialog(), u"Remember in the keyring"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(remember->isEnabled(), Patience);
        remember->click();
        paste(*console.dialog(), m_cluster.credentials().encode());
        connectBy(*console.dialog());
        QTRY_VERIFY_WITH_TIMEOUT(!keptFor(target()).isEmpty(), Patience);
        const auto written = [&file] {
            QFile now(file);
            return now.open(QIODevice::ReadOnly) ? now.readAll() : QByteArray();
        };
        QVERIFY(written().contains("keyring=true"));
        console.action(u"connection.credentials"_qs)->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(named<QPushButton>(*console.dialog(), u"Forget"_qs)->isVisible(), Patience);
        named<QPushButton>(*console.dialog(), u"Forget"_qs)->click();
        QTRY_VERIFY_WITH_TIMEOUT(says(*console.dialog(), u"The keyring has forgotten them."_qs), Patience);
        QVERIFY(!written().contains("keyring=true"));
        QCOMPARE(keptFor(target()), QByteArray());
    }

    // Of the other one's, what it has kept, and of this one's, what it has forgotten.
    void twoProgramsHaveOneListOfTheKeyring()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        const auto restored = [&] {
            KnownConnections known;
            known.restoreFrom(settings);
            return known;
        };
        const Target first{u"zk1:2181"_qs, "default"};
        const Target second{u"zk2:2181"_qs, "default"};
        const Target third{u"zk3:2181"_qs, "default"};
        KnownConnections ours;
        for (const Target &one : {first, second})
            ours.use(one);
        ours.setInKeyring(first, true);
        ours.saveTo(settings);
        KnownConnections theirs = restored();
        theirs.use(third);
        for (const Target &one : {second, third})
            theirs.setInKeyring(one, true);
        theirs.saveTo(settings);
        ours.setInKeyring(first, false);
        ours.saveTo(settings); // it ends later
        QVERIFY(!restored().isInKeyring(first));
        QVERIFY(restored().isInKeyring(second) && restored().isInKeyring(third));

        // Many others come after it.
        for (int i = 0; i < 2 * KnownConnections::Most; ++i)
            theirs.use({u"other%1:2181"_qs.arg(i), "default"});
        theirs.saveTo(settings);
        QVERIFY(restored().isInKeyring(second) && restored().isInKeyring(third));
        QCOMPARE(restored().all().size(), KnownConnections::Most);
    }

private:
    // What the keyring has. It is asked after all that was to be kept before.
    static QByteArray keptFor(const Target &target)
    {
        Keyring keyring;
        std::optional<Keyring::Answer> answer;
        keyring.read(target, &keyring, [&](const Keyring::Answer &given) { answer = given; });
        [&] { QTRY_VERIFY_WITH_TIMEOUT(answer, Patience); }();
        return answer ? answer->secret : QByteArray();
    }
    // A closed cluster below that node: as much of it as a console looks for.
    void makeClosed(const QByteArray &chroot)
    {
        const jobs::Layout layout("default");
        m_cluster.write(zk::Path(chroot), {});
        m_cluster.write(zk::Path(chroot + "/drover"), {});
        for (const zk::Path &path : {layout.root(), layout.config()})
            m_cluster.createFor(zk::Path(chroot + path.bytes()), "{}",
                                jobs::aclOf(layout, path, m_cluster.credentials().identities));
    }
};

QTEST_MAIN(LastingCredentialsTest)
#include "lasting_credentials_test.moc"
