#include "gui/models/znode_item.h"

#include <algorithm>

namespace drover::gui {

ZnodeItem *ZnodeItem::child(const QByteArray &name) const
{
    const auto end = children.begin() + revealed();
    const auto place = std::lower_bound(children.begin(), end, name,
                                        [](const auto &item, const QByteArray &key) { return item->name() < key; });
    return place != end && (*place)->name() == name ? place->get() : nullptr;
}

void ZnodeItem::renumber(int from)
{
    for (int i = from; i < int(children.size()); ++i)
        children[std::size_t(i)]->row = i;
}

} // namespace drover::gui
