#include "app/support/drover_on_server.h"
#include "app/support/reply_swallower.h"
#include "history/history.h"
#include "jobs/client/job_lookup.h"
#include "jobs/cluster/cluster_config.h"
#include "support/await.h"
#include "zk/server/four_letter_word.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

async::Task<zk::Stat> statOf(zk::Client &zk, zk::Path path)
{
    const zk::Answer<zk::Stat> stat = co_await zk.exists(path);
    co_return stat.value();
}

async::Task<zk::Node> read(zk::Client &zk, zk::Path path)
{
    const zk::Answer<zk::Node> node = co_await zk.get(path);
    co_return node.value();
}

async::Task<void> archive(async::Loop &loop, QString file, history::ArchiveBatch batch)
{
    history::History history(loop, history::Location::parse(file), history::OpenMode::Write);
    co_await history.archive(std::move(batch));
}

// A program whose write gets no answer, and that may never connect again.
struct Lost {
    Lost(const DroverProgram &drover, quint16 server, const QStringList &arguments, int spared = 0)
        : relay(server, spared),
          process(drover.start(QStringList{QStringLiteral("--connect"), relay.connectString()} + arguments))
    {
    }

    bool isSwallowed(int limitMs = 60'000) const
    {
        return QTest::qWaitFor([this] { return relay.hasSwallowed(); }, limitMs);
    }

    ReplySwallower relay;
    std::unique_ptr<QProcess> process;
};

const QByteArray Line = "{\"command\": [\"true\"]}\n";

} // namespace

