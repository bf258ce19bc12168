#pragma once

#include "zk/coordinator.h"

#include <QPointer>

#include <functional>

namespace drover::recipes {

// How the node of one create is told from all others: by a prefix of its name that nobody else uses or, where the
// layout has no room for that, by how its data begins as well (see Coordinator::discardMatching()). Whoever changes the
// data of such a node leaves that beginning as it is.
struct Mark {
    QByteArray prefix;
    QByteArray data;
};

// While alive and possible, a node may exist that nobody owns; its destruction has that node deleted.
class UnownedCreate
{
public:
    // The node with this mark.
    UnownedCreate(zk::Coordinator &zk, zk::Path directory, Mark mark)
        : m_zk(&zk), m_discard([directory = std::move(directory), mark = std::move(mark)](zk::Coordinator &owner) {
              owner.discardMatching(directory, mark.prefix, mark.data);
          })
    {
    }
    // What `discard` deletes.
    UnownedCreate(zk::Coordinator &zk, std::function<void(zk::Coordinator &)> discard)
        : m_zk(&zk), m_discard(std::move(discard))
    {
    }
    UnownedCreate(const UnownedCreate &) = delete;
    UnownedCreate &operator=(const UnownedCreate &) = delete;
    ~UnownedCreate()
    {
        if (m_possible && m_zk)
            m_discard(*m_zk);
    }

    void setPossible(bool possible) { m_possible = possible; }

private:
    QPointer<zk::Coordinator> m_zk;
    std::function<void(zk::Coordinator &)> m_discard;
    bool m_possible = false;
};

} // namespace drover::recipes
