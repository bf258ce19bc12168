#pragma once

#include "zk/coordinator.h"

#include <QPointer>

namespace drover::recipes {

// How the node of one create is told from all others: by a prefix of its name that nobody else uses or, where the
// layout has no room for that, by its data as well (see Coordinator::discardMatching()).
struct Mark {
    QByteArray prefix;
    QByteArray data;
};

// While alive and possible, a node with this mark may exist that nobody owns; its destruction has that node deleted.
class UnownedCreate
{
public:
    UnownedCreate(zk::Coordinator &zk, zk::Path directory, Mark mark)
        : m_zk(&zk), m_directory(std::move(directory)), m_mark(std::move(mark))
    {
    }
    UnownedCreate(const UnownedCreate &) = delete;
    UnownedCreate &operator=(const UnownedCreate &) = delete;
    ~UnownedCreate()
    {
        if (m_possible && m_zk)
            m_zk->discardMatching(m_directory, m_mark.prefix, m_mark.data);
    }

    void setPossible(bool possible) { m_possible = possible; }

private:
    QPointer<zk::Coordinator> m_zk;
    zk::Path m_directory;
    Mark m_mark;
    bool m_possible = false;
};

} // namespace drover::recipes
