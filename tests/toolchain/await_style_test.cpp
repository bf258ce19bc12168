#include "source_tree.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

// "Await to a name": a co_await is a whole statement, all that a variable is initialised with or assigned, or follows
// co_return; what is awaited holds no braced list, no capturing lambda and no choice (a ? b : c). GCC 12 miscompiles
// the other forms: it skips code, or destroys temporaries twice. `code` is free of comments and literals in all of
// these functions.

// The text between the last end of a statement, brace or parenthesis and `position`, and what ended there.
struct Before {
    QChar delimiter;
    QString text;
};

Before before(const QString &code, qsizetype position)
{
    qsizetype start = position;
    while (start > 0 && !u";{}()"_s.contains(code[start - 1]))
        --start;
    return {start > 0 ? code[start - 1] : QChar(u';'), code.mid(start, position - start).simplified()};
}

bool stands(const Before &before)
{
    static const QRegularExpression label(uR"(^(case [\w:]+|default) ?: ?)"_s);
    static const QRegularExpression statement(uR"(^((else|do)\b ?)?(co_return|\w+ =)?$)"_s);
    static const QRegularExpression initialiser(
        uR"(^[\w:]+( [\w:]+)*(<.*>)?( const)?( [&*]{1,2}(const )?| |[&*]{1,2} )\w+ =$)"_s);
    static const QRegularExpression noType(uR"(^(else|do|return|co_return|case|throw)\b)"_s);
    if (before.delimiter == u'(')
        return false; // a condition, an argument, a parenthesised part of an expression
    QString text = before.text;
    text.remove(label);
    return statement.match(text).hasMatch() || (initialiser.match(text).hasMatch() && !noType.match(text).hasMatch());
}

// What is awaited, up to the semicolon that ends its statement; null if something else comes first.
QString operand(const QString &code, qsizetype position)
{
    int depth = 0;
    for (qsizetype end = position; end < code.size(); ++end) {
        const QChar c = code[end];
        if (u"([{"_s.contains(c))
            ++depth;
        if (u")]}"_s.contains(c) && --depth < 0)
            return {};
        if (depth == 0 && c == u';')
            return code.mid(position, end - position).simplified() + u' ';
        if (depth == 0 && c == u','
            && code.mid(position, end - position).count(u'<') == code.mid(position, end - position).count(u'>'))
            return {};
    }
    return {};
}

// The operand with the contents of its parentheses and brackets removed: f(a + b).c[d + e] -> f().c[]
QString outermost(const QString &operand)
{
    QString result;
    int depth = 0;
    for (const QChar c : operand) {
        if (u")]"_s.contains(c))
            --depth;
        if (depth == 0)
            result += c;
        if (u"(["_s.contains(c))
            ++depth;
    }
    return result;
}

bool isSimple(const QString &operand)
{
    // The format check puts spaces around binary operators, and none within a template's angle brackets.
    static const QRegularExpression operation(uR"( (?:[-+*/%&|^?:=<>!]|<=>|&&|\|\|)=? )"_s);
    static const QRegularExpression capture(uR"((?:^|[(,{=]|\breturn) ?\[[^\]]+\] ?[({])"_s);
    static const QRegularExpression choice(uR"( \? )"_s);
    static const QRegularExpression braces(uR"((?<![)\]] )(?<![)\]])\{)"_s); // but a lambda's body
    return !operation.match(outermost(operand)).hasMatch() && !capture.match(operand).hasMatch()
        && !choice.match(operand).hasMatch() && !braces.match(operand).hasMatch();
}

// The faults of one file, one line a fault.
QStringList faults(const SourceFile &file)
{
    static const QRegularExpression await(uR"((?<!operator )\bco_await\b)"_s);
    const QString code = withoutCommentsAndLiterals(file.text);
    QStringList found;
    for (auto it = await.globalMatch(code); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const QString awaited = operand(code, match.capturedEnd());
        if (stands(before(code, match.capturedStart())) && !awaited.isNull() && isSimple(awaited))
            continue;
        const qsizetype line = code.left(match.capturedStart()).count(u'\n');
        found << u"%1:%2: await to a name: %3"_s.arg(file.path).arg(line + 1).arg(
            file.text.section(u'\n', line, line).trimmed());
    }
    return found;
}

} // namespace

class AwaitStyleTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void good_data()
    {
        QTest::addColumn<QString>("code");
        const auto add = [](const QString &code) { QTest::newRow(qPrintable(code)) << code; };
        add(u"{ co_await event.wait(); }"_s);
        add(u"{ f(); co_await task; }"_s);
        add(u"const Reply reply = co_await zk.get(path);"_s);
        add(u"auto x = co_await std::move(task);"_s);
        add(u"auto &x = co_await future;"_s);
        add(u"Client *const zk = co_await connect();"_s);
        add(u"const std::optional<QString> &x = co_await future;"_s);
        add(u"const std::map<int, QString> x = co_await future;"_s);
        add(u"T value = co_await task;"_s);
        add(u"co_return co_await lock.acquire();"_s);
        add(u"if (a > b)\n    co_await c;"_s);
        add(u"for (;;) { const int x = co_await orTimeout<int>(loop, f(a, b + 1), 5s); }"_s);
        add(u"if (a)\n    co_await b;\nelse\n    co_await c;"_s);
        add(u"do {\n    co_await b;\n} while (a);"_s);
        add(u"switch (a) { case X::Y: co_await b; break; default: co_await c; }"_s);
        add(u"const auto f = [&]() -> Task<void> { co_await b; };"_s);
        add(u"co_await group.run([](int x) { return x; });"_s);
        add(u"co_await items[index - 1];"_s);
        add(u"value = co_await x;"_s);
        add(u"if (a)\n    b = co_await c;\nelse\n    b = co_await d;"_s);
        add(u"co_await connection->closed();"_s);
        add(u"// never if (co_await x)\n/* f(co_await x) */ const char *s = \"f(co_await x)\";"_s);
        add(u"Awaiter operator co_await() const noexcept { return {}; }"_s);
        add(u"const int n = 1'000; const char c = '\"'; co_await a; const char d = '\"';"_s);
    }

    void good()
    {
        QFETCH(QString, code);
        QCOMPARE(faults({u"good.cpp"_s, code}), QStringList());
    }

    void bad_data()
    {
        QTest::addColumn<QString>("code");
        const auto add = [](const QString &code) { QTest::newRow(qPrintable(code)) << code; };
        add(u"if (co_await x) { }"_s);
        add(u"if (const bool b = co_await x; b) { }"_s);
        add(u"if (!co_await x) { }"_s);
        add(u"while (a && co_await x) { }"_s);
        add(u"switch (co_await x) { }"_s);
        add(u"for (const int i : co_await x) { }"_s);
        add(u"f(co_await x);"_s);
        add(u"f(a, co_await x);"_s);
        add(u"f({a, co_await x});"_s);
        add(u"const Point p{co_await x, 1};"_s);
        add(u"const Point p = {1, co_await x};"_s);
        add(u"const Point p{co_await x};"_s);
        add(u"const int i(co_await x);"_s);
        add(u"const int i = 1 + co_await x;"_s);
        add(u"const int i = co_await x + 1;"_s);
        add(u"const int i = co_await x ? 1 : 2;"_s);
        add(u"const bool b = co_await x == y;"_s);
        add(u"const int i = (co_await x).size();"_s);
        add(u"const int i = a ? co_await x : 1;"_s);
        add(u"co_return f(co_await x);"_s);
        add(u"co_return co_await x + 1;"_s);
        add(u"auto [a, b] = co_await x;"_s);
        add(u"items[1] = co_await x;"_s);
        add(u"i += co_await x;"_s);
        add(u"i = j = co_await x;"_s);
        add(u"m_state.value = co_await x;"_s);
        add(u"co_await f(Point{1, 2});"_s);
        add(u"co_await f({a, b});"_s);
        add(u"co_await f(a ? b() : c());"_s);
        add(u"co_await f([this] { return m_x; });"_s);
        add(u"co_await f(a, [&](int i) { return i; });"_s);
        add(u"const int i = co_await x, j = 1;"_s);
        add(u"out << co_await x;"_s);
        add(u"throw co_await x;"_s);
        add(u"const char *s = \"\\\"\"; f(co_await x);"_s);
        add(u"const auto s = R\"(\")\"; f(co_await x); // \""_s);
    }

    void bad()
    {
        QFETCH(QString, code);
        QVERIFY2(!faults({u"bad.cpp"_s, code}).isEmpty(), "not noticed");
    }

    void aFaultNamesItsLine()
    {
        QCOMPARE(faults({u"core/a.cpp"_s, u"\n// c\n  f(co_await x);\n"_s}),
                 QStringList(u"core/a.cpp:3: await to a name: f(co_await x);"_s));
    }

    void theSources()
    {
        const QList<SourceFile> files = sourceFiles();
        QVERIFY(files.size() > 10); // or the folder is the wrong one
        QStringList found;
        for (const SourceFile &file : files)
            found << faults(file);
        for (const QString &fault : found)
            qWarning("%ls", qUtf16Printable(fault)); // a single message would be cut off
        QCOMPARE(found.size(), 0);
    }
};

QTEST_GUILESS_MAIN(AwaitStyleTest)
#include "await_style_test.moc"
