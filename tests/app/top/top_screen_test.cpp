#include "app/top/top_screen.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::app;
using namespace std::chrono_literals;

class TopScreenTest : public QObject
{
    Q_OBJECT

    static ClusterSample sample(int workers, int jobs)
    {
        ClusterSample sample;
        sample.at = async::TimePoint(10s);
        sample.wallClock = 1'000'000ms;
        sample.master = QStringLiteral("w0");
        sample.queues.push_back({"default", 100, 1100, 0});
        sample.queues.push_back({"gpu", 0, 0, 2});
        for (int i = 0; i < workers; ++i) {
            jobs::WorkerInfo info;
            info.id = QStringLiteral("w%1").arg(i);
            info.host = QStringLiteral("host");
            info.slotCount = 4;
            sample.workers.push_back({info, 1});
        }
        for (int i = 0; i < jobs; ++i) {
            ClusterSample::Job job;
            job.id = {"default", i};
            job.claim.worker = QStringLiteral("w0");
            job.stat.ctime = 995'000;
            job.name = QStringLiteral("job %1 \x1b[31m").arg(i);
            sample.jobs.push_back(job);
        }
        sample.running = jobs;
        return sample;
    }

private Q_SLOTS:
    void ratesAreSinceTheLastSample()
    {
        ClusterSample before = sample(1, 0);
        ClusterSample now = sample(1, 0);
        now.at = before.at + 2s;
        now.queues[0].submitted += 50;
        now.queues[0].unfinished += 10;
        const QStringList lines = topScreen("default", now, before, 100, 40);
        QVERIFY2(lines[0].contains(u"ended 20/s"), qPrintable(lines[0]));
        const QStringList queue = lines[3].simplified().split(u' ');
        QCOMPARE(queue,
                 (QStringList{QStringLiteral("default"), QStringLiteral("110"), QStringLiteral("25"),
                              QStringLiteral("20"), QStringLiteral("0")}));
        QVERIFY(topScreen("default", now, std::nullopt, 100, 40)[0].contains(u"ended -/s"));
    }

    // Another program has joined: it is no worker, and no slot of it counts.
    void aMalformedMemberIsSaidToBeOne()
    {
        ClusterSample now = sample(1, 0);
        ClusterSample::Worker forged;
        forged.info.id = QStringLiteral("forged");
        forged.malformed = QStringLiteral("not JSON");
        now.workers.push_back(forged);
        const QStringList lines = topScreen("default", now, std::nullopt, 100, 40);
        QVERIFY2(lines[0].contains(u"1 worker "), qPrintable(lines[0]));
        QCOMPARE(lines.filter(QRegularExpression(QStringLiteral("^forged +\\(malformed\\)$"))).size(), 1);
    }

    void theHeadingFitsAStandardTerminal()
    {
        ClusterSample before = sample(3, 0);
        ClusterSample now = before;
        now.at = before.at + 1s;
        now.queues[0].unfinished = 1'234'567;
        now.queues[0].submitted = now.queues[0].unfinished + before.queues[0].finished() + 250;
        const QString longest = topScreen(QByteArray(32, 'c'), now, before, 80, 24)[0];
        QVERIFY2(longest.contains(u"unfinished 1,234,567") && longest.contains(u"ended 250/s"), qPrintable(longest));
        const QString usual = topScreen("default", before, std::nullopt, 80, 24)[0];
        QVERIFY2(usual.contains(u"slots 3/12") && usual.endsWith(u"3 workers  master w0"), qPrintable(usual));
    }

    void itFitsTheTerminal()
    {
        for (const auto &[width, height] : {std::pair(40, 12), std::pair(80, 24), std::pair(200, 60)}) {
            const QStringList lines = topScreen("default", sample(50, 50), std::nullopt, width, height);
            QVERIFY(lines.size() <= height);
            for (const QString &line : lines)
                QVERIFY2(line.size() <= width && !line.contains(QChar(0x1b)), qPrintable(line));
        }
    }

    void rowsThatDoNotFitAreCounted()
    {
        const QString screen = topScreen("default", sample(2, 50), std::nullopt, 100, 24).join(u'\n');
        QVERIFY2(screen.contains(u"more jobs"), qPrintable(screen));
        QVERIFY(!screen.contains(u"more workers"));
    }

    void noRowIsLeftOutWhileThereIsRoom()
    {
        const QString idle = topScreen("default", sample(3, 0), std::nullopt, 80, 14).join(u'\n');
        QVERIFY2(idle.contains(u"\nw2 ") && !idle.contains(u" more "), qPrintable(idle));
        const QStringList busy = topScreen("default", sample(20, 20), std::nullopt, 80, 24);
        QCOMPARE(busy.size(), 24);
        QCOMPARE(busy.filter(QStringLiteral(" more ")).size(), 2);
    }

    // The line that would say "1 more" has room for that one.
    void aSingleHiddenRowIsShownInsteadOfCounted()
    {
        for (int height = 8; height < 30; ++height) {
            const QString screen = topScreen("default", sample(2, 3), std::nullopt, 60, height).join(u'\n');
            QVERIFY2(!screen.contains(u" 1 more "), qPrintable(screen));
        }
    }

    void anEmptyClusterSaysSo()
    {
        ClusterSample empty;
        const QString screen = topScreen("default", empty, std::nullopt, 100, 24).join(u'\n');
        QVERIFY(screen.contains(u"drover worker starts one"));
        QVERIFY(screen.contains(u"(nothing)"));
        QVERIFY(screen.contains(u"master (none)"));
    }
};

QTEST_GUILESS_MAIN(TopScreenTest)
#include "top_screen_test.moc"
