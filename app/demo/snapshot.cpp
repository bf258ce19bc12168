#include "app/demo/snapshot.h"

#include "jobs/model/claim.h"
#include "recipes/blocks/line.h"

#include <algorithm>

namespace drover::app {

using zk::Answer;

namespace {

constexpr int Shown = 9; // nodes of one directory

// "_c_1f0c9d5e-....-__WRIT__0000000007" without most of its uuid.
QString shortName(const QByteArray &name)
{
    constexpr qsizetype uuidBegin = 3;
    constexpr qsizetype uuidEnd = uuidBegin + 36;
    if (!name.startsWith("_c_") || name.size() < uuidEnd)
        return QString::fromUtf8(name);
    return QString::fromUtf8(name.left(uuidBegin + 4)) + u'…' + QString::fromUtf8(name.mid(uuidEnd));
}

QString claimText(const QByteArray &data)
{
    const std::optional<jobs::Claim> claim = jobs::tryDecode<jobs::Claim>(data);
    return claim ? QStringLiteral("%1, attempt %2").arg(claim->worker).arg(claim->attempts.number())
                 : QStringLiteral("(malformed)");
}

struct Drawing {
    const char *title;
    const char *first; // what the first in line is
    bool isLine = true;
};

async::Task<QStringList> draw(zk::Client &zk, zk::Path directory, Drawing drawing)
{
    const Answer<zk::Children> children = co_await zk.children(directory);
    QByteArrayList names = children->names;
    if (drawing.isLine)
        names = recipes::sortedBySequence(names);
    else
        std::sort(names.begin(), names.end());
    QStringList lines(QStringLiteral("  %1/").arg(QLatin1String(drawing.title)));
    for (qsizetype i = 0; i < std::min<qsizetype>(names.size(), Shown); ++i) {
        const Answer<zk::Node> node = co_await zk.get(directory / names[i]);
        if (!node.ok())
            continue; // gone meanwhile
        const QString about = drawing.isLine ? QString::fromUtf8(node->data) : claimText(node->data);
        const QString role =
            i == 0 && drawing.isLine ? QStringLiteral("  <- ") + QLatin1String(drawing.first) : QString();
        lines += QStringLiteral("    %1  %2%3").arg(shortName(names[i]), about, role);
    }
    if (names.size() > Shown)
        lines += QStringLiteral("    and %1 more").arg(names.size() - Shown);
    co_return lines;
}

} // namespace

async::Task<QStringList> drawZnodes(jobs::Cluster cluster, QByteArray lock)
{
    const QByteArray lockTitle = "locks/" + lock;
    const Drawing election{"master", "the master"};
    const Drawing line{lockTitle.constData(), "holds the lock"};
    const Drawing claims{"claims", "", false};
    QStringList lines(cluster.layout.root().toString() + u'/');
    const QStringList latches = co_await draw(cluster.zk, cluster.layout.master(), election);
    const QStringList tickets = co_await draw(cluster.zk, cluster.layout.lock(lock), line);
    const QStringList claimed = co_await draw(cluster.zk, cluster.layout.claims(), claims);
    co_return lines + latches + tickets + claimed;
}

} // namespace drover::app
