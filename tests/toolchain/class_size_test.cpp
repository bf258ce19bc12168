#include "source_tree.h"

#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int maximumFunctions = 15; // private member functions of a class

// Counts the private member functions of each class that a file defines. Constructors, destructors and operators count;
// what is deleted or defaulted does not. It knows the C++ of this project, as clang-format writes it: a brace straight
// behind a name initialises, one behind a space opens a body.
class ClassScanner
{
public:
    explicit ClassScanner(const QString &text) : m_code(withoutCommentsAndLiterals(text))
    {
        static const QRegularExpression directive(uR"(^[ \t]*#([^\n]*\\\n)*[^\n]*$)"_s,
                                                  QRegularExpression::MultilineOption);
        m_code.remove(directive);
        readScope(QString(), false);
    }

    const QMap<QString, int> &counts() const { return m_counts; }

private:
    // Reads up to the brace that closes the class `name`, or the namespace if it is empty.
    void readScope(const QString &name, bool isPrivate)
    {
        static const QRegularExpression label(uR"(\b(public|protected|private|signals|Q_SIGNALS)( Q_SLOTS)?$)"_s);
        QString statement;
        for (; m_at < m_code.size(); ++m_at) {
            const QChar c = m_code[m_at];
            if (c == u'}')
                return;
            const QString access = c == u':' ? label.match(statement.simplified()).captured(1) : QString();
            if (!access.isEmpty()) {
                isPrivate = access == u"private";
                statement.clear();
            } else if (c == u'{' && opensScope(statement)) {
                ++m_at;
                readScope(nameOf(statement, name), startsPrivate(statement));
                statement = isTypeHead(statement) ? u"struct"_s : QString(); // a variable may follow the type
            } else if (c == u'{') {
                const bool isBody = m_code[m_at - 1].isSpace() && !initialises(statement);
                skipBraces();
                if (isBody) {
                    count(statement, name, isPrivate);
                    statement.clear();
                }
            } else if (c == u';') {
                count(statement, name, isPrivate);
                statement.clear();
            } else {
                statement += c;
            }
        }
    }

    // Whether the statement so far is the beginning of "x = {" or "x = [] {"; a default argument is not.
    static bool initialises(QString statement)
    {
        static const QRegularExpression arguments(uR"(\([^()]*\))"_s);
        for (QString before; before != statement;) {
            before = statement;
            statement.remove(arguments);
        }
        return statement.contains(u" = "_s);
    }

    static bool isTypeHead(const QString &statement)
    {
        static const QRegularExpression head(uR"(^(template ?<.*> ?)?(class|struct|union)\b[^()]*$)"_s);
        return head.match(statement.simplified()).hasMatch();
    }

    static bool opensScope(const QString &statement)
    {
        static const QRegularExpression other(uR"(^(inline )?namespace\b|^extern *$)"_s);
        return isTypeHead(statement) || other.match(statement.simplified()).hasMatch();
    }

    static bool startsPrivate(const QString &statement)
    {
        static const QRegularExpression head(uR"(^(template ?<.*> ?)?class\b)"_s);
        return head.match(statement.simplified()).hasMatch();
    }

    static QString nameOf(const QString &statement, const QString &outer)
    {
        static const QRegularExpression head(
            uR"(\b(?:class|struct|union) (?:\[\[\w+\]\] )?(?:alignas\(\w+\) )?([\w:]*\w)(?: ?<.*>)?(?: final)?(?: :[^:].*)?$)"_s);
        const QString inner = isTypeHead(statement) ? head.match(statement.simplified()).captured(1) : QString();
        return outer.isEmpty() || inner.isEmpty() ? outer + inner : outer + u"::"_s + inner;
    }

    // Leaves m_at on the brace that closes the one at m_at.
    void skipBraces()
    {
        int depth = 0;
        for (; m_at < m_code.size(); ++m_at) {
            depth += m_code[m_at] == u'{' ? 1 : m_code[m_at] == u'}' ? -1 : 0;
            if (depth == 0)
                return;
        }
    }

