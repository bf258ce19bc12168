#include "support/fake/fake_watches.h"

#include "zk/client/watch_registry.h"

#include <algorithm>

namespace drover::test {

using zk::Path;
using zk::SessionId;
using zk::WatchCell;
using zk::WatchEvent;

namespace {

qsizetype sentSize(const Path &path)
{
    return path.bytes().size() + 4;
}

} // namespace

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

ClientWatches::Place ClientWatches::expect(const WatchCell &cell)
{
    const std::pair<zk::WatchKind, QByteArray> key(cell.kind, cell.path.bytes());
    const qsizetype size = sentSize(cell.path);
    if (m_watched->counts[key] == 0 && m_watched->bytes + size > zk::WatchRegistry::MaxPathBytes) {
        m_watched->counts.erase(key);
        throw zk::TooManyWatches(QStringLiteral("watch %1: too many").arg(cell.path.toString()));
    }
    if (m_watched->counts[key]++ == 0)
        m_watched->bytes += size;
    return {nullptr, [watched = m_watched, key, size](void *) {
                if (--watched->counts[key] > 0)
                    return;
                watched->counts.erase(key);
                watched->bytes -= size;
            }};
}

void ClientWatches::arm(const std::shared_ptr<WatchCell> &cell, bool nodeExists, Place place)
{
    m_places[cell.get()] = std::move(place);
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
        for (const auto &cell : found->second)
            m_places.erase(cell.get());
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
    m_places.erase(&cell);
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
    m_places.clear();
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

qsizetype ClientWatches::sizeOf(const std::vector<Standing> &standing)
{
    constexpr qsizetype Frame = 28; // the header, the zxid, the lengths of three lists
    qsizetype size = Frame;
    for (const auto &[table, path] : standing)
        size += sentSize(path);
    return size;
}

} // namespace drover::test
