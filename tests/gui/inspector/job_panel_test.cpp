#include "core/jobs/job_cluster.h"
#include "gui/inspector/attempts.h"
#include "gui/inspector/job_panel_fixture.h"
#include "gui/inspector/job_timeline.h"
#include "gui/kit/entity_link.h"
#include "gui/pictures.h"
#include "gui/widgets/theme.h"

#include <QDateTime>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::FinalRecord;
using test::editorOf;
using test::failed;
using test::Id;
using test::Known;
using test::outputOf;
using test::running;
using test::spec;
using test::textOf;

// What the inspector says about a job.
class JobPanelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsAJobThatRuns();
    void aJobThatWaitsAtItsWorkerDoesNotRun();
    void showsHowAJobEnded();
    void showsEachAttempt();
    void leadsToWhatItNames();
    void showsWhatCannotBeRead();
    void anArrayNamesItsTasks();
    void aLongEnvironmentLeavesRoom();
    void saysWhyThereIsNothing();
};

namespace {

QString environmentOf(const JobPanel &panel)
{
    const QPlainTextEdit *const editor = editorOf(panel, u"Environment"_qs);
    return editor ? editor->toPlainText() : QString();
}

bool showsOutput(JobPanel &panel)
{
    panel.showOutput(true);
    return outputOf(panel)->isVisible();
}

jobs::JobView array()
{
    jobs::JobView job = running();
    job.claim.reset();
    job.attempts = 1;
    job.spec->array = jobs::ArrayIndices{1, 10};
    job.progress.emplace();
    job.progress->expand(4, 10);
    return job;
}

} // namespace

void JobPanelTest::showsAJobThatRuns()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.showJob(running());
    panel.show();
    test::pictureOf(panel, u"job-running"_qs);
    const QString text = textOf(panel);
    QVERIFY(text.contains(u"default-42 — Running"_qs, Qt::CaseInsensitive));
    QVERIFY(text.contains(u"'/srv/data/a long name with blanks.txt'"_qs));
    QVERIFY(environmentOf(panel).contains(u"LANG=C.UTF-8"_qs));
    QVERIFY2(text.contains(u"Comment\nfor the audit"_qs), qPrintable(text));
    QVERIFY(text.contains(u"2 of 5"_qs));
    QVERIFY(text.contains(u"drover logs -f default-42"_qs));
    QVERIFY(showsOutput(panel));
}

void JobPanelTest::aJobThatWaitsAtItsWorkerDoesNotRun()
{
    test::JobCluster fake;
    const jobs::JobId id = fake.submit(spec());
    fake.claim(id, 0, u"lock db"_qs);
    const Known known;
    JobPanel panel(id, known.sources);
    QSignalSpy wanted(&panel, &JobPanel::outputWanted);
    panel.showJob(fake.view(id));
    panel.show();
    test::pictureOf(panel, u"job-waiting"_qs);
    const QString text = textOf(panel);
    QVERIFY2(text.contains(id.toString() + u" — Waiting"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"Waits for\nlock db\n"_qs), qPrintable(text));
    QVERIFY2(!text.contains(u"Running since"_qs) && !text.contains(u" of 5"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"has not begun"_qs), qPrintable(text));
    QCOMPARE(wanted.size(), 0);
    QVERIFY(!showsOutput(panel));
}

void JobPanelTest::showsHowAJobEnded()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.showJob(running()); // what it showed before has to go
    panel.showJob(failed());
    panel.show();
    test::pictureOf(panel, u"job-failed"_qs);
    const QString text = textOf(panel);
    QVERIFY(text.contains(u"exited with code 3"_qs));
    QVERIFY2(text.contains(u"Comment\nfor the audit"_qs), qPrintable(text));
    QVERIFY(text.contains(u"more was written than is kept"_qs));
    const auto *const timeline = panel.findChild<JobTimeline *>();
    QVERIFY(timeline && timeline->isVisible());
    QCOMPARE(timeline->words(), u"waited 1s, ran 1m02s"_qs);
    QVERIFY(!text.contains(u"2 of 5"_qs));
    QVERIFY(showsOutput(panel));
    QVERIFY(outputOf(panel)->toPlainText().contains(u"No such file"_qs));
}

