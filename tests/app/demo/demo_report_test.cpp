#include "app/cli/failure.h"
#include "app/demo/input_files.h"
#include "app/demo/report.h"
#include "app/demo/report_check.h"
#include "app/demo/word_count.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace drover::app;

// What the demo's jobs do to the shared report, and how the report is checked.
class DemoReportTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void wordsAreRunsOfOtherThanWhiteSpace();
    void linesAreAppendedOnce();
    void aTornLastLineIsCutOff();
    void namesMayHoldLineFeeds();
    void theCheckFindsWhatIsWrong();
    void linkedFilesAreListedOnce();
    void aDirectoryWithoutFilesIsRefused();

private:
    QString write(const QString &name, const QByteArray &content) const
    {
        const QString path = m_directory.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write %s", qPrintable(path));
        return path;
    }
    static QByteArray read(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_directory;
};

void DemoReportTest::wordsAreRunsOfOtherThanWhiteSpace()
{
    QCOMPARE(countWords(write(QStringLiteral("none"), " \n\t\v\f\r ")), 0);
    QCOMPARE(countWords(write(QStringLiteral("some"), "one two\n\n  three\tfour")), 4);
    const QByteArray acrossPieces = QByteArray(1024 * 1024 - 2, ' ') + "word word";
    QCOMPARE(countWords(write(QStringLiteral("pieces"), acrossPieces)), 2);
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, countWords(m_directory.filePath(QStringLiteral("missing"))));
}

void DemoReportTest::linesAreAppendedOnce()
{
    const DemoReport report(m_directory.filePath(QStringLiteral("once")));
    QVERIFY(report.append({7, QStringLiteral("a")}));
    QVERIFY(report.append({8, QStringLiteral("b a")})); // ends like the first
    QVERIFY(!report.append({7, QStringLiteral("a")}));
    QCOMPARE(read(report.file()), "7 a\n8 b a\n");
}

void DemoReportTest::aTornLastLineIsCutOff()
{
    const DemoReport report(write(QStringLiteral("torn"), "7 a\n12 b"));
    QCOMPARE(report.read().malformed, 1);
    QVERIFY(report.append({123, QStringLiteral("b")}));
    QCOMPARE(read(report.file()), "7 a\n123 b\n");
    QCOMPARE(report.read().malformed, 0);
}

void DemoReportTest::namesMayHoldLineFeeds()
{
    const DemoReport report(m_directory.filePath(QStringLiteral("names")));
    const QString name = QStringLiteral("a\\n\nb");
    QVERIFY(report.append({1, name}));
    QVERIFY(!report.append({1, name}));
    const DemoReport::Content content = report.read();
    QCOMPARE(content.lines.size(), 1U);
    QCOMPARE(content.lines[0].name, name);
}

void DemoReportTest::theCheckFindsWhatIsWrong()
{
    InputFiles input;
    input.root = m_directory.path();
    for (const char *name : {"in/one", "in/two", "in/three", "in/four"})
        input.files += write(QLatin1String(name), "word word");

    const DemoReport good(write(QStringLiteral("good"), "2 in/one\n2 in/two\n2 in/three\n2 in/four\n"));
    const ReportCheck fine = checkReport(input, good);
    QVERIFY(fine.ok());
    QCOMPARE(fine.words, 8);

    const DemoReport bad(
        write(QStringLiteral("bad"), "2 in/one\n3 in/two\n2 in/three\n2 in/three\n2 in/five\nrubbish\n"));
    const ReportCheck check = checkReport(input, bad);
    QVERIFY(!check.ok());
    QCOMPARE(check.lost, 1); // four
    QCOMPARE(check.repeated, 1); // three
    QCOMPARE(check.wrong, 2); // two, and five, which there is not
    QCOMPARE(check.malformed, 1);
}

void DemoReportTest::linkedFilesAreListedOnce()
{
    const QString root = m_directory.filePath(QStringLiteral("links"));
    const QString file = write(QStringLiteral("links/sub/file"), "text");
    QVERIFY(QFile::link(file, root + QStringLiteral("/link")));
    QVERIFY(QFile::link(root + QStringLiteral("/nowhere"), root + QStringLiteral("/dangling")));
    const InputFiles input = listInput(root);
    QCOMPARE(input.files, QStringList(QFileInfo(file).canonicalFilePath()));
    QCOMPARE(input.nameOf(input.files[0]), QStringLiteral("sub/file"));
    QCOMPARE(input.links, 1);
}

void DemoReportTest::aDirectoryWithoutFilesIsRefused()
{
    const QString empty = m_directory.filePath(QStringLiteral("empty"));
    QVERIFY(QDir().mkpath(empty));
    QVERIFY_THROWS_EXCEPTION(CommandError, listInput(empty));
    QVERIFY_THROWS_EXCEPTION(CommandError, listInput(empty + QStringLiteral("/missing")));
}

QTEST_GUILESS_MAIN(DemoReportTest)
#include "demo_report_test.moc"
