#include "app/cli/output.h"
#include "app/cli/sentence.h"
#include "app/cli/table_widths.h"
#include "app/cli/terminal.h"

#include <QJsonDocument>
#include <QTest>

#include <algorithm>
#include <clocale>
#include <cstdlib>

#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

using namespace drover::app;

class OutputTest : public QObject
{
    Q_OBJECT

    const QList<Column> m_columns{
        {"id", "ID"},
        {"count", "COUNT", Column::Kind::Number},
        {"command", "COMMAND", Column::Kind::Text, true},
    };
    const QList<QJsonObject> m_rows{
        {{QStringLiteral("id"), QStringLiteral("default-1")},
         {QStringLiteral("count"), 7},
         {QStringLiteral("command"), QJsonArray{QStringLiteral("ls"), QStringLiteral("-l")}}},
        {{QStringLiteral("id"), QStringLiteral("x\x1b[2J")}, {QStringLiteral("count"), 1234}},
    };

    template <typename Print>
    static QByteArray printed(Format format, const Print &print)
    {
        std::FILE *const file = std::tmpfile();
        print(Output(format, file));
        std::rewind(file);
        QByteArray text(65536, '\0');
        text.resize(static_cast<qsizetype>(std::fread(text.data(), 1, static_cast<std::size_t>(text.size()), file)));
        std::fclose(file);
        return text;
    }

    enum class Shown { Data, Messages }; // Messages: those as well

    template <typename Print>
    static QStringList shownOnATerminal(unsigned short width, const Print &print, Shown shown = Shown::Data)
    {
        int ends[2];
        const winsize size{24, width, 0, 0};
        if (::openpty(&ends[0], &ends[1], nullptr, nullptr, &size) != 0)
            return {};
        std::FILE *const terminal = ::fdopen(ends[1], "w");
        const int errors = ::dup(STDERR_FILENO);
        if (shown == Shown::Messages)
            ::dup2(ends[1], STDERR_FILENO);
        print(Output(Format::Table, terminal));
        ::dup2(errors, STDERR_FILENO);
        ::close(errors);
        std::fputs("the end\n", terminal);
        std::fflush(terminal);
        QByteArray text;
        char some[4096];
        for (ssize_t count = 1; count > 0 && !text.endsWith("the end\r\n");) {
            count = ::read(ends[0], some, sizeof some);
            text.append(some, std::max<ssize_t>(count, 0));
        }
        std::fclose(terminal);
        ::close(ends[0]);
        QStringList lines = QString::fromUtf8(text).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
        lines.removeLast();
        return lines;
    }

private Q_SLOTS:
    void aTableIsAlignedAndHarmless()
    {
        const QByteArray text = printed(Format::Table, [&](const Output &out) { out.list("jobs", m_columns, m_rows); });
        QCOMPARE(text,
                 QByteArray("ID         COUNT  COMMAND\n"
                            "default-1      7  ls -l\n"
                            "x\\x1b[2J    1234  -\n"));
    }

    void aTableThatIsNotOnATerminalIsNeverCut()
    {
        const QString wide(500, u'w');
        const QList<QJsonObject> rows{{{QStringLiteral("id"), QStringLiteral("a")}, {QStringLiteral("command"), wide}}};
        const QByteArray text = printed(Format::Table, [&](const Output &out) { out.list("jobs", m_columns, rows); });
        QVERIFY(text.contains(wide.toLatin1()));
    }

    void aTableIsAsNarrowAsItsTerminal()
    {
        const QList<Column> columns{
            {"id", "ID"},
            {"name", "NAME", Column::Kind::Text, true},
            {"count", "COUNT", Column::Kind::Number},
            {"command", "COMMAND", Column::Kind::Text, true},
        };
        const auto row = [](const QString &id, const QString &name, const QString &command) {
            return QJsonObject{{QStringLiteral("id"), id},
                               {QStringLiteral("name"), name},
                               {QStringLiteral("count"), 7},
                               {QStringLiteral("command"), command}};
        };
        const QString wide(50, u'w');
        const QString id = QStringLiteral("default-2147483647");
        const QStringList lines = shownOnATerminal(60, [&](const Output &out) {
            out.list("jobs", columns,
                     {row(id, QString(50, u'n'), wide), row(id, QStringLiteral("牧").repeated(25), {})});
            out.list("jobs", columns, {row(id, QStringLiteral("short"), wide)});
        });
        QCOMPARE(lines.size(), 5);
        for (const QString &line : lines)
            QVERIFY2(displayWidth(line) <= 60, qPrintable(line));
        // The last column gives way first, and keeps its 8; the one before it gives what is missing.
        QCOMPARE(lines[1], id + QStringLiteral("  ") + QString(22, u'n') + QStringLiteral("…      7  wwwwwww…"));
        QVERIFY2(lines[2].startsWith(id + QStringLiteral("  ") + QStringLiteral("牧").repeated(11) + u'…'),
                 qPrintable(lines[2]));
        QCOMPARE(lines[4], id + QStringLiteral("  short      7  ") + QString(25, u'w') + u'…');
        QCOMPARE(displayWidth(lines[4]), 60);
    }

