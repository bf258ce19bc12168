#include "app/bench/relay/delay_relay.h"
#include "app/support/drover_on_server.h"
#include "app/support/reserved_port.h"
#include "gui/feeds/output_feed.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

// What the console shows of running jobs: of a real worker, through its port.
class OutputFeedTest : public QObject
{
    Q_OBJECT

    static constexpr int Limit = 60'000; // ms
    static constexpr int Request = 7;

    // What the feed has told.
    struct Told {
        explicit Told(gui::OutputFeed &feed)
        {
            QObject::connect(&feed, &gui::OutputFeed::grew, &context,
                             [this](int request, const QByteArray &more, const QByteArray &moreErrors) {
                                 others += request != Request;
                                 output += more;
                                 error += moreErrors;
                             });
            QObject::connect(&feed, &gui::OutputFeed::interrupted, &context,
                             [this](int, const QString &why) { interruptions.append(why); });
            QObject::connect(&feed, &gui::OutputFeed::ended, &context, [this](int) { ++ends; });
            QObject::connect(&feed, &gui::OutputFeed::wholeNotRead, &context,
                             [this](int, const QString &why) { interruptions.append(why); });
            QObject::connect(
                &feed, &gui::OutputFeed::wholeRead, &context,
                [this](int, const std::shared_ptr<const gui::OutputFile> &file) { wholes.push_back(file); });
        }
        QByteArray output;
        QByteArray error;
        QStringList interruptions;
        std::vector<std::shared_ptr<const gui::OutputFile>> wholes;
        int ends = 0;
        int others = 0;
        QObject context;
    };

    DroverOnServer m_cluster;
    std::unique_ptr<QProcess> m_worker;

    QString file(const char *name) const { return m_cluster.drover.directory() + u'/' + QLatin1String(name); }
    void touch(const char *name) const { QVERIFY(QFile(file(name)).open(QIODevice::WriteOnly)); }

