#include "app/bench/relay/delay_relay.h"
#include "app/support/drover_on_server.h"
#include "app/support/witness.h"
#include "support/cut_ensemble.h"
#include "support/send_signal.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

constexpr auto SessionTimeout = 5s;
constexpr auto TickTime = 500ms; // of the servers

zk::LocalServerOptions shortSessions()
{
    zk::LocalServerOptions options = testServerOptions();
    options.maxSessionTimeout = SessionTimeout;
    return options;
}

} // namespace

// What `drover lock` and its like promise: the command and all that it started have ended before another holds the
// same. Real programs and a real server. DROVER_GUARDED_ROUNDS repeats the trials and prints what they have seen.
class GuardedTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster{shortSessions()};
    DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<app::DelayRelay> m_relay;
    int m_rounds = 1;
    int m_serial = 0;
    int m_trials = 0;
    int m_overlaps = 0;
    double m_overlapSeconds = 0;

    enum class Fault { StopDrover, KillDrover, KillGuard, StopBoth, StopGuardKillDrover, KillBoth, Cut, Outage };

    // One that holds, and one that waits for the same.
    struct Pair {
        QStringList held;
        QString witness; // what the holder's tree writes
        QString next; // what the other writes
        std::unique_ptr<QProcess> holder{};
        std::unique_ptr<QProcess> waiter{};

        pid_t drover() const { return pid_t(holder->processId()); }
        pid_t guard() const
        {
            QFile children(QStringLiteral("/proc/%1/task/%1/children").arg(holder->processId()));
            return children.open(QIODevice::ReadOnly) ? pid_t(children.readAll().simplified().toInt()) : 0;
        }
    };

    static QString through(const app::DelayRelay &relay) { return QStringLiteral("127.0.0.1:%1").arg(relay.port()); }
    QString file(const QString &name) const { return m_drover.directory() + u'/' + name; }

    std::unique_ptr<QProcess> start(const QStringList &held, const char *mode, const QString &stamps,
                                    const QStringList &options = {}) const
    {
        return m_drover.start(held + options
                              + QStringList{QStringLiteral("--"), QCoreApplication::applicationFilePath(),
                                            QString::fromLatin1(mode), stamps});
    }

    // `place` is the NAME that is held, with a number for %1.
    std::vector<Pair> hold(const QString &connect, const QStringList &options = {},
                           const QString &place = QStringLiteral("n%1"))
    {
        std::vector<Pair> pairs;
        for (const char *const recipe : {"lock %1", "semaphore %1 --permits 1", "elect %1", "group %1 join --id one"}) {
            const QString name = QStringLiteral("n%1").arg(++m_serial);
            // A follower whose slow link has been healed may leave its leader once more, and take a while to come back.
            const QStringList held =
                words(QString::fromLatin1(recipe).arg(place.arg(m_serial)) + u" --connect-timeout 30s"_qs);
            pairs.push_back({held, file(name + u"-held"_qs), file(name + u"-next"_qs)});
            pairs.back().holder =
                start(held, "tree", pairs.back().witness, options + QStringList{QStringLiteral("--connect"), connect});
        }
        for (const Pair &pair : pairs) {
            if (!QTest::qWaitFor([&] { return writersOf(pair.witness) == TreeSize; }, 60'000))
                qFatal("%s does not begin: %s", qPrintable(pair.held.join(u' ')),
                       pair.holder->readAllStandardError().constData());
        }
        return pairs;
    }

    void letWait(std::vector<Pair> &pairs, const QString &connect) const
    {
        for (Pair &pair : pairs)
            pair.waiter = start(pair.held, "once", pair.next, {QStringLiteral("--connect"), connect});
    }

    void inflict(Fault fault, const Pair &pair) const
    {
        const pid_t guard = pair.guard();
        const pid_t drover = pair.drover();
        if (fault == Fault::StopBoth || fault == Fault::StopGuardKillDrover)
            sendSignal(guard, SIGSTOP);
        if (fault == Fault::StopDrover || fault == Fault::StopBoth)
            sendSignal(drover, SIGSTOP);
        if (fault == Fault::KillGuard || fault == Fault::KillBoth)
            sendSignal(guard, SIGKILL);
        if (fault == Fault::KillDrover || fault == Fault::KillBoth || fault == Fault::StopGuardKillDrover)
            sendSignal(drover, SIGKILL);
    }

    void checkOverlaps(std::vector<Pair> &pairs)
    {
        for (Pair &pair : pairs) {
            const Finished waited = DroverProgram::finish(*pair.waiter);
            QVERIFY2(waited.exitCode == 0, waited.err);
        }
        const qint64 now = bootNs();
        for (Pair &pair : pairs) { // every process that still lives writes
            QTRY_VERIFY_WITH_TIMEOUT(livingWritersOf(pair.witness) == 0 || lastStamp(pair.witness) > now, 30'000);
            const qint64 first = stampsIn(pair.next).value(0).at;
            const qint64 last = lastStamp(pair.witness);
            const double both = double(std::max<qint64>(0, last - first)) / 1e9;
            ++m_trials;
            m_overlaps += last >= first;
            m_overlapSeconds += both;
            if (last >= first)
                qWarning("%s: both for %.3f s", qPrintable(pair.held.join(u' ')), both);
            sendSignal(*pair.holder, SIGCONT);
        }
        for (Pair &pair : pairs)
            DroverProgram::finish(*pair.holder);
    }

    void trial(Fault fault)
    {
        std::vector<Pair> pairs = hold(
            through(*m_relay), fault == Fault::KillBoth ? QStringList{QStringLiteral("--own-pids")} : QStringList());
        if (fault == Fault::Outage) {
            m_cluster.server.pause();
            for (Pair &pair : pairs)
                QCOMPARE(DroverProgram::finish(*pair.holder).exitCode, 1);
            m_cluster.server.resume();
            letWait(pairs, m_cluster.server.connectString());
        } else {
            letWait(pairs, m_cluster.server.connectString());
            if (fault == Fault::Cut)
                m_relay->silence(app::DelayRelay::Direction::Both);
            for (const Pair &pair : pairs)
                inflict(fault, pair);
        }
        checkOverlaps(pairs);
        m_relay->resume();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({QByteArrayLiteral("default")});
        m_relay = std::make_unique<app::DelayRelay>(m_cluster.server.port(), 0ns);
        m_rounds = std::max(1, qEnvironmentVariableIntValue("DROVER_GUARDED_ROUNDS"));
    }

    void init()
    {
        m_trials = m_overlaps = 0;
        m_overlapSeconds = 0;
    }

    void cleanup() const
    {
        if (m_rounds > 1 && m_trials > 0)
            qInfo("%d trials, two held it in %d of them, %.3f s together", m_trials, m_overlaps, m_overlapSeconds);
    }

    void theCommandsWholeTreeEndsBeforeAnotherHoldsTheSame_data()
    {
        QTest::addColumn<int>("fault");
        const auto row = [](const char *name, Fault fault) { QTest::newRow(name) << int(fault); };
        row("drover stopped", Fault::StopDrover);
        row("drover killed", Fault::KillDrover);
        row("guard killed", Fault::KillGuard);
        row("drover and guard stopped", Fault::StopBoth);
        row("guard stopped, drover killed", Fault::StopGuardKillDrover);
        if (::geteuid() == 0)
            row("drover and guard killed, in a pid namespace", Fault::KillBoth);
        row("cut off", Fault::Cut);
        row("outage", Fault::Outage);
    }

    void theCommandsWholeTreeEndsBeforeAnotherHoldsTheSame()
    {
        QFETCH(const int, fault);
        for (int i = 0; i < m_rounds; ++i)
            trial(Fault(fault));
        QCOMPARE(m_overlaps, 0);
    }

    // Such a follower goes on answering reads; the leader ends the session. Over a slow link nothing breaks: all of it
    // arrives, first a tick later, then later than the session lives.
    void soItDoesOnAFollowerThatIsCutFromItsLeaderOrFarFromIt()
    {
        using Way = CutEnsemble::Way;
        CutEnsemble servers(10s, SessionTimeout);
        servers.start();
        for (int i = 0; i < m_rounds; ++i) {
            for (const std::optional<Way> way :
                 {std::optional(Way::Both), std::optional(Way::Out), std::optional(Way::In), std::optional<Way>()}) {
                const int leader = servers.leader();
                const int follower = servers.follower();
                servers.setRoundTrip(follower, way ? 0ms : TickTime);
                std::vector<Pair> pairs = hold(servers.connectString(follower), {}, QStringLiteral("--path /n%1"));
                letWait(pairs, servers.connectString(leader));
                if (way)
                    servers.cut(follower, *way);
                else
                    servers.setRoundTrip(follower, 2 * (SessionTimeout + 2 * TickTime));
                checkOverlaps(pairs);
                servers.heal();
            }
        }
        servers.stop();
        QCOMPARE(m_overlaps, 0);
    }

    // The instant of the last proof is known: the cut comes with an answer to a keep-alive.
    void aSilentServerKillsTheCommandBeforeTheSessionCanHaveEnded()
    {
        app::DelayRelay relay(m_cluster.server.port(), 0ns);
        const QString stamps = file(QStringLiteral("silent"));
        const std::unique_ptr<QProcess> holder = start({QStringLiteral("lock"), QStringLiteral("silent")}, "tree",
                                                       stamps, {QStringLiteral("--connect"), through(relay)});
        QTRY_COMPARE_WITH_TIMEOUT(writersOf(stamps), TreeSize, 30'000);
        const auto answered = relay.counters().bytesFromTarget;
        QTRY_VERIFY_WITH_TIMEOUT(relay.counters().bytesFromTarget > answered, 30'000);
        relay.silence(app::DelayRelay::Direction::Both);
        const qint64 cut = bootNs();
        const Finished finished = DroverProgram::finish(*holder);
        QCOMPARE(finished.exitCode, 1);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("lost the lock"), finished.err);
        QVERIFY(lastStamp(stamps) < cut + std::chrono::nanoseconds(SessionTimeout).count());
    }

    void aStoppedGuardGoesOnByItself()
    {
        std::vector<Pair> pairs = hold(through(*m_relay));
        for (const Pair &pair : pairs)
            sendSignal(pair.guard(), SIGSTOP);
        letWait(pairs, m_cluster.server.connectString());
        const qint64 later = bootNs() + std::chrono::nanoseconds(2 * SessionTimeout).count();
        for (const Pair &pair : pairs) {
            QTRY_VERIFY_WITH_TIMEOUT(lastStamp(pair.witness) > later, 30'000);
            QVERIFY(stampsIn(pair.next).isEmpty());
            sendSignal(*pair.holder, SIGKILL);
        }
        checkOverlaps(pairs);
    }

    void processesThatTheCommandLeavesEndWithIt()
    {
        const QString stamps = file(QStringLiteral("left"));
        const QString script = QStringLiteral("'%1' tree '%2' & while [ ! -s '%2' ]; do sleep 0.01; done; exit 3")
                                   .arg(QCoreApplication::applicationFilePath(), stamps);
        const Finished finished = m_drover.run({QStringLiteral("lock"), QStringLiteral("left"), QStringLiteral("--"),
                                                QStringLiteral("sh"), QStringLiteral("-c"), script});
        const qint64 end = bootNs();
        QVERIFY2(finished.exitCode == 3 && finished.err.isEmpty(), finished.err);
        QTRY_COMPARE_WITH_TIMEOUT(livingWritersOf(stamps), 0, 30'000);
        QVERIFY(lastStamp(stamps) < end);
    }

    void withoutADroverRunnerNothingIsRunAndNothingHeld()
    {
        const QString alone = file(QStringLiteral("drover"));
        QVERIFY(QFile::copy(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"), alone));
        const Finished refused = m_drover.shell("DROVER_BIN_DIR= ./drover lock alone -- touch ran");
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("cannot run a command without "), refused.err);
        QVERIFY(!QFile::exists(file(QStringLiteral("ran"))));
        QVERIFY(m_cluster.children(m_cluster.layout.lock("alone")).isEmpty());
    }

    void theCommandInheritsWhatItInheritedFromAShell()
    {
        const Finished same = m_drover.shell(
            "show='umask; pwd; ulimit -n; ulimit -c; cat <&7; ls /proc/self/fd | tr \"\\n\" \" \"; "
            "grep -E \"^Sig(Blk|Ign)\" /proc/self/status'; echo seven > seven; umask 027; trap '' HUP; "
            "exec 3</dev/null 7<seven; sh -c \"$show\" > plain; exec 7<seven; drover lock fds -- sh -c \"$show\" > "
            "guarded; diff plain guarded");
        QVERIFY2(same.exitCode == 0, same.out + same.err);
        QCOMPARE(m_drover.shell("touch file; drover lock code -- ./file").exitCode, 126);
        QCOMPARE(m_drover.shell("drover lock code -- ./nothing").exitCode, 127);
        QCOMPARE(m_drover.shell("drover lock pipe -- yes | head -n 1").out, QByteArray("y\n"));
    }

    void theShellsJobControlWorks()
    {
        int terminal = -1;
        const pid_t shell = ::forkpty(&terminal, nullptr, nullptr, nullptr);
        if (shell == 0) {
            ::setenv("PS1", "ready> ", 1);
            ::setenv("PATH", (qgetenv("DROVER_BIN_DIR") + ':' + qgetenv("PATH")).constData(), 1);
            for (const char *const name : {"DROVER_CONNECT", "XDG_CONFIG_HOME"})
                ::setenv(name, m_drover.environment().value(QLatin1StringView(name)).toLocal8Bit().constData(), 1);
            ::execlp("bash", "bash", "--norc", "--noprofile", "--noediting", "-i", nullptr);
            ::_exit(127);
        }
        ::fcntl(terminal, F_SETFL, O_NONBLOCK);
        QByteArray seen;
        const auto awaitText = [&](const char *text) {
            const bool found = QTest::qWaitFor(
                [&] {
                    char part[4096];
                    const ssize_t count = ::read(terminal, part, sizeof part);
                    seen.append(part, std::max<ssize_t>(0, count));
                    return seen.contains(text);
                },
                30'000);
            if (!found)
                qWarning("no \"%s\" in: %s", text, seen.constData());
            seen = seen.mid(seen.indexOf(text) + qsizetype(std::strlen(text)));
            return found;
        };
        const auto type = [&](const char *text) {
            return ::write(terminal, text, std::strlen(text)) == ssize_t(std::strlen(text));
        };
        QVERIFY(awaitText("ready> "));
        // Builtins alone: a child that dash has forked with vfork() and not yet executed ignores a Ctrl-C.
        QVERIFY(type("drover lock jobs -- sh -c 'echo be\"\"gun; read x; echo got-$x; read y'\n")
                && awaitText("begun"));
        QVERIFY(type("\x1a") && awaitText("unless it is continued") && awaitText("Stopped") && awaitText("ready> "));
        QVERIFY(type("bg\n") && awaitText("unless it is continued") && type("fg\n")); // it reads from the terminal
        QVERIFY(type("line\n") && awaitText("got-line"));
        QVERIFY(type("\x03") && awaitText("ready> ") && type("echo code-$?\n") && awaitText("code-130"));
        // Without the exec dash may be stopped in vfork(), which no shell notices.
        QVERIFY(type("drover lock jobs -- sh -c 'echo be\"\"gun; exec sleep 100' | cat\n") && awaitText("begun"));
        QVERIFY(type("\x1a") && awaitText("ready> ")); // lost meanwhile:
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.lock("jobs")).isEmpty(), 30'000);
        QVERIFY(type("fg\n") && awaitText("lost the lock jobs"));
        ::close(terminal);
        ::kill(shell, SIGKILL);
        ::waitpid(shell, nullptr, 0);
    }
};

int main(int argc, char **argv)
{
    if (const std::optional<int> code = actAsWitness(argc, argv))
        return *code;
    QCoreApplication application(argc, argv);
    GuardedTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "guarded_test.moc"
