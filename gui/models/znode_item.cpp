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

std::vector<RowEdit> ZnodeItem::editsTo(const QByteArrayList &shown) const
{
    std::vector<RowEdit> edits;
    int place = 0;
    qsizetype next = 0;
    const auto nameAt = [&](int i) -> const QByteArray & { return children[std::size_t(i)]->name(); };
    while (place < revealed() || next < shown.size()) {
        const int firstPlace = place;
        while (place < revealed() && (next == shown.size() || nameAt(place) < shown[next]))
            ++place;
        if (place > firstPlace)
            edits.push_back({firstPlace, next, 0, place - firstPlace});
        const qsizetype firstName = next;
        while (next < shown.size() && (place == revealed() || shown[next] < nameAt(place)))
            ++next;
        if (next > firstName)
            edits.push_back({place, firstName, int(next - firstName), 0});
        if (place < revealed() && next < shown.size() && nameAt(place) == shown[next]) {
            ++place;
            ++next;
        }
    }
    return edits;
}

void ZnodeItem::renumber(int from)
{
    for (int i = from; i < int(children.size()); ++i)
        children[std::size_t(i)]->row = i;
}

} // namespace drover::gui
