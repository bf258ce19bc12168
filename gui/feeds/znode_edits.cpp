#include "gui/feeds/znode_edits.h"

#include "gui/subtree/noted_change.h"
#include "gui/subtree/subtree_json.h"
#include "gui/text/counted.h"
#include "gui/text/marks.h"
#include "text/quantity.h"

namespace drover::gui {

using Kind = ZnodeAnswer::Kind;
using jobs::AuditAction;

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

QString with(const QString &text, const QString &remark)
{
    return remark.isEmpty() ? text : text + u' ' + remark;
}

QString nodesOf(qint64 count)
{
    return counted(count, Things::Nodes);
}

// For the audit, in English.
QString countIn(const Subtree &subtree)
{
    return QStringLiteral("nodes: %1").arg(subtree.size());
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
    zk::Transaction change;
    change.create(node.path, node.data, mode);
    const QString target = node.path.toString();
    const Noted made = co_await commitChange(cluster(), change, AuditAction::ZnodeCreated, target, QString());
    if (made.is(zk::Code::NodeExists))
        co_return failed(tr("%1 exists already.").arg(marked(node.path.bytes())));
    if (made.is(zk::Code::NoNode))
        co_return failed(tr("There is no node %1.").arg(marked(node.path.parent().bytes())));
    if (made.is(zk::Code::NoChildrenForEphemerals))
        co_return failed(tr("%1 is ephemeral and cannot have children.").arg(marked(node.path.parent().bytes())));
    made.committed.require();
    // After a lost reply the number of a sequential node is not known.
    const std::vector<zk::OperationResult> &results = made.committed->results;
    const bool isKnown = !results.empty() || !node.sequential;
    const zk::Path path = results.empty() ? node.path : results.front().path;
    ZnodeAnswer answer = done(with(tr("Created %1.").arg(marked(path.bytes())), remarkOn(made)));
    answer.present.path = isKnown ? path : node.path.parent();
    co_return answer;
}

async::Task<ZnodeAnswer> ZnodeEdits::writeTask(DataEdit edit)
{
    const QString written = tr("Wrote %1.").arg(marked(edit.path.bytes()));
    const QString detail = QStringLiteral("version %1, %2 bytes").arg(edit.version + 1).arg(edit.data.size());
    zk::Transaction change;
    change.set(edit.path, edit.data, edit.version);
    bool lost = false;
    try {
        const Noted set =
            co_await commitChange(cluster(), change, AuditAction::ZnodeWritten, edit.path.toString(), detail);
        if (set.ok())
            co_return done(with(written, remarkOn(set)));
        set.committed.requireUnless(set.is(zk::Code::NoNode) ? zk::Code::NoNode : zk::Code::BadVersion);
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
    const QString remark = co_await noteAlone(AuditAction::ZnodeAclChanged, edit.path,
                                              QStringLiteral("ACL version %1").arg(edit.aversion + 1));
    co_return done(with(tr("Changed the ACL of %1.").arg(marked(edit.path.bytes())), remark));
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
    if (subtree.size() == 1) {
        const ZnodeAnswer answer = co_await removeOneTask(subtree.front());
        co_return answer;
    }
    const QString remark = co_await noteAlone(AuditAction::ZnodesDeleted, path, countIn(subtree));
    co_await removeSubtree(cluster().zk, subtree);
    co_return done(with(tr("Deleted %1 at %2.").arg(nodesOf(qint64(subtree.size())), marked(path.bytes())), remark));
}

async::Task<ZnodeAnswer> ZnodeEdits::removeOneTask(SubtreeNode node)
{
    zk::Transaction change;
    change.remove(node.path, node.stat.version);
    const QString detail = countIn(Subtree(1, node));
    const Noted removed =
        co_await commitChange(cluster(), change, AuditAction::ZnodesDeleted, node.path.toString(), detail);
    if (removed.is(zk::Code::BadVersion) || removed.is(zk::Code::NotEmpty))
        co_return failed(tr("%1 has changed meanwhile: nothing was deleted.").arg(marked(node.path.bytes())));
    removed.committed.requireUnless(zk::Code::NoNode);
    co_return done(with(tr("Deleted %1 at %2.").arg(nodesOf(1), marked(node.path.bytes())), remarkOn(removed)));
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
    QString remark;
    const AuditAction action = copy.move ? AuditAction::ZnodesMoved : AuditAction::ZnodesCopied;
    const QString detail = QStringLiteral("to %1, %2").arg(copy.to.toString(), countIn(subtree));
    const BeforeWrites note = [&]() -> async::Task<void> {
        const QString said = co_await noteAlone(action, copy.from, detail);
        remark = said;
    };
    const Written written = co_await writeSubtree(cluster().zk, target, rules, note);
    if (!copy.move)
        co_return done(with(tr("Copied to %1: %2").arg(marked(copy.to.bytes()), sentenceOn(written)), remark));
    try {
        co_await removeSubtree(cluster().zk, subtree);
    } catch (const SubtreeTrouble &trouble) {
        co_return failed(tr("The copy at %1 is complete, and the original stays: %2.")
                             .arg(marked(copy.to.bytes()), QString::fromUtf8(trouble.what())));
    }
    co_return done(with(tr("Moved %1 to %2.").arg(nodesOf(written.created), marked(copy.to.bytes())), remark));
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
    QString remark;
    const BeforeWrites note = [&]() -> async::Task<void> {
        const QString said = co_await noteAlone(AuditAction::ZnodesImported, import.to, countIn(subtree));
        remark = said;
    };
    const Written written = co_await writeSubtree(cluster().zk, subtree, rules, note);
    co_return done(with(tr("Imported to %1: %2").arg(marked(import.to.bytes()), sentenceOn(written)), remark));
}

// Returns what the answer adds.
async::Task<QString> ZnodeEdits::noteAlone(AuditAction action, zk::Path target, QString detail)
{
    const Noted noted = co_await commitChange(cluster(), zk::Transaction(), action, target.toString(), detail);
    noted.committed.require();
    co_return remarkOn(noted);
}

} // namespace drover::gui
