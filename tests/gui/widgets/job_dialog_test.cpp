#include "core/jobs/job_cluster.h"
#include "gui/pictures.h"
#include "gui/widgets/job_dialog.h"
#include "gui/widgets/job_output.h"
#include "gui/widgets/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::FinalRecord;

class JobDialogTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsAJobThatRuns();
    void aJobThatWaitsAtItsWorkerDoesNotRun();
    void showsOutputAsItComes();
    void showsHowAJobEnded();
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

// What the labels of the dialog say, in order.
QString textOf(const JobDialog &dialog)
{
    QString text;
    for (const QLabel *label : dialog.findChildren<QLabel *>())
        text += label->text() + u'\n';
    return text;
}

QPlainTextEdit *editorOf(const JobDialog &dialog, const QString &name)
{
    for (QPlainTextEdit *editor : dialog.findChildren<QPlainTextEdit *>()) {
        if (editor->accessibleName() == name)
            return editor;
    }
    return nullptr;
}

QPlainTextEdit *outputOf(const JobDialog &dialog)
{
    return editorOf(dialog, u"End of the output"_qs);
}

QString environmentOf(const JobDialog &dialog)
{
    const QPlainTextEdit *const editor = editorOf(dialog, u"Environment"_qs);
    return editor ? editor->toPlainText() : QString();
}

