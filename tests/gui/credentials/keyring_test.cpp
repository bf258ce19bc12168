#include "gui/credentials/keyring.h"
#include "private_keyring.h"

#include <QSignalSpy>
#include <QTimer>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using Kind = Keyring::Answer::Kind;

namespace {

constexpr int Patience = 60'000; // ms
const Target Zk1{QStringLiteral("zk1:2181,zk2:2181/team"), "default"};

} // namespace

// The keyring of the desktop: a real secret service on a bus of the test's own.
class KeyringTest : public QObject
{
    Q_OBJECT

    test::PrivateKeyring m_desktop;
    Keyring m_keyring;

    using Ask = std::function<void(Keyring::Then)>;
    static Keyring::Answer answerTo(const Ask &ask)
    {
        std::optional<Keyring::Answer> answer;
        ask([&](const Keyring::Answer &given) { answer = given; });
        [&] { QTRY_VERIFY_WITH_TIMEOUT(answer, Patience); }();
        return answer.value_or(Keyring::Answer{Kind::Unavailable, {}, QStringLiteral("no answer came")});
    }
    Keyring::Answer read(const Target &target)
    {
        return answerTo([&](const Keyring::Then &then) { m_keyring.read(target, this, then); });
    }
    Keyring::Answer write(const Target &target, const QByteArray &secret)
    {
        return answerTo([&](const Keyring::Then &then) { m_keyring.write(target, secret, this, then); });
    }
    Keyring::Answer forget(const Target &target)
    {
        return answerTo([&](const Keyring::Then &then) { m_keyring.forget(target, this, then); });
    }

private Q_SLOTS:
    void saysThatThereIsNoSecretService()
    {
        const Keyring::Answer answer = read(Zk1);
        QCOMPARE(answer.kind, Kind::Unavailable);
        QVERIFY(!answer.why.isEmpty() && !answer.why.contains(u'\n'));
        QCOMPARE(write(Zk1, "secret").kind, Kind::Unavailable);
    }

    // Who answers at other servers, below another path, or for another cluster gets nothing of it.
    void keepsATextForOneConnectionAlone()
    {
        const QByteArray secret = QByteArray("password \xff of a role\n").repeated(100);
        m_desktop.start();
        QCOMPARE(read(Zk1).kind, Kind::Nothing);
        QCOMPARE(write(Zk1, secret).kind, Kind::Done);
        QCOMPARE(read(Zk1).secret, secret);
        for (const Target &other :
             {Target{u"zk1:2181,zk2:2181"_qs, "default"}, Target{u"zk2:2181,zk1:2181/team"_qs, "default"},
              Target{u"zk1:2181,zk2:2181/team"_qs, "other"}, Target{u"zk1:2181,zk2:2181/team/app"_qs, "default"}})
            QCOMPARE(read(other).kind, Kind::Nothing);
        QVERIFY(!m_desktop.stored().isEmpty());
        QVERIFY(!m_desktop.stored().contains("password"));
        QVERIFY(!m_desktop.stored().contains(secret.toBase64().left(40)));

        QCOMPARE(write(Zk1, "another").kind, Kind::Done);
        QCOMPARE(read(Zk1).secret, QByteArray("another"));
        QCOMPARE(forget(Zk1).kind, Kind::Done);
        QCOMPARE(read(Zk1).kind, Kind::Nothing);
        QCOMPARE(forget(Zk1).kind, Kind::Done); // nothing is left of it
    }

    // The user forgets them, and gives others at once.
    void keepsWhatIsWrittenWhileItForgets()
    {
        m_desktop.start();
        QCOMPARE(write(Zk1, "former").kind, Kind::Done);
        std::optional<Keyring::Answer> forgotten;
        m_keyring.forget(Zk1, this, [&](const Keyring::Answer &given) { forgotten = given; });
        QCOMPARE(write(Zk1, "new").kind, Kind::Done);
        QTRY_VERIFY_WITH_TIMEOUT(forgotten, Patience);
        QCOMPARE(forgotten->kind, Kind::Done);
        QCOMPARE(read(Zk1).secret, QByteArray("new"));
    }

    // The program was killed before the secret that it had overwritten was deleted.
    void takesNothingForASecret()
    {
        m_desktop.start();
        QCOMPARE(write(Zk1, "forgotten").kind, Kind::Done);
        QCOMPARE(read(Zk1).kind, Kind::Nothing);
    }

    void waitsForNoServiceThatHangs()
    {
        m_desktop.start();
        QCOMPARE(write(Zk1, "secret").kind, Kind::Done);
        m_desktop.pause();
        std::optional<Keyring::Answer> answer;
        m_keyring.read(Zk1, this, [&](const Keyring::Answer &given) { answer = given; });
        auto *const gone = new QObject;
        m_keyring.read(Zk1, gone, [](const Keyring::Answer &) { QFAIL("its asker has gone"); });
        delete gone;
        int turns = 0; // of the thread of the window
        QTimer ticks;
        connect(&ticks, &QTimer::timeout, this, [&turns] { ++turns; });
        ticks.start(1ms);
        QTRY_VERIFY_WITH_TIMEOUT(turns >= 100, Patience);
        QVERIFY(!answer);
        m_desktop.resume();
        QTRY_VERIFY_WITH_TIMEOUT(answer, Patience);
        QCOMPARE(answer->secret, QByteArray("secret"));
        QCOMPARE(read(Zk1).secret, QByteArray("secret")); // after that of the asker who has gone
    }

    // The bus of the test has no prompt by which it could be unlocked.
    void getsNothingOfALockedOne()
    {
        m_desktop.start();
        QCOMPARE(write(Zk1, "secret").kind, Kind::Done);
        QVERIFY(m_desktop.lock());
        const Keyring::Answer answer = read(Zk1);
        QVERIFY(answer.kind != Kind::Done);
        QCOMPARE(answer.secret, QByteArray());
        const Keyring::Answer forgotten = forget(Zk1);
        QCOMPARE(forgotten.kind, Kind::Refused); // it is still there
        QVERIFY(!forgotten.why.isEmpty());
    }
};

QTEST_MAIN(KeyringTest)
#include "keyring_test.moc"
