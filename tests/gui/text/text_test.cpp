#include "gui/data/lock_node.h"
#include "gui/text/entity_text.h"
#include "gui/text/format.h"
#include "gui/text/gunzip.h"
#include "gui/text/marks.h"
#include "gui/text/node_text.h"
#include "gui/text/pretty.h"
#include "gui/text/shell_words.h"
#include "gui/text/terminal_text.h"
#include "gui/text/text_diff.h"

#include <QTest>

using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

// {"a":1}
const QByteArray Gzip = QByteArray::fromHex("1f8b08000000000002ffab564a54b232ac0500afac1b5607000000");

} // namespace

class TextTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void splitsAsAShellWould_data();
    void splitsAsAShellWould();
    void saysWhatIsNotClosed();
    void noticesWhatAShellWouldActUpon();
    void joinsSoThatItSplitsBack();
    void choosesAFormat_data();
    void choosesAFormat();
    void cutsWhatIsTooLongToLookAt();
    void dumpsHex();
    void marksWhatIsInvisible();
    void laysOutStructures();
    void unpacksGzip();
    void findsTheFewestChangedLines();
    void linesOfAKindHaveItsWord();
    void readsWhatATerminalWould_data();
    void readsWhatATerminalWould();
    void aSequenceMayComeInPieces();
};

void TextTest::splitsAsAShellWould_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("nothing") << QStringLiteral("  \n ") << QStringList();
    QTest::newRow("blanks") << QStringLiteral(" wc\t-w  file ") << QStringList{u"wc"_qs, u"-w"_qs, u"file"_qs};
    QTest::newRow("single") << QStringLiteral("echo 'a \"b\" \\c'") << QStringList{u"echo"_qs, u"a \"b\" \\c"_qs};
    QTest::newRow("double") << QStringLiteral("echo \"a 'b' \\\"c\\\" \\d \\$e\"")
                            << QStringList{u"echo"_qs, u"a 'b' \"c\" \\d $e"_qs};
    QTest::newRow("glued") << QStringLiteral("a'b c'\"d e\"\\ f") << QStringList{u"ab cd e f"_qs};
    QTest::newRow("empty word") << QStringLiteral("a '' \"\"") << QStringList{u"a"_qs, QString(), QString()};
    QTest::newRow("continued line") << QStringLiteral("a \\\nb \"c\\\nd\"") << QStringList{u"a"_qs, u"b"_qs, u"cd"_qs};
}

void TextTest::splitsAsAShellWould()
{
    QFETCH(QString, line);
    QFETCH(QStringList, words);
    const ShellWords split = splitShellWords(line);
    QCOMPARE(split.error, QString());
    QCOMPARE(split.words, words);
}

void TextTest::saysWhatIsNotClosed()
{
    QVERIFY(splitShellWords(u"a 'b"_qs).error.contains(u"single quote"));
    QVERIFY(splitShellWords(u"a \"b"_qs).error.contains(u"double quote"));
    QVERIFY(splitShellWords(u"a \\"_qs).error.contains(u"backslash"));
}

void TextTest::noticesWhatAShellWouldActUpon()
{
    QCOMPARE(splitShellWords(u"ls | wc > x"_qs).operatorSeen, QChar(u'|'));
    QCOMPARE(splitShellWords(u"echo \"$HOME\""_qs).operatorSeen, QChar(u'$'));
    QVERIFY(splitShellWords(u"echo '$HOME | *' \\*"_qs).operatorSeen.isNull());
}

void TextTest::joinsSoThatItSplitsBack()
{
    const QStringList words{u"sh"_qs, u"-c"_qs, u"echo 'it''s' \"$HOME\" | wc\n"_qs, QString(), u"plain/path=1"_qs};
    QCOMPARE(splitShellWords(joinShellWords(words)).words, words);
    QCOMPARE(joinShellWords({u"wc"_qs, u"-w"_qs, u"a b"_qs}), u"wc -w 'a b'"_qs);
}

