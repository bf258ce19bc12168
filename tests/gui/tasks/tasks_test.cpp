#include "gui/pictures.h"
#include "gui/tasks/task_table.h"
#include "gui/window_fixture.h"
#include "jobs/cluster/queue_settings.h"

#include <QDeadlineTimer>
#include <QPlainTextEdit>
#include <QTemporaryDir>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using test::carryOut;

namespace {

constexpr auto Patience = 30s;

struct Fixture : test::WindowFixture {
    test::User user{window, [this](const std::function<bool()> &condition) {
                        const QDeadlineTimer end(Patience);
                        while (!condition()) {
                            if (end.hasExpired())
                                return false;
                            world.runFor(50ms);
                            QTest::qWait(1); // the window's own timers
                        }
                        return true;
                    }};

    Fixture()
    {
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window))
            qFatal("the window does not get the keyboard");
        world.runFor(2s);
    }
    bool exists(const zk::Path &path) const { return server.tree().find(path) != nullptr; }
    QByteArray data(const zk::Path &path) const { return exists(path) ? server.tree().find(path)->data : QByteArray(); }
};

async::Task<zk::Answer<zk::Created>> create(zk::Client &zk, zk::Path path, QByteArray data, zk::CreateMode mode)
{
    co_await zk.ensurePath(path.parent());
    const auto made = co_await zk.create(path, data, mode);
    co_return made;
}

} // namespace

