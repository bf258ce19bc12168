#include "fuzz/harness/mutation.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <limits>

namespace drover::fuzz {

namespace {

constexpr int MaxDepth = 8;

int below(qsizetype count, Random &random)
{
    return static_cast<int>(random() % static_cast<std::size_t>(std::max<qsizetype>(count, 1)));
}

QJsonValue anyNumber(Random &random)
{
    constexpr std::array<double, 11> Reals{
        0, -1, 2, 10, 255, 1e6, 0.5, -0.0, 1e300, 9007199254740993., -9007199254740993.};
    constexpr std::array<qint64, 8> Whole{1,
                                          127,
                                          1 << 30,
                                          std::numeric_limits<qint32>::max(),
                                          qint64(1) << 31,
                                          qint64(1) << 53,
                                          std::numeric_limits<qint64>::max(),
                                          std::numeric_limits<qint64>::min()};
    if (random() % 2 == 0)
        return Reals[static_cast<std::size_t>(below(Reals.size(), random))];
    return Whole[static_cast<std::size_t>(below(Whole.size(), random))];
}

QString anyText(Random &random)
{
    static const QStringList Texts{QString(),
                                   QStringLiteral("a"),
                                   QStringLiteral("default-42.7"),
                                   QStringLiteral("1-10:3%2,12"),
                                   QStringLiteral("../.."),
                                   QStringLiteral("a/b"),
                                   QStringLiteral("ok:default-1"),
                                   QStringLiteral("nofile=9223372036854775807"),
                                   QStringLiteral("%j %n %%"),
                                   QString(QChar(0)),
                                   QString(QChar(0xd800)),
                                   QStringLiteral("\u202e\u0085\u00e9"),
                                   QString(300, u'x')};
    return Texts[below(Texts.size(), random)];
}

QString changedText(QString text, Random &random)
{
    if (text.isEmpty() || random() % 4 == 0)
        return anyText(random);
    const qsizetype at = below(text.size(), random);
    switch (random() % 4) {
    case 0:
        return text.remove(at, 1);
    case 1:
        return text.insert(at, QChar(static_cast<char16_t>(random() % 160)));
    case 2:
        return text.mid(at);
    default:
        text[at] = QChar(static_cast<char16_t>(' ' + random() % 95));
        return text;
    }
}

QJsonValue anyValue(Random &random)
{
    switch (random() % 7) {
    case 0:
        return anyText(random);
    case 1:
        return QJsonValue();
    case 2:
        return random() % 2 == 0;
    case 3:
        return QJsonArray{anyText(random), anyNumber(random)};
    case 4:
        return QJsonObject{{anyText(random), anyText(random)}};
    default:
        return anyNumber(random);
    }
}

QJsonValue changedNumber(double number, Random &random)
{
    switch (random() % 4) {
    case 0:
        return number + 1;
    case 1:
        return -number;
    case 2:
        return number * 2;
    default:
        return anyNumber(random);
    }
}

QJsonObject changed(QJsonObject object, int depth, Random &random);

QJsonArray changed(QJsonArray array, int depth, Random &random);

QJsonValue changed(const QJsonValue &value, int depth, Random &random)
{
    if (depth == MaxDepth || random() % 8 == 0)
        return anyValue(random);
    if (value.isObject())
        return changed(value.toObject(), depth + 1, random);
    if (value.isArray())
        return changed(value.toArray(), depth + 1, random);
    if (value.isString())
        return changedText(value.toString(), random);
    if (value.isDouble())
        return changedNumber(value.toDouble(), random);
    if (value.isBool())
        return !value.toBool();
    return anyValue(random);
}

QJsonObject changed(QJsonObject object, int depth, Random &random)
{
    if (object.isEmpty()) {
        object.insert(anyText(random), anyValue(random));
        return object;
    }
    const QStringList keys = object.keys();
    const QString &key = keys[below(keys.size(), random)];
    switch (random() % 10) {
    case 0:
        object.remove(key);
        break;
    case 1:
        object.insert(changedText(key, random), object.take(key));
        break;
    case 2:
        object.insert(key, object.value(keys[below(keys.size(), random)]));
        break;
    default:
        object.insert(key, changed(object.value(key), depth, random));
    }
    return object;
}

QJsonArray changed(QJsonArray array, int depth, Random &random)
{
    if (array.isEmpty()) {
        array.append(anyValue(random));
        return array;
    }
    const int at = below(array.size(), random);
    switch (random() % 6) {
    case 0:
        array.removeAt(at);
        break;
    case 1:
        array.insert(at, array.at(below(array.size(), random)));
        break;
    default:
        array[at] = changed(QJsonValue(array.at(at)), depth, random);
    }
    return array;
}

QByteArray withChangedBytes(QByteArray bytes, Random &random)
{
    const qsizetype at = below(bytes.size() + 1, random);
    const qsizetype length = below(std::min<qsizetype>(bytes.size() - at, 16) + 1, random);
    const auto byte = static_cast<char>(random() % 256);
    switch (random() % 6) {
    case 0:
        return bytes.remove(at, length);
    case 1:
        return bytes.insert(at, byte);
    case 2:
        return bytes.insert(below(bytes.size() + 1, random), bytes.mid(at, length));
    case 3:
        return bytes.left(at);
    default:
        if (at < bytes.size())
            bytes[at] = random() % 2 == 0 ? byte : static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
        return bytes;
    }
}

} // namespace

QByteArray mutatedJson(const QByteArray &document, Random &random)
{
    const qsizetype end = document.indexOf('\n');
    const QJsonDocument parsed = QJsonDocument::fromJson(end < 0 ? document : document.first(end));
    if (!parsed.isObject())
        return {};
    QJsonObject object = parsed.object();
    for (std::size_t i = 0, changes = 1 + random() % 3; i < changes; ++i)
        object = changed(object, 0, random);
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + (end < 0 ? QByteArray() : document.mid(end));
}

QByteArray mutated(const QByteArray &input, Form form, Random &random)
{
    if (form == Form::Json && random() % 4 != 0) {
        if (QByteArray json = mutatedJson(input, random); !json.isEmpty())
            return json;
    }
    QByteArray bytes = input;
    for (std::size_t i = 0, changes = 1 + random() % 4; i < changes; ++i)
        bytes = withChangedBytes(std::move(bytes), random);
    return bytes;
}

} // namespace drover::fuzz
