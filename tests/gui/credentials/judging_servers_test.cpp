#include "app/support/drover_on_server.h"
#include "asking_console.h"
#include "gui/feeds_fixture.h"
#include "gui/pictures.h"
#include "gui/session_with.h"
#include "gui/window/look/theme_menu.h"
#include "jobs/cluster/cluster_config.h"
#include "private_keyring.h"
#include "support/await.h"

#include <QTemporaryDir>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;
using namespace std::chrono_literals;
using Phase = SessionStatus::Phase;

namespace {

constexpr int Patience = 60'000; // ms

// They know no scheme by which a user has a password.
zk::LocalServerOptions withoutPasswords()
{
    zk::LocalServerOptions options = testServerOptions();
    options.jvmFlags << QStringLiteral("-Dzookeeper.DigestAuthenticationProvider.enabled=false");
    return options;
}

// While it lives, the programs of this environment have a password of ZooKeeper.
struct PasswordOfAll {
    explicit PasswordOfAll(const QByteArray &auth) { qputenv("DROVER_AUTH", auth); }
    PasswordOfAll(const PasswordOfAll &) = delete;
    PasswordOfAll &operator=(const PasswordOfAll &) = delete;
    ~PasswordOfAll() { qunsetenv("DROVER_AUTH"); }
};

} // namespace

// What the servers say of a session, and not what the console has, decides what it shows.
class JudgingServersTest : public QObject
{
    Q_OBJECT

    PrivateKeyring m_desktop; // not started: there is no keyring
    DroverOnServer m_cluster;
    Target target() const { return {m_cluster.server.connectString(), "default"}; }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"batch"}); }

    void anEnvironmentsPasswordMakesNoClusterOpen()
    {
        const PasswordOfAll password("digest:" + m_cluster.credentials().digestSecret(trust::Role::Viewer));
        AskingConsole console;
        console.window.connectTo(target());
        QTRY_VERIFY_WITH_TIMEOUT(console.isAllowed(), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"ZooKeeper user viewer"_qs), Patience);
        QVERIFY(!says(console.window, u"open cluster"_qs));
        QVERIFY(!console.window.shown().look().isOpen);
        console.action(u"connection.edit"_qs)->trigger();
        const QAction *const submit = console.action(u"job.submit"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(submit->toolTip().contains(u"has no credentials of the cluster"_qs), Patience);
        QVERIFY(!submit->isEnabled());

        // An open one says that it is.
        makeOpen("/open");
        console.window.connectTo({target().connect + u"/open"_qs, "default"});
        QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"open cluster"_qs), Patience);
        QVERIFY(console.window.shown().look().isOpen);
        console.action(u"connection.edit"_qs)->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(submit->isEnabled(), Patience);
    }

    void theAuthenticationItselfIsRefused()
    {
        TestServer server(withoutPasswords());
        server.start();
        AskingConsole console;
        console.window.connectTo({server.connectString(), "default"});
        QTRY_COMPARE_WITH_TIMEOUT(console.access(), ClusterAccess::Missing, Patience);
        console.action(u"connection.credentials"_qs)->trigger();
        paste(*console.dialog(), "digest:eve:of no use");
        connectBy(*console.dialog());
        QTRY_VERIFY_WITH_TIMEOUT(console.dialog() && says(*console.dialog(), u"refuse the authentication itself"_qs),
                                 Patience);
        QVERIFY(says(*console.dialog(), u"The user eve of ZooKeeper"_qs));
        QCOMPARE(console.window.shown().state().session.phase, Phase::Failed);
        QVERIFY(says(console.window, u"The servers refuse the authentication of each session"_qs));
        QCOMPARE(console.dialog()->findChildren<QLineEdit *>().front()->text(), u"eve"_qs); // as it was typed
        for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
            console.window.theme().choose(theme);
            const QString name = theme == ThemeChoice::Dark ? u"dark"_qs : u"light"_qs;
            pictureOf(*console.dialog(), u"credentials-not-authenticated-"_qs + name);
            pictureOf(console.window, u"console-not-authenticated-"_qs + name);
        }

        // The user goes on without them.
        auto *const usual = named<QRadioButton>(*console.dialog(), u"Those that a command finds, or none"_qs);
        QVERIFY(usual && usual->isVisible());
        usual->click();
        connectBy(*console.dialog());
        QTRY_COMPARE_WITH_TIMEOUT(console.access(), ClusterAccess::Missing, Patience);
        QVERIFY(console.window.isConnected());
    }

    void theServersWantAPassword()
    {
        zk::LocalServerOptions options = testServerOptions();
        options.jvmFlags << u"-Dzookeeper.enforce.auth.enabled=true"_qs
                         << u"-Dzookeeper.enforce.auth.schemes=digest"_qs;
        TestServer server(options);
        server.start();
        AskingConsole console;
        console.window.connectTo({server.connectString(), "default"});
        QTRY_VERIFY_WITH_TIMEOUT(console.dialog(), Patience);
        QVERIFY(says(*console.dialog(), u"The servers refuse the authentication itself"_qs));
        QTRY_COMPARE_WITH_TIMEOUT(console.window.shown().state().session.phase, Phase::Failed, Patience);
        paste(*console.dialog(), "digest:eve:any will do");
        connectBy(*console.dialog());
        QTRY_COMPARE_WITH_TIMEOUT(console.access(), ClusterAccess::Missing, Patience);
        QVERIFY(!console.dialog());
    }

    // In virtual time: one session is refused, and no other is opened.
    void noSessionFollowsARefusedOne()
    {
        VirtualLoop world;
        FakeZooKeeper server(world);
        ProcessLoop loop(world);
        int sessions = 0;
        ConsoleSession console(loop, [&](async::Loop &, const Target &, const GivenCredentials &) {
            ++sessions;
            std::unique_ptr<zk::Client> zk = server.connect(loop);
            const zk::Reply<zk::Nothing> forgotten = zk->addAuth("unknown", "x");
            return OpenedSession{std::move(zk)};
        });
        SessionStatus last;
        connect(&console, &ConsoleSession::statusChanged, this, [&](const SessionStatus &status) { last = status; });
        console.open({Nowhere, "default"});
        world.runFor(60s);
        QCOMPARE(last.phase, Phase::Failed);
        QCOMPARE(last.access, ClusterAccess::NotAuthenticated);
        QCOMPARE(sessions, 1);
        console.open({Nowhere, "default"}); // the user wants it again
        world.runFor(60s);
        QCOMPARE(sessions, 2);
    }

private:
    void makeOpen(const QByteArray &chroot)
    {
        async::QtLoop loop;
        const auto session = sessionWith(loop, target().connect + QString::fromUtf8(chroot), 10s);
        await(session->ensurePath(zk::Path("/")));
        await(jobs::ensureCluster(jobs::Cluster(*session, jobs::Layout("default")), {"batch"}));
    }
};

QTEST_MAIN(JudgingServersTest)
#include "judging_servers_test.moc"
