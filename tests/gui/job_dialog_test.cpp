#include "core/jobs/job_party.h"
#include "gui/widgets/job_dialog.h"
#include "pictures.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>

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
    void saysWhyThereIsNothing();
};

namespace {

const jobs::JobId Id{"default", 42};

jobs::JobSpec spec()
{
    jobs::JobSpec spec;
    spec.command = QStringList{u"wc"_qs, u"-w"_qs, u"/srv/data/a long name with blanks.txt"_qs};
    spec.environment = {{u"LANG"_qs, u"C.UTF-8"_qs}, {u"PATH"_qs, u"/usr/bin:/bin"_qs}};
    spec.timeLimit = 15min;
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
    job.claim = jobs::Claim{u"engine-1"_qs, 2, "q5-0000000042", false};
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
    record.attempt = 1;
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

bool showsOutput(const JobDialog &dialog)
{
    return dialog.findChild<QPlainTextEdit *>()->isVisible();
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
    QVERIFY(text.contains(u"LANG=C.UTF-8"_qs));
    QVERIFY(text.contains(u"2 of 5"_qs));
    QVERIFY(text.contains(u"drover logs -f default-42"_qs));
    QVERIFY(showsOutput(dialog));
}

void JobDialogTest::aJobThatWaitsAtItsWorkerDoesNotRun()
{
    test::JobParty party;
    const jobs::JobId id = party.submit(spec());
    party.claim(id, 0, u"lock db"_qs);
    JobDialog dialog(id);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    QSignalSpy wanted(&dialog, &JobDialog::outputWanted);
    dialog.show(party.view(id));
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
    const auto *const output = dialog.findChild<QPlainTextEdit *>();
    jobs::JobView job = running();
    dialog.show(job);
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0], (QVariantList{job.claim->attempt, job.claim->worker}));
    dialog.addOutput("one \xe7\x89", {}); // half a character
    dialog.addOutput("\xa7\n", "two\x1b[31m\n");
    QCOMPARE(output->toPlainText(), u"one \u7267\ntwo\u241b[31m\n"_qs);
    dialog.show(job); // it is asked for once
    QCOMPARE(wanted.size(), 1);
    QVERIFY(output->toPlainText().startsWith(u"one"));

    jobs::JobView ended = failed();
    ended.record->attempt = job.claim->attempt;
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
    QVERIFY(text.contains(u"more was written than is kept"_qs));
    QVERIFY(!text.contains(u"2 of 5"_qs));
    QVERIFY(showsOutput(dialog));
    QVERIFY(dialog.findChild<QPlainTextEdit *>()->toPlainText().contains(u"No such file"_qs));
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

QTEST_MAIN(JobDialogTest)
#include "job_dialog_test.moc"
