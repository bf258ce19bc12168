#include "app/support/drover_on_server.h"
#include "gui/feeds/feed_thread.h"
#include "gui/pages/replay/record_switch.h"
#include "gui/pages/replay/replay_page.h"
#include "gui/pages/replay/time_line.h"
#include "gui/pictures.h"
#include "gui/session_as_user.h"
#include "gui/tasks/task_table.h"
#include "gui/widgets/theme.h"
#include "gui/window/main_window.h"
#include "gui/workspace/console_models.h"

#include <QAction>
#include <QTemporaryDir>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;
using jobs::JobState;

namespace {

constexpr int Patience = 60'000; // ms

// The window, with the session of a user who has all roles.
struct Console {
    FeedThread feeds;
    ConsoleModels models;
    MainWindow window{(connectModels(models, feeds.session()), models), feeds.session()};
    User user{window, [](const std::function<bool()> &condition) { return QTest::qWaitFor(condition, Patience); }};

    explicit Console(DroverOnServer &cluster) : feeds(sessionAsUser(cluster))
    {
        applyTheme(ThemeChoice::Light);
        window.resize(1400, 900);
        window.show();
        window.activateWindow();
        window.connectTo({cluster.server.connectString(), "default"});
        window.findChild<QAction *>(u"connection.edit"_qs)->setChecked(true);
    }
    const JobRow *job(const QString &id) const { return models.jobs.find(jobs::JobId::parse(id).value()); }
    bool isIn(const QString &id, JobState state) const { return job(id) && job(id)->loaded && job(id)->state == state; }
    // How many jobs of that name are in that state; tasks of arrays, too.
    int count(const QString &name, JobState state) const
    {
        int count = 0;
        for (int i = 0; i < models.jobs.rowCount(); ++i) {
            const JobRow &row = models.jobs.row(i);
            count += row.name == name && row.state == state ? 1 : 0;
        }
        return count;
    }
};

} // namespace

