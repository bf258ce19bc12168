#include "gui/inspector/entity_facts.h"
#include "gui/models/ensemble_model.h"
#include "gui/text/node_text.h"
#include "gui/words/node_words.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>

namespace drover::gui {

namespace {

struct ServerFacts {
    Q_DECLARE_TR_FUNCTIONS(Facts)
};

constexpr qsizetype MostData = 4096; // characters that are shown; the page of the znodes has all

QString conditionText(NodeCondition condition)
{
    switch (condition) {
    case NodeCondition::Ok:
        break;
    case NodeCondition::Missing:
        return ServerFacts::tr("does not exist");
    case NodeCondition::Denied:
        return ServerFacts::tr("no permission to read it");
    case NodeCondition::Unfollowed:
        return ServerFacts::tr("no watch is left for it");
    }
    return {};
}

} // namespace

Facts serverFacts(const Sources &sources, const QByteArray &server)
{
    Facts facts{ServerFacts::tr("not asked"), Tone::Muted};
    for (int i = 0; i < sources.ensemble.rowCount(); ++i) {
        const zk::ServerReport &report = sources.ensemble.row(i);
        if (report.address.toString().toUtf8() != server)
            continue;
        facts.state = EnsembleModel::roleText(report);
        facts.tone = EnsembleModel::roleTone(report);
        facts.begin({});
        for (const EnsembleModel::Column column :
             {EnsembleModel::Trouble, EnsembleModel::Latency, EnsembleModel::Connections, EnsembleModel::Watches,
              EnsembleModel::Outstanding, EnsembleModel::Znodes, EnsembleModel::Lag, EnsembleModel::Zxid,
              EnsembleModel::Version})
            facts.add(sources.ensemble.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                      sources.ensemble.index(i, column).data().toString(), {},
                      column == EnsembleModel::Trouble ? Tone::Bad : Tone::Plain);
        facts.begin(ServerFacts::tr("Ensemble"));
        facts.add(ServerFacts::tr("Quorum"), sources.ensemble.summary());
        if (sources.session.server.toUtf8() == server && sources.session.sessionId != 0)
            facts.add(ServerFacts::tr("Serves this console"), {}, {sessionEntity(sources.session.sessionId)});
    }
    return facts;
}

Facts znodeFacts(const ZnodeContents &contents)
{
    Facts facts{conditionText(contents.condition),
                contents.condition == NodeCondition::Ok ? Tone::Good : Tone::Waiting};
    facts.begin({});
    if (!contents.path.isRoot())
        facts.add(ServerFacts::tr("Parent"), {}, {{EntityRef::Kind::Znode, contents.path.parent().bytes()}});
    if (contents.condition != NodeCondition::Ok)
        return facts;
    const zk::Stat &stat = contents.stat;
    facts.add(ServerFacts::tr("Record"), recordWords(contents.path, contents.data, stat).join(u'\n'));
    if (const EntityRef owner = sessionEntity(zk::sessionOf(stat)); !owner.isNull())
        facts.add(ServerFacts::tr("Ephemeral, of"), {}, {owner});
    else if (zk::lifeOf(stat) != zk::NodeLife::Persistent)
        facts.add(ServerFacts::tr("Owner"), ownerWords(stat));
    facts.add(ServerFacts::tr("Children"), text::formatCount(stat.numChildren));
    facts.addInstant(ServerFacts::tr("Created"), stat.ctime);
    facts.add(QString(), zxidWords(stat.czxid));
    facts.addInstant(ServerFacts::tr("Changed"), stat.mtime);
    facts.add(QString(), zxidWords(stat.mzxid));
    facts.add(ServerFacts::tr("Versions"), versionWords(stat));
    facts.begin(ServerFacts::tr("Data, %1", "size").arg(byteWords(contents.data.size())));
    const NodeText text = renderData(contents.data.left(4 * MostData), DataFormat::Automatic);
    facts.addLong(QString(), text::printable(text.text.left(MostData), text::LineEnds::Keep));
    return facts;
}

} // namespace drover::gui
