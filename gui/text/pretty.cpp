#include "gui/text/pretty.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>

namespace drover::gui {

namespace {

QString lineAt(int depth)
{
    return u'\n' + QString(depth * Indent, u' ');
}

bool isJsonBlank(QChar c)
{
    return c == u' ' || c == u'\t' || c == u'\n' || c == u'\r';
}

// Of a valid document.
QString indented(const QString &json)
{
    QString shown;
    shown.reserve(json.size() * 2);
    int depth = 0;
    bool inString = false;
    for (qsizetype i = 0; i < json.size(); ++i) {
        const QChar c = json[i];
        if (inString) {
            shown += c;
            if (c == u'\\' && i + 1 < json.size())
                shown += json[++i];
            inString = c != u'"';
            continue;
        }
        if (isJsonBlank(c))
            continue;
        if (c == u'}' || c == u']')
            shown += lineAt(--depth);
        shown += c;
        if (c == u'{' || c == u'[') {
            qsizetype next = i + 1;
            while (next < json.size() && isJsonBlank(json[next]))
                ++next;
            if (next < json.size() && (json[next] == u'}' || json[next] == u']'))
                shown += json[i = next]; // an empty one takes no lines
            else
                shown += lineAt(++depth);
        } else if (c == u',') {
            shown += lineAt(depth);
        } else if (c == u':') {
            shown += u' ';
        }
        inString = c == u'"';
    }
    return shown;
}

QString withoutEscapes(const QString &text)
{
    static const QRegularExpression escape(QStringLiteral("\\\\u([0-9a-fA-F]{4})"));
    QString shown;
    qsizetype done = 0;
    for (auto it = escape.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        shown += QStringView(text).mid(done, match.capturedStart() - done);
        shown += QChar(match.capturedView(1).toUShort(nullptr, 16));
        done = match.capturedEnd();
    }
    return shown + text.mid(done);
}

} // namespace

std::optional<QString> prettyJson(const QByteArray &data)
{
    if (QJsonDocument::fromJson(data).isNull())
        return std::nullopt;
    return indented(QString::fromUtf8(data));
}

std::optional<QString> prettyXml(const QByteArray &data)
{
    if (!data.trimmed().startsWith('<'))
        return std::nullopt;
    QXmlStreamReader reader(data);
    QString shown;
    QXmlStreamWriter writer(&shown);
    writer.setAutoFormatting(true);
    writer.setAutoFormattingIndent(Indent);
    while (!reader.atEnd()) {
        reader.readNext();
        const bool isDeclared = !reader.isStartDocument() || data.trimmed().startsWith("<?xml");
        if (isDeclared && !reader.isWhitespace() && !reader.hasError())
            writer.writeCurrentToken(reader);
    }
    return reader.hasError() ? std::nullopt : std::optional(shown.trimmed());
}

std::optional<QString> prettyProperties(const QString &text)
{
    static const QRegularExpression continued(QStringLiteral("\\\\\r?\n[ \t]*"));
    static const QRegularExpression pair(QStringLiteral("^\\s*((?:[^\\s=:\\\\{\\[\"<]|\\\\.)+)\\s*[=:]\\s*(?!=)(.*)$"));
    QStringList shown;
    bool any = false;
    const QStringList lines = QString(text).replace(continued, QString()).split(u'\n');
    for (const QString &line : lines) {
        const QString bare = line.trimmed();
        const QRegularExpressionMatch match = pair.match(bare);
        const bool isComment = bare.startsWith(u'#') || bare.startsWith(u'!');
        if (!isComment && !bare.isEmpty() && !match.hasMatch())
            return std::nullopt;
        const bool isPair = !isComment && match.hasMatch();
        any = any || (isPair && !match.capturedView(2).isEmpty());
        shown << (isPair ? withoutEscapes(QStringLiteral("%1 = %2").arg(match.captured(1), match.captured(2))) : bare);
    }
    return any ? std::optional(shown.join(u'\n').trimmed()) : std::nullopt;
}

} // namespace drover::gui
