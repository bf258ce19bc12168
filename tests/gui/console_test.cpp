#include "gui/feeds/feed_thread.h"
#include "gui/inspector/inspector.h"
#include "gui/sample_cluster.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/submit_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/window/look/theme_menu.h"
#include "gui/window/main_window.h"
#include "pictures.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using Phase = SessionStatus::Phase;

// The window, the feeds on their thread, and a real ZooKeeper server.
class ConsoleTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void showsAClusterAndOutlivesItsServer();
    void submitsAJobAgain();
    void submitsSeveralJobsAgain();
    void explainsThatNoServerAnswers();
    void saysWhatToTypeInATerminal();
    void reasonsAreShownAsTheyAreWritten();
    void cleanupTestCase();

private:
    test::TestServer m_server;
};

namespace {

constexpr int Patience = 60'000; // ms

// Looks at every widget of this program when it is shown: none may take a text for HTML because it looks like it.
class PlainTextWatch : public QObject
{
public:
    PlainTextWatch() { qApp->installEventFilter(this); }

    int labels = 0;
    QStringList guessing; // labels and tool tips that take such texts for HTML

protected:
    bool eventFilter(QObject *object, QEvent *event) override
    {
        if (event->type() != QEvent::Show || object->inherits("QTipLabel")) // what a tip gets the models' tests look at
            return false;
        const auto *const label = qobject_cast<QLabel *>(object);
        labels += label ? 1 : 0;
        if (label && label->textFormat() != Qt::PlainText)
            guessing.append(QLatin1String(object->parent() ? object->parent()->metaObject()->className() : "a window")
                            + u": "_qs + label->text());
        const auto *const widget = qobject_cast<QWidget *>(object);
        if (widget && Qt::mightBeRichText(widget->toolTip()))
            guessing.append(widget->toolTip());
        return false;
    }
};

std::optional<PlainTextWatch> plainTextWatch;

std::unique_ptr<zk::Session> sessionWith(async::Loop &loop, const QString &servers)
{
    zk::SessionOptions options;
    options.servers = servers;
    options.timeout = 10s;
    auto session = std::make_unique<zk::Session>(loop, options);
    session->open();
    return session;
}

SessionSource realSessions()
{
    return [](async::Loop &loop, const Target &target, const GivenCredentials &) {
        return OpenedSession{sessionWith(loop, target.connect)};
    };
}

struct Console {
    FeedThread feeds{realSessions()};
    ConsoleModels models;
    MainWindow window{(connectModels(models, feeds.session()), models), feeds.session()};
    std::vector<SessionStatus> statuses;

    Console()
    {
        QObject::connect(&feeds.session(), &ConsoleSession::statusChanged, &window,
                         [this](const SessionStatus &status) { statuses.push_back(status); });
        window.resize(1400, 900);
        window.show();
    }
    bool isIn(Phase phase) const { return !statuses.empty() && statuses.back().phase == phase; }
    bool hasBeenIn(Phase phase) const
    {
        return std::any_of(statuses.begin(), statuses.end(), [&](const auto &status) { return status.phase == phase; });
    }
};

// A console that shows a cluster of its own.
struct ConsoleOfSample {
    async::QtLoop loop;
    std::unique_ptr<zk::Session> writer;
    test::SampleCluster cluster;
    Console console;
    JobPane *pane = console.window.findChild<JobPane *>();

    ConsoleOfSample(const QString &connect, const QByteArray &name)
        : writer(sessionWith(loop, connect)), cluster(*writer, name)
    {
        test::await(cluster.fill());
        console.window.connectTo({connect, name});
        console.window.findChild<QAction *>(u"connection.edit"_qs)->setChecked(true);
    }
};

bool says(const QWidget &window, const QString &text)
{
    const QList<QLabel *> labels = window.findChildren<QLabel *>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel *label) { return label->isVisible() && label->text().contains(text); });
}

// That is seen in a dialog of this kind; null: there is none yet.
template <typename Dialog>
QPushButton *button(const QWidget &window, const QString &text)
{
    const auto *const dialog = window.findChild<Dialog *>();
    const QList<QPushButton *> buttons =
        dialog ? dialog->template findChildren<QPushButton *>() : QList<QPushButton *>();
    const auto found = std::find_if(buttons.begin(), buttons.end(),
                                    [&](const QPushButton *one) { return one->isVisible() && one->text() == text; });
    return found == buttons.end() ? nullptr : *found;
}

} // namespace

void ConsoleTest::initTestCase()
{
    plainTextWatch.emplace();
    m_server.start();
}

