#pragma once

#include "gui/data/snapshots.h"

#include <memory>
#include <vector>

namespace drover::gui {

// A range of rows to remove, or names to insert there.
struct RowEdit {
    int row; // before any edit
    qsizetype first; // of an insertion: its first name
    int inserted;
    int removed;
};

// A row of the znode tree: a node, or a remark that stands for children (Loading…, n more…).
class ZnodeItem
{
public:
    enum class Kind { Node, Remark };

    ZnodeItem(ZnodeItem *parent, Kind kind, QByteArray name) : m_parent(parent), m_kind(kind), m_name(std::move(name))
    {
    }

    ZnodeItem *parent() const { return m_parent; }
    bool isNode() const { return m_kind == Kind::Node; }
    const QByteArray &name() const { return m_name; }
    zk::Path path() const { return m_parent->m_parent ? m_parent->path() / m_name : zk::Path(); }

    int row = 0; // in the parent
    QString remark; // the text of a remark
    bool more = false; // the remark stands for children that are not revealed
    bool open = false;
    bool listed = false; // since it was opened
    NodeCondition condition = NodeCondition::Ok;
    std::optional<zk::Stat> stat;
    QByteArrayList names; // all children as listed; the first of them are revealed
    std::vector<std::unique_ptr<ZnodeItem>> children; // revealed nodes by name, then at most one remark

    int revealed() const { return int(children.size()) - (hasRemark() ? 1 : 0); }
    bool hasRemark() const { return !children.empty() && !children.back()->isNode(); }

    // The revealed child of that name.
    ZnodeItem *child(const QByteArray &name) const;
    void renumber(int from);
    // What makes the revealed children equal to these sorted names. Carry it out from the last to the first.
    std::vector<RowEdit> editsTo(const QByteArrayList &shown) const;

private:
    ZnodeItem *m_parent;
    Kind m_kind;
    QByteArray m_name;
};

} // namespace drover::gui
