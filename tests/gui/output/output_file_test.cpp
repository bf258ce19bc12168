#include "gui/output/line_search.h"
#include "gui/output/line_stretch.h"
#include "gui/output/output_lines.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace drover::gui;

// Output in a file of this machine: in lines, in parts that an editor holds, and searched.
class OutputFileTest : public QObject
{
    Q_OBJECT

    static QString textOf(const TerminalText::Line &line)
    {
        QString text;
        for (const TerminalText::Run &run : line)
            text += run.text;
        return text;
    }
    static std::shared_ptr<OutputFile> fileOf(const QByteArray &bytes)
    {
        auto file = std::make_shared<OutputFile>();
        file->append(bytes);
        return file;
    }
    static QByteArray numbers(int count)
    {
        QByteArray all;
        for (int i = 0; i < count; ++i)
            all += QByteArray::number(i) + '\n';
        return all;
    }
    static LineSearch::Fits has(const QString &word)
    {
        return [word](const QString &text) { return text.contains(word); };
    }
    // The line; -1: there is none.
    static qint64 lineFound(const std::shared_ptr<OutputFile> &file, qint64 from, bool backward,
                            const LineSearch::Fits &fits)
    {
        LineSearch search(nullptr);
        QSignalSpy found(&search, &LineSearch::found);
        QSignalSpy nothing(&search, &LineSearch::foundNothing);
        search.start(file, from, backward, fits);
        [&] { QTRY_VERIFY_WITH_TIMEOUT(!search.isUnderWay(), 60'000); }();
        return found.isEmpty() ? -1 : found[0][0].toLongLong();
    }

private Q_SLOTS:
    void linesDoNotDependOnThePieces_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("numbers") << numbers(60'000);
        QTest::newRow("no line end") << QByteArray(1'000'000, 'x');
        QTest::newRow("characters of three bytes") << QByteArray("\xe7\x89\xa7").repeated(200'000);
        QTest::newRow("no characters") << QByteArray(300'000, '\x80');
        QTest::newRow("colours alone") << QByteArray("\x1b[38;5;208m").repeated(50'000);
        QTest::newRow("a progress bar") << QByteArray("\r\x1b[K  12 %").repeated(50'000);
        QTest::newRow("carriage returns") << QByteArray(300'000, '\r');
        QTest::newRow("empty lines") << QByteArray(300'000, '\n');
        QTest::newRow("an end in two parts") << QByteArray(QByteArray(4'095, 'x') + "\r\n").repeated(100);
        QTest::newRow("nothing") << QByteArray();
    }
    void linesDoNotDependOnThePieces()
    {
        QFETCH(const QByteArray, bytes);
        const QList<QByteArrayView> lines = linesOf(bytes);
        qsizetype sum = 0;
        for (const QByteArrayView line : lines) {
            QVERIFY(!line.isEmpty() && line.size() <= 16 * 1024);
            sum += line.size();
        }
        QCOMPARE(sum, bytes.size());
        OutputFile file;
        std::mt19937 random(7);
        for (qsizetype at = 0; at < bytes.size();) {
            const qsizetype size = std::uniform_int_distribution<qsizetype>(1, at % 3 == 0 ? 10'000 : 100)(random);
            file.append(bytes.mid(at, size));
            at += size;
        }
        QCOMPARE(file.size(), bytes.size());
        QCOMPARE(file.lines(), lines.size());
        QByteArray all;
        for (int i = 0; i < file.blocks(); ++i) {
            const OutputFile::Block block = file.block(i);
            QVERIFY(block.bytes.size() < 140 * 1024);
            const QList<QByteArrayView> its = linesOf(block.bytes);
            for (qsizetype n = 0; n < its.size(); ++n)
                QVERIFY(its[n] == lines[block.first + n]);
            all += block.bytes;
        }
        QVERIFY(all == bytes);
    }

    void aStretchIsShort_data() { linesDoNotDependOnThePieces_data(); }
    void aStretchIsShort()
    {
        QFETCH(const QByteArray, bytes);
        const auto file = fileOf(bytes);
        for (qint64 line = 0; line < file->lines(); line += std::max<qint64>(1, file->lines() / 7)) {
            const LineStretch stretch = stretchAround(*file, line);
            QVERIFY(stretch.first <= line && line < stretch.end() && stretch.end() <= file->lines());
            QVERIFY(stretch.lines.size() <= 400);
        }
        QCOMPARE(stretchAround(*file, file->lines() - 1).end(), file->lines());
        QCOMPARE(stretchAround(*file, 0).first, 0);
    }

    void aStretchHasTheLinesItSays()
    {
        const auto file = fileOf(numbers(60'000));
        for (qint64 line : {0, 1, 99, 101, 13'107, 30'000, 59'998, 59'999}) {
            const LineStretch stretch = stretchAround(*file, line);
            QCOMPARE(stretch.lines.size(), line < 59'000 ? std::min<qint64>(line, 100) + 300 : 400);
            for (qsizetype i = 0; i < stretch.lines.size(); ++i)
                QCOMPARE(textOf(stretch.lines[i]), QString::number(stretch.first + i));
        }
    }

    // A stretch had two of them, so that the editor never had a page.
    void progressBarsAreNotLong_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("bars")
            << (QByteArray("\r 12 % of the files are copied, 03:12 are left").repeated(200) + '\n').repeated(500);
        QTest::newRow("a long one") << QByteArray("\r 12 % of the files are copied").repeated(100'000) + "\ndone\n";
        QTest::newRow("colours") << (QByteArray("\x1b[38;2;120;30;90m#").repeated(200) + '\n').repeated(500);
    }
    void progressBarsAreNotLong()
    {
        QFETCH(const QByteArray, bytes);
        const auto file = fileOf(bytes);
        const qint64 lines = file->lines();
        for (const qint64 line : {qint64(0), lines / 2, lines - 1}) {
            const LineStretch stretch = stretchAround(*file, line);
            QVERIFY2(stretch.first <= std::max<qint64>(0, line - 64), qPrintable(QString::number(stretch.first)));
            QVERIFY2(stretch.end() >= std::min(lines, line + 64), qPrintable(QString::number(stretch.end())));
            for (const TerminalText::Line &shown : stretch.lines)
                QVERIFY(textOf(shown).size() <= 200);
        }
    }

    // A program may set it once, and write a megabyte in it.
    void aColourGoesOnOverLines()
    {
        const auto file = fileOf("plain\n\x1b[31mred\n" + numbers(60'000) + "\x1b[mplain\nagain\n");
        const TerminalText::Style red = stretchAround(*file, 30'000).lines[0][0].style;
        QCOMPARE(red.foreground, 1);
        const LineStretch end = stretchAround(*file, file->lines() - 1);
        QCOMPARE(end.lines.last()[0].style, TerminalText::Style());
        QCOMPARE(end.lines.first()[0].style.foreground, 1);
    }

    void searchesGoAllTheWayRound()
    {
        const auto file = fileOf(numbers(60'000));
        QCOMPARE(lineFound(file, 0, false, has(u"59999"_qs)), 59'999);
        QCOMPARE(lineFound(file, 30'000, false, has(u"1234"_qs)), 31'234);
        QCOMPARE(lineFound(file, 51'235, false, has(u"1234"_qs)), 1'234);
        QCOMPARE(lineFound(file, 30'000, true, has(u"1234"_qs)), 21'234);
        QCOMPARE(lineFound(file, 1'233, true, has(u"1234"_qs)), 51'234);
        QCOMPARE(lineFound(file, 20'000, false, has(u"20000"_qs)), 20'000);
        QCOMPARE(lineFound(file, 20'001, false, has(u"20000"_qs)), 20'000); // in the block where it has begun
        QCOMPARE(lineFound(file, 19'999, true, has(u"20000"_qs)), 20'000);
        QCOMPARE(lineFound(file, 0, false, has(u"absent"_qs)), -1);
        QCOMPARE(lineFound(fileOf({}), 0, false, has(u"absent"_qs)), -1);
    }

    void whatIsSeenIsFound()
    {
        const auto file =
            fileOf(numbers(30'000) + "\x1b[31mer\x1b[1mror\x1b[m: no\nover\rOVER and over\n" + numbers(30'000));
        QCOMPARE(lineFound(file, 0, false, has(u"error: no"_qs)), 30'000);
        QCOMPARE(lineFound(file, 0, false, has(u"OVER and"_qs)), 30'001);
        QCOMPARE(lineFound(file, 0, false, has(u"[31m"_qs)), -1);
    }

    // The event loop goes on meanwhile, and it reports nothing afterwards.
    void aSearchIsGivenUp()
    {
        const auto file = fileOf(numbers(2'000'000));
        LineSearch search(nullptr);
        QSignalSpy found(&search, &LineSearch::found);
        QSignalSpy nothing(&search, &LineSearch::foundNothing);
        QSignalSpy progressed(&search, &LineSearch::progressed);
        search.start(file, 0, false, [](const QString &text) { return text.repeated(20).contains(u"nowhere"_qs); });
        QVERIFY(progressed.wait(60'000));
        QVERIFY(search.isUnderWay());
        search.cancel();
        QTest::qWait(0);
        QVERIFY(!search.isUnderWay() && found.isEmpty() && nothing.isEmpty());
    }

    void itIsCopied()
    {
        const QTemporaryDir directory;
        const QByteArray bytes = numbers(600'000);
        const auto file = fileOf(bytes);
        QCOMPARE(file->copyTo(directory.filePath(u"copy"_qs)), QString());
        QFile copy(directory.filePath(u"copy"_qs));
        QVERIFY(copy.open(QIODevice::ReadOnly));
        QVERIFY(copy.readAll() == bytes);
        QVERIFY(!file->copyTo(directory.filePath(u"no/such/directory"_qs)).isEmpty());
    }
};

QTEST_GUILESS_MAIN(OutputFileTest)
#include "output_file_test.moc"