void ConsoleTest::showsAClusterAndOutlivesItsServer()
{
    async::QtLoop loop;
    const std::unique_ptr<zk::Session> writer = sessionWith(loop, m_server.connectString());
    test::SampleCluster cluster(*writer, "default");
    test::await(cluster.fill());

    Console console;
    QVERIFY(says(console.window, u"Disconnected"_qs));
    console.window.connectTo({m_server.connectString(), "default"});
    QTRY_COMPARE_WITH_TIMEOUT(console.models.workers.rowCount(), 4, Patience);
    QTRY_COMPARE_WITH_TIMEOUT(console.models.locks.rowCount(), 5, Patience);
    QTRY_VERIFY_WITH_TIMEOUT(console.models.jobs.rowCount() == 26, Patience);
    QVERIFY(console.window.showPage(u"znodes"_qs));
    QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"/drover/default/config"_qs), Patience);
    const auto *data = console.window.findChild<QPlainTextEdit *>();
    QTRY_VERIFY_WITH_TIMEOUT(data->toPlainText().contains(u"\"queue_limit\": 50000"), Patience);
    QVERIFY(says(console.window, u"Connected"_qs));
    QVERIFY(says(console.window, u"server 127.0.0.1:"_qs));

    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
        console.window.theme().choose(theme);
        const QStringList pages = console.window.pageNames();
        for (const QString &page : pages) {
            QVERIFY(console.window.showPage(page));
            const QString name = u"console-%1-%2"_qs.arg(page).arg(int(theme));
            const QImage picture = test::pictureOf(console.window, name);
            QCOMPARE(picture.size(), QSize(1400, 900));
            QCOMPARE(picture.pixelColor(4, 700).lightness() < 128, theme == ThemeChoice::Dark);
        }
    }

    const zk::SessionId session = console.statuses.back().sessionId;
    m_server.kill9();
    QTRY_VERIFY_WITH_TIMEOUT(console.hasBeenIn(Phase::Suspended), Patience);
    QTRY_VERIFY_WITH_TIMEOUT(console.hasBeenIn(Phase::Lost), Patience);
    QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"All that is shown is as of "_qs), Patience);
    QCOMPARE(console.models.jobs.rowCount(), 26);
    QCOMPARE(console.models.workers.rowCount(), 4);
    test::pictureOf(console.window, u"console-lost"_qs);
    test::await(writer->lost()); // with its nodes
    m_server.restart();
    QTRY_VERIFY_WITH_TIMEOUT(console.isIn(Phase::Connected), Patience);
    QVERIFY(console.statuses.back().sessionId != session);
    QTRY_VERIFY_WITH_TIMEOUT(console.models.jobs.rowCount() == 26, Patience); // durable
    QTRY_COMPARE_WITH_TIMEOUT(console.models.workers.rowCount(), 1, Patience); // theirs were ephemeral; one is not
}

// From its details.
void ConsoleTest::submitsAJobAgain()
{
    ConsoleOfSample shown(m_server.connectString(), "again");
    const Console &console = shown.console;
    QTRY_COMPARE_WITH_TIMEOUT(console.models.jobs.rowCount(), 26, Patience);
    shown.pane->findChild<QLineEdit *>()->setText(u"train fold 1"_qs);
    auto *const table = shown.pane->findChild<TableView *>();
    table->setCurrentIndex(table->model()->index(0, 0));
    QCOMPARE(shown.pane->selectedEnded().size(), 1);
    Q_EMIT table->activated(table->currentIndex());
    QTRY_VERIFY_WITH_TIMEOUT(button<Inspector>(console.window, u"Submit again…"_qs), Patience);
    test::pictureOf(*console.window.findChild<Inspector *>(), u"job-again"_qs);
    button<Inspector>(console.window, u"Submit again…"_qs)->click();
    QTRY_VERIFY_WITH_TIMEOUT(button<SubmitDialog>(console.window, u"&Submit"_qs), Patience);
    const auto *const dialog = console.window.findChild<SubmitDialog *>();
    const QString title = u"Submit %1 again — "_qs.arg(shown.pane->selectedEnded().front().toString());
    QVERIFY2(dialog->windowTitle().startsWith(title), qPrintable(dialog->windowTitle()));
    button<SubmitDialog>(console.window, u"&Submit"_qs)->click();
    QTRY_VERIFY_WITH_TIMEOUT(says(*dialog, u"Submitted as"_qs), Patience);
    QTRY_COMPARE_WITH_TIMEOUT(console.models.jobs.rowCount(), 27, Patience);
}

