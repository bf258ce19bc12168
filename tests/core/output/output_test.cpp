#include "async/qt_loop.h"
#include "jobs/model/json_fields.h"
#include "output/local_output.h"
#include "output/segment.h"
#include "output/spool_files.h"
#include "support/await.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace drover;
using namespace drover::output;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

const jobs::JobId Job{"default", 7};

// A job's output that is somewhere in memory; counts what is read of it.
class MemoryOutput final : public OutputSource
{
public:
    explicit MemoryOutput(QByteArray text) : m_text(std::move(text)) { }

    async::Task<OutputReply> read(OutputRequest request) override
    {
        const QByteArray part = m_text.mid(request.outputFrom.value_or(0), request.atMost);
        bytesRead += part.size();
        OutputReply reply;
        reply.output = OutputReply::Part{m_text.size(), part};
        co_return reply;
    }

    qint64 bytesRead = 0;

private:
    QByteArray m_text;
};

} // namespace

class OutputTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;
    const SpoolFiles m_files = SpoolFiles::of(m_directory.path(), Job, OutputRequest().attempt);

    static void append(const QString &path, const QByteArray &text)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::Append));
        QCOMPARE(file.write(text), text.size());
    }

    void appendSegment(int number, quint64 from, const QByteArray &text) const
    {
        const QLatin1String suffix(segmentSuffixes[static_cast<std::size_t>(number)]);
        append(m_files.output + suffix, QByteArray::fromStdString(segmentHeader(from)) + text);
    }

    static OutputRequest ask(std::optional<qint64> output, std::optional<qint64> error)
    {
        OutputRequest request{.id = Job};
        request.outputFrom = output;
        request.errorFrom = error;
        return request;
    }

