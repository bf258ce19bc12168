#include "support/fake_watches.h"

#include <algorithm>

namespace drover::test {

using zk::Path;
using zk::SessionId;
using zk::WatchCell;
using zk::WatchEvent;

void ServerWatches::arm(SessionId session, Table table, const Path &path)
{
    std::vector<SessionId> &sessions = m_armed[{table, path.bytes()}];
    if (std::find(sessions.begin(), sessions.end(), session) == sessions.end())
        sessions.push_back(session);
}

void ServerWatches::remove(SessionId session, Table table, const Path &path)
{
    const auto found = m_armed.find({table, path.bytes()});
    if (found == m_armed.end())
        return;
    std::erase(found->second, session);
    if (found->second.empty())
        m_armed.erase(found);
}

void ServerWatches::removeAll(SessionId session)
{
    for (auto &[key, sessions] : m_armed)
        std::erase(sessions, session);
    std::erase_if(m_armed, [](const auto &entry) { return entry.second.empty(); });
}

std::vector<SessionId> ServerWatches::fire(const WatchEvent &event, const std::function<bool(SessionId)> &sees)
{
    std::vector<SessionId> told;
    const auto fireTable = [&](Table table) {
        const auto found = m_armed.find({table, event.path.bytes()});
        if (found == m_armed.end())
            return;
        const auto fires = [&](SessionId session) {
            if (!sees(session))
                return false;
            if (std::find(told.begin(), told.end(), session) == told.end())
                told.push_back(session);
            return true;
        };
        if (std::erase_if(found->second, fires) > 0 && found->second.empty())
            m_armed.erase(found);
    };
    if (event.type != WatchEvent::Type::ChildrenChanged)
        fireTable(Table::Data);
    if (event.type == WatchEvent::Type::ChildrenChanged || event.type == WatchEvent::Type::Deleted)
        fireTable(Table::Children);
    return told;
}

std::vector<ServerWatches::Armed> ServerWatches::all() const
{
    std::vector<Armed> list;
    for (const auto &[key, sessions] : m_armed) {
        for (const SessionId session : sessions)
            list.push_back({session, key.first, Path(key.second)});
    }
    return list;
}

void ClientWatches::arm(const std::shared_ptr<WatchCell> &cell, bool nodeExists)
{
    const Table table = cell->kind == zk::WatchKind::Children ? Table::Children
        : nodeExists                                          ? Table::Data
                                                              : Table::Existence;
    m_cells[{table, cell->path.bytes()}].push_back(cell);
}

std::vector<std::shared_ptr<WatchCell>> ClientWatches::take(const WatchEvent &event)
{
    std::vector<std::shared_ptr<WatchCell>> taken;
    const auto takeTable = [&](Table table) {
        const auto found = m_cells.find({table, event.path.bytes()});
        if (found == m_cells.end())
            return;
        taken.insert(taken.end(), found->second.begin(), found->second.end());
        m_cells.erase(found);
    };
    if (event.type != WatchEvent::Type::ChildrenChanged) {
        takeTable(Table::Data);
        takeTable(Table::Existence);
    }
    if (event.type == WatchEvent::Type::ChildrenChanged || event.type == WatchEvent::Type::Deleted)
        takeTable(Table::Children);
    return taken;
}

void ClientWatches::forget(const WatchCell &cell)
{
    for (const Table table : {Table::Data, Table::Existence, Table::Children}) {
        const auto found = m_cells.find({table, cell.path.bytes()});
        if (found == m_cells.end())
            continue;
        std::erase_if(found->second, [&](const auto &other) { return other.get() == &cell; });
        if (found->second.empty())
            m_cells.erase(found);
    }
}

std::vector<std::shared_ptr<WatchCell>> ClientWatches::takeAll()
{
    std::vector<std::shared_ptr<WatchCell>> taken;
    for (const auto &[key, cells] : std::exchange(m_cells, {}))
        taken.insert(taken.end(), cells.begin(), cells.end());
    return taken;
}

bool ClientWatches::needs(ServerWatches::Table table, const Path &path) const
{
    if (table == ServerWatches::Table::Children)
        return m_cells.contains({Table::Children, path.bytes()});
    return m_cells.contains({Table::Data, path.bytes()}) || m_cells.contains({Table::Existence, path.bytes()});
}

std::vector<ClientWatches::Standing> ClientWatches::standing() const
{
    std::vector<Standing> list;
    for (const auto &[key, cells] : m_cells)
        list.push_back({key.first, Path(key.second)});
    return list;
}

} // namespace drover::test