void TextTest::choosesAFormat_data()
{
    QTest::addColumn<QByteArray>("data");
    QTest::addColumn<int>("wanted");
    QTest::addColumn<int>("shown");
    const auto row = [](const char *name, const QByteArray &data, DataFormat wanted, DataFormat shown) {
        QTest::newRow(name) << data << int(wanted) << int(shown);
    };
    row("object", "{\"a\":1}", DataFormat::Automatic, DataFormat::Json);
    row("broken object", "{\"a\":", DataFormat::Json, DataFormat::Text);
    row("text", "h\xc3\xa9llo", DataFormat::Automatic, DataFormat::Text);
    row("object as text", "{}", DataFormat::Text, DataFormat::Text);
    row("not UTF-8", "\xff\xfe", DataFormat::Automatic, DataFormat::Hex);
    row("NUL", QByteArray("a\0b", 3), DataFormat::Text, DataFormat::Hex);
    row("text as hex", "hello", DataFormat::Hex, DataFormat::Hex);
    row("XML", "<a><b c=\"d\"/></a>", DataFormat::Automatic, DataFormat::Xml);
    row("broken XML", "<a><b></a>", DataFormat::Automatic, DataFormat::Text);
    row("properties", "# db\nhost = x\nport: 1\n", DataFormat::Automatic, DataFormat::Properties);
    row("a sentence", "This is = no file of properties\nbut text", DataFormat::Automatic, DataFormat::Text);
    row("no base64", "not base64!", DataFormat::FromBase64, DataFormat::Text);
    row("JSON in base64", "eyJhIjoxfQ==", DataFormat::FromBase64, DataFormat::Json);
    row("base64 is not guessed", "eyJhIjoxfQ==", DataFormat::Automatic, DataFormat::Text);
    row("as base64", QByteArray("\0\1", 2), DataFormat::ToBase64, DataFormat::ToBase64);
    row("gzip as hex", Gzip, DataFormat::Hex, DataFormat::Hex);
    row("gzip", Gzip, DataFormat::Automatic, DataFormat::Json);
    row("damaged gzip", Gzip.first(20), DataFormat::Automatic, DataFormat::Hex);
}

void TextTest::choosesAFormat()
{
    QFETCH(QByteArray, data);
    QFETCH(int, wanted);
    QFETCH(int, shown);
    QCOMPARE(int(renderData(data, DataFormat(wanted)).format), shown);
}

void TextTest::cutsWhatIsTooLongToLookAt()
{
    const NodeText text = renderData(QByteArray(3'000'000, 'x'), DataFormat::Automatic);
    QVERIFY(text.cut);
    QCOMPARE(text.text.size(), NodeText::MaxText + NodeText::MaxText / NodeText::MaxLine - 1);
    QCOMPARE(text.text.indexOf(u'\n'), NodeText::MaxLine); // a view lays a line out as a whole
    QVERIFY(renderData(QByteArray(1'000'000, '\0'), DataFormat::Automatic).cut);
}

void TextTest::dumpsHex()
{
    QCOMPARE(
        hexDump("Drover\x01\xff!", 8),
        u"000000  44 72 6f 76  65 72 01 ff  Drover..\n000008  21                        !\n"_qs); // in a narrow pane
    QCOMPARE(hexDump("Drover\x01\xff!"), u"000000  44 72 6f 76 65 72 01 ff  21                       Drover..!\n"_qs);
}

// The control pictures of Unicode are in no font of a Debian desktop.
void TextTest::marksWhatIsInvisible()
{
    QCOMPARE(marked("\x1b[31mred\x7f" + QByteArray(1, '\0')), u"⟨ESC⟩[31mred⟨DEL⟩⟨NUL⟩"_qs);
    QCOMPARE(marked(QString(u"a\u202eb"_qs)), u"a⟨U+202E⟩b"_qs);
    QCOMPARE(marked(QByteArray("a\tb\nc\r\n")), u"a⟨TAB⟩b⟨LF⟩c⟨CR⟩⟨LF⟩"_qs);
    QCOMPARE(marked(QByteArray("a\tb\nc\r\n"), drover::text::LineEnds::Keep), u"a\tb\nc⟨CR⟩\n"_qs);
}