bool showsOutput(const JobDialog &dialog)
{
    return outputOf(dialog)->isVisible();
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

void JobDialogTest::showsAJobThatRuns()
{
    JobDialog dialog(Id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show(running());
    dialog.QWidget::show();
    test::pictureOf(dialog, u"job-running"_qs);
    const QString text = textOf(dialog);
    QVERIFY(text.contains(u"default-42 — Running"_qs, Qt::CaseInsensitive));
    QVERIFY(text.contains(u"'/srv/data/a long name with blanks.txt'"_qs));
    QVERIFY(environmentOf(dialog).contains(u"LANG=C.UTF-8"_qs));
    QVERIFY2(text.contains(u"Comment\nfor the audit"_qs), qPrintable(text));
    QVERIFY(text.contains(u"2 of 5"_qs));
    QVERIFY(text.contains(u"drover logs -f default-42"_qs));
    QVERIFY(showsOutput(dialog));
}

void JobDialogTest::aJobThatWaitsAtItsWorkerDoesNotRun()
{
    test::JobCluster fake;
    const jobs::JobId id = fake.submit(spec());
    fake.claim(id, 0, u"lock db"_qs);
    JobDialog dialog(id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    QSignalSpy wanted(&dialog, &JobDialog::outputWanted);
    dialog.show(fake.view(id));
    dialog.QWidget::show();
    test::pictureOf(dialog, u"job-waiting"_qs);
    const QString text = textOf(dialog);
    QVERIFY2(text.contains(id.toString() + u" — Waiting"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"Waits for\nlock db\n"_qs), qPrintable(text));
    QVERIFY2(!text.contains(u"Running since"_qs) && !text.contains(u" of 5"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"has not begun"_qs), qPrintable(text));
    QCOMPARE(wanted.size(), 0);
    QVERIFY(!showsOutput(dialog));
}

void JobDialogTest::showsOutputAsItComes()
{
    JobDialog dialog(Id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    QSignalSpy wanted(&dialog, &JobDialog::outputWanted);
    const QPlainTextEdit *const output = outputOf(dialog);
    jobs::JobView job = running();
    dialog.show(job);
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0], (QVariantList{job.claim->attempts.claimVersion, job.claim->worker}));
    dialog.addOutput("one \xe7\x89", {}); // half a character
    dialog.addOutput("\xa7\n", "two\x1b[31m\a\n");
    QCOMPARE(output->toPlainText(), u"one \u7267\ntwo⟨BEL⟩\n"_qs);
    dialog.show(job); // it is asked for once
    QCOMPARE(wanted.size(), 1);
    QVERIFY(output->toPlainText().startsWith(u"one"));

    jobs::JobView ended = failed();
    ended.record->attempts.claimVersion = job.claim->attempts.claimVersion;
    dialog.show(ended); // keeps what has come, which is more
    QVERIFY(output->toPlainText().startsWith(u"one"));
    dialog.addOutput("late", {});
    QVERIFY(!output->toPlainText().contains(u"late"));

    dialog.show(job);
    QCOMPARE(wanted.size(), 2);
    QCOMPARE(output->toPlainText(), QString());
    dialog.sayInterrupted(u"worker far has gone"_qs);
    QVERIFY(textOf(dialog).contains(u"worker far has gone"_qs));
    dialog.show(ended); // there is the end in the record
    QVERIFY(output->toPlainText().contains(u"No such file"_qs));
}

void JobDialogTest::showsHowAJobEnded()
{
    JobDialog dialog(Id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show(running()); // what it showed before has to go
    dialog.show(failed());
    dialog.QWidget::show();
    test::pictureOf(dialog, u"job-failed"_qs);
    const QString text = textOf(dialog);
    QVERIFY(text.contains(u"exited with code 3"_qs));
    QVERIFY2(text.contains(u"Comment\nfor the audit"_qs), qPrintable(text));
    QVERIFY(text.contains(u"more was written than is kept"_qs));
    QVERIFY(!text.contains(u"2 of 5"_qs));
    QVERIFY(showsOutput(dialog));
    QVERIFY(outputOf(dialog)->toPlainText().contains(u"No such file"_qs));
}

void JobDialogTest::showsWhatCannotBeRead()
{
    JobDialog dialog(Id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    jobs::JobView job;
    job.id = Id;
    job.malformed = u"\"command\" is missing\x1b[31m"_qs;
    dialog.show(job);
    dialog.QWidget::show();
    test::pictureOf(dialog, u"job-malformed"_qs);
    const QString text = textOf(dialog);
    QVERIFY(text.contains(u"\"command\" is missing"_qs));
    QVERIFY(!text.contains(QChar(0x1b)));
    job.state = jobs::JobState::Failed; // its record
    dialog.show(job);
    QVERIFY(textOf(dialog).contains(u"What it wrote is not known"_qs));
}

// It is not claimed, and has no output of its own.
void JobDialogTest::anArrayNamesItsTasks()
{
    JobDialog dialog(Id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show(array());
    dialog.QWidget::show();
    test::pictureOf(dialog, u"job-array"_qs);
    const QString text = textOf(dialog);
    QVERIFY2(!text.contains(u"not running"_qs) && !text.contains(u"logs -f"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"drover ls --all default-42 lists"_qs), qPrintable(text));
    QVERIFY2(text.contains(u"Tasks\n0/10"_qs), qPrintable(text));
    QVERIFY(!showsOutput(dialog));

    jobs::JobView ended = failed();
    ended.record = FinalRecord::of(Id, *array().spec);
    ended.record->reason = u"10 tasks: 10 ok"_qs;
    dialog.show(ended);
    QVERIFY2(!textOf(dialog).contains(u"wrote no output"_qs), qPrintable(textOf(dialog)));
}

// The layout of a line is made anew for each piece of it, which took minutes for a line of a megabyte.
void JobDialogTest::aLineWithoutAnEndIsBroken()
{
    JobDialog dialog(Id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show(running());
    const int pieces = 100;
    for (int i = 0; i < pieces; ++i)
        dialog.addOutput(QByteArray(4'000, 'x'), {});
    const QTextDocument *const document = outputOf(dialog)->document();
    qsizetype characters = 0;
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
        QVERIFY2(block.length() <= 4097, QByteArray::number(block.length()).constData());
        characters += block.text().size();
    }
    QCOMPARE(characters, qsizetype(pieces) * 4'000);
}

// Each chunk was laid out: the window stood still, and memory grew without end.
void JobDialogTest::aFloodIsLeftOutInParts()
{
    JobDialog dialog(Id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show(running());
    const QByteArray chunk = QByteArray(99, 'x') + '\n';
    const QByteArray much = chunk.repeated(10'000);
    const QPlainTextEdit *const output = outputOf(dialog);
    for (int i = 0; i < 50; ++i)
        dialog.addOutput(much, {});
    QVERIFY2(output->blockCount() < 1500, qPrintable(QString::number(output->blockCount()))); // one part of it so far
    dialog.addOutput("the end\n", {});
    QTRY_VERIFY_WITH_TIMEOUT(output->toPlainText().endsWith(u"the end\n"_qs), 30'000);
    QVERIFY(output->toPlainText().contains(u"are not shown here: the job writes too fast"_qs));
}

void JobDialogTest::aLongEnvironmentLeavesRoom()
{
    jobs::JobView job = running();
    for (int i = 0; i < 60; ++i)
        job.spec->environment[u"VARIABLE_%1"_qs.arg(i)] = u"value"_qs;
    JobDialog dialog(Id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show(job);
    dialog.QWidget::show();
    test::pictureOf(dialog, u"job-environment"_qs);
    QVERIFY(environmentOf(dialog).contains(u"VARIABLE_59=value"_qs));
    QVERIFY(outputOf(dialog)->height() > editorOf(dialog, u"Environment"_qs)->height());
}

void JobDialogTest::saysWhyThereIsNothing()
{
    JobDialog dialog(Id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.fail(u"there is no job default-42"_qs);
    dialog.QWidget::show();
    test::pictureOf(dialog, u"job-missing"_qs);
    QVERIFY(textOf(dialog).contains(u"there is no job default-42"_qs));
    QVERIFY(!showsOutput(dialog));
}

void JobDialogTest::coloursAreShownInBothThemes_data()
{
    QTest::addColumn<int>("theme");
    QTest::newRow("light") << int(ThemeChoice::Light);
    QTest::newRow("dark") << int(ThemeChoice::Dark);
}

void JobDialogTest::coloursAreShownInBothThemes()
{
    QFETCH(int, theme);
    applyTheme(ThemeChoice(theme));
    JobDialog dialog(Id);
    dialog.QDialog::show();
    dialog.show(running());
    QByteArray all("plain \x1b[1mbold\x1b[0m \x1b[7minverse\x1b[0m\n");
    for (int colour = 0; colour < 8; ++colour)
        all +=
            "\x1b[3" + QByteArray::number(colour) + "mcolour\x1b[9" + QByteArray::number(colour) + "m bright\x1b[m\n";
    all += "\x1b[38;5;208morange\x1b[m \x1b[48;2;120;30;90mpurple\x1b[m a\x01mark\n";
    dialog.addOutput(all + "\x1b[3", {});
    dialog.addOutput("1merror: in two pieces\x1b[0m\n", {});
    QCoreApplication::processEvents();
    test::pictureOf(dialog, u"output-%1"_qs.arg(QLatin1String(QTest::currentDataTag())));
    QTextCursor last(outputOf(dialog)->document()->lastBlock().previous());
    last.movePosition(QTextCursor::NextCharacter);
    QCOMPARE(last.block().text(), u"error: in two pieces"_qs);
    const QColor red = last.charFormat().foreground().color();
    QVERIFY2(red.red() > red.green() + 60 && red.red() > red.blue() + 60, qPrintable(red.name()));
    QVERIFY(outputOf(dialog)->toPlainText().contains(u"a⟨SOH⟩mark"_qs));
    applyTheme(ThemeChoice::Light);
}

// A progress bar wrote a line for each of its steps.
void JobDialogTest::aLineThatIsWrittenOverIsShownOnce()
{
    JobDialog dialog(Id);
    dialog.show(running());
    for (int percent = 0; percent <= 100; percent += 10) {
        dialog.addOutput("\r" + QByteArray::number(percent) + " %", {});
        QTest::qWait(0);
    }
    dialog.addOutput("\r\x1b[Kdone\r\nnext", {});
    QTRY_COMPARE_WITH_TIMEOUT(outputOf(dialog)->toPlainText(), u"done\nnext"_qs, 30'000);
}

void JobDialogTest::findsTextAndTheNextError()
{
    JobDialog dialog(Id);
    dialog.QDialog::show();
    dialog.show(running());
    dialog.addOutput("begin\nmake: *** Error 1\nterrors are fine\nfatal: no such ref\nend\n", {});
    auto *const output = dialog.findChild<JobOutput *>();
    const auto line = [&] { return outputOf(dialog)->textCursor().block().text(); };
    outputOf(dialog)->moveCursor(QTextCursor::Start);
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
    QVERIFY(textOf(dialog).contains(u"Not found in what is shown."_qs));
    QTest::keyClick(field, Qt::Key_Return); // does not close the dialog
    QVERIFY(dialog.isVisible());
}

QTEST_MAIN(JobDialogTest)
#include "job_dialog_test.moc"
