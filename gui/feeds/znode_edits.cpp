#include "gui/feeds/znode_edits.h"

#include "gui/subtree/subtree_json.h"
#include "gui/text/counted.h"
#include "gui/text/marks.h"
#include "text/quantity.h"

namespace drover::gui {

using Kind = ZnodeAnswer::Kind;

namespace {

ZnodeAnswer done(const QString &text)
{
    ZnodeAnswer answer;
    answer.text = text;
    return answer;
}

ZnodeAnswer failed(const QString &text)
{
    ZnodeAnswer answer;
    answer.kind = Kind::Failed;
    answer.text = text;
    return answer;
}

QString nodesOf(qint64 count)
{
    return counted(count, Things::Nodes);
}

QString sentenceOn(const Written &written)
{
    QStringList parts{ZnodeEdits::tr("%1 created").arg(nodesOf(written.created))};
    if (written.overwritten > 0)
        parts << ZnodeEdits::tr("%1 overwritten").arg(text::formatCount(written.overwritten));
    if (written.kept > 0)
        parts << ZnodeEdits::tr("%1 kept as they were").arg(text::formatCount(written.kept));
    if (written.leftOut > 0)
        parts << ZnodeEdits::tr("%1 ephemeral left out").arg(text::formatCount(written.leftOut));
    return parts.join(QStringLiteral(", ")) + u'.';
}

} // namespace

void ZnodeEdits::end()
{
    for (const int request : std::exchange(m_underWay, {}))
        Q_EMIT answered(request,
                        failed(tr("The session has ended before the answer came: look whether it was carried out.")));
}

void ZnodeEdits::create(int request, const NewNode &node)
{
    start(request, createTask(node));
}

void ZnodeEdits::write(int request, const DataEdit &edit)
{
    start(request, writeTask(edit));
}

void ZnodeEdits::setAcl(int request, const AclEdit &edit)
{
    start(request, setAclTask(edit));
}

void ZnodeEdits::read(int request, const zk::Path &path)
{
    start(request, readTask(path));
}

void ZnodeEdits::measure(int request, const zk::Path &path)
{
    start(request, measureTask(path));
}

void ZnodeEdits::remove(int request, const zk::Path &path, qint64 nodes)
{
    start(request, removeTask(path, nodes));
}

void ZnodeEdits::copy(int request, const CopyOfNodes &copy)
{
    start(request, copyTask(copy));
}

void ZnodeEdits::exportTo(int request, const zk::Path &path)
{
    start(request, exportTask(path));
}

void ZnodeEdits::importFrom(int request, const ImportOfNodes &import)
{
    start(request, importTask(import));
}

void ZnodeEdits::start(int request, async::Task<ZnodeAnswer> task)
{
    if (!attached()) {
        Q_EMIT answered(request, failed(tr("Not connected: connect to a cluster first.")));
        return;
    }
    m_underWay.insert(request);
    spawn(guard(request, std::move(task)));
}

async::Task<void> ZnodeEdits::guard(int request, async::Task<ZnodeAnswer> task)
{
    ZnodeAnswer answer;
    try {
        ZnodeAnswer given = co_await task;
        answer = std::move(given);
    } catch (const zk::SessionLost &) {
        co_return; // end() answers
    } catch (const zk::ConnectionLoss &) {
        answer = failed(tr("The connection broke before the answer came: look whether it was carried out."));
    } catch (const std::exception &error) {
        answer = failed(marked(QString::fromUtf8(error.what())));
    }
    m_underWay.erase(request);
    Q_EMIT answered(request, answer);
}

async::Task<ZnodeAnswer> ZnodeEdits::createTask(NewNode node)
{
    const zk::CreateMode mode = node.sequential ? zk::CreateMode::PersistentSequential : zk::CreateMode::Persistent;
    const zk::Answer<zk::Created> made = co_await cluster().zk.create(node.path, node.data, mode);
    if (made.is(zk::Code::NodeExists))
        co_return failed(tr("%1 exists already.").arg(marked(node.path.bytes())));
    if (made.is(zk::Code::NoNode))
        co_return failed(tr("There is no node %1.").arg(marked(node.path.parent().bytes())));
    if (made.is(zk::Code::NoChildrenForEphemerals))
        co_return failed(tr("%1 is ephemeral and cannot have children.").arg(marked(node.path.parent().bytes())));
    ZnodeAnswer answer = done(tr("Created %1.").arg(marked(made.value().path.bytes())));
    answer.present.path = made->path;
    co_return answer;
}

async::Task<ZnodeAnswer> ZnodeEdits::writeTask(DataEdit edit)
{
    const QString written = tr("Wrote %1.").arg(marked(edit.path.bytes()));
    bool lost = false;
    try {
        const zk::Answer<zk::Stat> set = co_await cluster().zk.set(edit.path, edit.data, edit.version);
        if (set.ok())
            co_return done(written);
        set.requireUnless(set.is(zk::Code::NoNode) ? zk::Code::NoNode : zk::Code::BadVersion);
    } catch (const zk::ConnectionLoss &) {
        lost = true;
    }
    co_await cluster().zk.connected();
    ZnodeAnswer found = co_await changedTask(edit.path);
    const ZnodeContents &present = found.present;
    if (lost && present.stat.version == edit.version + 1 && present.data == edit.data)
        co_return done(written); // its reply was lost
    if (lost && present.condition == NodeCondition::Ok && present.stat.version == edit.version)
        co_return failed(tr("The connection broke, and nothing was written: try again."));
    co_return found;
}

async::Task<ZnodeAnswer> ZnodeEdits::changedTask(zk::Path path)
{
    ZnodeAnswer found = co_await readTask(path);
    found.kind = Kind::Changed;
    found.text = found.present.condition == NodeCondition::Missing
        ? tr("Another client has deleted the node meanwhile.")
        : tr("Another client has changed the node meanwhile: it has version %1.").arg(found.present.stat.version);
    co_return found;
}

async::Task<ZnodeAnswer> ZnodeEdits::setAclTask(AclEdit edit)
{
    const zk::Answer<zk::Nothing> set = co_await cluster().zk.setAcl(edit.path, edit.acl, edit.aversion);
    if (set.is(zk::Code::BadVersion))
        co_return failed(tr("Another client has changed the ACL meanwhile: open it again."));
    set.require();
    co_return done(tr("Changed the ACL of %1.").arg(marked(edit.path.bytes())));
}

async::Task<ZnodeAnswer> ZnodeEdits::readTask(zk::Path path)
{
    const zk::Answer<zk::Node> node = co_await cluster().zk.get(path);
    ZnodeAnswer answer;
    answer.present =
        ZnodeContents{path, node.ok() ? NodeCondition::Ok : NodeCondition::Missing, node->data, node->stat};
    co_return answer;
}

async::Task<ZnodeAnswer> ZnodeEdits::measureTask(zk::Path path)
{
    const Subtree subtree = co_await readSubtree(cluster().zk, path, SubtreePart::Stats);
    const SubtreeSize size = sizeOf(subtree);
    ZnodeAnswer answer;
    answer.nodes = size.nodes;
    answer.bytes = size.bytes;
    answer.ephemerals = size.ephemerals;
    co_return answer;
}

async::Task<ZnodeAnswer> ZnodeEdits::removeTask(zk::Path path, qint64 nodes)
{
    const Subtree subtree = co_await readSubtree(cluster().zk, path, SubtreePart::Stats);
    if (qint64(subtree.size()) > nodes)
        co_return failed(tr("It has %1 by now: nothing was deleted.").arg(nodesOf(qint64(subtree.size()))));
    co_await removeSubtree(cluster().zk, subtree);
    co_return done(tr("Deleted %1 at %2.").arg(nodesOf(qint64(subtree.size())), marked(path.bytes())));
}

async::Task<ZnodeAnswer> ZnodeEdits::copyTask(CopyOfNodes copy)
{
    if (copy.to == copy.from || copy.to.bytes().startsWith(copy.from.bytes() + '/') || copy.from.isRoot())
        co_return failed(tr("A node cannot be copied to itself or below itself."));
    const Subtree subtree = co_await readSubtree(cluster().zk, copy.from, SubtreePart::All);
    if (copy.move && sizeOf(subtree).ephemerals > 0)
        co_return failed(tr("It has ephemeral nodes, which belong to their sessions and cannot be moved."));
    const Subtree target = moved(subtree, copy.to);
    const WriteRules rules;
    const Written written = co_await writeSubtree(cluster().zk, target, rules);
    if (!copy.move)
        co_return done(tr("Copied to %1: %2").arg(marked(copy.to.bytes()), sentenceOn(written)));
    try {
        co_await removeSubtree(cluster().zk, subtree);
    } catch (const SubtreeTrouble &trouble) {
        co_return failed(tr("The copy at %1 is complete, and the original stays: %2.")
                             .arg(marked(copy.to.bytes()), QString::fromUtf8(trouble.what())));
    }
    co_return done(tr("Moved %1 to %2.").arg(nodesOf(written.created), marked(copy.to.bytes())));
}

async::Task<ZnodeAnswer> ZnodeEdits::exportTask(zk::Path path)
{
    const Subtree subtree = co_await readSubtree(cluster().zk, path, SubtreePart::All);
    ZnodeAnswer answer = done(tr("Exported %1.").arg(nodesOf(qint64(subtree.size()))));
    answer.file = toJson(subtree);
    co_return answer;
}

async::Task<ZnodeAnswer> ZnodeEdits::importTask(ImportOfNodes import)
{
    const Subtree subtree = moved(fromJson(import.json), import.to);
    WriteRules rules;
    rules.conflict = import.overwrite ? Conflict::Overwrite : import.keep ? Conflict::Keep : Conflict::Refuse;
    rules.ephemeralsAsPersistent = import.ephemeralsAsPersistent;
    const Written written = co_await writeSubtree(cluster().zk, subtree, rules);
    co_return done(tr("Imported to %1: %2").arg(marked(import.to.bytes()), sentenceOn(written)));
}

} // namespace drover::gui
