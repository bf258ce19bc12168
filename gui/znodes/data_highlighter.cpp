#include "gui/znodes/data_highlighter.h"

#include "gui/widgets/theme.h"

#include <QRegularExpression>
#include <QWidget>

namespace drover::gui {

namespace {

enum class Token { Key, String, Literal, Quiet };

struct Rule {
    QRegularExpression pattern; // its first group is coloured
    Token token;
};

// The first rule that matches at a place wins.
const QList<Rule> &rulesOf(DataFormat format)
{
    static const QList<Rule> json{
        {QRegularExpression(QStringLiteral(R"re(("(?:[^"\\]|\\.)*")\s*:)re")), Token::Key},
        {QRegularExpression(QStringLiteral(R"re(("(?:[^"\\]|\\.)*"))re")), Token::String},
        {QRegularExpression(QStringLiteral(R"re((-?\b\d[\d.eE+-]*|\btrue\b|\bfalse\b|\bnull\b))re")), Token::Literal}};
    static const QList<Rule> xml{{QRegularExpression(QStringLiteral("(<!--.*?(?:-->|$))")), Token::Quiet},
                                 {QRegularExpression(QStringLiteral("(</?[\\w:.-]+|/?>|<\\?.*?\\?>)")), Token::Key},
                                 {QRegularExpression(QStringLiteral("(\"[^\"]*\")")), Token::String}};
    static const QList<Rule> properties{{QRegularExpression(QStringLiteral("^([#!].*)$")), Token::Quiet},
                                        {QRegularExpression(QStringLiteral("^([^=]+) = ")), Token::Key}};
    static const QList<Rule> none;
    switch (format) {
    case DataFormat::Json:
        return json;
    case DataFormat::Xml:
        return xml;
    case DataFormat::Properties:
        return properties;
    default:
        return none;
    }
}

QColor colorOf(Token token, const QPalette &palette)
{
    switch (token) {
    case Token::Key:
        return toneColor(Tone::Busy, palette);
    case Token::String:
        return toneColor(Tone::Good, palette);
    case Token::Literal:
        return toneColor(Tone::Waiting, palette);
    case Token::Quiet:
        return mutedText(palette);
    }
    return {};
}

} // namespace

void DataHighlighter::highlightBlock(const QString &line)
{
    const QList<Rule> &rules = rulesOf(m_format);
    QList<QRegularExpressionMatch> next; // of each rule, the first at or behind `done`
    for (const Rule &rule : rules)
        next.append(rule.pattern.match(line));
    for (qsizetype done = 0; done < line.size();) {
        qsizetype first = -1;
        for (qsizetype i = 0; i < rules.size(); ++i) {
            if (next[i].hasMatch() && next[i].capturedStart(1) < done)
                next[i] = rules[i].pattern.match(line, done);
            if (next[i].hasMatch() && (first < 0 || next[i].capturedStart(1) < next[first].capturedStart(1)))
                first = i;
        }
        if (first < 0)
            return;
        const auto begin = int(next[first].capturedStart(1));
        const auto length = int(next[first].capturedLength(1));
        setFormat(begin, length, colorOf(rules[first].token, m_widget.palette()));
        done = begin + std::max(length, 1);
    }
}

} // namespace drover::gui
