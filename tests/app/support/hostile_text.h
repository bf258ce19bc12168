#pragma once

#include <QByteArrayList>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QString>

#include <exception>
#include <functional>

namespace drover::test {

// What terminals would obey: a title, a colour by a C1 control character, text in reverse. The numbers would be filled
// in by a message that is put together in the wrong way. The rest is one of the tags that no font shows.
inline const QString Hostile = u"x\x1b]0;title%1%2%3%4%5\x07 \x9b"
                               "31m \x202e y"_qs
    + QString::fromUcs4(U"\U000e0041");

// As a znode's name, which may hold no control characters.
inline const QByteArray HostileName = u"title%1%2%3%4%5\x202e"_qs.toUtf8();

inline QString harmIn(const QByteArray &shown)
{
    const QString text = QString::fromUtf8(shown);
    for (const QChar c : {u'\x1b', u'\x07', u'\x9b', u'\x202e'}) {
        if (text.contains(c))
            return QStringLiteral("it holds U+%1").arg(uint(c.unicode()), 4, 16, QLatin1Char('0'));
    }
    if (text.contains(QString::fromUcs4(U"\U000e0041")))
        return QStringLiteral("it holds a tag");
    if (text.count(u"title") != text.count(u"title%1%2%3%4%5"))
        return QStringLiteral("a text was taken for a pattern");
    return {};
}

// The record once for each text in it, at any depth, with a hostile one in that place.
inline QList<QJsonValue> hostile(const QJsonValue &sound)
{
    QList<QJsonValue> all;
    if (sound.isString())
        all.append(Hostile);
    if (sound.isArray()) {
        const QJsonArray array = sound.toArray();
        for (qsizetype i = 0; i < array.size(); ++i) {
            for (const QJsonValue &item : hostile(array[i])) {
                QJsonArray changed = array;
                changed[i] = item;
                all.append(changed);
            }
        }
    }
    if (sound.isObject()) {
        const QJsonObject object = sound.toObject();
        for (const QString &key : object.keys()) {
            for (const QJsonValue &item : hostile(object.value(key))) {
                QJsonObject changed = object;
                changed.insert(key, item);
                all.append(changed);
            }
        }
    }
    return all;
}

inline QByteArray stored(const QJsonValue &record)
{
    return QJsonDocument(record.toObject()).toJson(QJsonDocument::Compact);
}

// The first has as many hostile texts as it may have and still be read; each other one has one. `decode` throws if a
// record cannot be read.
inline QByteArrayList hostile(const QByteArray &sound, const std::function<void(const QByteArray &)> &decode)
{
    const QJsonValue object = QJsonDocument::fromJson(sound).object();
    QByteArrayList all;
    for (const QJsonValue &changed : hostile(object))
        all.append(stored(changed));
    QJsonValue most = object;
    for (qsizetype i = 0; i < all.size(); ++i) { // a hostile text is a text: the number of variants stays
        const QJsonValue next = hostile(most)[i];
        try {
            decode(stored(next));
            most = next;
        } catch (const std::exception &) {
        }
    }
    all.prepend(stored(most));
    return all;
}

} // namespace drover::test
