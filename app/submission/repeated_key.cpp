#include "app/submission/repeated_key.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>

#include <algorithm>
#include <vector>

namespace drover::app {

namespace {

// Behind the closing quotation mark of the text that begins at `begin`.
qsizetype endOfText(const QByteArray &json, qsizetype begin)
{
    qsizetype at = begin + 1;
    while (at < json.size() && json[at] != '"')
        at += json[at] == '\\' ? 2 : 1;
    return std::min(at + 1, json.size());
}

qsizetype afterSpace(const QByteArray &json, qsizetype at)
{
    while (at < json.size() && QByteArrayView(" \t\r\n").contains(json[at]))
        ++at;
    return at;
}

// Two texts may mean the same key: "a" and "\u0061".
QString unescaped(const QByteArray &text)
{
    return QJsonDocument::fromJson('[' + text + ']').array().at(0).toString();
}

} // namespace

std::optional<RepeatedKey> repeatedKeyIn(const QByteArray &json)
{
    std::vector<QSet<QString>> keys; // of each object and array that is open here
    for (qsizetype at = 0; at < json.size();) {
        const char c = json[at];
        if (c == '{' || c == '[')
            keys.emplace_back();
        if ((c == '}' || c == ']') && !keys.empty())
            keys.pop_back();
        if (c != '"') {
            ++at;
            continue;
        }
        const qsizetype end = endOfText(json, at);
        const qsizetype next = afterSpace(json, end);
        if (next < json.size() && json[next] == ':' && !keys.empty()) {
            const QString name = unescaped(json.mid(at, end - at));
            if (keys.back().contains(name))
                return RepeatedKey{name, int(json.left(at).count('\n')) + 1};
            keys.back().insert(name);
        }
        at = end;
    }
    return std::nullopt;
}

} // namespace drover::app