// From the table: a selected job that still runs is left alone, and an unreadable one is reported.
void ConsoleTest::submitsSeveralJobsAgain()
{
    ConsoleOfSample shown(m_server.connectString(), "several");
    const Console &console = shown.console;
    QTRY_COMPARE_WITH_TIMEOUT(console.models.jobs.rowCount(), 26, Patience);
    QVERIFY(!shown.pane->repeatAction()->isEnabled());
    shown.pane->findChild<TableView *>()->selectAll();
    QCOMPARE(shown.pane->selectedEnded().size(), 10);
    QCOMPARE(shown.pane->repeatAction()->text(), u"Submit 10 jobs &again…"_qs);
    const auto answer = [&](const QString &label) {
        shown.pane->repeatAction()->trigger();
        const QPointer<QMessageBox> box = console.window.findChild<QMessageBox *>();
        QVERIFY(box && box->isVisible());
        const QList<QAbstractButton *> buttons = box->buttons();
        const auto its = std::find_if(buttons.begin(), buttons.end(),
                                      [&label](const QAbstractButton *one) { return one->text() == label; });
        QVERIFY(its != buttons.end());
        (*its)->click();
        QTRY_VERIFY_WITH_TIMEOUT(box.isNull(), Patience);
    };
    answer(u"Cancel"_qs);
    answer(u"Submit the jobs"_qs);
    QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"Not submitted again: 1 of 10 jobs."_qs), Patience);
    test::pictureOf(*console.window.findChild<QMessageBox *>(), u"submit-several"_qs);
    QVERIFY(says(console.window, u"default-7777"_qs));
    QTRY_COMPARE_WITH_TIMEOUT(console.models.jobs.rowCount(), 26 + 9, Patience);
}

void ConsoleTest::explainsThatNoServerAnswers()
{
    Console console;
    console.window.connectTo({});
    QVERIFY(says(console.window, u"Say which ZooKeeper servers"_qs));
    console.window.connectTo({u"127.0.0.1:1"_qs, "No Name"});
    QVERIFY(says(console.window, u"is not a valid cluster name"_qs));
    console.window.connectTo({u"127.0.0.1:1"_qs, "default"});
    QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"No ZooKeeper answers at 127.0.0.1:1"_qs), Patience);
    test::pictureOf(console.window, u"console-missing"_qs);
    console.window.connectTo({u"host:port:nonsense"_qs, "default"});
    QTRY_VERIFY_WITH_TIMEOUT(says(console.window, u"Failed"_qs), Patience);
}

// There, another ensemble may be the usual one.
void ConsoleTest::saysWhatToTypeInATerminal()
{
    Console console;
    SessionStatus connected;
    connected.phase = Phase::Connected;
    connected.target = {u"zk1:2181,zk2:2181"_qs, "team"};
    console.window.shown().showStatus(connected);
    const std::pair<QString, QString> advice[] = {
        {u"workers"_qs, u"in a terminal: drover worker --connect zk1:2181,zk2:2181 --cluster team"_qs},
        {u"locks"_qs, u"drover lock --connect zk1:2181,zk2:2181 --cluster team NAME -- COMMAND"_qs},
        {u"jobs"_qs, u"makes it: drover worker --connect zk1:2181,zk2:2181 --cluster team"_qs}};
    for (const auto &[page, words] : advice) {
        QVERIFY(console.window.showPage(page));
        QVERIFY2(says(console.window, words), qPrintable(page));
    }
    test::pictureOf(console.window, u"console-empty"_qs);
}

void ConsoleTest::reasonsAreShownAsTheyAreWritten()
{
    const QString html = u"<h1>all is well</h1><img src='/etc/hostname'>"_qs;
    Console console;
    Repeated refused{.repeat = {}, .made = {}, .why = html};
    Q_EMIT console.feeds.session().actions().repeated(1, {refused});
    const auto *const box = console.window.findChild<QMessageBox *>();
    QVERIFY(box && box->isVisible());
    const QList<QLabel *> labels = box->findChildren<QLabel *>();
    const auto reason =
        std::find_if(labels.begin(), labels.end(), [&](const QLabel *label) { return label->text().contains(html); });
    QVERIFY(reason != labels.end());
    QCOMPARE((*reason)->textFormat(), Qt::PlainText);
}

// Of all windows, panes and dialogs that these tests have opened.
void ConsoleTest::cleanupTestCase()
{
    QCOMPARE(plainTextWatch->guessing, QStringList());
    QVERIFY2(plainTextWatch->labels > 50, qPrintable(QString::number(plainTextWatch->labels)));
    plainTextWatch.reset();
}

QTEST_MAIN(ConsoleTest)
#include "console_test.moc"
