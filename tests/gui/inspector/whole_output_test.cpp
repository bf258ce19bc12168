#include "app/support/drover_on_server.h"
#include "gui/feeds/feed_thread.h"
#include "gui/inspector/job_output.h"
#include "gui/inspector/job_panel.h"
#include "gui/pictures.h"
#include "gui/session_as_user.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/theme.h"
#include "gui/window/main_window.h"
#include "gui/workspace/console_models.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;

namespace {

constexpr int Patience = 60'000; // ms
constexpr int Lines = 300'000; // that the job counts

// The window, with the details of a job that has ended.
struct Console {
    FeedThread feeds;
    ConsoleModels models;
    MainWindow window{(connectModels(models, feeds.session()), models), feeds.session()};

    Console(DroverOnServer &cluster, const jobs::JobId &id) : feeds(sessionAsUser(cluster))
    {
        applyTheme(ThemeChoice::Light);
        window.resize(1400, 900);
        window.show();
        window.connectTo({cluster.server.connectString(), "default"});
        [&] { QTRY_VERIFY_WITH_TIMEOUT(models.jobs.find(id), Patience); }();
        window.showPage(u"jobs"_qs);
        Q_EMIT window.findChild<JobPane *>()->detailsWanted(id);
    }
    JobPanel *panel() const { return window.findChild<JobPanel *>(); }
    JobOutput *output() const { return panel()->findChild<JobOutput *>(); }
    QPlainTextEdit *editor() const { return output()->findChild<QPlainTextEdit *>(); }
    QScrollBar *bar() const { return editor()->verticalScrollBar()->findChild<QScrollBar *>(); }
    QString topLine() const { return editor()->cursorForPosition(QPoint(0, 0)).block().text(); }
    QString cursorLine() const { return editor()->textCursor().block().text(); }
    bool says(const QString &text) const
    {
        const QList<QLabel *> labels = panel()->findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel *label) { return !label->isHidden() && label->text().contains(text); });
    }
    void look()
    {
        panel()->showOutput(true);
        QTRY_VERIFY_WITH_TIMEOUT(output()->isWhole(), Patience);
        QCoreApplication::processEvents();
    }
    // Whether it is found, at once or when the file has been searched.
    bool find(const QString &text, bool backward = false) const
    {
        output()->findChild<QLineEdit *>()->setText(text);
        return result([&] { output()->find(backward); });
    }
    bool result(const std::function<void()> &search) const
    {
        QSignalSpy searched(output(), &JobOutput::searched);
        search();
        if (searched.isEmpty())
            searched.wait(Patience);
        return searched.size() == 1 && searched[0][0].toBool();
    }
};

} // namespace