void TextTest::laysOutStructures()
{
    // The order of keys, and numbers that are no double, stay as they are written.
    QCOMPARE(*prettyJson(R"({"b":12345678901234567890,"a":[1,{"c":"}\"x"}],"e":{ },"d":[]})"), uR"({
    "b": 12345678901234567890,
    "a": [
        1,
        {
            "c": "}\"x"
        }
    ],
    "e": {},
    "d": []
})"_qs);
    QVERIFY(!prettyJson("{\"a\":"));
    QCOMPARE(*prettyXml("<a><b>1</b><c d='2'/></a>"), u"<a>\n    <b>1</b>\n    <c d=\"2\"/>\n</a>"_qs);
    QCOMPARE(*prettyProperties(u"! c\nlong=one, \\\n   two\nname:\\u4e2d"_qs), u"! c\nlong = one, two\nname = 中"_qs);
    QVERIFY(!prettyProperties(u"# only a comment"_qs));
}

void TextTest::unpacksGzip()
{
    QCOMPARE(gunzip(Gzip, 100).value_or(QByteArray()), QByteArray("{\"a\":1}"));
    QCOMPARE(renderData(Gzip, DataFormat::Automatic).unpacked, 7);
    QVERIFY(!gunzip(Gzip, 6)); // longer than allowed
    QVERIFY(!gunzip(Gzip.first(15), 100));
    QVERIFY(!gunzip("no gzip", 100));
}