private Q_SLOTS:
    void init()
    {
        for (const QString &path : {m_files.output, m_files.error}) {
            QFile::remove(path);
            for (const char *const suffix : segmentSuffixes)
                QFile::remove(path + QLatin1String(suffix));
        }
    }

    void requestsAndRepliesComeBackAsTheyWere()
    {
        OutputRequest request = ask(0, std::nullopt);
        request.attempt = 3;
        request.wait = 5s;
        const OutputRequest same = OutputRequest::decode(request.encode());
        QCOMPARE(same.id, Job);
        QCOMPARE(same.attempt, 3);
        QCOMPARE(same.outputFrom, std::optional<qint64>(0));
        QVERIFY(!same.errorFrom);
        QCOMPARE(same.wait, std::chrono::milliseconds(5s));
        OutputReply reply;
        reply.output = OutputReply::Part{7, QByteArray::fromHex("0a7b00ff"), 3};
        reply.error = OutputReply::Part{};
        const OutputReply again = OutputReply::decode(reply.encode());
        QCOMPARE(again.output, reply.output);
        QCOMPARE(again.error, reply.error);
        QVERIFY(!OutputReply::decode(OutputReply().encode()).output);
    }

    void noRequestLeavesTheSpool_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        for (const char *const job : {"../../etc/passwd-1", "/etc/passwd-1", "a/../b-1", "..-1", "default-1/../x",
                                      "default-1.out", "default", "Default-1", "default-01"})
            QTest::newRow(job) << "{\"v\":1,\"attempt\":1,\"output_from\":0,\"job\":\"" + QByteArray(job) + "\"}";
        const QByteArray good = "{\"v\":1,\"job\":\"default-1\"";
        QTest::newRow("attempt") << good + ",\"attempt\":\"../1\"}";
        QTest::newRow("no attempt") << good + ",\"attempt\":0}";
        QTest::newRow("offset") << good + ",\"output_from\":-2}";
        QTest::newRow("size") << good + ",\"at_most\":1000000000}";
        QTest::newRow("version") << QByteArray("{\"v\":2,\"job\":\"default-1\"}");
        QTest::newRow("cut") << good;
        QTest::newRow("no JSON") << QByteArray("cat /etc/passwd");
        QTest::newRow("nothing") << QByteArray();
    }
    void noRequestLeavesTheSpool()
    {
        QFETCH(QByteArray, bytes);
        QVERIFY_THROWS_EXCEPTION(jobs::Malformed, OutputRequest::decode(bytes));
    }

    void repliesThatLieAreMalformed()
    {
        for (const char *const text : {"", "{}",
                                       "{\"v\":1,\"output\":{\"size\":1,\"bytes\":2}}"
                                       "\nx",
                                       "{\"v\":1,\"output\":{\"size\":1,\"bytes\":-1}}"
                                       "\nx",
                                       "{\"v\":1}\nmore",
                                       "{\"v\":1,\"output\":{\"size\":-2,\"bytes\":0}}"
                                       "\n",
                                       "{\"v\":1,\"output\":{\"size\":1,\"bytes\":1,\"skipped\":-1}}"
                                       "\nx"})
            QVERIFY_THROWS_EXCEPTION(jobs::Malformed, OutputReply::decode(text));
    }

    void aSpoolIsReadFromAnyOffset()
    {
        QVERIFY(!readSpool(m_files, ask(0, 0)).output->size);
        append(m_files.output, "one\ntwo\n");
        const OutputReply reply = readSpool(m_files, ask(4, 0));
        QCOMPARE(reply.output, (OutputReply::Part{8, "two\n"}));
        QCOMPARE(reply.error, OutputReply::Part{});
        QVERIFY(!readSpool(m_files, ask(8, std::nullopt)).isNews());
        QCOMPARE(readSpool(m_files, ask(100, std::nullopt)).output, (OutputReply::Part{8, {}}));
        OutputRequest small = ask(0, std::nullopt);
        small.atMost = 3;
        QCOMPARE(readSpool(m_files, small).output->bytes, QByteArray("one"));
    }

    // Of output that was longer than its cap: whichever of the two segments is the newer one.
    void discardedOutputIsSkipped_data()
    {
        QTest::addColumn<int>("older");
        QTest::newRow("in order") << 0;
        QTest::newRow("by turns") << 1;
    }
    void discardedOutputIsSkipped()
    {
        QFETCH(int, older);
        append(m_files.output, "beginning");
        appendSegment(older, 100, "older");
        appendSegment(1 - older, 105, "newer");
        QCOMPARE(readSpool(m_files, ask(0, std::nullopt)).output, (OutputReply::Part{110, "beginning"}));
        const OutputReply::Part end = *readSpool(m_files, ask(9, std::nullopt)).output;
        QCOMPARE(end, (OutputReply::Part{110, "oldernewer", 91}));
        QCOMPARE(end.length(), 101);
        QCOMPARE(end.text(), QByteArray("\n... 91 bytes were not kept ...\noldernewer"));
        QCOMPARE(readSpool(m_files, ask(103, std::nullopt)).output, (OutputReply::Part{110, "ernewer"}));
        QVERIFY(!readSpool(m_files, ask(110, std::nullopt)).isNews());
    }

    void segmentsThatAreJustBegunAreLeftOut()
    {
        append(m_files.output, "beginning");
        append(m_files.output + QLatin1String(segmentSuffixes[0]), "from byte 000");
        append(m_files.output + QLatin1String(segmentSuffixes[1]), QByteArray(segmentHeaderSize, 'x'));
        QCOMPARE(readSpool(m_files, ask(0, std::nullopt)).output, (OutputReply::Part{9, "beginning"}));
    }

    // Its last quarter is there twice while it is copied out of the beginning.
    void duplicatedOutputIsReadOnce()
    {
        append(m_files.output, "beginning");
        appendSegment(0, 6, "ing");
        appendSegment(1, 9, " and end");
        QCOMPARE(readSpool(m_files, ask(0, std::nullopt)).output, (OutputReply::Part{17, "beginning and end"}));
    }

    void theLastLinesEndAtAGap()
    {
        append(m_files.output, "a\nb\n");
        appendSegment(0, 100, "w\nx\n");
        appendSegment(1, 104, "y\nz\n");
        async::QtLoop loop;
        LocalOutput local(loop, m_directory.path());
        const OutputRequest request = ask(0, std::nullopt);
        QCOMPARE(await(startOfLastLines(local, request, Stream::Output, 3)), 102);
        QCOMPARE(await(startOfLastLines(local, request, Stream::Output, 50)), 100);
        QCOMPARE(await(startOfLastLines(local, request, Stream::Output, 0)), 108);
    }

    // A job may put anything into the directory of its own output.
    void onlyFilesAreRead()
    {
        QVERIFY(QFile::link(QStringLiteral("/etc/passwd"), m_files.output));
        QCOMPARE(::mkfifo(QFile::encodeName(m_files.error).constData(), 0600), 0);
        const OutputReply reply = readSpool(m_files, ask(0, 0));
        QCOMPARE(reply.output, OutputReply::Part{});
        QCOMPARE(reply.error, OutputReply::Part{});
    }

    void aLocalReaderWaits()
    {
        async::QtLoop loop;
        LocalOutput local(loop, m_directory.path());
        OutputRequest request = ask(0, 0);
        request.wait = 10s;
        const async::Timer timer =
            loop.after(std::chrono::milliseconds(200), [this] { append(m_files.error, "late"); });
        const OutputReply reply = await(local.read(request));
        QCOMPARE(reply.error->bytes, QByteArray("late"));
        request.wait = {};
        request.errorFrom = 4;
        QVERIFY(!await(local.read(request)).isNews());
    }

    void theLastLines_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("lines");
        QTest::addColumn<QByteArray>("last");
        const QByteArray wide(200'000, 'w');
        QTest::newRow("two of three") << QByteArray("a\nb\nc\n") << 2 << QByteArray("b\nc\n");
        QTest::newRow("an open line") << QByteArray("a\nb\nc") << 2 << QByteArray("b\nc");
        QTest::newRow("more than there are") << QByteArray("a\nb\n") << 5 << QByteArray("a\nb\n");
        QTest::newRow("none") << QByteArray("a\nb\n") << 0 << QByteArray();
        QTest::newRow("of nothing") << QByteArray() << 3 << QByteArray();
        QTest::newRow("empty lines") << QByteArray("a\n\n\n") << 2 << QByteArray("\n\n");
        QTest::newRow("longer than one read") << wide + '\n' + wide + '\n' << 1 << wide + '\n';
        QTest::newRow("a line over all") << wide << 1 << wide;
    }
    void theLastLines()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, lines);
        QFETCH(QByteArray, last);
        MemoryOutput source(text);
        const qint64 start = await(startOfLastLines(source, ask(0, std::nullopt), Stream::Output, lines));
        QCOMPARE(text.mid(start), last);
    }

    void theLastLinesOfMuchAreReadFromTheEnd()
    {
        MemoryOutput source(QByteArray("line\n").repeated(10'000'000));
        const qint64 start = await(startOfLastLines(source, ask(0, std::nullopt), Stream::Output, 1000));
        QCOMPARE(start, qint64(10'000'000 - 1000) * 5);
        QVERIFY2(source.bytesRead <= qint64(64) * 1024, qPrintable(QString::number(source.bytesRead)));
    }

    void aPlaceIsTheDirectoryNotItsName()
    {
        const QString place = placeOf(m_directory.path());
        QVERIFY(!place.isEmpty());
        const QString link = m_directory.filePath(QStringLiteral("link"));
        QVERIFY(QFile::link(m_directory.path(), link));
        QCOMPARE(placeOf(link), place);
        QVERIFY(QDir(m_directory.path()).mkdir(QStringLiteral("other")));
        QVERIFY(placeOf(m_directory.filePath(QStringLiteral("other"))) != place);
        QVERIFY(placeOf(QStringLiteral("/there/is/none")).isEmpty());
    }
};

QTEST_GUILESS_MAIN(OutputTest)
#include "output_test.moc"
