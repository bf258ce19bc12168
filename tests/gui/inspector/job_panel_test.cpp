#include "core/jobs/job_cluster.h"
#include "gui/inspector/entity_link.h"
#include "gui/inspector/job_output.h"
#include "gui/inspector/job_panel.h"
#include "gui/models/ensemble/ensemble_model.h"
#include "gui/models/job_model.h"
#include "gui/models/queue_table.h"
#include "gui/models/waits/wait_model.h"
#include "gui/models/worker_model.h"
#include "gui/pictures.h"
#include "gui/widgets/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::FinalRecord;

class JobPanelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsAJobThatRuns();
    void aJobThatWaitsAtItsWorkerDoesNotRun();
    void showsOutputAsItComes();
    void showsHowAJobEnded();
    void leadsToWhatItNames();
    void showsWhatCannotBeRead();
    void anArrayNamesItsTasks();
    void aLineWithoutAnEndIsBroken();
    void aFloodIsLeftOutInParts();
    void aLongEnvironmentLeavesRoom();
    void saysWhyThereIsNothing();
    void coloursAreShownInBothThemes_data();
    void coloursAreShownInBothThemes();
    void aLineThatIsWrittenOverIsShownOnce();
    void findsTextAndTheNextError();
};

namespace {

const jobs::JobId Id{"default", 42};

jobs::JobSpec spec()
{
    jobs::JobSpec spec;
    spec.command = QStringList{u"wc"_qs, u"-w"_qs, u"/srv/data/a long name with blanks.txt"_qs};
    spec.environment = {{u"LANG"_qs, u"C.UTF-8"_qs}, {u"PATH"_qs, u"/usr/bin:/bin"_qs}};
    spec.timeLimit = 15min;
    spec.comment = u"for the audit"_qs;
    spec.submitter = u"ada@engine"_qs;
    spec.submittedAt = 1'760'000'000s;
    return spec;
}

jobs::JobView running()
{
    jobs::JobView job;
    job.id = Id;
    job.state = jobs::JobState::Running;
    job.spec = spec();
    job.claim = jobs::Claim{u"engine-1"_qs, {2, 0}, "q5-0000000042", false};
    job.since = 1'760'000'001s;
    job.attempts = 2;
    return job;
}

jobs::JobView failed()
{
    jobs::JobView job;
    job.id = Id;
    job.state = jobs::JobState::Failed;
    FinalRecord record = FinalRecord::of(Id, spec());
    record.code = 3;
    record.attempts.claimVersion = 1;
    record.worker = u"engine-1"_qs;
    record.startedAt = 1'760'000'001s;
    record.finishedAt = 1'760'000'063s;
    record.cpuTime = 4200ms;
    record.peakMemory = 12 * 1024 * 1024;
    record.tail = "wc: 'a long name with blanks.txt': No such file or directory\n";
    record.outputBytes = 1'000'000;
    record.outputTruncated = true;
    job.record = record;
    return job;
}

// What the models of the console know beside the job.
struct Known {
    JobModel jobs;
    WorkerModel workers;
    QueueTable queues;
    WaitModel waits;
    EnsembleModel ensemble;
    Sources sources{jobs, workers, queues, waits, ensemble};
};

// Its state, and what its labels say, in order.
QString textOf(const JobPanel &panel)
{
    QString text = panel.id().toString() + u" — "_qs + panel.facts().state + u'\n';
    for (const QLabel *label : panel.findChildren<QLabel *>())
        text += label->text() + u'\n';
    return text;
}

QPlainTextEdit *editorOf(const JobPanel &panel, const QString &name)
{
    for (QPlainTextEdit *editor : panel.findChildren<QPlainTextEdit *>()) {
        if (editor->accessibleName() == name)
            return editor;
    }
    return nullptr;
}

QPlainTextEdit *outputOf(const JobPanel &panel)
{
    return editorOf(panel, u"End of the output"_qs);
}

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

void JobPanelTest::showsOutputAsItComes()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    QSignalSpy wanted(&panel, &JobPanel::outputWanted);
    const QPlainTextEdit *const output = outputOf(panel);
    jobs::JobView job = running();
    panel.showJob(job);
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0], (QVariantList{job.claim->attempts.claimVersion, job.claim->worker}));
    panel.addOutput("one \xe7\x89", {}); // half a character
    panel.addOutput("\xa7\n", "two\x1b[31m\a\n");
    QCOMPARE(output->toPlainText(), u"one \u7267\ntwo⟨BEL⟩\n"_qs);
    panel.showJob(job); // it is asked for once
    QCOMPARE(wanted.size(), 1);
    QVERIFY(output->toPlainText().startsWith(u"one"));

    jobs::JobView ended = failed();
    ended.record->attempts.claimVersion = job.claim->attempts.claimVersion;
    panel.showJob(ended); // keeps what has come, which is more
    QVERIFY(output->toPlainText().startsWith(u"one"));
    panel.addOutput("late", {});
    QVERIFY(!output->toPlainText().contains(u"late"));

    panel.showJob(job);
    QCOMPARE(wanted.size(), 2);
    QCOMPARE(output->toPlainText(), QString());
    panel.sayInterrupted(u"worker far has gone"_qs);
    QVERIFY(textOf(panel).contains(u"worker far has gone"_qs));
    panel.showJob(ended); // there is the end in the record
    QVERIFY(output->toPlainText().contains(u"No such file"_qs));
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
    QVERIFY(!text.contains(u"2 of 5"_qs));
    QVERIFY(showsOutput(panel));
    QVERIFY(outputOf(panel)->toPlainText().contains(u"No such file"_qs));
}

