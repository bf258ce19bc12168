#include "gui/text/marks.h"
#include "gui/words/node_words.h"
#include "recipes/blocks/node_kind.h"
#include "text/quantity.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>

namespace drover::gui {

namespace {

using recipes::NodeKind;

struct RecordTexts {
    Q_DECLARE_TR_FUNCTIONS(RecordWords)
};

// "An instance of the service web, at 10.0.0.5:8080": what Curator's service discovery writes.
QStringList serviceWords(const QByteArray &data)
{
    const QJsonObject service = QJsonDocument::fromJson(data).object();
    const auto text = [&](const char *key) { return marked(service.value(QLatin1String(key)).toString()); };
    if (text("name").isEmpty() || text("id").isEmpty() || !service.contains(QLatin1String("registrationTimeUTC")))
        return {};
    const auto port = [&](const char *key) { return service.value(QLatin1String(key)).toInteger(); };
    const QString host = text("address");
    QStringList lines{
        RecordTexts::tr("Curator's service discovery: instance %1 of the service %2.").arg(text("id"), text("name"))};
    if (port("port") > 0)
        lines << RecordTexts::tr("It is reached at %1:%2.").arg(host).arg(port("port"));
    if (port("sslPort") > 0)
        lines << RecordTexts::tr("It is reached by TLS at %1:%2.").arg(host).arg(port("sslPort"));
    lines << RecordTexts::tr("Registered %1, as %2.")
                 .arg(QDateTime::fromMSecsSinceEpoch(port("registrationTimeUTC"))
                          .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
                      text("serviceType").toLower());
    return lines;
}

bool isOfALine(NodeKind kind)
{
    return kind != NodeKind::Other && kind != NodeKind::Barrier && kind != NodeKind::Party;
}

// A place in a line, a lock's or an election's, and what its owner has written about itself.
QStringList lineWords(const zk::Path &path, const QByteArray &data, const zk::Stat &stat)
{
    const NodeKind kind = recipes::kindOf(path.name());
    const std::optional<qint32> number = zk::sequenceOf(path.name());
    if (!isOfALine(kind) || !number)
        return {};
    QStringList lines{RecordTexts::tr("Number %1 in the line of %2: %3.")
                          .arg(text::formatCount(*number), marked(path.parent().bytes()), recipes::describe(kind))};
    if (zk::lifeOf(stat) == zk::NodeLife::Persistent && kind != NodeKind::Queue && kind != NodeKind::CuratorQueue
        && kind != NodeKind::KazooQueue)
        lines << RecordTexts::tr("It is persistent: no end of a session takes it out of the line.");
    if (!data.isEmpty() && data.size() <= 200)
        lines << RecordTexts::tr("Its owner says: %1").arg(marked(data));
    return lines;
}

} // namespace

QStringList recordWords(const zk::Path &path, const QByteArray &data, const zk::Stat &stat)
{
    if (const QStringList words = clusterWords(path, data); !words.isEmpty())
        return words;
    if (const QStringList words = lineWords(path, data, stat); !words.isEmpty())
        return words;
    return serviceWords(data);
}

} // namespace drover::gui