    void startWorker(const QStringList &options = {})
    {
        m_worker = m_cluster.drover.start(words("worker --id w1 --slots 1 --session-timeout 10s") + options);
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, Limit);
    }

    // A job that runs; `wait_for NAME` in its script waits for a file of that name.
    jobs::JobId submit(const char *script)
    {
        const QString waiting = QStringLiteral("wait_for() { until test -e $1; do sleep 0.05; done; }; ");
        const Finished submitted = m_cluster.drover.run(words("submit -- sh -c") << waiting + QLatin1String(script));
        const jobs::JobId id = jobs::JobId::parse(QString::fromUtf8(submitted.out.trimmed())).value();
        [&] { QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.claims()).size(), 1, Limit); }();
        return id;
    }

    void follow(gui::OutputFeed &feed, const jobs::JobId &id)
    {
        feed.attach(m_cluster.zk(), {m_cluster.server.connectString(), "default"});
        feed.follow(Request, id, 1, QStringLiteral("w1"));
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"default"}); }
    void cleanup()
    {
        m_worker->terminate();
        DroverProgram::finish(*m_worker);
        m_worker.reset();
        for (const char *const name : {"more", "end"})
            QFile::remove(file(name));
    }

    void outputIsReportedAsItGrows()
    {
        startWorker();
        const jobs::JobId id = submit("echo one; wait_for more; echo two; echo oops >&2; wait_for end; echo three");
        gui::OutputFeed feed;
        const Told told(feed);
        follow(feed, id);
        QTRY_COMPARE_WITH_TIMEOUT(told.output, QByteArray("one\n"), Limit);
        QCOMPARE(feed.watches(), 1);
        touch("more");
        QTRY_COMPARE_WITH_TIMEOUT(told.output, QByteArray("one\ntwo\n"), Limit);
        QTRY_COMPARE_WITH_TIMEOUT(told.error, QByteArray("oops\n"), Limit);
        QCOMPARE(told.ends, 0);
        touch("end");
        QTRY_COMPARE_WITH_TIMEOUT(told.ends, 1, Limit);
        QCOMPARE(told.output, QByteArray("one\ntwo\nthree\n"));
        QCOMPARE(told.error, QByteArray("oops\n"));
        QCOMPARE(told.interruptions, QStringList());
        QCOMPARE(told.others, 0);
        QCOMPARE(feed.watches(), 0);
        feed.detach();
        QCOMPARE(told.interruptions, QStringList()); // it is over
    }

    // Of what was there before, the last 64 KiB; of what comes, everything.
    void aLongOutputBeginsNearItsEnd()
    {
        startWorker();
        const jobs::JobId id = submit("seq 100000 149999; touch written; wait_for more; seq 150000 199999");
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file("written")), Limit);
        const QString spooled = m_cluster.drover.environment().value(QStringLiteral("XDG_STATE_HOME"))
            + QStringLiteral("/drover/spool/default/%1.1.out").arg(id.toString());
        QTRY_COMPARE_WITH_TIMEOUT(QFileInfo(spooled).size(), 350'000, Limit);
        gui::OutputFeed feed;
        const Told told(feed);
        follow(feed, id);
        QTRY_VERIFY_WITH_TIMEOUT(told.output.endsWith("149999\n"), Limit);
        QCOMPARE(told.output.size(), 64 * 1024);
        touch("more");
        QTRY_COMPARE_WITH_TIMEOUT(told.ends, 1, Limit);
        QByteArray more;
        for (int i = 150'000; i < 200'000; ++i)
            more += QByteArray::number(i) + '\n';
        QCOMPARE(told.output.size(), 64 * 1024 + more.size());
        QVERIFY(told.output.endsWith("149999\n" + more));
    }

    void brokenConnectionsAndSessionsCostNothing()
    {
        const ReservedPort reserved;
        app::DelayRelay relay(reserved.number(), 0ns);
        startWorker({QStringLiteral("--listen"), QStringLiteral("127.0.0.1:%1").arg(reserved.number()),
                     QStringLiteral("--advertise"), QStringLiteral("127.0.0.1:%1").arg(relay.port())});
        const jobs::JobId id = submit("echo one; wait_for more; echo two; wait_for end; echo three");
        gui::OutputFeed feed;
        const Told told(feed);
        follow(feed, id);
        QTRY_COMPARE_WITH_TIMEOUT(told.output, QByteArray("one\n"), Limit);
        relay.refuse();
        relay.dropConnections();
        QTRY_VERIFY_WITH_TIMEOUT(!told.interruptions.isEmpty(), Limit);
        QVERIFY2(told.interruptions[0].startsWith(u"worker w1: "), qPrintable(told.interruptions[0]));
        touch("more");
        relay.resume();
        QTRY_COMPARE_WITH_TIMEOUT(told.output, QByteArray("one\ntwo\n"), Limit);

        feed.detach();
        QCOMPARE(told.interruptions.last(), gui::OutputFeed::tr("the session has ended"));
        touch("end");
        QCOMPARE(m_cluster.drover.run({QStringLiteral("wait"), id.toString()}).exitCode, 0);
        feed.attach(m_cluster.zk(), {m_cluster.server.connectString(), "default"});
        QTRY_COMPARE_WITH_TIMEOUT(told.ends, 1, Limit);
        QCOMPARE(told.output, QByteArray("one\ntwo\nthree\n"));
    }

    void theEndOfTheWorkerIsReported()
    {
        startWorker();
        const jobs::JobId id = submit("echo one; wait_for end");
        gui::OutputFeed feed;
        const Told told(feed);
        follow(feed, id);
        QTRY_COMPARE_WITH_TIMEOUT(told.output, QByteArray("one\n"), Limit);
        m_worker->kill();
        QTRY_COMPARE_WITH_TIMEOUT(told.ends, 1, Limit); // the claim goes with its session
        QVERIFY2(told.interruptions.last().contains(u"worker w1"), qPrintable(told.interruptions.join(u'\n')));
        m_cluster.drover.run({QStringLiteral("cancel"), id.toString()});
    }

    // Of one that has ended, all of it, once, over any number of sessions.
    void theWholeOutputIsReadAnewByTheNextSession()
    {
        startWorker();
        const jobs::JobId id = submit("seq 1 1000000; echo oops >&2; wait_for end");
        touch("end");
        QCOMPARE(m_cluster.drover.run({QStringLiteral("wait"), id.toString()}).exitCode, 0);
        const auto record = jobs::FinalRecord::decode(m_cluster.data(m_cluster.layout.done(id)), id);
        gui::OutputFeed feed;
        const Told told(feed);
        feed.readWhole(Request, record);
        QCOMPARE(told.interruptions, QStringList(gui::OutputFeed::tr("not connected")));
        int reports = 0;
        const auto leave = [&] {
            if (++reports == 1)
                feed.detach();
        };
        connect(&feed, &gui::OutputFeed::readSoFar, this, leave, Qt::QueuedConnection);
        feed.attach(m_cluster.zk(), {m_cluster.server.connectString(), "default"});
        QTRY_VERIFY_WITH_TIMEOUT(reports > 0 || !told.wholes.empty(), Limit);
        if (told.wholes.empty()) {
            QCOMPARE(told.interruptions.last(), gui::OutputFeed::tr("the session has ended"));
            feed.attach(m_cluster.zk(), {m_cluster.server.connectString(), "default"});
        }
        QTRY_COMPARE_WITH_TIMEOUT(told.wholes.size(), std::size_t(1), Limit);
        QCOMPARE(told.wholes[0]->lines(), 1'000'003);
        QCOMPARE(told.wholes[0]->block(0).bytes.first(4), QByteArray("1\n2\n"));
        QVERIFY(
            told.wholes[0]->block(told.wholes[0]->blocks() - 1).bytes.endsWith("1000000\n\x1b[0m\n— stderr —\noops\n"));
        feed.detach();
        QCOMPARE(told.wholes.size(), std::size_t(1));
    }

    void aRecordOfAnotherClusterIsRefused()
    {
        startWorker();
        const jobs::JobId id = submit("echo one; wait_for end");
        touch("end");
        QCOMPARE(m_cluster.drover.run({QStringLiteral("wait"), id.toString()}).exitCode, 0);
        auto record = jobs::FinalRecord::decode(m_cluster.data(m_cluster.layout.done(id)), id);
        record.outputBytes = 5'000;
        gui::OutputFeed feed;
        const Told told(feed);
        feed.attach(m_cluster.zk(), {m_cluster.server.connectString(), "default"});
        feed.readWhole(Request, record);
        QTRY_COMPARE_WITH_TIMEOUT(told.interruptions, QStringList(QStringLiteral("worker w1 no longer has it")), Limit);
        QVERIFY(told.wholes.empty());
    }

    void unwatchedOutputIsNotRead()
    {
        startWorker();
        const jobs::JobId id = submit("echo one; wait_for more; echo two; wait_for end");
        gui::OutputFeed feed;
        const Told told(feed);
        follow(feed, id);
        feed.follow(Request + 1, id, 1, QStringLiteral("w1"));
        QTRY_COMPARE_WITH_TIMEOUT(told.output, QByteArray("one\none\n"), Limit);
        QCOMPARE(feed.watches(), 2);
        feed.stop(Request);
        QCOMPARE(feed.watches(), 1);
        touch("more");
        QTRY_COMPARE_WITH_TIMEOUT(told.output, QByteArray("one\none\ntwo\n"), Limit);
        QCOMPARE(told.others, 2);
        touch("end");
        QTRY_COMPARE_WITH_TIMEOUT(told.ends, 1, Limit);
        QCOMPARE(told.output, QByteArray("one\none\ntwo\n"));
    }
};

QTEST_GUILESS_MAIN(OutputFeedTest)
#include "output_feed_test.moc"