// The array of a task, the jobs before it, its locks and limits, its worker and its queue.
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
             (QStringList{u"engine-1"_qs, u"lock db"_qs, u"lock far"_qs, u"default-9"_qs, u"lock limit licences"_qs,
                          u"default-42"_qs, u"gpu-7"_qs, u"default"_qs}));
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

// The layout of a line is made anew for each piece of it, which took minutes for a line of a megabyte.
void JobPanelTest::aLineWithoutAnEndIsBroken()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.showJob(running());
    const int pieces = 100;
    for (int i = 0; i < pieces; ++i)
        panel.addOutput(QByteArray(4'000, 'x'), {});
    const QTextDocument *const document = outputOf(panel)->document();
    qsizetype characters = 0;
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
        QVERIFY2(block.length() <= 4097, QByteArray::number(block.length()).constData());
        characters += block.text().size();
    }
    QCOMPARE(characters, qsizetype(pieces) * 4'000);
}

// Each chunk was laid out: the window stood still, and memory grew without end.
void JobPanelTest::aFloodIsLeftOutInParts()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.showJob(running());
    const QByteArray chunk = QByteArray(99, 'x') + '\n';
    const QByteArray much = chunk.repeated(10'000);
    const QPlainTextEdit *const output = outputOf(panel);
    for (int i = 0; i < 50; ++i)
        panel.addOutput(much, {});
    QVERIFY2(output->blockCount() < 1500, qPrintable(QString::number(output->blockCount()))); // one part of it so far
    panel.addOutput("the end\n", {});
    QTRY_VERIFY_WITH_TIMEOUT(output->toPlainText().endsWith(u"the end\n"_qs), 30'000);
    QVERIFY(output->toPlainText().contains(u"are not shown here: the job writes too fast"_qs));
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

void JobPanelTest::coloursAreShownInBothThemes_data()
{
    QTest::addColumn<int>("theme");
    QTest::newRow("light") << int(ThemeChoice::Light);
    QTest::newRow("dark") << int(ThemeChoice::Dark);
}

void JobPanelTest::coloursAreShownInBothThemes()
{
    QFETCH(int, theme);
    applyTheme(ThemeChoice(theme));
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.show();
    panel.showJob(running());
    QByteArray all("plain \x1b[1mbold\x1b[0m \x1b[7minverse\x1b[0m\n");
    for (int colour = 0; colour < 8; ++colour)
        all +=
            "\x1b[3" + QByteArray::number(colour) + "mcolour\x1b[9" + QByteArray::number(colour) + "m bright\x1b[m\n";
    all += "\x1b[38;5;208morange\x1b[m \x1b[48;2;120;30;90mpurple\x1b[m a\x01mark\n";
    panel.addOutput(all + "\x1b[3", {});
    panel.addOutput("1merror: in two pieces\x1b[0m\n", {});
    QCoreApplication::processEvents();
    test::pictureOf(panel, u"output-%1"_qs.arg(QLatin1String(QTest::currentDataTag())));
    QTextCursor last(outputOf(panel)->document()->lastBlock().previous());
    last.movePosition(QTextCursor::NextCharacter);
    QCOMPARE(last.block().text(), u"error: in two pieces"_qs);
    const QColor red = last.charFormat().foreground().color();
    QVERIFY2(red.red() > red.green() + 60 && red.red() > red.blue() + 60, qPrintable(red.name()));
    QVERIFY(outputOf(panel)->toPlainText().contains(u"a⟨SOH⟩mark"_qs));
    applyTheme(ThemeChoice::Light);
}

// A progress bar wrote a line for each of its steps.
void JobPanelTest::aLineThatIsWrittenOverIsShownOnce()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.showJob(running());
    for (int percent = 0; percent <= 100; percent += 10) {
        panel.addOutput("\r" + QByteArray::number(percent) + " %", {});
        QTest::qWait(0);
    }
    panel.addOutput("\r\x1b[Kdone\r\nnext", {});
    QTRY_COMPARE_WITH_TIMEOUT(outputOf(panel)->toPlainText(), u"done\nnext"_qs, 30'000);
}

void JobPanelTest::findsTextAndTheNextError()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.show();
    panel.showJob(running());
    panel.addOutput("begin\nmake: *** Error 1\nterrors are fine\nfatal: no such ref\nend\n", {});
    auto *const output = panel.findChild<JobOutput *>();
    const auto line = [&] { return outputOf(panel)->textCursor().block().text(); };
    outputOf(panel)->moveCursor(QTextCursor::Start);
    QVERIFY(output->findError());
    QCOMPARE(line(), u"make: *** Error 1"_qs);
    QVERIFY(output->findError());
    QCOMPARE(line(), u"fatal: no such ref"_qs);
    QVERIFY(output->findError()); // and from the beginning again
    QCOMPARE(line(), u"make: *** Error 1"_qs);
    auto *const field = output->findChild<QLineEdit *>();
    field->setText(u"END"_qs);
    QVERIFY(output->find());
    QCOMPARE(line(), u"end"_qs);
    field->setText(u"absent"_qs);
    QVERIFY(!output->find());
    QVERIFY(textOf(panel).contains(u"Not found in what is shown."_qs));
    const QTemporaryDir directory;
    const QString file = directory.filePath(u"out.log"_qs);
    QCOMPARE(output->saveTo(file), QString());
    QFile saved(file);
    QVERIFY(saved.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(saved.readAll()), outputOf(panel)->toPlainText());
    QVERIFY(output->saveTo(directory.filePath(u"no/such/directory"_qs)).startsWith(u"Cannot write"_qs));
}

QTEST_MAIN(JobPanelTest)
#include "job_panel_test.moc"
