#include "source_tree.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

// Qt takes a tool tip that looks like HTML for it. So each one in gui/ is a text of ours, a time, or plainToolTip(...).
// `code` is free of comments and literals in all of these functions.

// From `start` to the character out of `ends` that stands outside of all brackets, or to the bracket that closes them.
QString upTo(QLatin1String ends, const QString &code, qsizetype start)
{
    int depth = 0;
    qsizetype end = start;
    for (; end < code.size(); ++end) {
        const QChar c = code[end];
        if (depth == 0 && (ends.contains(c) || u")]}"_s.contains(c)))
            break;
        if (u"([{"_s.contains(c))
            ++depth;
        if (u")]}"_s.contains(c))
            --depth;
    }
    return code.mid(start, end - start).simplified();
}

// a ? b : c ? d : e -> b, d, e
QStringList branches(const QString &expression)
{
    const QString condition = upTo("?"_L1, expression, 0);
    if (condition.size() == expression.size())
        return {expression};
    const qsizetype start = expression.indexOf(u'?', condition.size()) + 1;
    qsizetype colon = start;
    int open = 0;
    for (int nested = 0; colon < expression.size(); ++colon) {
        const QChar c = expression[colon];
        open += u"([{"_s.contains(c) ? 1 : u")]}"_s.contains(c) ? -1 : 0;
        nested += open == 0 && c == u'?' ? 1 : 0;
        const bool isColon = open == 0 && c == u':' && expression[colon - 1] != u':' && expression[colon + 1] != u':';
        if (isColon && nested-- == 0)
            break;
    }
    return branches(expression.mid(start, colon - start).trimmed()) + branches(expression.mid(colon + 1).trimmed());
}

bool isPlain(const QString &expression)
{
    static const QRegularExpression ours(u"^((\\w+::)?tr|plainToolTip|formatInstant\\w*|QString|QVariant)\\("_s);
    const QStringList all = branches(expression);
    return std::all_of(all.cbegin(), all.cend(), [](const QString &each) {
        return each.isEmpty() || each == u"{}"_s || each.endsWith(u"->toolTip()"_s) || ours.match(each).hasMatch();
    });
}

// The tool tips of a source that may hold markup, as they stand there.
QStringList rawToolTips(const QString &code)
{
    static const QRegularExpression setter(u"\\bsetToolTip\\("_s);
    static const QRegularExpression role(u"\\bcase Qt::ToolTipRole\\s*:"_s);
    static const QRegularExpression next(u"\\b(case|default)\\b"_s);
    static const QRegularExpression result(u"\\breturn\\b"_s);
    QStringList tips;
    for (auto it = setter.globalMatch(code); it.hasNext();) {
        qsizetype start = it.next().capturedEnd();
        const QString first = upTo(","_L1, code, start);
        const qsizetype comma = code.indexOf(u',', start);
        const bool hasColumn = comma >= 0 && code.mid(start, comma - start).simplified() == first;
        tips.append(hasColumn ? upTo(","_L1, code, comma + 1) : first);
    }
    for (auto it = role.globalMatch(code); it.hasNext();) {
        const qsizetype start = it.next().capturedEnd();
        const QString own = code.mid(start, next.match(code, start).capturedStart() - start);
        for (auto each = result.globalMatch(own); each.hasNext();)
            tips.append(upTo(";"_L1, own, each.next().capturedEnd()));
    }
    tips.removeIf([](const QString &tip) { return isPlain(tip); });
    return tips;
}

} // namespace

class ToolTipsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theRuleItself_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QStringList>("raw");
        const auto add = [](const char *name, const QString &code, const QStringList &raw) {
            QTest::newRow(name) << code << raw;
        };
        add("a text of ours", u"a->setToolTip(tr(   ));"_s, {});
        add("of a class", u"setToolTip(Words::tr(   ).arg(n));"_s, {});
        add("made plain", u"setToolTip(plainToolTip(name + x));"_s, {});
        add("foreign", u"setToolTip(name);"_s, {u"name"_s});
        add("with a column", u"item->setToolTip(0, name);"_s, {u"name"_s});
        add("a choice", u"setToolTip(a ? tr() : b == c::d ? plainToolTip(e) : QString());"_s, {});
        add("a foreign branch", u"setToolTip(a ? f(b, c) : tr());"_s, {u"a ? f(b, c) : tr()"_s});
        add("a role",
            u"case Qt::ToolTipRole:\n if (a)\n return formatInstant(b);\n return plainToolTip(c);\n case X:"_s, {});
        add("a foreign role", u"case Qt::ToolTipRole: return name; default: return {};"_s, {u"name"_s});
    }

    void theRuleItself()
    {
        QFETCH(QString, code);
        QTEST(rawToolTips(code), "raw");
    }

    void noToolTipTakesMarkup()
    {
        QStringList faults;
        int sources = 0;
        for (const SourceFile &file : sourceFiles()) {
            if (!file.path.startsWith(u"gui/"_s))
                continue;
            ++sources;
            for (const QString &tip : rawToolTips(withoutCommentsAndLiterals(file.text)))
                faults << u"%1: %2"_s.arg(file.path, tip);
        }
        QVERIFY(sources > 100); // or the folder is the wrong one
        QCOMPARE(faults, QStringList());
    }
};

QTEST_GUILESS_MAIN(ToolTipsTest)
#include "tool_tips_test.moc"
