#include "text/clock_difference.h"
#include "text/hash.h"
#include "text/host_name.h"
#include "text/name.h"
#include "text/printable.h"
#include "text/spreadsheet.h"
#include "text/terminal_filter.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace drover::text;

class TextTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void jsonShowsWhatTerminalsWouldObey()
    {
        const QString name = u"a\x9b"
                             "31m \x202e \x7f \u00e4\u4e16"_qs
            + QString::fromUcs4(U"\U000e0001\U0001f600");
        const QByteArray json =
            QJsonDocument(QJsonObject{{QStringLiteral("name"), name}}).toJson(QJsonDocument::Compact);
        const QByteArray shown = printableJson(json);
        QCOMPARE(QJsonDocument::fromJson(shown).object().value(QStringLiteral("name")).toString(), name);
        QCOMPARE(QString::fromUtf8(shown),
                 u"{\"name\":\"a\\u009b31m \\u202e \\u007f \u00e4\u4e16\\udb40\\udc01\U0001f600\"}"_qs);
    }

    void hiddenCharactersAreShown_data();
    void hiddenCharactersAreShown();
    void lineEndsMayStay();
    void terminalsGetColoursAndLinesAlone_data();
    void terminalsGetColoursAndLinesAlone();
    void names_data();
    void names();
    void namesOfMachines_data();
    void namesOfMachines();
    void noTextIsAFormula_data();
    void noTextIsAFormula();
    void hashesNeverChange();
    void aClockIsAheadOrBehind();
};

void TextTest::hiddenCharactersAreShown_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shown");
    QTest::newRow("plain") << u"Größe 3 €"_qs << u"Größe 3 €"_qs;
    QTest::newRow("beyond 16 bits") << u"\U0001f600"_qs << u"\U0001f600"_qs;
    QTest::newRow("a terminal's colour") << u"a\x1b[31m"_qs << u"a\\x1b[31m"_qs;
    QTest::newRow("line end and tab") << u"a\tb\n"_qs << u"a\\x09b\\x0a"_qs;
    QTest::newRow("delete") << u"\x7f"_qs << u"\\x7f"_qs;
    QTest::newRow("a terminal's, with one byte") << u"\u009b"_qs << u"\\x9b"_qs;
    QTest::newRow("direction") << u"exe\u202egpj"_qs << u"exe\\u202egpj"_qs;
    QTest::newRow("isolate") << u"\u2066"_qs << u"\\u2066"_qs;
    QTest::newRow("no width") << u"a\u200bb\ufeff"_qs << u"a\\u200bb\\ufeff"_qs;
    QTest::newRow("soft hyphen") << u"\u00ad"_qs << u"\\xad"_qs;
    QTest::newRow("line separator") << u"\u2028\u2029"_qs << u"\\u2028\\u2029"_qs;
    QTest::newRow("tag") << u"\U000e0041"_qs << u"\\U000e0041"_qs;
    QTest::newRow("an unassigned one beside the tags") << u"\U000e0000"_qs << u"\\U000e0000"_qs;
    QTest::newRow("selector that no font shows") << u"\U000e0100"_qs << u"\\U000e0100"_qs;
    QTest::newRow("Arabic mark") << u"\u061c"_qs << u"\\u061c"_qs;
    QTest::newRow("Mongolian separator") << u"\u180e"_qs << u"\\u180e"_qs;
    QTest::newRow("half a pair") << QString(QChar(0xd800)) + u'x' << u"\\ud800x"_qs;
    QTest::newRow("the other half") << u'x' + QString(QChar(0xdc80)) << u"x\\udc80"_qs;
}

void TextTest::hiddenCharactersAreShown()
{
    QFETCH(QString, text);
    QFETCH(QString, shown);
    QCOMPARE(printable(text), shown);
}

void TextTest::lineEndsMayStay()
{
    QCOMPARE(printable(QByteArray("a\tb\n\r"), LineEnds::Keep), u"a\tb\n\\x0d"_qs);
}

void TextTest::terminalsGetColoursAndLinesAlone_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const char *name, const QByteArray &bytes, const QByteArray &shown) {
        QTest::newRow(name) << bytes << shown;
    };
    row("lines", "a\tb\nc\r\nd", "a\tb\nc\r\nd");
    row("UTF-8", "Gr\u00f6\u00dfe \u20ac \U0001f600", "Gr\u00f6\u00dfe \u20ac \U0001f600");
    row("a colour is ended", "\x1b[1;38:5:196mred", "\x1b[1;38:5:196mred\x1b[0m");
    row("a title", "\x1b]0;x\x07", "\\x1b]0;x\\x07");
    row("the screen", "\x1b[2Jx\x1b[1A", "\\x1b[2Jx\\x1b[1A");
    row("not quite a colour", "\x1b[?1m\x1b[1\x1b[", "\\x1b[?1m\\x1b[1\\x1b[");
    row("a colour without end", "\x1b[" + QByteArray(70, '1') + "m", "\\x1b[" + QByteArray(70, '1') + "m");
    row("back to the start of the line", "progress\rx", "progress\\x0dx");
    row("with one byte in UTF-8",
        "a\xc2\x9b"
        "31m",
        "a\\x9b31m");
    row("with one byte that is no UTF-8",
        "a\x9b"
        "31m",
        "a\\x9b31m");
    row("direction", "exe\u202egpj", "exe\\u202egpj");
    row("no UTF-8", "\xff\xc0\xaf\xed\xa0\x80\xc3", "\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xc3");
    row("the character for what is none", "\xef\xbf\xbd", "\xef\xbf\xbd");
    row("NUL", QByteArray("a\0b", 3), "a\\x00b");
}

