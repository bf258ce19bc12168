#include "workers/master/arrays/place_forecast.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::workers;
using namespace std::chrono_literals;

// When a gang may expect its places.
class PlaceForecastTest : public QObject
{
    Q_OBJECT

    static WorkerInfo worker(int slotCount)
    {
        WorkerInfo info;
        info.id = QStringLiteral("w");
        info.slotCount = slotCount;
        info.queues = {QStringLiteral("default")};
        return info;
    }
    static JobSpec gangOf(int size)
    {
        JobSpec spec;
        spec.gang = size;
        return spec;
    }
    // Of the jobs [first, last).
    static std::vector<StoredClaim> claims(int first, int last)
    {
        std::vector<StoredClaim> claims;
        for (int number = first; number < last; ++number)
            claims.push_back({JobId{"default", number}, Claim{QStringLiteral("w"), {1, 0}, {}}, {}});
        return claims;
    }

    // Looks each two seconds at ten slots with jobs that last so long, one after the other.
    static std::optional<std::chrono::milliseconds> patienceAfter(std::chrono::seconds looking,
                                                                  std::chrono::seconds lasting, int size)
    {
        PlaceForecast forecast;
        const async::TimePoint begin(1h);
        for (std::chrono::seconds at{0}; at <= looking; at += 2s) {
            std::vector<StoredClaim> now;
            for (int slot = 0; slot < 10; ++slot) {
                const auto number = static_cast<int>((at + slot * lasting / 10) / lasting);
                now.push_back(claims(100'000 * slot + number, 100'000 * slot + number + 1).front());
            }
            forecast.note({worker(10)}, now, begin + at);
        }
        return forecast.patienceFor(gangOf(size), begin + looking);
    }

private Q_SLOTS:
    void freePlacesAreEnough()
    {
        PlaceForecast forecast;
        const async::TimePoint now(1h);
        QVERIFY(!forecast.isFresh(now));
        forecast.note({worker(10)}, claims(0, 6), now);
        QVERIFY(forecast.isFresh(now + 2s));
        QVERIFY(!forecast.isFresh(now + 1min));
        QVERIFY(forecast.patienceFor(gangOf(4), now) == PlaceForecast::Shortest);
        QVERIFY(!forecast.patienceFor(gangOf(5), now));
        forecast.note({}, claims(0, 6), now + 1s); // the worker is cordoned now
        QVERIFY(!forecast.patienceFor(gangOf(1), now + 1s));
    }

    void longRunningJobsAreNotExpectedToEnd()
    {
        PlaceForecast forecast;
        async::TimePoint now(1h);
        forecast.note({worker(10)}, {}, now);
        for (int look = 0; look < 600; ++look) // they have begun together, and nothing has ended yet
            forecast.note({worker(10)}, claims(0, 10), now += 2s);
        QVERIFY(!forecast.patienceFor(gangOf(1), now));
        forecast.note({worker(10)}, claims(1, 10), now += 2s);
        QVERIFY(forecast.patienceFor(gangOf(1), now));
        QVERIFY(!forecast.patienceFor(gangOf(2), now));
    }

    void oneSlotThatIsFreedAgainAndAgainIsOnePlace()
    {
        PlaceForecast forecast;
        async::TimePoint now(1h);
        for (int job = 100; job < 400; ++job) {
            std::vector<StoredClaim> all = claims(0, 9);
            all.push_back(claims(job, job + 1).front());
            forecast.note({worker(10)}, all, now += 2s);
        }
        QVERIFY(forecast.patienceFor(gangOf(1), now) == PlaceForecast::Shortest);
        QVERIFY(!forecast.patienceFor(gangOf(2), now));
    }

    void jobsThatFollowOneAnotherAreExpectedToEnd()
    {
        QVERIFY(patienceAfter(10s, 2s, 10) == PlaceForecast::Shortest);
        QVERIFY(patienceAfter(20min, 600s, 1) == 1min);
        QVERIFY(patienceAfter(20min, 600s, 3) == 2min);
        QVERIFY(patienceAfter(20min, 600s, 8) == PlaceForecast::Longest);
        QVERIFY(!patienceAfter(20min, 600s, 10));
    }
};

QTEST_APPLESS_MAIN(PlaceForecastTest)
#include "place_forecast_test.moc"