// The output of a job that has ended: of a real worker, in the real window.
class WholeOutputTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    std::unique_ptr<QProcess> m_worker;
    jobs::JobId m_job;

    void startWorker()
    {
        m_worker = m_cluster.drover.start(words("worker --id w1 --slots 1"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, Patience);
    }
    jobs::JobId finished(const char *submit, const QString &script)
    {
        const Finished submitted = m_cluster.drover.run(words(submit) + words("-- sh -c") + QStringList(script));
        const jobs::JobId id = jobs::JobId::parse(QString::fromUtf8(submitted.out.trimmed())).value();
        m_cluster.drover.run({u"wait"_qs, id.toString()});
        return id;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        startWorker();
        const QString script =
            u"seq 1 %1; printf '\\033[31merror\\033[m: none\\nthe end\\n'; echo oops >&2"_qs.arg(Lines);
        m_job = finished("submit", script);
        QCOMPARE(m_cluster.drover.run({u"wait"_qs, m_job.toString()}).exitCode, 0);
    }
    void cleanupTestCase()
    {
        if (m_worker)
            m_cluster.stopWorker(m_worker);
    }

    // Only the last 4 KiB were shown, which the record has.
    void allOfItIsShown()
    {
        Console console(m_cluster, m_job);
        console.look();
        QVERIFY(console.says(u"Output ("_qs));
        QVERIFY(console.editor()->toPlainText().endsWith(u"the end\n\n— stderr —\noops"_qs));
        pictureOf(console.window, u"whole-output"_qs);
        QTest::keyClick(console.editor(), Qt::Key_Home, Qt::ControlModifier);
        QCOMPARE(console.topLine(), u"1"_qs);
        QCOMPARE(console.bar()->value(), 0);
        for (int line : {150'000, 7, 299'000}) {
            console.bar()->setValue(line);
            QCoreApplication::processEvents();
            QCOMPARE(console.topLine(), QString::number(line + 1));
        }
        console.bar()->setValue(console.bar()->maximum());
        QVERIFY(console.editor()->toPlainText().endsWith(u"oops"_qs));
        QVERIFY(console.editor()->blockCount() <= 400);
    }

    // Each page continues where the last one ended, beyond the lines that the editor had.
    void onePageFollowsAnother()
    {
        Console console(m_cluster, m_job);
        console.look();
        QTest::keyClick(console.editor(), Qt::Key_Home, Qt::ControlModifier);
        int top = 1;
        for (int page = 0; page < 60; ++page) {
            QTest::keyClick(console.editor(), Qt::Key_PageDown);
            QCoreApplication::processEvents();
            const int now = console.topLine().toInt();
            QVERIFY2(now > top && now <= top + console.bar()->pageStep() + 1, qPrintable(console.topLine()));
            QCOMPARE(console.bar()->value(), now - 1);
            top = now;
        }
        QVERIFY(top > 800);
        for (int page = 0; page < 100 && top > 1; ++page) {
            QTest::keyClick(console.editor(), Qt::Key_PageUp);
            QCoreApplication::processEvents();
            const int now = console.topLine().toInt();
            QVERIFY2(now < top && now >= top - console.bar()->pageStep() - 1, qPrintable(console.topLine()));
            top = now;
        }
        QCOMPARE(top, 1);
    }

    void itIsSearchedAndSaved()
    {
        Console console(m_cluster, m_job);
        console.look();
        QTest::keyClick(console.editor(), Qt::Key_Home, Qt::ControlModifier);
        QVERIFY(console.find(u"12345"_qs));
        QCOMPARE(console.cursorLine(), u"12345"_qs);
        QCOMPARE(console.editor()->textCursor().selectedText(), u"12345"_qs);
        QVERIFY(console.find(u"12345"_qs));
        QCOMPARE(console.cursorLine(), u"112345"_qs);
        QVERIFY(console.find(u"12345"_qs, true));
        QCOMPARE(console.cursorLine(), u"12345"_qs);
        QVERIFY(console.find(u"THE END"_qs));
        QCOMPARE(console.cursorLine(), u"the end"_qs);
        QVERIFY(console.find(u"12345"_qs)); // from the beginning again
        QCOMPARE(console.cursorLine(), u"12345"_qs);
        QVERIFY(console.result([&] { console.output()->findError(); }));
        QCOMPARE(console.cursorLine(), u"error: none"_qs);
        QVERIFY(!console.find(u"absent"_qs));
        QVERIFY(console.says(u"Not found in the output."_qs));
        const QTemporaryDir directory;
        const QString path = directory.filePath(u"all.log"_qs);
        QCOMPARE(console.output()->saveTo(path), QString());
        QFile saved(path);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        const QByteArray all = saved.readAll();
        QVERIFY(all.startsWith("1\n2\n3\n") && all.endsWith("— stderr —\noops\n"));
        QCOMPARE(all.count('\n'), Lines + 5);
    }

    // The last 512 MiB were read, of which most was the gap.
    void theBeginningIsReadWhereTheMiddleIsNotKept()
    {
        const jobs::JobId id =
            finished("submit --output-limit 64K", u"echo the beginning; yes | head -c 600000000; echo the end"_qs);
        Console console(m_cluster, id);
        console.look();
        QVERIFY(console.says(u"the worker keeps"_qs));
        QVERIFY(console.editor()->toPlainText().endsWith(u"the end"_qs));
        QTest::keyClick(console.editor(), Qt::Key_Home, Qt::ControlModifier);
        QCOMPARE(console.topLine(), u"the beginning"_qs);
    }

    // Nothing was said of it.
    void theRecordIsNamedWhereTheWorkerHasGone()
    {
        m_cluster.stopWorker(m_worker);
        m_worker.reset();
        Console console(m_cluster, m_job);
        console.panel()->showOutput(true);
        QTRY_VERIFY_WITH_TIMEOUT(console.says(u"which the record keeps: worker w1 has gone"_qs), Patience);
        QVERIFY(!console.output()->isWhole());
        QVERIFY(console.editor()->toPlainText().contains(u"the end"_qs));
        pictureOf(console.window, u"output-of-the-record"_qs);
        startWorker();
        console.panel()->readAgain();
        QTRY_VERIFY_WITH_TIMEOUT(console.output()->isWhole(), Patience);
    }
};

QTEST_MAIN(WholeOutputTest)
#include "whole_output_test.moc"