// Whole, byte by byte, and cut at every place: no part decides.
void TextTest::terminalsGetColoursAndLinesAlone()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, shown);
    for (qsizetype cut = 0; cut <= bytes.size(); ++cut) {
        TerminalFilter filter;
        const QByteArray first = filter.pass(bytes.first(cut));
        const QByteArray second = filter.pass(bytes.mid(cut));
        QCOMPARE(first + second + filter.finish(), shown);
    }
    TerminalFilter filter;
    QByteArray all;
    for (const char byte : bytes)
        all += filter.pass(QByteArray(1, byte));
    QCOMPARE(all + filter.finish(), shown);
}

void TextTest::names_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isAName");
    QTest::addColumn<bool>("isALockName");
    const auto row = [](const QString &name, bool first, bool second) {
        QTest::newRow(qPrintable(name.left(12))) << name << first << second;
    };
    row(u"default"_qs, true, true);
    row(u"gpu-2"_qs, true, true);
    row(u"2"_qs, true, true);
    row(u"-gpu"_qs, false, true);
    row(u"Gpu"_qs, false, true);
    row(u"a.b_c"_qs, false, true);
    row(u".a"_qs, false, false);
    row(u"a/b"_qs, false, false);
    row(u"a b"_qs, false, false);
    row(u"größe"_qs, false, false);
    row(QString(), false, false);
    row(QString(32, u'x'), true, true);
    row(QString(33, u'y'), false, true);
    row(QString(65, u'z'), false, false);
}

void TextTest::names()
{
    QFETCH(QString, name);
    QTEST(isName(name), "isAName");
    QTEST(isLockName(name), "isALockName");
}

// They reach the environment of jobs: DROVER_GANG_PEERS.
void TextTest::namesOfMachines_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isOne");
    const QString part(63, u'a');
    const auto row = [](const char *what, const QString &name, bool isOne) { QTest::newRow(what) << name << isOne; };
    row("a word", u"build-7"_qs, true);
    row("a digit first, capitals", u"3com.Example.COM"_qs, true);
    row("an underscore", u"my_host"_qs, true);
    row("IPv4", u"10.0.0.1"_qs, true);
    row("IPv6", u"2001:db8::1"_qs, true);
    row("of all addresses", u"::"_qs, true);
    row("the longest", part + u'.' + part + u'.' + part + u'.' + part.first(61), true);
    row("too long", part + u'.' + part + u'.' + part + u'.' + part.first(62), false);
    row("too long a part", part + u'a', false);
    row("nothing", QString(), false);
    row("an empty part", u"a..b"_qs, false);
    row("a dot at the end", u"a."_qs, false);
    row("a hyphen first", u"-rf"_qs, false);
    row("a hyphen last", u"a-"_qs, false);
    row("two of them", u"a,b"_qs, false);
    row("a space", u"a b"_qs, false);
    row("a line end", u"a\nb"_qs, false);
    row("a command", u"$(id)"_qs, false);
    row("a path", u"../a"_qs, false);
    row("a port", u"a:80"_qs, false);
    row("IPv6 with a zone", u"fe80::1%eth0"_qs, false);
    row("IPv6 in brackets", u"[::1]"_qs, false);
    row("a null after IPv6", u"::1"_qs + QChar(0), false);
    row("no ASCII", u"\u00e4"_qs, false);
    row("(none)", u"(none)"_qs, false);
}

void TextTest::namesOfMachines()
{
    QFETCH(QString, name);
    QTEST(isHostName(name), "isOne");
}

// OWASP's list, and what is no formula.
void TextTest::noTextIsAFormula_data()
{
    QTest::addColumn<QString>("cell");
    QTest::addColumn<bool>("isFormula");
    for (const QChar begin : u"=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"_qs)
        QTest::addRow("begins with U+%04x", uint(begin.unicode())) << begin + u"cmd|' /C calc'!A0"_qs << true;
    const auto row = [](const char *cell, bool isFormula) {
        QTest::newRow(cell) << QString::fromLatin1(cell) << isFormula;
    };
    row("-1+1", true);
    row("+1;2", true);
    row("-", true);
    row("-1", false);
    row("+1.5", false);
    row("-1,234.5", false);
    row("-1e+3", false);
    row("default-1", false);
    row("a=b", false);
    row("'=1", false);
    row("", false);
}

void TextTest::noTextIsAFormula()
{
    QFETCH(QString, cell);
    QFETCH(bool, isFormula);
    QCOMPARE(sheetText(cell), isFormula ? u'\'' + cell : cell);
}

// Workers of two versions divide the work among them by these.
void TextTest::hashesNeverChange()
{
    QCOMPARE(hashOf(""), 0xcbf29ce484222325u);
    QCOMPARE(hashOf("foobar"), 0x85944171f73967e8u); // of the authors' test vectors
    QCOMPARE(hashOf("bar", hashOf("foo")), hashOf("foobar"));
    QVERIFY(hashOf("\xff") != hashOf("\x7f"));
    QCOMPARE(mixed(hashOf("foobar")), mixed(0x85944171f73967e8u));
    QCOMPARE(mixed(1), 0x5692161d100b05e5u);
}

void TextTest::aClockIsAheadOrBehind()
{
    using namespace std::chrono_literals;
    QCOMPARE(clockDifference(250s), QStringLiteral("4m10s ahead of ZooKeeper's"));
    QCOMPARE(clockDifference(-12300ms), QStringLiteral("12.3s behind ZooKeeper's"));
}

QTEST_GUILESS_MAIN(TextTest)
#include "text_test.moc"
