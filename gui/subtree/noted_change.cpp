#include "gui/subtree/noted_change.h"

#include "recipes/blocks/persistent.h"

#include <QCoreApplication>

namespace drover::gui {

using zk::Answer;

namespace {

struct NotedTexts {
    Q_DECLARE_TR_FUNCTIONS(Noted)
};

async::Task<Answer<zk::Committed>> commitAlone(jobs::Cluster cluster, zk::Transaction change)
{
    if (change.empty())
        co_return Answer<zk::Committed>(zk::Code::Ok, {}, "multi", cluster.layout.root());
    const Answer<zk::Committed> committed = co_await cluster.zk.commit(change);
    co_return committed;
}

} // namespace

async::Task<Noted> commitChange(jobs::Cluster cluster, zk::Transaction change, jobs::AuditAction action, QString target,
                                QString detail)
{
    const Answer<zk::Stat> config = co_await recipes::Persistent(cluster.zk).exists(cluster.layout.config());
    if (!config.ok()) {
        const Answer<zk::Committed> committed = co_await commitAlone(cluster, change);
        co_return Noted{committed};
    }
    try {
        const jobs::AuditNote note(cluster, action, target, detail);
        const Answer<zk::Committed> committed = co_await jobs::commitNoted(cluster, change, note);
        co_return Noted{committed};
    } catch (const zk::AccessDenied &) { // to the entry, or to the znodes: then the next line throws it
    }
    const Answer<zk::Committed> committed = co_await commitAlone(cluster, change);
    co_return Noted{committed, true};
}

QString remarkOn(const Noted &noted)
{
    return noted.isMissing ? NotedTexts::tr("The audit has no entry of it: these credentials may not write one.")
                           : QString();
}

} // namespace drover::gui
