#include "support/seeded_random.h"
#include "zk/client/keep_alive.h"

#include <QTest>

#include <optional>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using async::Duration;
using async::TimePoint;

namespace {

constexpr TimePoint Start{1h};

// One way of a connection: what is sent arrives in order, after a delay that changes, or never once it is cut.
template <typename T>
class Stream
{
public:
    void send(T what, TimePoint now)
    {
        if (m_cut)
            return;
        m_last = std::max(m_last, now + delay);
        m_under.push_back({m_last, what});
    }
    void cut()
    {
        m_cut = true;
        m_under.clear();
    }
    std::optional<T> take(TimePoint now)
    {
        if (m_under.empty() || m_under.front().first > now)
            return std::nullopt;
        const T what = m_under.front().second;
        m_under.pop_front();
        return what;
    }

    Duration delay{1ms};

private:
    std::deque<std::pair<TimePoint, T>> m_under;
    TimePoint m_last{};
    bool m_cut = false;
};

// A client, the follower that it is connected to, and the leader, a millisecond at a time. The follower reports what it
// has received when the leader pings it, as ZooKeeper's servers do.
class Ensemble
{
public:
    static constexpr Duration Timeout = 2s;

    explicit Ensemble(Duration tick) : m_tick(tick)
    {
        keepAlive.connected(KeepAlive::Handshake::Created, now, now, Timeout);
        heard = now;
    }

    void step()
    {
        now += 1ms;
        if ((now - Start) % (m_tick / 2) == 0ms)
            toFollower.send(Packet::Ping, now);
        if (!paused && now >= keepAlive.dueAt()) {
            keepAlive.sent(now);
            ++keepAlives;
            request.send(Packet::Sync, now);
        }
        follow();
        while (const auto packet = toLeader.take(now)) {
            if (*packet == Packet::Report)
                heard = now;
            else if (*packet == Packet::Sync)
                toFollower.send(Packet::Sync, now);
        }
        while (!paused && answer.take(now))
            keepAlive.answered(now, true);
    }

    enum class Packet { Ping, Sync, Report, EmptyReport };
    Stream<Packet> request;
    Stream<Packet> answer;
    Stream<Packet> toLeader;
    Stream<Packet> toFollower;
    KeepAlive keepAlive;
    TimePoint now = Start;
    TimePoint heard; // by the leader, for the last time
    int keepAlives = 0;
    bool paused = false; // the client

private:
    void follow()
    {
        while (request.take(now)) {
            m_touched = true;
            toLeader.send(Packet::Sync, now);
        }
        while (const auto packet = toFollower.take(now)) {
            if (*packet == Packet::Ping)
                toLeader.send(std::exchange(m_touched, false) ? Packet::Report : Packet::EmptyReport, now);
            else
                answer.send(Packet::Sync, now);
        }
    }

    Duration m_tick;
    bool m_touched = false;
};

Duration age(const Ensemble &ensemble)
{
    return ensemble.now - ensemble.keepAlive.provenAt();
}

} // namespace