    void count(const QString &statement, const QString &name, bool isPrivate)
    {
        if (!name.isEmpty() && isPrivate && isFunction(statement))
            ++m_counts[name];
    }

    static bool isFunction(const QString &statement)
    {
        static const QRegularExpression symbols(uR"(operator ?[^\w\s(]+\()"_s);
        static const QRegularExpression call(uR"(operator ?\(\))"_s);
        static const QRegularExpression innermost(uR"(<[^<>]*>)"_s);
        static const QRegularExpression ignored(
            uR"(^(using|typedef|friend|static_assert|struct|class|union|enum)\b)"_s);
        static const QRegularExpression attribute(uR"(\b(alignas|Q_[A-Z_]+) ?\([^()]*\)|\[\[[^\]]*\]\])"_s);
        static const QRegularExpression function(uR"(^[^=(]*\b(\w+) ?\()"_s);
        static const QRegularExpression implicit(uR"(= ?(delete|default)$)"_s);
        QString text = statement.simplified();
        text.replace(call, u"operator_call"_s).replace(symbols, u"operator_symbol("_s).remove(attribute);
        for (QString before; before != text;) {
            before = text;
            text.remove(innermost); // std::function<void()> has parentheses, too
        }
        text = text.remove(u"template"_s).simplified();
        return !ignored.match(text).hasMatch() && !implicit.match(text).hasMatch() && function.match(text).hasMatch();
    }

    QString m_code;
    qsizetype m_at = 0;
    QMap<QString, int> m_counts; // of classes with at least one, by their names
};

// The list of exceptions: "core/zk/client/session.h Session 25".
QMap<QString, int> readExceptions(const QString &text, QStringList &faults)
{
    QMap<QString, int> exceptions;
    for (const QString &line : text.split(u'\n', Qt::SkipEmptyParts)) {
        if (line.startsWith(u'#'))
            continue;
        bool ok = false;
        const int number = line.section(u' ', 2).toInt(&ok);
        const QString key = line.section(u' ', 0, 1);
        if (!ok || exceptions.contains(key))
            faults << u"class_sizes.txt: '%1' is not a new \"FILE CLASS NUMBER\""_s.arg(line);
        exceptions[key] = number;
    }
    return exceptions;
}

// One line a fault: a class that is too large, an exception that is no longer needed, or that is larger than needed.
QStringList sizeFaults(const QList<SourceFile> &files, QMap<QString, int> exceptions)
{
    QStringList faults;
    for (const SourceFile &file : files) {
        const QMap<QString, int> counts = ClassScanner(file.text).counts();
        for (auto it = counts.begin(); it != counts.end(); ++it) {
            const QString key = file.path + u' ' + it.key();
            const int allowed = exceptions.value(key, maximumFunctions);
            if (it.value() > allowed)
                faults << u"%1 has %2 private member functions, %3 more than it may have: which of them are a class of "
                          "their own?"_s.arg(key)
                              .arg(it.value())
                              .arg(it.value() - allowed);
            else if (exceptions.contains(key) && it.value() < allowed && it.value() > maximumFunctions)
                faults << u"class_sizes.txt: %1 has %2 now; lower its number"_s.arg(key).arg(it.value());
            if (it.value() > maximumFunctions)
                exceptions.remove(key);
        }
    }
    for (const QString &key : exceptions.keys())
        faults << u"class_sizes.txt: %1 has at most %2 now, or is gone; remove its line"_s.arg(key).arg(
            maximumFunctions);
    return faults;
}

