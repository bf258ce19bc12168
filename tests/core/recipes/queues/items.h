#pragma once

#include <QByteArrayList>

namespace drover::test {

// Items that differ, and sort in the order in which they were made: "0000", "0001" ...
inline QByteArrayList numbered(int count)
{
    QByteArrayList items;
    for (int i = 0; i < count; ++i)
        items.push_back(QByteArray::number(i).rightJustified(4, '0'));
    return items;
}

} // namespace drover::test
