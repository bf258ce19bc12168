#include "gui/inspector/job_output.h"
#include "gui/inspector/job_panel_fixture.h"
#include "gui/pictures.h"
#include "gui/widgets/announce.h"
#include "gui/widgets/theme.h"

#include <QContextMenuEvent>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using test::failed;
using test::Id;
using test::Known;
using test::outputOf;
using test::running;
using test::textOf;

// The output of a job in the inspector.
class JobOutputTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsOutputAsItComes();
    void aLineWithoutAnEndIsBroken();
    void aFloodIsLeftOutInParts();
    void coloursAreShownInBothThemes_data();
    void coloursAreShownInBothThemes();
    void aLineThatIsWrittenOverIsShownOnce();
    void findsTextAndTheNextError();
    void allOfItIsAskedForWhenItIsLookedAt();
    void whatWasFollowedWholeIsNotAskedForAgain();
    void progressBarsAreReadInPages_data();
    void progressBarsAreReadInPages();
    void theMenuSelectsNoPartForAll();
    void aFailedSaveIsToldWithoutThePanel();
};

void JobOutputTest::showsOutputAsItComes()
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

// The layout of a line is made anew for each piece of it, which took minutes for a line of a megabyte.
void JobOutputTest::aLineWithoutAnEndIsBroken()
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

// Each chunk was laid out: the window stood still, and memory grew without end. Then 1,300 lines were, as often as one
// looked; now it is 16 KiB in a turn of the event loop.
void JobOutputTest::aFloodIsLeftOutInParts()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.showJob(running());
    const QByteArray chunk = QByteArray(99, 'x') + '\n';
    const QByteArray much = chunk.repeated(10'000);
    const QPlainTextEdit *const output = outputOf(panel);
    int most = 0; // characters in one change of the text
    connect(output->document(), &QTextDocument::contentsChange, this,
            [&most](int, int, int added) { most = std::max(most, added); });
    for (int i = 0; i < 50; ++i)
        panel.addOutput(much, {});
    QVERIFY2(output->blockCount() < 250, qPrintable(QString::number(output->blockCount()))); // one part of it so far
    panel.addOutput("the end\n", {});
    QTRY_VERIFY_WITH_TIMEOUT(output->toPlainText().endsWith(u"the end\n"_qs), 30'000);
    QVERIFY(output->toPlainText().contains(u"are not shown here: the job writes too fast"_qs));
    QVERIFY2(most > 1'000 && most < 20'000, qPrintable(QString::number(most)));
}

void JobOutputTest::coloursAreShownInBothThemes_data()
{
    QTest::addColumn<int>("theme");
    QTest::newRow("light") << int(ThemeChoice::Light);
    QTest::newRow("dark") << int(ThemeChoice::Dark);
}

void JobOutputTest::coloursAreShownInBothThemes()
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
void JobOutputTest::aLineThatIsWrittenOverIsShownOnce()
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

void JobOutputTest::findsTextAndTheNextError()
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
    QStringList heard;
    alsoAnnounceTo([&heard](const QWidget &widget) { heard << static_cast<const QLabel &>(widget).text(); });
    QVERIFY(!output->find());
    alsoAnnounceTo({});
    QCOMPARE(heard, QStringList(u"Not found in what is shown."_qs));
    QVERIFY(textOf(panel).contains(u"Not found in what is shown."_qs));
    const QTemporaryDir directory;
    const QString file = directory.filePath(u"out.log"_qs);
    QCOMPARE(output->saveTo(file), QString());
    QFile saved(file);
    QVERIFY(saved.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(saved.readAll()), outputOf(panel)->toPlainText());
    QVERIFY(output->saveTo(directory.filePath(u"no/such/directory"_qs)).startsWith(u"Cannot write"_qs));
}