QString textOf(const QString &name)
{
    QFile file(QStringLiteral(DROVER_SOURCE_DIR "/tests/toolchain/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class ClassSizeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void privateFunctionsAreCounted_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("count");
        const auto add = [](int count, const QString &code) { QTest::newRow(qPrintable(code)) << code << count; };
        add(2, u"class X { int a(); void b() const; };"_s);
        add(1, u"class X { public: X(); int a(); private: X(int i); };"_s);
        add(0, u"struct X { int a(); int b() { return c(); } };"_s);
        add(1, u"struct X { int a(); private: int b(); protected: int c(); };"_s);
        add(2, u"class X final : public Y<int> { private Q_SLOTS: void a(); void b() {\n if (c()) { d(); } } };"_s);
        add(0, u"class X { Q_OBJECT\n std::function<void()> m_a; int m_b = f(1); int m_c{g(2)}; };"_s);
        add(1, u"class X { std::map<int, std::vector<int>> a(std::function<void()> f = nullptr); };"_s);
        add(0, u"class X { X(const X &) = delete; ~X() = default; friend void f(X); using F = void(int); };"_s);
        add(3,
            u"class X { X(int i) : m_i(i), m_j{i}\n { } bool operator()(int) const; bool operator<(const X &) const;"
            " int m_i; int m_j; };"_s);
        add(1, u"namespace a { namespace { class Y; class X { struct Z { void b(); } m_z; void a(); }; } }"_s);
        add(1, u"template <typename T> class X { template <typename U> U a(std::pair<T, U> b); };"_s);
        add(1, u"void f() { if (g()) { h(); } } class [[nodiscard]] X { // int b();\n virtual void a() = 0; };"_s);
        add(1, u"class X { const std::unique_ptr<int, D> m_p{new int(1)}; enum class E { A, B }; E a(); };"_s);
        add(2,
            u"class X { void a(int i = 1, int j = f(2)) { g({i, j}); } F m_f = [](int i) { return i; }; void b(); };"_s);
        add(1, u"class X : public Y { Q_OBJECT\n\npublic: void a(); private: void b(); };"_s);
        add(0, u"class X { public: X(); Q_SIGNALS: void a(); protected: void b(); };"_s);
    }

    void privateFunctionsAreCounted()
    {
        QFETCH(QString, code);
        QFETCH(int, count);
        QCOMPARE(ClassScanner(code).counts().value(u"X"_s), count);
    }

    void aNestedClassCountsItsOwn()
    {
        const QMap<QString, int> counts =
            ClassScanner(u"class X { void a(); class Y { void b(); void c(); }; void d(); void e(); };"_s).counts();
        QCOMPARE(counts, (QMap<QString, int>{{u"X"_s, 3}, {u"X::Y"_s, 2}}));
    }

    void exceptionsOnlyShrink()
    {
        const auto ofSize = [](int functions) {
            return QList<SourceFile>{{u"a.h"_s, u"class X { "_s + u"void f(); "_s.repeated(functions) + u"};"_s}};
        };
        const QMap<QString, int> twenty{{u"a.h X"_s, 20}};
        QCOMPARE(sizeFaults(ofSize(15), {}).size(), 0);
        QCOMPARE(sizeFaults(ofSize(16), {}).size(), 1);
        QCOMPARE(sizeFaults(ofSize(20), twenty).size(), 0);
        QCOMPARE(sizeFaults(ofSize(21), twenty).size(), 1);
        QCOMPARE(sizeFaults(ofSize(19), twenty).size(), 1); // the number has to follow
        QCOMPARE(sizeFaults(ofSize(15), twenty).size(), 1); // the line has to go
        QCOMPARE(sizeFaults({}, twenty).size(), 1);
    }

    void theSources()
    {
        QList<SourceFile> files = sourceFiles();
        files.removeIf([](const SourceFile &file) { return file.path.startsWith(u"tests/"_s); });
        QVERIFY(files.size() > 10); // or the folder is the wrong one
        QStringList faults;
        const QMap<QString, int> exceptions = readExceptions(textOf(u"class_sizes.txt"_s), faults);
        faults << sizeFaults(files, exceptions);
        for (const QString &fault : faults)
            qWarning("%ls", qUtf16Printable(fault));
        QCOMPARE(faults.size(), 0);
    }
};

QTEST_GUILESS_MAIN(ClassSizeTest)
#include "class_size_test.moc"
