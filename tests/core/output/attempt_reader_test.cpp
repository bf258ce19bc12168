#include "core/jobs/job_cluster.h"
#include "output/attempt_reader.h"
#include "output/remote_output.h"

#include <QTest>

using namespace drover;
using namespace drover::output;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// What a job writes, somewhere in memory, and in virtual time: a read fails, finds something, or waits.
class GrowingOutput final : public OutputSource
{
public:
    explicit GrowingOutput(async::Loop &loop) : m_loop(loop) { }

    async::Task<OutputReply> read(OutputRequest request) override
    {
        const async::TimePoint end = m_loop.now() + request.wait;
        for (;;) {
            ++reads;
            if (hasGone)
                throw WorkerGone(QStringLiteral("gone"));
            if (isLost)
                throw OutputLost(QStringLiteral("lost"));
            const OutputReply reply = replyTo(request);
            if (growsWhenRead)
                output += "more\n";
            if (reply.isNews() || m_loop.now() >= end)
                co_return reply;
            co_await async::sleepFor(m_loop, 50ms);
        }
    }

    QByteArray output;
    QByteArray error;
    bool isLost = false;
    bool hasGone = false;
    bool growsWhenRead = false;
    int reads = 0;

private:
    OutputReply replyTo(const OutputRequest &request) const
    {
        const auto part = [&](const QByteArray &text, qint64 from) {
            return OutputReply::Part{text.size(), text.mid(from, request.atMost)};
        };
        OutputReply reply;
        if (request.outputFrom)
            reply.output = part(output, *request.outputFrom);
        if (request.errorFrom)
            reply.error = part(error, *request.errorFrom);
        return reply;
    }

    async::Loop &m_loop;
};

// A job that runs, and who reads what it writes.
class Reading
{
public:
    explicit Reading(const Streams &streams = {.error = true}) : reader(job, 1, streams, keep()) { fake.claim(job, 0); }

    void follow() { m_tasks.spawn(followToItsEnd(*this)); }
    void endSession() { m_tasks.cancelAll(); }
    void endAttempt()
    {
        fake.commit(zk::Transaction().remove(fake.layout.claim(job)));
        fake.settle();
    }

    JobCluster fake{2};
    const jobs::JobId job = fake.submit();
    GrowingOutput source{fake.process(1)};
    AttemptReader reader;
    QByteArray output;
    QByteArray error;
    QStringList interruptions;
    QString end; // of following: empty before, "whole", or why not

private:
    AttemptReader::Grew keep()
    {
        return [this](const QByteArray &moreOutput, const QByteArray &moreError) {
            output += moreOutput;
            error += moreError;
        };
    }

    static async::Task<void> followToItsEnd(Reading &self)
    {
        const AttemptReader::Interrupted note = [&self](const QString &why) { self.interruptions.append(why); };
        try {
            co_await self.reader.follow(jobs::Cluster(self.fake[1], self.fake.layout), self.source, note);
            self.end = QStringLiteral("whole");
        } catch (const OutputLost &lost) {
            self.end = QString::fromUtf8(lost.what());
        }
    }

    async::TaskGroup m_tasks;
};

} // namespace

class AttemptReaderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachByteIsReadOnceAsItComes()
    {
        Reading reading;
        reading.source.output = "one\n";
        reading.follow();
        reading.fake.settle();
        QCOMPARE(reading.output, QByteArray("one\n"));
        reading.source.output += "two\n";
        reading.source.error += "oops\n";
        reading.fake.settle(15s); // longer than one request waits
        QCOMPARE(reading.output, QByteArray("one\ntwo\n"));
        QCOMPARE(reading.error, QByteArray("oops\n"));
        QCOMPARE(reading.reader.position(), 13);
        QVERIFY(reading.end.isEmpty() && !reading.reader.isWhole());
        reading.endAttempt();
        QCOMPARE(reading.end, QStringLiteral("whole"));
        QVERIFY(reading.reader.isWhole());
        QCOMPARE(reading.output, QByteArray("one\ntwo\n"));
    }

    void troubleIsReportedOnceAndCostsNothing()
    {
        Reading reading;
        reading.source.isLost = true;
        reading.follow();
        reading.fake.settle(10s);
        QCOMPARE(reading.interruptions, QStringList{QStringLiteral("lost")});
        reading.source.isLost = false;
        reading.source.output = "one\n";
        reading.fake.settle(2s);
        QCOMPARE(reading.output, QByteArray("one\n"));
        reading.source.isLost = true;
        reading.fake.settle(10s);
        QCOMPARE(reading.interruptions.size(), 2);
        reading.source.isLost = false;
        reading.source.output += "two\n";
        reading.endAttempt();
        QCOMPARE(reading.output, QByteArray("one\ntwo\n"));
        QCOMPARE(reading.end, QStringLiteral("whole"));
    }

    void theRestAtTheEndIsRetriedSeveralTimes()
    {
        Reading reading;
        reading.source.isLost = true;
        reading.source.output = "one\n";
        reading.follow();
        reading.fake.settle(1s);
        reading.endAttempt();
        reading.fake.settle(2s);
        QVERIFY(reading.end.isEmpty());
        reading.source.isLost = false;
        reading.fake.settle(2s);
        QCOMPARE(reading.end, QStringLiteral("whole"));
        QCOMPARE(reading.output, QByteArray("one\n"));
    }

    void theRestMayBeLost()
    {
        Reading reading;
        reading.source.isLost = true;
        reading.follow();
        reading.fake.settle(1s);
        reading.endAttempt();
        reading.fake.settle(10s);
        QCOMPARE(reading.end, QStringLiteral("lost"));
        QVERIFY(!reading.reader.isWhole());
    }

    void aWorkerThatHasGoneIsNotAskedAgain()
    {
        Reading reading;
        reading.follow();
        reading.fake.settle();
        reading.source.hasGone = true;
        reading.endAttempt();
        QCOMPARE(reading.end, QStringLiteral("gone"));
    }

    void theNextSessionGoesOn()
    {
        Reading reading;
        reading.source.output = "one\n";
        reading.follow();
        reading.fake.settle();
        reading.endSession();
        reading.source.output += "two\n";
        reading.fake.settle(1s);
        QCOMPARE(reading.output, QByteArray("one\n"));
        reading.follow();
        reading.fake.settle();
        QCOMPARE(reading.output, QByteArray("one\ntwo\n"));
    }

    void onlyTheEndOfWhatWasThereBefore_data()
    {
        QTest::addColumn<int>("lines"); // -1: not limited
        QTest::addColumn<int>("bytes");
        QTest::addColumn<QByteArray>("output");
        QTest::newRow("all") << -1 << -1 << QByteArray("one\ntwo\nthree\n");
        QTest::newRow("lines") << 1 << -1 << QByteArray("two\nthree\n");
        QTest::newRow("bytes") << -1 << 3 << QByteArray("wo\nthree\n");
        QTest::newRow("more bytes than there are") << -1 << 100 << QByteArray("one\ntwo\nthree\n");
    }
    void onlyTheEndOfWhatWasThereBefore()
    {
        QFETCH(int, lines);
        QFETCH(int, bytes);
        QFETCH(QByteArray, output);
        Streams streams;
        if (lines >= 0)
            streams.lastLines = lines;
        if (bytes >= 0)
            streams.lastBytes = bytes;
        Reading reading(streams);
        reading.source.output = "one\ntwo\n";
        reading.source.error = "not asked for";
        reading.follow();
        reading.fake.settle();
        reading.source.output += "three\n";
        reading.fake.settle();
        QCOMPARE(reading.output, output);
        QCOMPARE(reading.error, QByteArray());
    }

    void aGrowingSourceEndsTheReading()
    {
        Reading reading;
        reading.source.output = "one\n";
        reading.source.growsWhenRead = true;
        reading.fake.run(reading.reader.readPresent(reading.fake.process(1), reading.source));
        QVERIFY(reading.output.startsWith("one\n"));
        QVERIFY2(reading.source.reads <= 2, qPrintable(QString::number(reading.source.reads)));
        QVERIFY(!reading.reader.isWhole());
    }
};

QTEST_GUILESS_MAIN(AttemptReaderTest)
#include "attempt_reader_test.moc"