// Three attempts: the console saw the second, which failed, and the cluster knows the third. The first is not known.
void JobPanelTest::showsEachAttempt()
{
    const qint64 begun = QDateTime::currentMSecsSinceEpoch() - 300'000;
    Known known;
    const auto show = [&known](jobs::JobState state, int attempt, qint64 since, int failed) {
        JobRow row;
        row.id = Id;
        row.state = state;
        row.loaded = true;
        row.worker = state == jobs::JobState::Running ? u"engine-7"_qs : QString();
        row.attempt = attempt;
        row.since = since;
        row.failed = failed;
        row.failedCode = failed > 0 ? 9 : 0;
        JobsSnapshot snapshot;
        snapshot.clusterExists = true;
        snapshot.rows = {row};
        known.attempts.show(snapshot);
    };
    show(jobs::JobState::Running, 2, begun + 50'000, 1);
    show(jobs::JobState::Waiting, 2, begun, 2); // it is tried again
    show(jobs::JobState::Running, 3, begun + 200'000, 2);
    const std::vector<SeenAttempt> seen = known.attempts.of(Id);
    QCOMPARE(seen.size(), 2);
    QCOMPARE(seen[0].end, SeenAttempt::End::Failed);
    QCOMPARE(seen[0].code, 9);
    QCOMPARE(seen[1].end, SeenAttempt::End::None);
    jobs::JobView job = running();
    job.claim->attempts = {3, 0};
    job.since = std::chrono::milliseconds(begun + 200'000);
    job.spec->submittedAt = std::chrono::milliseconds(begun);
    const std::vector<Attempt> attempts = attemptsOf(job, seen);
    QCOMPARE(attempts.size(), 3);
    QVERIFY(!attempts[0].isKnown());
    QCOMPARE(attempts[1].worker, u"engine-7"_qs);
    QCOMPARE(attempts[1].ended, begun + 200'000); // this machine saw it later
    QCOMPARE(attempts[2].begun, begun + 200'000);
    QCOMPARE(attempts[2].worker, u"engine-1"_qs);
    JobPanel panel(Id, known.sources);
    panel.resize(460, 520);
    panel.showJob(job);
    panel.show();
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
        applyTheme(theme);
        test::pictureOf(panel, theme == ThemeChoice::Light ? u"attempts-light"_qs : u"attempts-dark"_qs);
    }
    const QString text = textOf(panel);
    QVERIFY2(text.contains(u"not seen by this console"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"failed with code 9"_qs) && text.contains(u": runs"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"and the cluster keeps only the last"_qs), qPrintable(text));
    const auto *const line = panel.findChild<JobTimeline *>();
    QVERIFY2(line->accessibleName().endsWith(u"; earlier ones were not seen"_qs), qPrintable(line->accessibleName()));
    // What the cluster counts of them.
    jobs::JobView retried = job;
    retried.spec->notes.failed = 2;
    retried.spec->notes.failedCode = 7;
    QVERIFY(attemptsOf(retried, {})[0].outcome.endsWith(u"; 2 failed so far, the latest with code 7"_qs));
    // A job that ended: the record has the last one, also if this console began later.
    jobs::JobView ended = failed();
    ended.record->attempts.claimVersion = 4;
    const std::vector<Attempt> late = attemptsOf(ended, {});
    QCOMPARE(late.size(), 2);
    QCOMPARE(late[0].last, 3);
    QCOMPARE(late[1].outcome, u"exited with code 3"_qs);
    // A worker that died: the job is ready again, and no attempt has failed.
    AttemptLog log([begun] { return begun + 9'000; });
    JobsSnapshot snapshot;
    snapshot.clusterExists = true;
    JobRow row;
    row.id = Id;
    row.state = jobs::JobState::Running;
    row.loaded = true;
    row.worker = u"w"_qs;
    row.attempt = 1;
    row.since = begun;
    snapshot.rows = {row};
    log.show(snapshot);
    snapshot.rows[0].state = jobs::JobState::Ready;
    snapshot.rows[0].worker.clear();
    snapshot.rows[0].loaded = false; // its node is read anew
    log.show(snapshot);
    QCOMPARE(log.of(Id).back().end, SeenAttempt::End::Unknown);
    snapshot.rows[0].loaded = true;
    log.show(snapshot);
    QCOMPARE(log.of(Id).back().end, SeenAttempt::End::Lost);
    QCOMPARE(log.of(Id).back().ended, begun + 9'000);
    log.show({});
    QVERIFY(log.of(Id).empty()); // another cluster
}

// The array of a task, the jobs before it, its locks and limits, its worker, also in the line of its attempt, and its
// queue.
void JobPanelTest::leadsToWhatItNames()
{
    Known known;
    const jobs::JobId task = *jobs::JobId::parse(u"default-42.3"_qs);
    jobs::JobView job = running();
    job.id = task;
    job.spec->after = {*jobs::Dependency::parse(u"ok:gpu-7"_qs)};
    job.spec->locks = QStringList{u"db"_qs, u"far"_qs};
    job.spec->limits = QStringList{u"licences"_qs};
    known.waits.showLocks({{"db", 0, "lock-1", "default-42.3", 0x51, 1'760'000'000'000, 77},
                           {"far", 0, "lock-2", "default-9", 0x52, 1'760'000'000'000, 78},
                           {"far", 1, "lock-3", "default-42.3", 0x51, 1'760'000'000'000, 79}});
    JobPanel panel(task, known.sources);
    panel.showJob(job);
    QStringList links;
    const QList<EntityLink *> all = panel.findChildren<EntityLink *>();
    for (const EntityLink *const link : all)
        links << link->text();
    QCOMPARE(links,
             (QStringList{u"engine-1"_qs, u"engine-1"_qs, u"lock db"_qs, u"lock far"_qs, u"default-9"_qs,
                          u"limit licences"_qs, u"default-42"_qs, u"gpu-7"_qs, u"default"_qs}));
    const QString text = textOf(panel);
    QVERIFY2(text.contains(u"Holds\nsince "_qs) && text.contains(u"Waits for\n1 in line, since "_qs), qPrintable(text));
    known.waits.showLocks({});
    panel.refresh();
    QVERIFY(!textOf(panel).contains(u"in line"_qs));
}

void JobPanelTest::showsWhatCannotBeRead()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    jobs::JobView job;
    job.id = Id;
    job.malformed = u"\"command\" is missing\x1b[31m"_qs;
    panel.showJob(job);
    panel.show();
    test::pictureOf(panel, u"job-malformed"_qs);
    const QString text = textOf(panel);
    QVERIFY(text.contains(u"\"command\" is missing"_qs));
    QVERIFY(!text.contains(QChar(0x1b)));
    job.state = jobs::JobState::Failed; // its record
    panel.showJob(job);
    QVERIFY(textOf(panel).contains(u"What it wrote is not known"_qs));
}

// It is not claimed, and has no output of its own.
void JobPanelTest::anArrayNamesItsTasks()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.showJob(array());
    panel.show();
    test::pictureOf(panel, u"job-array"_qs);
    const QString text = textOf(panel);
    QVERIFY2(!text.contains(u"not running"_qs) && !text.contains(u"logs -f"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"drover ls --all default-42 lists"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"Tasks\n0/10"_qs), qPrintable(text));
    QVERIFY(!showsOutput(panel));

    jobs::JobView ended = failed();
    ended.record = FinalRecord::of(Id, *array().spec);
    ended.record->reason = u"10 tasks: 10 ok"_qs;
    panel.showJob(ended);
    QVERIFY2(!textOf(panel).contains(u"wrote no output"_qs), qPrintable(textOf(panel)));
}

void JobPanelTest::aLongEnvironmentLeavesRoom()
{
    jobs::JobView job = running();
    for (int i = 0; i < 60; ++i)
        job.spec->environment[u"VARIABLE_%1"_qs.arg(i)] = u"value"_qs;
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.showJob(job);
    panel.show();
    test::pictureOf(panel, u"job-environment"_qs);
    QVERIFY(environmentOf(panel).contains(u"VARIABLE_59=value"_qs));
    QVERIFY(editorOf(panel, u"Environment"_qs)->height() < panel.fontMetrics().lineSpacing() * 12);
}

void JobPanelTest::saysWhyThereIsNothing()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.fail(u"there is no job default-42"_qs);
    panel.show();
    test::pictureOf(panel, u"job-missing"_qs);
    QVERIFY(textOf(panel).contains(u"there is no job default-42"_qs));
    QVERIFY(!showsOutput(panel));
}

QTEST_MAIN(JobPanelTest)
#include "job_panel_test.moc"