// What the program does and says when a change is carried out and the reply to it is lost. The program does nothing
// twice, and its messages advise no user or script to do anything twice.
class LostRepliesTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster{DroverOnServer::Access::Open};
    DroverProgram &m_drover = m_cluster.drover;
    const zk::Path m_queue = m_cluster.layout.queue("default");

    QString historyFile() const { return m_drover.directory() + QStringLiteral("/history.sqlite"); }
    qint64 everSubmitted() { return jobs::submittedTo(await(statOf(m_cluster.zk(), m_queue))); }

    // They run, end, are archived in `history` if that is a file, and deleted, but for the first `spared`.
    void endAll(int spared = 0, const QString &history = {})
    {
        QByteArrayList names = m_cluster.children(m_queue);
        std::sort(names.begin(), names.end());
        history::ArchiveBatch batch;
        batch.cluster = m_cluster.layout.clusterName();
        for (const QByteArray &name : names.mid(spared)) {
            const zk::Node node = await(read(m_cluster.zk(), m_queue / name));
            history::ArchivedJob entry;
            entry.cluster = batch.cluster;
            entry.endedAt = std::chrono::milliseconds(node.stat.ctime);
            entry.record = jobs::FinalRecord::of(jobs::QueueEntry::parse(name)->idIn("default"),
                                                 jobs::JobSpec::decode(node.data, "default", 5));
            batch.entries.push_back(entry);
            m_cluster.remove(m_queue / name);
        }
        if (!history.isEmpty())
            await(archive(m_cluster.zk().loop(), history, batch));
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({QByteArrayLiteral("default")});
        history::ArchiveBatch other; // makes the file, which takes its time
        other.cluster = "another";
        history::ArchivedJob entry;
        entry.cluster = other.cluster;
        entry.record.id = {"default", 0};
        other.entries.push_back(entry);
        await(archive(m_cluster.zk().loop(), historyFile(), other));
    }

    void cleanup() { endAll(); }

    void aSubmitIsCarriedOutOnce_data()
    {
        QTest::addColumn<bool>("forgotten");
        QTest::addColumn<bool>("archived");
        QTest::newRow("unfinished") << false << false;
        QTest::newRow("forgotten") << true << false;
        QTest::newRow("archived and forgotten") << true << true;
    }
    void aSubmitIsCarriedOutOnce()
    {
        QFETCH(bool, forgotten);
        QFETCH(bool, archived);
        const QString history = historyFile();
        const qint64 before = everSubmitted();
        Lost submit(m_drover, m_cluster.server.port(),
                    words("submit --history") << (archived ? history : QString()) << words("-- true"));
        QVERIFY(submit.isSwallowed());
        if (forgotten)
            endAll(0, archived ? history : QString());
        submit.relay.cut();
        submit.relay.resume();
        const Finished finished = DroverProgram::finish(*submit.process);
        QCOMPARE(everSubmitted() - before, 1);
        QCOMPARE(m_cluster.children(m_queue).size(), forgotten ? 0 : 1);
        if (!forgotten || archived) {
            QCOMPARE(finished.out, "default-" + QByteArray::number(before) + '\n');
            QCOMPARE(finished.exitCode, 0);
        } else {
            QVERIFY2(finished.complainsOnce() && finished.err.contains("was submitted to queue default, once"),
                     finished.err);
            QCOMPARE(finished.exitCode, 4);
        }
    }

    void linesAreCarriedOutOnce_data()
    {
        QTest::addColumn<int>("spared");
        QTest::newRow("unfinished") << 60;
        QTest::newRow("all but one forgotten") << 2;
        QTest::newRow("forgotten") << 1;
    }
    void linesAreCarriedOutOnce()
    {
        QFETCH(int, spared);
        const qint64 before = everSubmitted();
        Lost submit(m_drover, m_cluster.server.port(), words("submit --stdin"), 1);
        QByteArray seen;
        submit.process->write(Line);
        QVERIFY(waitForOutput(*submit.process, "default-", seen));
        submit.process->write(Line.repeated(59));
        submit.process->closeWriteChannel();
        QVERIFY(submit.isSwallowed());
        QVERIFY(QTest::qWaitFor([&] { return m_cluster.children(m_queue).size() == 60; }, 60'000));
        endAll(spared);
        submit.relay.cut();
        submit.relay.resume();
        const Finished finished = DroverProgram::finish(*submit.process);
        QCOMPARE(everSubmitted() - before, 60);
        QCOMPARE(m_cluster.children(m_queue).size(), spared);
        const QByteArrayList ids = (seen + finished.out).trimmed().split('\n');
        // The jobs of one transaction name each other; which lines were in one, who knows.
        QVERIFY2(spared == 60 ? ids.size() == 60 : ids.size() >= spared, finished.out);
        QCOMPARE(finished.err.count("was submitted to queue default, once"), 60 - ids.size());
        for (int i = 0; spared == 60 && i < 60; ++i)
            QCOMPARE(ids[i], "default-" + QByteArray::number(before + i));
    }

    // The session ends: the outcome stays unknown, and the message does not advise to do it again.
    void anUnknownOutcomeNamesACommandToCheckIt()
    {
        struct Case {
            const char *arguments;
            const char *said;
        };
        const QList<Case> cases{
            {"submit -- true", "the job may have been submitted or not: "},
            {"submit --name nightly -- true", "look before you repeat it: drover ls --all --name nightly"},
            {"run -- true", "look before you repeat it: drover ls --all --name true"},
            {"cancel default-7", "default-7 may have been cancelled or not: "},
            {"hold default-8", "default-8 may have been held or not: "},
            {"priority 3 default-9", "look before you repeat it: drover ls --all"},
            {"cron add nightly @daily -- true", "look before you repeat it: drover cron ls"},
            {"queue pause default", "look before you repeat it: drover queue ls"},
            {"limit set gpu 3", "look before you repeat it: drover limit ls"},
            {"cluster limits --done-limit 7", "look before you repeat it: drover cluster limits"},
            {"config set color red", "look before you repeat it: drover config get color"},
            {"counter hits add 1", "look before you repeat it: drover counter hits get"},
            {"queue items put a b", "items 1 to 2 may have been put or not"},
            {"queue limit default 3", "look before you repeat it: drover queue ls"},
        };
        jobs::JobSpec job;
        job.command = QStringList(1, QStringLiteral("true"));
        for (int number = 7; number <= 9; ++number)
            m_cluster.write(m_queue / ("q5-000000000" + QByteArray::number(number)), job.encode());
        const QByteArray goesOn = " was submitted and goes on: drover ";
        Lost submit(m_drover, m_cluster.server.port(), words("submit --wait -- true"), 1);
        Lost run(m_drover, m_cluster.server.port(), words("run -- true"), 1);
        QVERIFY(QTest::qWaitFor([&] { return m_cluster.children(m_queue).size() == 5; }, 60'000));
        QByteArray seen;
        QVERIFY(waitForOutput(*submit.process, "default-", seen));
        std::vector<std::unique_ptr<Lost>> all;
        for (const Case &one : cases)
            all.push_back(std::make_unique<Lost>(m_drover, m_cluster.server.port(), words(one.arguments)));
        submit.relay.cut(); // their jobs are known
        run.relay.cut();
        for (std::size_t i = 0; i < all.size(); ++i) {
            QVERIFY2(all[i]->isSwallowed(), cases[static_cast<qsizetype>(i)].arguments);
            all[i]->relay.cut();
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Case &one = cases[static_cast<qsizetype>(i)];
            const Finished finished = DroverProgram::finish(*all[i]->process);
            QVERIFY2(finished.err.contains(one.said), one.arguments + (": " + finished.err));
            QVERIFY2(!finished.err.contains("run the command again"), one.arguments);
            QCOMPARE(finished.exitCode, 6);
        }
        const Finished submitted = DroverProgram::finish(*submit.process);
        const Finished ran = DroverProgram::finish(*run.process);
        QCOMPARE(submitted.exitCode, 6);
        QCOMPARE(ran.exitCode, 6);
        QVERIFY2(submitted.err.contains(goesOn + "wait default-"), submitted.err);
        QVERIFY2(ran.err.contains(goesOn + "logs -f default-"), ran.err);
    }

    // Znodes mean nothing to people: what is certain, and what to do next, does.
    void aWaitingCommandExplainsTheEndOfItsSession()
    {
        jobs::JobSpec job;
        job.command = QStringList(1, QStringLiteral("true"));
        m_cluster.write(m_queue / QByteArrayLiteral("q5-0000900000"), job.encode());
        const auto watches = [&] { return zk::fieldOf(m_cluster.server.ask("mntr"), "zk_watch_count").toLongLong(); };
        const qint64 before = watches();
        const std::unique_ptr<QProcess> wait = m_drover.start(words("wait default-900000"));
        QTRY_VERIFY_WITH_TIMEOUT(watches() > before, 60'000);
        const qint64 waiting = watches();
        const std::unique_ptr<QProcess> logs = m_drover.start(words("logs -f default-900000"));
        QTRY_VERIFY_WITH_TIMEOUT(watches() > waiting, 60'000);
        m_cluster.server.kill9();
        const Finished waited = DroverProgram::finish(*wait);
        const Finished followed = DroverProgram::finish(*logs);
        m_cluster.server.restart();
        m_cluster.reconnect();
        m_cluster.remove(m_queue / QByteArrayLiteral("q5-0000900000"));
        for (const Finished &finished : {waited, followed}) {
            QCOMPARE(finished.exitCode, 6);
            // What the job waits for may have been said before.
            const QByteArray last = finished.err.trimmed().split('\n').last();
            QVERIFY2(last.startsWith("drover: ") && last.contains("the ZooKeeper session has ended")
                         && !finished.err.contains('/'),
                     finished.err);
        }
        QVERIFY2(waited.err.contains("run the same drover wait again"), waited.err);
        QVERIFY2(followed.err.contains("drover logs -f default-900000"), followed.err);
    }

    // In mid-stream: what is printed is there, what else is there has its line in the message.
    void linesThatMayHaveBeenSubmittedAreNamed()
    {
        constexpr int Lines = 20'000;
        const qint64 before = everSubmitted();
        const std::unique_ptr<QProcess> process = m_drover.start(words("submit --stdin"));
        process->write(Line.repeated(Lines));
        process->closeWriteChannel();
        QByteArray seen;
        QVERIFY(waitForOutput(*process, "default-" + QByteArray::number(before + 300), seen));
        m_cluster.server.kill9();
        const Finished finished = DroverProgram::finish(*process);
        m_cluster.server.restart();
        m_cluster.reconnect();
        QCOMPARE(finished.exitCode, 6);
        QVERIFY2(!finished.err.contains("run the command again"), finished.err);
        const QByteArrayList ids = (seen + finished.out).trimmed().split('\n');
        for (qsizetype i = 0; i < ids.size(); ++i)
            QCOMPARE(ids[i], "default-" + QByteArray::number(before + i));
        const QRegularExpression named(
            QStringLiteral("lines? (\\d+)(?: to (\\d+))? may have been submitted or not; look"));
        const QRegularExpressionMatch match = named.match(QString::fromUtf8(finished.err));
        const qint64 submitted = everSubmitted() - before;
        QVERIFY2(submitted >= ids.size(), finished.err);
        QVERIFY2(submitted == ids.size() || match.hasMatch(), finished.err);
        if (match.hasMatch()) {
            QCOMPARE(match.captured(1).toLongLong(), ids.size() + 1);
            QVERIFY(submitted <= std::max(match.captured(1).toLongLong(), match.captured(2).toLongLong()));
        }
        QVERIFY2(finished.err.contains("the lines after line "), finished.err);
    }
};

QTEST_GUILESS_MAIN(LostRepliesTest)
#include "lost_replies_test.moc"
