#include "gui/lab/lab_thread.h"

#include <QTest>

#include <algorithm>
#include <csignal>

using namespace drover::gui;
using namespace std::chrono_literals;
using Life = LabParticipant::Life;
using Phase = LabParticipant::Phase;

namespace {

constexpr int Patience = 60'000; // ms; other programs run beside this one

LabSettings settings(std::chrono::milliseconds timeout)
{
    LabSettings all = LabSettings::ofThisProgram();
    all.sessionTimeout = timeout;
    return all;
}

// A lesson of a real stage, with all participants started.
struct Stage {
    LabSnapshot now;
    LabThread lab;
    QObject here;

    explicit Stage(const char *lesson, std::chrono::milliseconds timeout = 30s) : lab(settings(timeout))
    {
        QObject::connect(&lab.stage(), &LabStage::changed, &here, [this](const LabSnapshot &next) { now = next; });
        const int place = Lesson::find(QLatin1String(lesson));
        lab.tell([place](LabStage &stage) { stage.open(place); });
    }
    void startAll()
    {
        lab.tell([](LabStage &stage) { stage.startAll(); });
    }
    void act(void (LabStage::*what)(int), int participant)
    {
        lab.tell([=](LabStage &stage) { (stage.*what)(participant); });
    }
    int count(int group, Phase phase) const
    {
        return int(std::count_if(now.participants.begin(), now.participants.end(), [&](const LabParticipant &each) {
            return each.group == group && each.phase == phase && each.life == Life::Running;
        }));
    }
    // Participants that ask and have a watch, as the server says.
    int waiting(int group) const
    {
        int all = 0;
        for (int i = 0; i < now.participants.size(); ++i) {
            const bool watches = std::any_of(now.watches.begin(), now.watches.end(),
                                             [i](const LabWatch &watch) { return watch.participant == i; });
            const LabParticipant &each = now.participants[i];
            all += each.group == group && each.phase == Phase::Asking && watches ? 1 : 0;
        }
        return all;
    }
    int holder(int group) const
    {
        for (int i = 0; i < now.participants.size(); ++i) {
            if (now.participants[i].group == group && now.participants[i].phase == Phase::Holding
                && now.participants[i].life == Life::Running)
                return i;
        }
        return -1;
    }
    int watchesOf(int participant) const
    {
        return int(std::count_if(now.watches.begin(), now.watches.end(),
                                 [=](const LabWatch &watch) { return watch.participant == participant; }));
    }
    bool hasNodeOf(int participant) const
    {
        return std::any_of(now.nodes.begin(), now.nodes.end(),
                           [=](const LabNode &node) { return node.owner == participant; });
    }
};

bool runs(qint64 pid)
{
    return ::kill(static_cast<pid_t>(pid), 0) == 0;
}

} // namespace