void TextTest::findsTheFewestChangedLines()
{
    const auto inShort = [](const QString &before, const QString &after) {
        QString text;
        const QList<DiffLine> lines = diffLines(before, after);
        for (const DiffLine &line : lines) {
            text += QStringLiteral(" -+~")[int(line.kind)];
            text += line.kind == DiffLine::Skipped ? QString::number(line.count) : line.text;
        }
        return text;
    };
    QCOMPARE(inShort(u"a\nb\nc"_qs, u"a\nx\nc"_qs), u" a-b+x c"_qs);
    QCOMPARE(inShort(u"a\nb\nc\nd"_qs, u"b\nc\ne\nd"_qs), u"-a b c+e d"_qs);
    QCOMPARE(inShort(u"a"_qs, u"a"_qs), u" a"_qs);
    QCOMPARE(inShort(QString(), u"a"_qs), u"-+a"_qs);
    QCOMPARE(inShort(u"1\n2\n3\n4\n5\n6\n7\n8"_qs, u"1\n2\n3\n4\n5\n6\n7\nx"_qs), u"~4 5 6 7-8+x"_qs);
    // Each line differs: no table of 10^10 cells.
    const QString many = u"a\n"_qs.repeated(100'000);
    QCOMPARE(diffLines(many, QString(many).replace(u'a', u'b')).size(), 200'001);
}

namespace {

// The lines, the last as well, with the style of each run that has one: "[31]red[] plain".
QString shown(QList<TerminalText::Line> all, const TerminalText::Line &last)
{
    QStringList lines;
    all.append(last);
    for (const TerminalText::Line &line : std::as_const(all)) {
        QString text;
        for (const TerminalText::Run &run : line) {
            const TerminalText::Style &style = run.style;
            const QString mark = style == TerminalText::Style()
                ? QString()
                : u"<%1 %2%3>"_qs.arg(style.foreground).arg(style.background).arg(style.bold ? u" b"_qs : QString());
            text += mark + run.text;
        }
        lines << text;
    }
    return lines.join(u'\n');
}

} // namespace

void TextTest::readsWhatATerminalWould_data()
{
    QTest::addColumn<QString>("written");
    QTest::addColumn<QString>("seen");
    QTest::newRow("lines") << u"a\nb"_qs << u"a\nb"_qs;
    QTest::newRow("crlf") << u"a\r\nb\r\n"_qs << u"a\nb\n"_qs;
    QTest::newRow("return") << u"10 %\r20 %"_qs << u"20 %"_qs;
    QTest::newRow("shorter") << u"abcdef\rxy"_qs << u"xycdef"_qs;
    QTest::newRow("erase") << u"abcdef\r\x1b[Kxy"_qs << u"xy"_qs;
    QTest::newRow("colours") << u"\x1b[1;31mred\x1b[0m plain"_qs << u"<1 -1 b>red plain"_qs;
    QTest::newRow("256") << u"\x1b[38;5;208;48;5;16mo"_qs << u"<208 16>o"_qs;
    QTest::newRow("rgb") << u"\x1b[38;2;1;2;3mo"_qs << u"<%1 -1>o"_qs.arg(0x1010203);
    QTest::newRow("marks") << u"a\x07\x1b[2Jb\x1b]0;title\x07"_qs << u"a⟨BEL⟩⟨ESC⟩[2Jb⟨ESC⟩]0;title⟨BEL⟩"_qs;
    QTest::newRow("no sequence") << u"\x1b["_qs + QString(100, u'1') << u"⟨ESC⟩["_qs + QString(100, u'1');
    QTest::newRow("pairs") << u"\U0001f40e\r\n\U0001f411"_qs << u"\U0001f40e\n\U0001f411"_qs;
}

void TextTest::readsWhatATerminalWould()
{
    QFETCH(QString, written);
    QFETCH(QString, seen);
    TerminalText terminal;
    const QList<TerminalText::Line> ended = terminal.add(written);
    QCOMPARE(shown(ended, terminal.current()), seen);
}

void TextTest::aSequenceMayComeInPieces()
{
    const QString written = u"a\x1b[1;31mred\x1b[0m\r\n\U0001f411 \x1b[Kend"_qs;
    TerminalText whole;
    const QList<TerminalText::Line> expected = whole.add(written);
    TerminalText terminal;
    QList<TerminalText::Line> ended;
    for (const QChar c : written)
        ended += terminal.add(QString(c));
    QCOMPARE(shown(ended, terminal.current()), shown(expected, whole.current()));
}

void TextTest::linesOfAKindHaveItsWord()
{
    for (const LineKind kind :
         {LineKind::Lock, LineKind::Limit, LineKind::Election, LineKind::DoubleBarrier, LineKind::Barrier})
        QVERIFY2(kindOfLine(lineName(kind, "gpu")) == kind, lineName(kind, "gpu").constData());
    QVERIFY(kindOfLine("/locks/gpu") == LineKind::Found);
    const auto limitOf = [](LineKind kind, const QByteArray &name) {
        LockRow row;
        row.lock = lineName(kind, name);
        row.permits = 2;
        return nameOfLimit(row);
    };
    QCOMPARE(limitOf(LineKind::Limit, "gpu"), QByteArray("gpu"));
    QCOMPARE(limitOf(LineKind::Limit, "queue:gpu"), QByteArray());
    QCOMPARE(limitOf(LineKind::Election, "gpu"), QByteArray());
    QCOMPARE(entityText({EntityRef::Kind::Lock, "gpu"}), u"lock gpu"_qs);
    QCOMPARE(entityText({EntityRef::Kind::Lock, "limit gpu"}), u"limit gpu"_qs); // it was "lock limit gpu"
    QCOMPARE(entityText({EntityRef::Kind::Lock, "/locks/gpu"}), u"lock /locks/gpu"_qs);
}

QTEST_GUILESS_MAIN(TextTest)
#include "text_test.moc"
