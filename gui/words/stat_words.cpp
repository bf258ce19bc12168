#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/words/node_words.h"
#include "text/quantity.h"

#include <QCoreApplication>
#include <QDateTime>

namespace drover::gui {

namespace {

struct StatTexts {
    Q_DECLARE_TR_FUNCTIONS(StatWords)
};

QString changes(const QString &what, qint32 count)
{
    if (count == 0)
        return StatTexts::tr("%1 never changed").arg(what);
    return count == 1 ? StatTexts::tr("%1 changed once").arg(what)
                      : StatTexts::tr("%1 changed %2 times").arg(what, text::formatCount(count));
}

} // namespace

QString byteWords(qint64 bytes)
{
    constexpr qint64 Kibibyte = 1024;
    const QString exact = counted(bytes, Things::Bytes);
    return bytes < Kibibyte ? exact : QStringLiteral("%1 (%2)").arg(text::formatSize(bytes), exact);
}

QString zxidWords(zk::Zxid zxid)
{
    const auto bits = quint64(zxid);
    return StatTexts::tr("epoch %1, transaction %2 (%3)")
        .arg(text::formatCount(qint64(bits >> 32)), text::formatCount(qint64(bits & 0xffffffff)), formatHex(zxid));
}

QString instantWords(qint64 ms, qint64 nowMs)
{
    constexpr qint64 Second = 1000;
    if (ms == 0)
        return StatTexts::tr("at the ensemble's first start");
    const QString instant = QDateTime::fromMSecsSinceEpoch(ms).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    const qint64 seconds = (nowMs - ms) / Second;
    if (seconds <= 0)
        return StatTexts::tr("%1, now").arg(instant);
    return StatTexts::tr("%1, %2 ago").arg(instant, text::formatDuration(std::chrono::seconds(seconds)));
}

QString versionWords(const zk::Stat &stat)
{
    return StatTexts::tr("%1, %2, %3 (versions %4, %5, %6)")
        .arg(changes(StatTexts::tr("data"), stat.version), changes(StatTexts::tr("children"), stat.cversion),
             changes(StatTexts::tr("ACL"), stat.aversion))
        .arg(stat.version)
        .arg(stat.cversion)
        .arg(stat.aversion);
}

QString ownerWords(const zk::Stat &stat)
{
    switch (zk::lifeOf(stat)) {
    case zk::NodeLife::Persistent:
        return StatTexts::tr("none: it is persistent");
    case zk::NodeLife::Container:
        return StatTexts::tr("none: it is a container, and goes after its last child");
    case zk::NodeLife::TimeToLive:
        return StatTexts::tr("none: it goes %1 after its last change, if it has no children")
            .arg(text::formatDuration(zk::timeToLiveOf(stat)));
    case zk::NodeLife::Ephemeral:
        return StatTexts::tr("session %1, with which it goes").arg(formatHex(zk::sessionOf(stat)));
    }
    return {};
}

} // namespace drover::gui
