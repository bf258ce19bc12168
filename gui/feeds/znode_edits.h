#pragma once

#include "gui/data/znode_edits.h"
#include "gui/feeds/feed.h"
#include "gui/subtree/subtree.h"
#include "jobs/audit/audit_entry.h"

#include <set>

namespace drover::gui {

// Changes znodes. Each call is one request and gets one answer, also if the session ends first. A change names the
// version that the user has seen. So it is refused, and the answer says what is there, if another client was faster.
// A write whose reply was lost is looked up before it is answered.
//
// Each change leaves an entry in the cluster's audit, if there is a cluster (subtree/noted_change.h). The entry is in
// the transaction of the change. A change of a subtree or of an ACL does not fit into a transaction. For a subtree the
// entry is written before the first node changes, for an ACL after the change. The answer says if the credentials may
// not write an entry.
class ZnodeEdits final : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return 0; }

public Q_SLOTS:
    void create(int request, const drover::gui::NewNode &node);
    void write(int request, const drover::gui::DataEdit &edit);
    void setAcl(int request, const drover::gui::AclEdit &edit);
    void read(int request, const drover::zk::Path &path);
    void measure(int request, const drover::zk::Path &path); // answers with the nodes and bytes of the subtree
    // Deletes the subtree, or nothing if it has more than `nodes` nodes by then.
    void remove(int request, const drover::zk::Path &path, qint64 nodes);
    void copy(int request, const drover::gui::CopyOfNodes &copy);
    void exportTo(int request, const drover::zk::Path &path);
    void importFrom(int request, const drover::gui::ImportOfNodes &import);

Q_SIGNALS:
    void answered(int request, const drover::gui::ZnodeAnswer &answer);

protected:
    void begin() override { }
    void end() override;

private:
    void start(int request, async::Task<ZnodeAnswer> task);
    async::Task<void> guard(int request, async::Task<ZnodeAnswer> task);
    async::Task<ZnodeAnswer> createTask(NewNode node);
    async::Task<ZnodeAnswer> writeTask(DataEdit edit);
    async::Task<ZnodeAnswer> setAclTask(AclEdit edit);
    async::Task<ZnodeAnswer> readTask(zk::Path path);
    async::Task<ZnodeAnswer> changedTask(zk::Path path);
    async::Task<ZnodeAnswer> measureTask(zk::Path path);
    async::Task<ZnodeAnswer> removeTask(zk::Path path, qint64 nodes);
    async::Task<ZnodeAnswer> removeOneTask(SubtreeNode node);
    async::Task<ZnodeAnswer> copyTask(CopyOfNodes copy);
    async::Task<ZnodeAnswer> exportTask(zk::Path path);
    async::Task<ZnodeAnswer> importTask(ImportOfNodes import);
    async::Task<QString> noteAlone(jobs::AuditAction action, zk::Path target, QString detail);

    std::set<int> m_underWay;
};

} // namespace drover::gui