// The lessons with real processes on a real server.
class LabStageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theHerdWakesAndTheTicketLockWakesTwo()
    {
        Stage s("herd");
        s.startAll();
        QTRY_VERIFY_WITH_TIMEOUT(s.waiting(0) == 5 && s.waiting(1) == 5, Patience);
        QVERIFY2(s.now.trouble.isEmpty(), qPrintable(s.now.trouble));
        QCOMPARE(s.holder(0), 0); // they joined in their order
        QCOMPARE(s.holder(1), 6);
        QCOMPARE(s.now.groups[0].wakeUps + s.now.groups[1].wakeUps, 0);
        const int before[] = {s.now.groups[0].requests, s.now.groups[1].requests};
        s.lab.tell([](LabStage &stage) { stage.releaseAll(); });
        // The list of watches and what processes say of themselves come by different ways.
        const auto woken = [&](std::size_t group) { return s.now.groups[group].wokenByLast; };
        QTRY_VERIFY_WITH_TIMEOUT(s.waiting(0) == 4 && s.count(0, Phase::Holding) == 1 && woken(0) >= 5, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(s.holder(1) == 7 && s.waiting(1) == 4 && woken(1) >= 2, Patience);
        QCOMPARE(s.now.groups[0].wokenByLast, 5); // n - 1
        QCOMPARE(s.now.groups[1].wokenByLast, 2); // the next holder, and the one behind it
        QCOMPARE(s.now.participants[6].line, int(Lesson::all()[0].groups[1].code.size()) - 1); // it has released
        QVERIFY(s.now.groups[0].requests - before[0] > s.now.groups[1].requests - before[1]);
    }

    void aWaiterLooksTwoAhead()
    {
        Stage s("two-ahead");
        s.startAll();
        QTRY_COMPARE_WITH_TIMEOUT(s.waiting(0), 6, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(s.watchesOf(1), 2, Patience); // the first, and its own
        QTRY_COMPARE_WITH_TIMEOUT(s.watchesOf(6), 3, Patience);
        QCOMPARE(s.now.nodes.size(), 7);
        QCOMPARE(s.now.nodes[3].owner, 3);
    }

    void pausesKillsAndDisconnectsOne()
    {
        Stage s("two-ahead", 6s);
        s.startAll();
        QTRY_COMPARE_WITH_TIMEOUT(s.waiting(0), 6, Patience);
        s.act(&LabStage::kill, 2);
        QTRY_COMPARE_WITH_TIMEOUT(s.now.participants[2].life, Life::Ended, Patience);
        QVERIFY(s.hasNodeOf(2)); // its session lives on for a while
        s.act(&LabStage::disconnect, 4);
        QTRY_VERIFY_WITH_TIMEOUT(!s.now.participants[4].isConnected, Patience);
        QCOMPARE(s.now.participants[4].life, Life::Running);
        s.act(&LabStage::reconnect, 4);
        QTRY_VERIFY_WITH_TIMEOUT(s.now.participants[4].isConnected, Patience);
        s.act(&LabStage::pause, 0);
        QTRY_VERIFY_WITH_TIMEOUT(!s.hasNodeOf(2) && !s.hasNodeOf(0), Patience); // both sessions have ended
        QCOMPARE(s.now.participants[0].life, Life::Paused);
        QTRY_COMPARE_WITH_TIMEOUT(s.holder(0), 1, Patience);
        s.act(&LabStage::resume, 0);
        QTRY_COMPARE_WITH_TIMEOUT(s.now.participants[0].life, Life::Ended, Patience); // its session is lost
        s.act(&LabStage::start, 0);
        QTRY_VERIFY_WITH_TIMEOUT(s.now.participants[0].phase == Phase::Asking && s.hasNodeOf(0), Patience);
    }

    void onlyTheFenceKeepsAZombieOut()
    {
        Stage s("zombie", 4s);
        s.startAll();
        QTRY_VERIFY_WITH_TIMEOUT(s.holder(0) == 0 && s.holder(1) == 3, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(s.now.groups[0].records.whole > 0 && s.now.groups[1].records.whole > 0, Patience);
        QCOMPARE(s.now.groups[0].records.torn, 0);
        s.act(&LabStage::pause, 0);
        s.act(&LabStage::pause, 3);
        const auto isPaused = [&](std::size_t who) { return s.now.participants[who].life == Life::Paused; };
        QTRY_VERIFY_WITH_TIMEOUT(isPaused(0) && isPaused(3), Patience);
        QTRY_VERIFY_WITH_TIMEOUT(s.count(0, Phase::Holding) == 1 && s.count(1, Phase::Holding) == 1, Patience);
        const int whole[] = {s.now.groups[0].records.whole, s.now.groups[1].records.whole};
        QTRY_VERIFY_WITH_TIMEOUT(s.now.groups[0].records.whole > whole[0] && s.now.groups[1].records.whole > whole[1],
                                 Patience);
        s.act(&LabStage::resume, 0);
        s.act(&LabStage::resume, 3);
        QTRY_COMPARE_WITH_TIMEOUT(s.now.participants[0].life, Life::Ended, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(s.now.participants[3].life, Life::Ended, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(s.now.groups[0].records.torn > 0, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(s.now.groups[1].refused, 1, Patience);
        QCOMPARE(s.now.groups[0].refused, 0);
        QCOMPARE(s.now.groups[1].records.torn, 0);
        QVERIFY(s.now.groups[1].records.cutShort <= 1); // it may have begun a new one, which is refused
    }

    void theLongestLogLeads()
    {
        Stage s("log");
        QTRY_COMPARE_WITH_TIMEOUT(s.now.server, LabSnapshot::Server::Serving, Patience);
        s.act(&LabStage::start, 0);
        QTRY_COMPARE_WITH_TIMEOUT(s.now.participants[0].line, 3, Patience); // alone: no majority
        s.act(&LabStage::start, 2);
        QTRY_COMPARE_WITH_TIMEOUT(s.holder(0), 2, Patience); // 23 is more than 17
        s.act(&LabStage::start, 1);
        QTRY_COMPARE_WITH_TIMEOUT(s.now.participants[1].line, 0, Patience); // there is a leader
        QTRY_COMPARE_WITH_TIMEOUT(s.waiting(0), 2, Patience);
        s.act(&LabStage::release, 2);
        QTRY_COMPARE_WITH_TIMEOUT(s.holder(0), 1, Patience); // 42
    }

    void bothElectionsElectAnotherAndReadersShare()
    {
        Stage s("elections", 4s);
        s.startAll();
        QTRY_VERIFY_WITH_TIMEOUT(s.waiting(0) == 4 && s.waiting(1) == 4, Patience);
        s.act(&LabStage::kill, 0);
        s.act(&LabStage::kill, 5);
        QTRY_VERIFY_WITH_TIMEOUT(s.waiting(0) == 3 && s.waiting(1) == 3 && s.holder(1) == 6, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(s.now.groups[0].wokenByLast >= 4 && s.now.groups[1].wokenByLast >= 2, Patience);
        QCOMPARE(s.now.groups[0].wokenByLast, 4);
        QCOMPARE(s.now.groups[1].wokenByLast, 2);
        const int next = Lesson::find(u"read-write"_qs);
        s.lab.tell([next](LabStage &stage) { stage.open(next); }); // another lesson: these processes end
        s.startAll();
        QTRY_VERIFY_WITH_TIMEOUT(s.now.lesson == next && s.count(0, Phase::Holding) == 2 && s.waiting(0) == 4,
                                 Patience);
        QCOMPARE(s.now.participants.size(), 6);
        QVERIFY2(s.now.trouble.isEmpty(), qPrintable(s.now.trouble));
    }

    void allEnterAndAllLeaveABarrier()
    {
        Stage s("barrier");
        QTRY_COMPARE_WITH_TIMEOUT(s.now.server, LabSnapshot::Server::Serving, Patience);
        for (const int member : {0, 1, 2})
            s.act(&LabStage::start, member);
        QTRY_COMPARE_WITH_TIMEOUT(s.waiting(0), 3, Patience);
        s.act(&LabStage::start, 3);
        QTRY_COMPARE_WITH_TIMEOUT(s.count(0, Phase::Holding), 4, Patience);
        s.act(&LabStage::release, 0);
        QTRY_COMPARE_WITH_TIMEOUT(s.count(0, Phase::Leaving), 1, Patience);
        for (const int member : {1, 2, 3})
            s.act(&LabStage::release, member);
        QTRY_COMPARE_WITH_TIMEOUT(s.count(0, Phase::Idle), 4, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(s.now.nodes.isEmpty(), Patience);
    }

    void aTakenItemDiesWithItsHolderAndAClaimedOneDoesNot()
    {
        Stage s("queue", 4s);
        const auto items = [&](int group, const char *prefix) {
            return std::count_if(s.now.nodes.begin(), s.now.nodes.end(), [=](const LabNode &node) {
                return node.group == group && node.name.startsWith(QLatin1String(prefix));
            });
        };
        const auto attempts = [&] {
            int most = 0;
            for (const LabParticipant &each : s.now.participants)
                most = std::max(most, each.attempt);
            return most;
        };
        const auto waits = [&](int group) { // the server does not say who watches the children of a node
            const QList<CodeLine> &code = Lesson::all()[s.now.lesson].groups[group].code;
            return std::count_if(s.now.participants.begin(), s.now.participants.end(), [&](const LabParticipant &each) {
                return each.group == group && each.phase == Phase::Asking && each.line >= 0 && code[each.line].isWait();
            });
        };
        s.startAll();
        QTRY_VERIFY_WITH_TIMEOUT(s.count(0, Phase::Holding) == 2 && s.count(1, Phase::Holding) == 2, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(waits(0) == 2 && waits(1) == 2, Patience);
        const auto watchers = [&](const char *node) {
            return std::count_if(s.now.participants.begin(), s.now.participants.end(), [&](const LabParticipant &each) {
                return std::any_of(each.listed.begin(), each.listed.end(),
                                   [&](const QByteArray &path) { return path.endsWith(node); });
            });
        };
        // By the first in line. One that came while it was alone stands in none, and watches as well.
        for (const char *const node : {"/0/queue", "/1/entries", "/1/taken"})
            QTRY_VERIFY_WITH_TIMEOUT(watchers(node) >= 1, Patience);
        QVERIFY2(s.now.trouble.isEmpty(), qPrintable(s.now.trouble));
        QTRY_VERIFY_WITH_TIMEOUT(items(0, "queue/qn-") == 0 && items(1, "entries/entry-") == 2, Patience);
        QTRY_COMPARE_WITH_TIMEOUT(items(1, "taken/entry-"), 2, Patience);
        QCOMPARE(attempts(), 1);
        const int killed = s.holder(1);
        s.act(&LabStage::kill, s.holder(0));
        s.act(&LabStage::kill, killed);
        QTRY_COMPARE_WITH_TIMEOUT(attempts(), 2, Patience); // both sessions ended at one time
        QTRY_VERIFY_WITH_TIMEOUT(items(1, "taken/entry-") == 2 && !s.hasNodeOf(killed), Patience);
        QCOMPARE(s.count(1, Phase::Holding), 2);
        QCOMPARE(s.count(0, Phase::Holding), 1);
        QVERIFY(std::none_of(s.now.participants.begin(), s.now.participants.end(),
                             [](const LabParticipant &each) { return each.runs() && each.isDeposed; }));
        s.act(&LabStage::release, s.holder(1));
        QTRY_COMPARE_WITH_TIMEOUT(items(1, "entries/entry-"), 1, Patience);
        s.act(&LabStage::start, 4); // the producer on the left
        QTRY_VERIFY_WITH_TIMEOUT(s.count(0, Phase::Holding) == 3 && s.count(0, Phase::Idle) == 1, Patience);
        QCOMPARE(items(1, "entries/entry-"), 1);
    }

    void saysWhatIsMissing()
    {
        LabSettings none = settings(4s);
        none.program = u"/no/such/program"_qs;
        LabThread lab(none);
        LabSnapshot now;
        QObject here;
        QObject::connect(&lab.stage(), &LabStage::changed, &here, [&](const LabSnapshot &next) { now = next; });
        lab.tell([](LabStage &stage) { stage.open(0); });
        lab.tell([](LabStage &stage) { stage.startAll(); });
        QTRY_VERIFY_WITH_TIMEOUT(now.trouble.contains(u"/no/such/program"), Patience);
    }

    void noProcessOutlivesTheStage()
    {
        QList<qint64> pids;
        {
            Stage s("log");
            QTRY_COMPARE_WITH_TIMEOUT(s.now.server, LabSnapshot::Server::Serving, Patience);
            s.startAll();
            QTRY_VERIFY_WITH_TIMEOUT(s.holder(0) >= 0, Patience);
            std::atomic<bool> asked = false;
            s.lab.tell([&](LabStage &stage) {
                pids = stage.pids();
                asked = true;
            });
            QTRY_VERIFY_WITH_TIMEOUT(asked, Patience);
            QCOMPARE(pids.size(), 4); // and the server
            for (const qint64 pid : pids)
                QVERIFY(runs(pid));
        }
        for (const qint64 pid : pids)
            QVERIFY(!runs(pid));
    }
};

QTEST_GUILESS_MAIN(LabStageTest)
#include "lab_stage_test.moc"