// Tasks of people who run workers, done in the window by clicks and keys alone, on a cluster in memory. Each begins on
// the first page, with editing switched on. gui/README.md has what they take beside what other programs need.
class TasksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whyDoesThisJobWait()
    {
        Fixture f;
        jobs::JobSpec spec = test::SampleCluster::spec({u"render"_qs});
        spec.name = u"render the film"_qs;
        spec.needs.labels = {u"gpu=a100"_qs};
        f.run(f.cluster.addJob(spec));
        carryOut(u"Why does this job wait?"_qs, f.user, [&f] {
            f.user.press(Qt::CTRL | Qt::Key_2);
            f.user.doubleClickCell(u"render the film"_qs);
            f.user.look(u"gpu=a100"_qs);
            f.user.look(u"Waits because"_qs);
        });
        test::pictureOf(f.window, u"task-why"_qs);
    }

    void whoHoldsThisLock()
    {
        Fixture f;
        carryOut(u"Who holds this lock, and who waits for it?"_qs, f.user, [&f] {
            f.user.press(Qt::CTRL | Qt::Key_5);
            f.user.look(u"worker-1 job default-8"_qs); // holds it
            f.user.look(u"worker-3 job default-9"_qs);
            f.user.look(u"worker-2 job default-10"_qs);
        });
    }

    void pauseAQueue()
    {
        Fixture f;
        carryOut(u"Pause a queue, with a reason"_qs, f.user, [&f] {
            f.user.press(Qt::CTRL | Qt::Key_3);
            f.user.openMenuOf(u"gpu"_qs);
            f.user.click(u"Pause…"_qs);
            f.user.type(u"new driver"_qs);
            f.user.press(Qt::Key_Return);
            f.user.look(u"new driver"_qs);
            f.user.waitFor([&] { return f.models.queues.now("gpu").paused.endsWith(u": new driver"_qs); },
                           u"paused queue"_qs);
        });
    }

    // Twenty thousand jobs have ended since.
    void findAJobInTheHistory()
    {
        QTemporaryDir directory;
        const history::Location place = history::Location::parse(directory.filePath(u"history.sqlite"_qs));
        Fixture f;
        history::History past(f.clusterLoop, place, history::OpenMode::Write);
        history::ArchiveBatch batch{"default", {1ms}, {}};
        for (int i = 0; i < 20'000; ++i) {
            jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
            spec.name = i == 50 ? u"monthly-invoice"_qs : u"filler-%1"_qs.arg(i);
            jobs::FinalRecord record = jobs::FinalRecord::of({"default", 1000 + i}, spec);
            record.outcome = jobs::FinalRecord::Outcome::Exited;
            record.code = i == 50 ? 3 : 0;
            record.startedAt = record.finishedAt = std::chrono::milliseconds(1'700'000'000'000 + i * 1000);
            record.tail = i == 50 ? "invoice: no such customer 4711\n" : "";
            record.outputBytes = record.tail.size();
            batch.entries.push_back({"default", record, record.finishedAt, {}});
        }
        f.run(past.archive(batch));
        f.history = [place](const Target &, const QString &) { return place; };
        f.console.close();
        f.window.connectTo({test::Nowhere, "default"});
        f.user.waitFor([&f] { return f.models.jobs.snapshot().past == 20'000; }, u"history"_qs);
        carryOut(u"Find a job by its name in a long history, and read what it wrote"_qs, f.user, [&f] {
            f.user.press(Qt::CTRL | Qt::Key_2);
            f.user.press(Qt::CTRL | Qt::Key_F);
            f.user.type(u"invoice"_qs);
            f.user.doubleClickCell(u"monthly-invoice"_qs);
            f.user.click(u"Output"_qs);
            f.user.waitFor(
                [&f] {
                    const QList<QPlainTextEdit *> texts = f.window.findChildren<QPlainTextEdit *>();
                    return std::any_of(texts.begin(), texts.end(), [](const QPlainTextEdit *text) {
                        return text->isVisible() && text->toPlainText().contains(u"no such customer 4711"_qs);
                    });
                },
                u"output"_qs);
        });
        test::pictureOf(f.window, u"task-history"_qs);
    }

    void editAZnode()
    {
        Fixture f;
        const zk::Path path("/app/settings/mode");
        f.run(create(*f.writer, path, "slow", zk::CreateMode::Persistent));
        carryOut(u"Go to a znode by its path, and edit it with a check of its version"_qs, f.user, [&f, path] {
            f.user.press(Qt::CTRL | Qt::Key_6);
            f.user.press(Qt::CTRL | Qt::Key_L);
            f.user.type(path.toString());
            f.user.press(Qt::Key_Return);
            f.user.look(u"4 bytes"_qs); // it has been read
            f.user.press(Qt::Key_F2);
            f.user.press(QKeySequence(Qt::CTRL | Qt::Key_A));
            f.user.type(u"fast"_qs);
            f.user.click(u"Review…"_qs);
            f.user.look(u"if the node still has version 0"_qs);
            f.user.press(Qt::Key_Return);
            f.user.waitFor([&] { return f.data(path) == "fast"; }, u"new data"_qs);
        });
    }

    void whichServerLeads()
    {
        Fixture f;
        f.servers[2] = test::serverThatSays(u"zk3"_qs, zk::ServerReport::Role::Follower, 0x100000002);
        carryOut(u"Which server leads, and which one is behind?"_qs, f.user, [&f] {
            f.user.press(Qt::CTRL | Qt::Key_0);
            f.user.look(u"zk2:2181"_qs);
            f.user.look(u"Leader"_qs);
            f.user.look(u"7"_qs); // transactions that zk3 is behind
        });
        test::pictureOf(f.window, u"task-ensemble"_qs);
    }

    void makeADailySchedule()
    {
        Fixture f;
        carryOut(u"Run a command every night"_qs, f.user, [&f] {
            f.user.press(Qt::CTRL | Qt::Key_8);
            f.user.click(u"Add a schedule…"_qs);
            f.user.type(u"backup"_qs);
            f.user.press(Qt::Key_Tab);
            f.user.type(u"0 3 * * *"_qs);
            f.user.clickField(u"Command"_qs);
            f.user.type(u"pg_dump shop"_qs);
            f.user.press(Qt::Key_Return);
            f.user.waitFor([&] { return f.exists(f.cluster.layout().schedules() / "backup"); }, u"schedule"_qs);
            f.user.look(u"0 3 * * *"_qs);
        });
        test::pictureOf(f.window, u"task-schedule"_qs);
    }

    void breakALeakedLock()
    {
        Fixture f;
        const zk::Path lock = f.cluster.layout().lock("db") / "_c_x-lock-";
        const auto leaked = f.run(create(*f.writer, lock, "died long ago", zk::CreateMode::PersistentSequential));
        carryOut(u"Break a lock that a dead program has left"_qs, f.user, [&] {
            f.user.press(Qt::CTRL | Qt::Key_5);
            f.user.openMenuOf(u"died long ago"_qs);
            f.user.click(u"Break…"_qs);
            f.user.type(u"db"_qs);
            f.user.click(u"Break db"_qs);
            f.user.waitFor([&] { return !f.exists(leaked->path); }, u"broken lock"_qs);
        });
    }
};

QTEST_MAIN(TasksTest)
#include "tasks_test.moc"