// What the answers to keep-alives prove, against a model of the servers.
class KeepAliveTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // The slowest ticks that a time-out allows by default.
    void aHealthySessionIsAlwaysProvenForHalfOfItsTimeOut_data()
    {
        QTest::addColumn<int>("delay");
        QTest::addColumn<int>("oldest"); // proof, in milliseconds; of 2000
        QTest::newRow("at once") << 0 << 820;
        QTest::newRow("a round trip of 4 ms") << 1 << 840;
        QTest::newRow("a round trip of 40 ms") << 10 << 1020;
        QTest::newRow("a round trip of 200 ms") << 50 << 1450;
    }
    void aHealthySessionIsAlwaysProvenForHalfOfItsTimeOut()
    {
        QFETCH(int, delay);
        QFETCH(int, oldest);
        Ensemble ensemble(Ensemble::Timeout / 2);
        for (auto *stream : {&ensemble.request, &ensemble.answer, &ensemble.toLeader, &ensemble.toFollower})
            stream->delay = std::chrono::milliseconds(delay);
        Duration worst{};
        for (int i = 0; i < 20'000; ++i) {
            ensemble.step();
            worst = std::max(worst, age(ensemble));
            QVERIFY(ensemble.keepAlive.provenAt() <= ensemble.heard);
        }
        const int worstMs = static_cast<int>(worst / 1ms);
        QVERIFY2(worstMs <= oldest, QByteArray::number(worstMs));
        QVERIFY2(ensemble.keepAlives <= 2 * 100 + 2, QByteArray::number(ensemble.keepAlives)); // two in each tenth
    }

    // Slow links, links that grow slower, cuts in either direction and clients that stand still, at any moment.
    void lifeIsProvenOnlyByWhatTheLeaderReceived()
    {
        int proofs = 0;
        for (unsigned seed = 1; seed <= 600; ++seed) {
            test::SeededRandom random(seed);
            Ensemble ensemble(std::chrono::milliseconds(2 * (50 + random.below(451))));
            for (int i = 0; i < 8'000; ++i) {
                if (i % 16 == 0)
                    disturb(ensemble, random, i > 4'000);
                const TimePoint before = ensemble.keepAlive.provenAt();
                ensemble.step();
                proofs += ensemble.keepAlive.provenAt() != before;
                QVERIFY2(ensemble.keepAlive.provenAt() <= ensemble.heard, QByteArray::number(seed));
            }
        }
        QVERIFY2(proofs > 5'000, QByteArray::number(proofs));
    }

    void aNewConnectionStartsAnew()
    {
        KeepAlive keepAlive;
        QCOMPARE(keepAlive.provenAt(), TimePoint{});
        keepAlive.connected(KeepAlive::Handshake::Created, Start, Start + 5ms, 10s);
        QCOMPARE(keepAlive.provenAt(), Start);
        QVERIFY(keepAlive.dueAt() <= Start);
        keepAlive.sent(Start + 1s);
        QCOMPARE(keepAlive.patientUntil(), Start + 1s + Duration(10s) / 3);
        keepAlive.disconnected();
        QCOMPARE(keepAlive.patientUntil(), TimePoint::max());
        keepAlive.answered(Start + 9s, true); // none of the answers of the last connection counts
        keepAlive.connected(KeepAlive::Handshake::Resumed, Start + 9s, Start + 9s, 10s);
        QCOMPARE(keepAlive.provenAt(), Start + 7s);
        keepAlive.sent(Start + 13s);
        keepAlive.answered(Start + 14s, false); // refused: not proof of anything
        keepAlive.sent(Start + 14s);
        keepAlive.answered(Start + 14s, true);
        keepAlive.sent(Start + 15s);
        keepAlive.answered(Start + 15s, true);
        QCOMPARE(keepAlive.provenAt(), Start + 9s);
    }

    // A server that has too much to do answers at once that it has done nothing.
    void whatIsDiscardedIsRepeatedAfterAPeriod()
    {
        KeepAlive keepAlive;
        const Duration period = 1s;
        keepAlive.connected(KeepAlive::Handshake::Created, Start, Start, 10 * period);
        const auto ask = [&](TimePoint at, bool carriedOut) {
            keepAlive.sent(at);
            keepAlive.answered(at, carriedOut);
        };
        ask(Start + 1s, true);
        ask(Start + 4s, true);
        QCOMPARE(keepAlive.dueAt(), Start + 4s); // it will prove what the first has reported
        ask(Start + 4s, false);
        QCOMPARE(keepAlive.dueAt(), Start + 5s);
        QCOMPARE(keepAlive.provenAt(), Start);
        ask(Start + 5s, false);
        QCOMPARE(keepAlive.dueAt(), Start + 6s);
        ask(Start + 6s, true);
        QCOMPARE(keepAlive.provenAt(), Start + 1s); // what was reported stays reported
        QCOMPARE(keepAlive.dueAt(), Start + 7s);
    }

private:
    static void disturb(Ensemble &ensemble, test::SeededRandom &random, bool mayCut)
    {
        for (auto *stream : {&ensemble.request, &ensemble.answer, &ensemble.toLeader, &ensemble.toFollower}) {
            if (random.chance(0.02))
                stream->delay = std::chrono::milliseconds(random.below(60));
            if (random.chance(0.002))
                stream->delay = std::chrono::milliseconds(random.below(1500));
            if (mayCut && random.chance(0.002))
                stream->cut();
        }
        if (random.chance(ensemble.paused ? 0.1 : 0.002))
            ensemble.paused = !ensemble.paused;
    }
};

QTEST_GUILESS_MAIN(KeepAliveTest)
#include "keep_alive_test.moc"
