#include "gui/subtree/subtree_json.h"

#include "gui/words/node_words.h"
#include "text/printable.h"
#include "zk/access.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringDecoder>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr QLatin1String FormatName("drover-znodes");
constexpr int FormatVersion = 1;

struct FileTexts {
    Q_DECLARE_TR_FUNCTIONS(SubtreeJson)
};

QJsonObject asObject(const SubtreeNode &node, qsizetype topLength)
{
    QJsonObject object{{QStringLiteral("path"), QString::fromUtf8(node.path.bytes().mid(topLength))}};
    QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decode(node.data);
    if (decode.hasError())
        object.insert(QStringLiteral("base64"), QString::fromLatin1(node.data.toBase64()));
    else if (!node.data.isEmpty())
        object.insert(QStringLiteral("data"), text);
    object.insert(QStringLiteral("acl"), aclText(node.acl));
    if (node.isEphemeral())
        object.insert(QStringLiteral("ephemeral"), true);
    return object;
}

QByteArray dataOf(const QJsonObject &object)
{
    if (!object.contains(QLatin1String("base64")))
        return object.value(QLatin1String("data")).toString().toUtf8();
    const auto decoded = QByteArray::fromBase64Encoding(object.value(QLatin1String("base64")).toString().toLatin1(),
                                                        QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        throw SubtreeTrouble(FileTexts::tr("the data of %1 are not base64")
                                 .arg(text::printable(object.value(QLatin1String("path")).toString())));
    return *decoded;
}

SubtreeNode nodeOf(const QJsonValue &value, const zk::Path &top)
{
    const QJsonObject object = value.toObject();
    const QJsonValue path = object.value(QLatin1String("path"));
    if (!path.isString())
        throw SubtreeTrouble(FileTexts::tr("a node of the file has no path"));
    const QByteArray below = path.toString().toUtf8();
    try {
        SubtreeNode node{below.isEmpty() ? top : top / below, dataOf(object), {}, {}};
        const QString acl = object.value(QLatin1String("acl")).toString();
        if (!acl.isEmpty())
            node.acl = zk::parseAcl(acl.toUtf8());
        node.stat.dataLength = qint32(node.data.size());
        node.stat.ephemeralOwner = object.value(QLatin1String("ephemeral")).toBool() ? 1 : 0;
        return node;
    } catch (const zk::InvalidPath &error) {
        throw SubtreeTrouble(QString::fromUtf8(error.what()));
    } catch (const zk::InvalidAccess &error) {
        throw SubtreeTrouble(QString::fromUtf8(error.what()));
    }
}

} // namespace

QByteArray toJson(const Subtree &subtree)
{
    const zk::Path &top = subtree.front().path;
    QJsonArray nodes;
    for (const SubtreeNode &node : subtree) {
        const bool isTop = node.path == top;
        nodes.append(asObject(node, isTop ? node.path.bytes().size() : top.isRoot() ? 1 : top.bytes().size() + 1));
    }
    const QJsonObject file{{QStringLiteral("format"), FormatName},
                           {QStringLiteral("v"), FormatVersion},
                           {QStringLiteral("top"), top.toString()},
                           {QStringLiteral("nodes"), nodes}};
    return QJsonDocument(file).toJson(QJsonDocument::Indented);
}

Subtree fromJson(const QByteArray &json)
{
    QJsonParseError error;
    const QJsonObject file = QJsonDocument::fromJson(json, &error).object();
    if (error.error != QJsonParseError::NoError)
        throw SubtreeTrouble(FileTexts::tr("the file is not JSON: %1").arg(error.errorString()));
    if (file.value(QLatin1String("format")).toString() != FormatName)
        throw SubtreeTrouble(FileTexts::tr("the file is not an export of znodes"));
    if (file.value(QLatin1String("v")).toInt() != FormatVersion)
        throw SubtreeTrouble(FileTexts::tr("the file has the version %1, and this console reads version %2")
                                 .arg(file.value(QLatin1String("v")).toInt())
                                 .arg(FormatVersion));
    Subtree subtree;
    const QJsonArray nodes = file.value(QLatin1String("nodes")).toArray();
    try {
        const zk::Path top(file.value(QLatin1String("top")).toString().toUtf8());
        for (const QJsonValue &node : nodes)
            subtree.push_back(nodeOf(node, top));
    } catch (const zk::InvalidPath &invalid) {
        throw SubtreeTrouble(QString::fromUtf8(invalid.what()));
    }
    if (subtree.empty())
        throw SubtreeTrouble(FileTexts::tr("the file has no nodes"));
    std::stable_sort(subtree.begin(), subtree.end(),
                     [](const SubtreeNode &a, const SubtreeNode &b) { return a.path < b.path; });
    return subtree;
}

} // namespace drover::gui
