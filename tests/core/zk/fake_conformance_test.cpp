#include "core/zk/transcript.h"
#include "support/requests/random_requests.h"
#include "support/zk_server.h"
#include "zk/server/four_letter_word.h"

#include <QThreadPool>

// One random script is run against the fake and against a real server, and whatever a client can see has to be the
// same. Where they differ the fake is wrong.

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using zk::Code;
using zk::Path;

namespace {

// Several requests of one session, sent together.
struct Step {
    int session = 0;
    std::vector<zk::Request> requests;
    bool watched = false; // each of the reads
    bool forgetWatches = false; // then the session abandons all that it has
    bool reopen = false; // nothing else: the session is closed, a new one takes its place
};

// Runs steps against one side and notes everything that a client sees.
class ScriptRunner
{
public:
    static constexpr int Sessions = 3;

    ScriptRunner(Side &side, const Path &base)
        : m_side(side), m_clock(base.isRoot() ? Path("/clock") : Path(base.bytes() + "-clock"))
    {
        for (int i = 0; i < Sessions; ++i)
            m_sessions.push_back(open());
        run(0, zk::CreateRequest{m_clock, {}});
        m_printer.setStart(run(0, zk::ExistsRequest{m_clock}).stat.czxid);
        if (!base.isRoot())
            run(0, zk::CreateRequest{base, {}});
    }

    QByteArray run(const Step &step, const std::function<void(const Path &)> &created)
    {
        m_events.clear();
        QByteArray text;
        std::unique_ptr<OpenSession> &actor = m_sessions[static_cast<std::size_t>(step.session)];
        if (step.reopen) {
            m_side.close(*actor->session);
            actor.reset();
            actor = open();
        }
        std::vector<async::Future<zk::Response>> answers;
        std::vector<std::unique_ptr<zk::Watch>> watches;
        for (const zk::Request &request : step.requests) {
            watches.push_back(std::make_unique<zk::Watch>());
            answers.push_back(actor->session->send(request, step.watched ? watches.back().get() : nullptr));
        }
        for (std::size_t i = 0; i < answers.size(); ++i) {
            zk::Response response = m_side.wait(std::move(answers[i]));
            text += m_printer.response(response) + '\n';
            if (!response.path.isRoot())
                created(response.path);
            if (watches[i]->armed() || watches[i]->hasFired())
                listen(*actor, step.session, std::move(watches[i]));
        }
        if (step.forgetWatches)
            actor->watches.clear();
        // An event is sent before the answer to anything later, so a round trip of each session brings them all.
        for (int i = 0; i < Sessions; ++i)
            run(i, zk::ExistsRequest{Path()});
        std::sort(m_events.begin(), m_events.end());
        text += m_events.join('\n');
        return text + "\nzxid " + m_printer.zxid(run(0, zk::SetRequest{m_clock, {}}).stat.mzxid);
    }

private:
    struct OpenSession {
        std::unique_ptr<zk::Client> session;
        std::vector<std::unique_ptr<zk::Watch>> watches;
        async::TaskGroup listeners;
    };

    std::unique_ptr<OpenSession> open()
    {
        auto opened = std::make_unique<OpenSession>();
        opened->session = m_side.connect(30s);
        m_printer.label(opened->session->sessionId());
        return opened;
    }

    zk::Response run(int session, const zk::Request &request)
    {
        return m_side.wait(m_sessions[static_cast<std::size_t>(session)]->session->send(request, nullptr));
    }

    void listen(OpenSession &opened, int number, std::unique_ptr<zk::Watch> watch)
    {
        opened.listeners.spawn(note(watch->fired(), number));
        opened.watches.push_back(std::move(watch));
    }

    async::Task<void> note(async::Future<zk::WatchEvent> fired, int session)
    {
        static constexpr const char *Types[] = {"created", "deleted", "changed", "children"};
        try {
            const zk::WatchEvent event = co_await fired;
            m_events +=
                QByteArray::number(session) + ' ' + Types[static_cast<int>(event.type)] + ' ' + event.path.bytes();
        } catch (const async::BrokenPromise &) { // abandoned
        } catch (const zk::SessionLost &) {
            m_events += QByteArray::number(session) + " lost";
        }
    }

