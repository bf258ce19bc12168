#include "app/bench/figures/distribution.h"
#include "app/console_bench/bench_window.h"
#include "app/console_bench/benches.h"
#include "app/console_bench/load_thread.h"
#include "app/console_bench/wait.h"
#include "gui/pages/replay/replay_page.h"
#include "gui/recording/recorder.h"

#include <QDateTime>
#include <QElapsedTimer>

#include <algorithm>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr qint64 Hour = 3'600'000; // ms
constexpr int RecordedJobs = 500; // in the table
constexpr int SnapshotsPerSecond = 4; // as the feed sends them
constexpr int ChangesPerSnapshot = 25;
constexpr int Moments = 60;

gui::JobsSnapshot jobsAtFirst()
{
    gui::JobsSnapshot jobs;
    jobs.clusterExists = true;
    for (int i = 0; i < RecordedJobs; ++i) {
        gui::JobRow row;
        row.id = {"default", i};
        row.loaded = true;
        row.name = QStringLiteral("simulation-%1").arg(i);
        row.command = QStringList{QStringLiteral("python3"), QStringLiteral("/srv/run.py"), QString::number(i)};
        jobs.rows.append(row);
    }
    return jobs;
}

// Some jobs begin or end.
void change(gui::JobsSnapshot &jobs, int step, qint64 now)
{
    for (int i = 0; i < ChangesPerSnapshot; ++i) {
        gui::JobRow &row = jobs.rows[(step * ChangesPerSnapshot + i) % RecordedJobs];
        const bool begins = row.state == jobs::JobState::Ready;
        row.state = begins ? jobs::JobState::Running : jobs::JobState::Ready;
        row.worker = begins ? QStringLiteral("worker-%1").arg(i) : QString();
        row.attempt = step / 40;
        row.since = now;
    }
}

// So many milliseconds of it, by the recorder's own code. Returns the number of changes.
qint64 record(const gui::Target &target, qint64 begin, qint64 length)
{
    qint64 now = begin;
    gui::Recorder recorder([&now] { return now; });
    gui::SessionStatus status;
    status.phase = gui::SessionStatus::Phase::Connected;
    status.target = target;
    recorder.showStatus(status);
    recorder.setOn(true);
    gui::JobsSnapshot jobs = jobsAtFirst();
    recorder.showJobs(jobs);
    now += 1000;
    recorder.flush();
    int step = 0;
    for (; now < begin + length; ++step) {
        now += 1000 / SnapshotsPerSecond;
        change(jobs, step, now);
        recorder.showJobs(jobs);
        if (step % SnapshotsPerSecond == 0)
            recorder.flush();
    }
    recorder.setOn(false);
    return qint64(step) * ChangesPerSnapshot;
}

} // namespace

void benchReplay(Figures &figures, double scale)
{
    LoadThread load;
    qputenv("XDG_STATE_HOME", load.directory().toUtf8());
    const qint64 length = std::max<qint64>(10'000, qint64(double(Hour) * scale));
    const qint64 begin = QDateTime::currentMSecsSinceEpoch() - length;
    QElapsedTimer clock;
    clock.start();
    const qint64 changes = record({load.connectString(), "default"}, begin, length);
    const std::chrono::milliseconds recorded(clock.restart());

    BenchWindow bench(load.connectString());
    bench.connect();
    bench.showPage("replay");
    auto *const page = bench.window().findChild<gui::ReplayPage *>();
    waitFor([page] { return page->models().jobs.rowCount() == RecordedJobs; }, "the last moment");
    bench.stalls().restart();
    bool shown = false;
    QObject::connect(page, &gui::ReplayPage::shown, page, [&shown] { shown = true; });
    Distribution times;
    for (int i = 0; i < Moments; ++i) {
        shown = false;
        clock.restart();
        page->goTo(begin + 2000 + (length - 4000) * ((i * 37) % Moments) / Moments); // to and fro
        waitFor([&shown] { return shown; }, "a moment");
        times.add(std::chrono::nanoseconds(clock.nsecsElapsed()));
        if (page->models().jobs.rowCount() != RecordedJobs)
            throw std::runtime_error("a moment lacks jobs");
    }
    figures.add("changes", changes, u"that were recorded");
    figures.addMilliseconds("record_ms", recorded, u"to record them");
    figures.addMilliseconds("moment_ms", times.quantile(1), u"until the slowest of 60 moments was shown");
    figures.addMilliseconds("moment_median_ms", times.median(), u"the median of them");
    figures.addMilliseconds("longest_stall_ms", bench.stalls().longest(), u"the longest stall");
    figures.addMilliseconds("longest_busy_ms", bench.stalls().busiest(), u"its most processor time at a time");
}

} // namespace drover::app