// Tasks of people who run workers, as in tasks_test, with a real server and a real worker.
class RealTasksTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    std::unique_ptr<QProcess> m_worker;
    QTemporaryDir m_state;

    QString submit(const QStringList &arguments)
    {
        const Finished submitted = m_cluster.drover.run(words("submit") + arguments);
        if (submitted.exitCode != 0)
            qFatal("%s", submitted.err.constData());
        return QString::fromUtf8(submitted.out.trimmed());
    }

    QString flagOf(const QString &job) const { return m_state.filePath(job); }
    // A job of that name runs until endJob(). Returns its id.
    QString submitOpenEnded(const QString &name)
    {
        const QString script = u"until test -e '%1'; do sleep 0.1; done"_qs.arg(flagOf(name));
        return submit(words("--name") + QStringList{name} + words("-- sh -c") + QStringList(script));
    }
    void endJob(const QString &name) const { QVERIFY(QFile(flagOf(name)).open(QIODevice::WriteOnly)); }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_STATE_HOME", m_state.path().toUtf8());
        m_cluster.start({"default"});
        m_worker = m_cluster.drover.start(words("worker --id w1 --slots 4 --queue default"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, Patience);
    }
    void cleanupTestCase()
    {
        m_worker->terminate();
        DroverProgram::finish(*m_worker);
    }

    // The tasks fail until the flag is there.
    void runFailedTasksAgain()
    {
        const QString flag = m_state.filePath(u"flag"_qs);
        const QString script = u"case $DROVER_ARRAY_INDEX in 2|5) test -e '%1';; esac"_qs.arg(flag);
        const QString array = submit(words("--name sweep --array 1-6 -- sh -c") + QStringList(script));
        Console console(m_cluster);
        QTRY_VERIFY_WITH_TIMEOUT(console.isIn(array, JobState::Failed), Patience);
        QTRY_COMPARE_WITH_TIMEOUT(console.count(u"sweep"_qs, JobState::Failed), 3, Patience);
        QVERIFY(QFile(flag).open(QIODevice::WriteOnly));
        carryOut(u"Find the failed tasks of an array, and run them again"_qs, console.user, [&] {
            console.user.press(Qt::CTRL | Qt::Key_2);
            console.user.clickCell(array);
            console.user.press(Qt::CTRL | Qt::SHIFT | Qt::Key_R);
            console.user.look(u"Arguments"_qs); // of what is about to be submitted
            console.user.click(u"Submit"_qs);
            console.user.waitFor([&] { return console.count(u"sweep"_qs, JobState::Succeeded) == 4 + 1 + 2; },
                                 u"two more tasks that succeed"_qs);
        });
        test::pictureOf(console.window, u"task-failed"_qs);
    }

    void drainAWorker()
    {
        const QString job = submitOpenEnded(u"short"_qs);
        Console console(m_cluster);
        QTRY_VERIFY_WITH_TIMEOUT(console.isIn(job, JobState::Running), Patience);
        carryOut(u"Drain a worker before its maintenance, and see when it is empty"_qs, console.user, [&] {
            console.user.press(Qt::CTRL | Qt::Key_4);
            console.user.openMenuOf(u"w1 — master"_qs);
            console.user.click(u"Drain…"_qs);
            console.user.type(u"new disk"_qs);
            console.user.press(Qt::Key_Return);
            console.user.look(u"Worker w1 claims no more jobs."_qs);
            endJob(u"short"_qs);
            console.user.look(u"Worker w1 is drained: it runs nothing any more."_qs);
        });
        QCOMPARE(m_cluster.drover.run(words("worker uncordon w1")).exitCode, 0);
    }

    void submitAgainWithAChange()
    {
        const QString job = submit(words("--name checked -- test 4 = 5"));
        Console console(m_cluster);
        QTRY_VERIFY_WITH_TIMEOUT(console.isIn(job, JobState::Failed), Patience);
        carryOut(u"Submit a failed job again, with a change"_qs, console.user, [&] {
            console.user.press(Qt::CTRL | Qt::Key_2);
            console.user.clickCell(job);
            console.user.press(Qt::CTRL | Qt::SHIFT | Qt::Key_N);
            console.user.look(u"Arguments"_qs);
            console.user.press(Qt::CTRL | Qt::Key_End);
            console.user.press(Qt::Key_Backspace);
            console.user.type(u"4"_qs);
            console.user.click(u"Submit"_qs);
            console.user.waitFor([&] { return console.count(u"checked"_qs, JobState::Succeeded) == 1; },
                                 u"job that succeeds"_qs);
        });
    }

    // Recording was switched on before.
    void seeWhatHappened()
    {
        Console console(m_cluster);
        auto *const record = console.window.findChild<RecordSwitch *>();
        auto *const page = console.window.findChild<ReplayPage *>();
        QTRY_VERIFY_WITH_TIMEOUT(record->isEnabled(), Patience);
        record->click();
        QTRY_VERIFY_WITH_TIMEOUT(!page->badge().text.isEmpty(), Patience);
        const QString job = submitOpenEnded(u"passing"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(console.isIn(job, JobState::Running), Patience);
        const qint64 then = QDateTime::currentMSecsSinceEpoch() + 200;
        QTRY_VERIFY_WITH_TIMEOUT(page->recordedUntil() > then, Patience);
        endJob(u"passing"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(console.isIn(job, JobState::Succeeded), Patience);
        carryOut(u"See what ran at a moment in the past"_qs, console.user, [&] {
            console.user.click(u"Replay"_qs);
            auto *const line = console.window.findChild<TimeLine *>();
            console.user.waitFor([&] { return line->isVisible() && line->until() > then; }, u"time line"_qs);
            const double share = double(then - line->from()) / double(line->until() - line->from());
            console.user.clickAt(*line, QPoint(int(share * line->width()), line->height() / 2));
            console.user.look(u"passing"_qs);
            console.user.look(u"Running"_qs);
        });
        test::pictureOf(console.window, u"task-replay"_qs);
    }
};

QTEST_MAIN(RealTasksTest)
#include "real_tasks_test.moc"