    Side &m_side;
    Path m_clock; // written to after each step, so that its mzxid shows the server's
    Printer m_printer;
    QByteArrayList m_events;
    std::vector<std::unique_ptr<OpenSession>> m_sessions;
};

Step nextStep(RandomRequests &requests)
{
    SeededRandom &random = requests.random();
    Step step;
    step.session = random.below(ScriptRunner::Sessions);
    step.reopen = random.chance(0.02);
    if (step.reopen)
        return step;
    const int size = random.chance(0.8) ? 1 : 2 + random.below(5);
    while (static_cast<int>(step.requests.size()) < size
           && (step.requests.empty() || !changesAcl(step.requests.back())))
        step.requests.push_back(requests.next());
    step.watched = random.chance(0.8);
    step.forgetWatches = random.chance(0.02);
    return step;
}

QByteArray describe(const Step &step)
{
    QByteArray text = "session " + QByteArray::number(step.session) + (step.reopen ? " reopened" : "");
    for (const zk::Request &request : step.requests) {
        text += QByteArray("\n  ") + zk::operationName(request) + ' ' + zk::pathOf(request).bytes();
        if (const auto *create = std::get_if<zk::CreateRequest>(&request))
            text += " mode " + QByteArray::number(static_cast<int>(create->mode));
    }
    return text;
}

} // namespace

class FakeConformanceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        zk::LocalServerOptions options = testServerOptions();
        options.containerCheckInterval = std::chrono::hours(24); // in its own time it would delete between two steps
        m_server = std::make_unique<TestServer>(options);
        m_server->start();
    }

    // The real sessions say good-bye on the pool, or expire if that takes too long: their end takes a zxid, which must
    // not fall into the next run.
    void cleanup()
    {
        QThreadPool::globalInstance()->waitForDone();
        const auto sessions = [this] { return zk::fieldOf(m_server->ask("mntr"), "zk_global_sessions"); };
        QTRY_COMPARE_WITH_TIMEOUT(sessions(), QByteArray("0"), 60'000);
    }

    void sameRepliesAndEvents_data()
    {
        QTest::addColumn<quint64>("seed");
        QTest::addColumn<QByteArray>("base");
        QTest::newRow("whole tree") << quint64(1) << QByteArray("/"); // first: the server is as new as the fake
        for (quint64 seed = 2; seed <= 6; ++seed)
            QTest::addRow("seed %d", static_cast<int>(seed)) << seed << QByteArray("/base") + QByteArray::number(seed);
    }

    void sameRepliesAndEvents()
    {
        constexpr int Steps = 1000;
        QFETCH(quint64, seed);
        QFETCH(QByteArray, base);
        RandomRequests requests(seed, Path(base));
        FakeSide fake;
        RealSide real(m_server->port());
        ScriptRunner onFake(fake, Path(base));
        ScriptRunner onReal(real, Path(base));
        QByteArray seen;
        for (int i = 0; i < Steps; ++i) {
            const Step step = nextStep(requests);
            const QByteArray here = onFake.run(step, [&](const Path &path) { requests.noteCreated(path); });
            const QByteArray there = onReal.run(step, [](const Path &) {});
            if (here != there)
                QFAIL(qPrintable(
                    QStringLiteral("step %1 of seed %2: %3\nfake: %4\nreal: %5")
                        .arg(i)
                        .arg(seed)
                        .arg(QString::fromUtf8(describe(step)), QString::fromUtf8(here), QString::fromUtf8(there))));
            seen += '\n' + here;
        }
        // A script in which nothing happens proves nothing.
        for (const char *code :
             {"\n0 ", "\n-101 ", "\n-103 ", "\n-108 ", "\n-110 ", "\n-111 ", "\n-114 ", "\n-8 ", "\n-102 "})
            QVERIFY2(seen.contains(code), code);
        for (const char *event : {" created /", " deleted /", " changed /", " children /", " lost"})
            QVERIFY2(seen.count(event) > 2, event);
    }

    void transactionsRefuseContainers()
    {
        RealSide real(m_server->port());
        FakeSide fake;
        for (Side *side : std::initializer_list<Side *>{&real, &fake}) {
            const std::unique_ptr<zk::Client> session = side->connect(30s);
            for (const zk::CreateMode mode : {zk::CreateMode::Container, zk::CreateMode::Ttl}) {
                const zk::Transaction transaction = zk::Transaction().create(Path("/c1"), {}, mode).check(Path());
                const zk::Response refused = side->wait(session->send(zk::MultiRequest{transaction}, nullptr));
                QCOMPARE(refused.code, Code::BadArguments);
            }
            QCOMPARE(side->wait(session->send(zk::MultiRequest{}, nullptr)).code, Code::Ok);
            QCOMPARE(side->wait(session->send(zk::ExistsRequest{Path("/c1")}, nullptr)).code, Code::NoNode);
        }
    }

private:
    std::unique_ptr<TestServer> m_server;
};

QTEST_GUILESS_MAIN(FakeConformanceTest)
#include "fake_conformance_test.moc"
