#include "app/cli/output.h"
#include "app/cli/terminal.h"

#include <QJsonDocument>
#include <QTest>

#include <cstdlib>

#include <fcntl.h>
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

    void widthsAreThoseOfTheTerminal()
    {
        QCOMPARE(elided(QStringLiteral("abcdef"), 6), QStringLiteral("abcdef"));
        QCOMPARE(elided(QStringLiteral("abcdef"), 5), QStringLiteral("abcd…"));
        QCOMPARE(displayWidth(QStringLiteral("牧")), 2);
        QCOMPARE(elided(QStringLiteral("牧牧牧"), 5), QStringLiteral("牧牧…"));
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
    QCoreApplication application(argc, argv);
    OutputTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "output_test.moc"