    void jsonIsOneDocumentWithItsSchema()
    {
        const QByteArray text = printed(Format::Json, [&](const Output &out) {
            out.list("jobs", m_columns, m_rows, {{QStringLiteral("total"), 2}});
        });
        const QJsonObject object = QJsonDocument::fromJson(text).object();
        QCOMPARE(object.value(QStringLiteral("schema")).toInt(), 1);
        QCOMPARE(object.value(QStringLiteral("total")).toInt(), 2);
        const QJsonArray jobs = object.value(QStringLiteral("jobs")).toArray();
        QCOMPARE(jobs.size(), 2);
        QCOMPARE(jobs[1].toObject(), m_rows[1]);
    }

    void anEmptyListIsStillADocument()
    {
        const QByteArray text = printed(Format::Json, [&](const Output &out) { out.list("jobs", m_columns, {}); });
        QCOMPARE(QJsonDocument::fromJson(text).object().value(QStringLiteral("jobs")), QJsonValue(QJsonArray()));
    }

    void jsonLinesAreOneObjectEach()
    {
        const QByteArray text =
            printed(Format::JsonLines, [&](const Output &out) { out.list("jobs", m_columns, m_rows); });
        const QByteArrayList lines = text.trimmed().split('\n');
        QCOMPARE(lines.size(), 2);
        for (const QByteArray &line : lines)
            QCOMPARE(QJsonDocument::fromJson(line).object().value(QStringLiteral("schema")).toInt(), 1);
    }

    void anObjectHasALineForEachFieldItHas()
    {
        const QByteArray text = printed(Format::Table, [&](const Output &out) { out.object(m_columns, m_rows[0]); });
        QCOMPARE(text, QByteArray("ID       default-1\nCOUNT    7\nCOMMAND  ls -l\n"));
    }

    // A job waits for up to a thousand others.
    void aLongValueOfAnObjectGoesOnInFurtherLines()
    {
        QJsonArray others;
        for (int i = 1; i <= 30; ++i)
            others.append(QStringLiteral("default-%1").arg(i));
        const QJsonObject job{{QStringLiteral("id"), QStringLiteral("default-40")}, {QStringLiteral("after"), others}};
        const QList<Column> columns{{"id", "id"}, {"after", "waits for"}};
        const QStringList lines = shownOnATerminal(60, [&](const Output &out) { out.object(columns, job); });
        QVERIFY2(lines.size() > 5, qPrintable(lines.join(u'\n')));
        QVERIFY(lines[1].startsWith(u"waits for  default-1 default-2 "));
        for (const QString &line : lines.mid(2))
            QVERIFY2(line.size() <= 60 && line.startsWith(u"           default-"), qPrintable(line));
        QCOMPARE(printed(Format::Table, [&](const Output &out) { out.object(columns, job); }).count('\n'), 2);
    }

    void aLongValueKeepsItsBlanks()
    {
        const QString text = QStringLiteral("sh -c 'printf \"%s  %s\" one   two;    sleep  10'  end");
        for (int width = 1; width < 60; ++width)
            QCOMPARE(wrapped(text, width).join(u' '), text);
        for (const QString &line : wrapped(text, 16))
            QVERIFY2(displayWidth(line) <= 16, qPrintable(line));
    }

    void aSentenceIsAsWideAsItsTerminal()
    {
        const auto print = [](const Output &out) {
            printSentence(out, QStringLiteral("default-1: no worker has the label gpu-of-a-new-kind"),
                          QStringLiteral("start one: drover worker --label gpu"));
        };
        QCOMPARE(
            shownOnATerminal(40, print),
            (QStringList{QStringLiteral("default-1: no worker has the label"), QStringLiteral("  gpu-of-a-new-kind;"),
                         QStringLiteral("  start one: drover worker --label gpu")}));
        QCOMPARE(shownOnATerminal(100, print).size(), 1);
        QCOMPARE(printed(Format::Table, print),
                 QByteArray("default-1: no worker has the label gpu-of-a-new-kind; start one: drover worker --label "
                            "gpu\n"));
    }