// The record has the last 4 KiB.
void JobOutputTest::allOfItIsAskedForWhenItIsLookedAt()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.show();
    QSignalSpy wanted(&panel, &JobPanel::wholeOutputWanted);
    panel.showJob(failed());
    QCOMPARE(wanted.size(), 0);
    QVERIFY(textOf(panel).contains(u"End of the output"_qs));
    panel.showOutput(true);
    QCOMPARE(wanted.size(), 1);
    panel.showOutput(false);
    panel.showOutput(true);
    panel.showJob(failed());
    QCOMPARE(wanted.size(), 1);
    panel.sayRead(500'000);
    QVERIFY(textOf(panel).contains(u"Reading the output from its worker: 488 KiB of 977 KiB"_qs));
    panel.sayNotRead(u"worker engine-1 has gone"_qs);
    QVERIFY2(textOf(panel).contains(u"which the record keeps: worker engine-1 has gone"_qs), qPrintable(textOf(panel)));
    QVERIFY(outputOf(panel)->toPlainText().contains(u"No such file"_qs));

    panel.readAgain();
    panel.showJob(failed());
    QCOMPARE(wanted.size(), 2);
    const auto file = std::make_shared<OutputFile>();
    file->append("one\n\x1b[31mtwo\n");
    panel.showWhole(file);
    QVERIFY(!outputOf(panel)); // it is not called the end any more
    auto *const output = panel.findChild<JobOutput *>();
    QCOMPARE(output->findChild<QPlainTextEdit *>()->toPlainText(), u"one\ntwo"_qs);
    QVERIFY(output->isWhole());
    QVERIFY(textOf(panel).contains(u"Output (977 KiB; the worker keeps 13 B of it)"_qs));
    jobs::JobView kept = failed();
    kept.record->outputTruncated = false; // but there is more than the console reads
    panel.readAgain();
    panel.showJob(kept);
    panel.showWhole(file);
    QVERIFY2(textOf(panel).contains(u"The last 13 B of the output (977 KiB)"_qs), qPrintable(textOf(panel)));

    panel.showJob(running()); // it was submitted again, and what is late is not shown
    panel.showWhole(file);
    QVERIFY(!output->isWhole());
    QCOMPARE(outputOf(panel)->toPlainText(), QString());
    QVERIFY(textOf(panel).contains(u"Output as it comes"_qs));
}