    void aLongWordOfAnObjectStaysWhole()
    {
        const QString path = u'/' + QString(50, u'p');
        const QJsonObject master{{QStringLiteral("id"), path}, {QStringLiteral("count"), 7}};
        const QList<Column> columns{{"id", "id"}, {"count", "number of candidates"}};
        const auto print = [&](const Output &out) { out.object(columns, master); };
        const QString count = QStringLiteral("number of candidates  7");
        QCOMPARE(shownOnATerminal(60, print), (QStringList{QStringLiteral("id"), QStringLiteral("  ") + path, count}));
        QCOMPARE(shownOnATerminal(51, print), (QStringList{QStringLiteral("id"), path, count}));
    }

    void aTableThatDoesNotFitSaysSo()
    {
        const auto print = [&](const Output &out) { out.list("jobs", m_columns, m_rows); };
        for (const QString &line : shownOnATerminal(26, print, Shown::Messages))
            QVERIFY2(displayWidth(line) <= 26, qPrintable(line));
        const QString told = shownOnATerminal(20, print, Shown::Messages).last();
        QVERIFY2(told.startsWith(u"drover: the table needs ") && told.contains(u" and this terminal has 20; "),
                 qPrintable(told));
    }

    // Whole columns are left out where cutting is not enough, and the others get their room back.
    void aNarrowTerminalLosesColumnsInTheirOrder()
    {
        const QList<ColumnWidth> columns{{10, 10, 0}, {30, 8, 2}, {6, 6, 1}, {40, 20, 0}};
        QCOMPARE(fittedWidths(columns, 100, 2), (QList<int>{10, 30, 6, 40}));
        QCOMPARE(fittedWidths(columns, 80, 2), (QList<int>{10, 30, 6, 28}));
        QCOMPARE(fittedWidths(columns, 60, 2), (QList<int>{10, 18, 6, 20}));
        QCOMPARE(fittedWidths(columns, 45, 2), (QList<int>{10, 11, 0, 20}));
        QCOMPARE(fittedWidths(columns, 40, 2), (QList<int>{10, 0, 0, 28}));
        QCOMPARE(fittedWidths(columns, 20, 2), (QList<int>{10, 0, 0, 20})); // too wide, still
        const auto print = [&](const Output &out) {
            out.list("jobs", {{"id", "ID"}, {"count", "COUNT", Column::Kind::Number, false, 8, 1}}, m_rows);
        };
        const QStringList lines = shownOnATerminal(12, print, Shown::Messages);
        QCOMPARE(lines.value(1), QStringLiteral("default-1"));
        QVERIFY2(lines.last().startsWith(u"drover: left out for want of room: COUNT; "), qPrintable(lines.last()));
    }

    void widthsAreThoseOfTheTerminal()
    {
        QCOMPARE(elided(QStringLiteral("abcdef"), 6), QStringLiteral("abcdef"));
        QCOMPARE(elided(QStringLiteral("abcdef"), 5), QStringLiteral("abcd…"));
        QCOMPARE(displayWidth(QStringLiteral("牧")), 2);
        QCOMPARE(elided(QStringLiteral("牧牧牧"), 5), QStringLiteral("牧牧…"));
    }

    // Tables were out of line there: only ASCII had a width.
    void widthsAreThoseOfUtf8InEachLocale()
    {
        const QByteArray before = std::setlocale(LC_CTYPE, nullptr);
        std::setlocale(LC_CTYPE, "C");
        const int narrow = displayWidth(QStringLiteral("ünï"));
        const int wide = displayWidth(QStringLiteral("牧"));
        std::setlocale(LC_CTYPE, before.constData());
        QCOMPARE(narrow, 3);
        QCOMPARE(wide, 2);
    }

    // Escape sequences would be shown as they are.
    void aDumbTerminalIsNotDrawnOn()
    {
        const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
        QVERIFY(::grantpt(master) == 0 && ::unlockpt(master) == 0);
        const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
        qputenv("TERM", "xterm");
        QVERIFY(Terminal::of(terminal).canBeDrawn);
        qputenv("TERM", "dumb");
        QVERIFY(Terminal::of(terminal).isTerminal);
        QVERIFY(!Terminal::of(terminal).canBeDrawn);
        qunsetenv("TERM");
        QVERIFY(!Terminal::of(terminal).canBeDrawn);
        ::close(terminal);
        ::close(master);
    }
};

int main(int argc, char **argv)
{
    qputenv("LC_ALL", "C.UTF-8"); // widths of characters are the locale's
    qputenv("NO_COLOR", "1");
    QCoreApplication application(argc, argv);
    OutputTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "output_test.moc"