void JobOutputTest::whatWasFollowedWholeIsNotAskedForAgain()
{
    const Known known;
    JobPanel panel(Id, known.sources);
    panel.showOutput(true);
    QSignalSpy wanted(&panel, &JobPanel::wholeOutputWanted);
    const QByteArray all = QByteArray("a line of it\n").repeated(1'000);
    jobs::JobView ended = failed();
    ended.record->attempts.claimVersion = running().claim->attempts.claimVersion;
    ended.record->outputBytes = all.size();
    panel.showJob(running());
    panel.addOutput(all, {});
    panel.showJob(ended);
    QCOMPARE(wanted.size(), 0);
    QVERIFY(textOf(panel).contains(u"Output (13 KiB)"_qs));

    panel.showJob(running());
    panel.addOutput(all.mid(10), {}); // only its end was there
    panel.showJob(ended);
    QCOMPARE(wanted.size(), 1);
    panel.sayNotRead(u"worker engine-1 has gone"_qs);
    QVERIFY(textOf(panel).contains(u"What was seen of the output (13 KiB): worker engine-1 has gone"_qs));
}

void JobOutputTest::progressBarsAreReadInPages_data()
{
    QTest::addColumn<int>("bars");
    QTest::addColumn<int>("steps");
    QTest::newRow("fifty bars") << 50 << 200;
    QTest::newRow("a thousand bars") << 1'000 << 200;
    QTest::newRow("a long one") << 1 << 5'000;
}

// The editor had two lines: Ctrl+End was undone at once, and what followed a long bar could not be reached.
void JobOutputTest::progressBarsAreReadInPages()
{
    QFETCH(const int, bars);
    QFETCH(const int, steps);
    const auto file = std::make_shared<OutputFile>();
    file->append("the beginning\n");
    for (int bar = 0; bar < bars; ++bar)
        file->append(QByteArray("\r 12 % of the files are copied, 03:12 left").repeated(steps) + "\rcopied\n");
    file->append("done\n");
    JobOutput output;
    output.resize(700, 400);
    output.show();
    QVERIFY(QTest::qWaitForWindowExposed(&output));
    output.showWhole(file);
    auto *const editor = output.findChild<QPlainTextEdit *>();
    const auto top = [&] { return editor->cursorForPosition(QPoint(0, 0)).block().text(); };
    const auto press = [&](Qt::Key key, Qt::KeyboardModifiers modifiers) {
        QTest::keyClick(editor, key, modifiers);
        for (int i = 0; i < 5; ++i) // what is near is loaded
            QCoreApplication::processEvents();
    };
    press(Qt::Key_Home, Qt::ControlModifier);
    QCOMPARE(top(), u"the beginning"_qs);
    press(Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(editor->document()->lastBlock().text(), u"done"_qs);
    QCOMPARE(editor->textCursor().block().text(), u"done"_qs);
    QVERIFY(editor->viewport()->rect().contains(editor->cursorRect().center()));
    for (int page = 0; page < 200 && top() != u"the beginning"_qs; ++page)
        press(Qt::Key_PageUp, Qt::NoModifier);
    QCOMPARE(top(), u"the beginning"_qs);
}

// By the menu, too: the editor holds some hundred lines of it.
void JobOutputTest::theMenuSelectsNoPartForAll()
{
    const auto file = std::make_shared<OutputFile>();
    for (int line = 0; line < 5'000; ++line)
        file->append("line " + QByteArray::number(line) + '\n');
    JobOutput output;
    output.resize(700, 400);
    output.show();
    QVERIFY(QTest::qWaitForWindowExposed(&output));
    output.showWhole(file);
    auto *const editor = output.findChild<QPlainTextEdit *>();
    const auto selectAll = [&](QWidget *pointed) {
        const QPoint place(20, 20);
        QContextMenuEvent asks(QContextMenuEvent::Mouse, place, pointed->mapToGlobal(place));
        QCoreApplication::sendEvent(pointed, &asks);
        auto *const menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
        QVERIFY(menu);
        const QList<QAction *> actions = menu->actions();
        const auto all = std::find_if(actions.begin(), actions.end(), [](const QAction *action) {
            return action->objectName().endsWith(u"select-all"_qs);
        });
        QVERIFY(all != actions.end());
        (*all)->trigger();
        menu->close();
    };
    for (QWidget *const pointed : {editor->viewport(), static_cast<QWidget *>(editor)}) {
        selectAll(pointed);
        QVERIFY(!editor->textCursor().hasSelection());
        const QList<QLabel *> labels = output.findChildren<QLabel *>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
            return label->isVisible() && label->text().startsWith(u"Only what is near can be selected."_qs);
        }));
    }
    const auto few = std::make_shared<OutputFile>();
    few->append("one\ntwo\n");
    output.showWhole(few);
    QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
    QVERIFY(editor->textCursor().selectedText().contains(u"two"_qs));
}

// The panel may show another job before the file is written, or cannot be.
void JobOutputTest::aFailedSaveIsToldWithoutThePanel()
{
    QWidget window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const auto file = std::make_shared<OutputFile>();
    file->append("words\n");
    auto output = std::make_unique<JobOutput>();
    output->showWhole(file);
    const QList<QPushButton *> buttons = output->findChildren<QPushButton *>();
    const auto save = std::find_if(buttons.begin(), buttons.end(),
                                   [](const QPushButton *button) { return button->text() == u"Save…"_qs; });
    QVERIFY(save != buttons.end());
    (*save)->click();
    auto *const dialog = output->findChild<QFileDialog *>();
    QVERIFY(dialog);
    const QTemporaryDir directory;
    Q_EMIT dialog->fileSelected(directory.filePath(u"no/such/directory"_qs));
    output.reset();
    const auto warning = [] {
        const QWidgetList all = QApplication::topLevelWidgets();
        const auto box = std::find_if(all.begin(), all.end(), [](const QWidget *widget) {
            return qobject_cast<const QMessageBox *>(widget) && widget->isVisible();
        });
        return box == all.end() ? nullptr : static_cast<QMessageBox *>(*box);
    };
    QTRY_VERIFY_WITH_TIMEOUT(warning(), 30'000);
    QCOMPARE(warning()->text(), u"The output was not saved."_qs);
    QVERIFY(warning()->informativeText().contains(u"no/such/directory"_qs));
    warning()->close();
}

QTEST_MAIN(JobOutputTest)
#include "job_output_test.moc"
