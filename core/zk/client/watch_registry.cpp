#include "zk/client/watch_registry.h"

namespace drover::zk {

namespace {

qsizetype sizeOf(const Path &path)
{
    return path.bytes().size() + 4; // its length, as sent
}

WatchRegistry::Place placeOf(const WatchCell &cell)
{
    using Table = WatchRegistry::Table;
    return {cell.kind == WatchKind::Children ? Table::Children : Table::Data, cell.path};
}

} // namespace

void WatchRegistry::expect(const std::shared_ptr<WatchCell> &cell, const Path &shown)
{
    const auto [entry, isNew] = m_entries.try_emplace({cell->kind, cell->path});
    if (isNew) {
        if (m_pathBytes + sizeOf(cell->path) > MaxPathBytes) {
            m_entries.erase(entry);
            throw TooManyWatches(
                QStringLiteral("watch %1: this session watches %2 bytes of paths already, and could not reconnect "
                               "with more than %3; watch fewer nodes or use another session")
                    .arg(shown.toString(), QString::number(m_pathBytes), QString::number(MaxPathBytes)));
        }
        m_pathBytes += sizeOf(cell->path);
    }
    ++entry->second.expected;
    cell->abandoned = [this](WatchCell &lost) { abandon(lost); };
}

void WatchRegistry::answered(const std::shared_ptr<WatchCell> &cell, bool armed)
{
    const auto entry = m_entries.find({cell->kind, cell->path});
    --entry->second.expected;
    const bool wanted = cell->abandoned != nullptr;
    if (armed && wanted) {
        cell->armed = true;
        entry->second.armed.push_back(cell);
        return;
    }
    if (armed)
        add(placeOf(*cell), m_unwanted);
    cell->abandoned = nullptr;
    eraseIfIdle(entry);
}

WatchRegistry::Cells WatchRegistry::take(const WatchEvent &event)
{
    using Type = WatchEvent::Type;
    Cells fired;
    if (event.type != Type::ChildrenChanged) {
        takeFrom(WatchKind::Data, event.path, fired);
        takeFrom(WatchKind::Exists, event.path, fired);
        erase({Table::Data, event.path}, m_unwanted);
        erase({Table::Data, event.path}, m_removing);
    }
    if (event.type == Type::ChildrenChanged || event.type == Type::Deleted) {
        takeFrom(WatchKind::Children, event.path, fired);
        erase({Table::Children, event.path}, m_unwanted);
        erase({Table::Children, event.path}, m_removing);
    }
    return fired;
}

WatchRegistry::Cells WatchRegistry::takeAll()
{
    Cells all;
    for (auto entry = m_entries.begin(); entry != m_entries.end();) {
        const Key key = entry->first;
        ++entry;
        takeFrom(key.first, key.second, all);
    }
    m_unwanted.clear();
    m_removing.clear();
    return all;
}

std::vector<WatchRegistry::Place> WatchRegistry::takeUnwanted()
{
    std::vector<Place> places;
    for (const Place &place : m_unwanted) {
        if (!anyAt(place)) // a read on its way may fail and leave the old watch: look again later
            places.push_back(place);
    }
    for (const Place &place : places) {
        erase(place, m_unwanted);
        add(place, m_removing);
    }
    return places;
}

void WatchRegistry::removed(const Place &place, bool gone)
{
    const bool hasFired = !m_removing.contains(place);
    erase(place, m_removing);
    if (!gone && !hasFired)
        add(place, m_unwanted);
}

void WatchRegistry::add(const Place &place, std::set<Place> &to)
{
    if (to.insert(place).second)
        m_pathBytes += sizeOf(place.second);
}

void WatchRegistry::erase(const Place &place, std::set<Place> &from)
{
    if (from.erase(place) > 0)
        m_pathBytes -= sizeOf(place.second);
}

void WatchRegistry::abandon(WatchCell &cell)
{
    if (!cell.armed)
        return; // its reply will find it abandoned
    cell.armed = false;
    const auto entry = m_entries.find({cell.kind, cell.path});
    std::erase_if(entry->second.armed, [&](const auto &candidate) { return candidate.get() == &cell; });
    add(placeOf(cell), m_unwanted);
    eraseIfIdle(entry);
}

void WatchRegistry::takeFrom(WatchKind kind, const Path &path, Cells &to)
{
    const auto entry = m_entries.find({kind, path});
    if (entry == m_entries.end())
        return;
    for (std::shared_ptr<WatchCell> &cell : std::exchange(entry->second.armed, {})) {
        cell->armed = false;
        cell->abandoned = nullptr;
        to.push_back(std::move(cell));
    }
    eraseIfIdle(entry);
}

void WatchRegistry::eraseIfIdle(std::map<Key, Entry>::iterator entry)
{
    if (entry->second.expected > 0 || !entry->second.armed.empty())
        return;
    m_pathBytes -= sizeOf(entry->first.second);
    m_entries.erase(entry);
}

bool WatchRegistry::anyAt(const Place &place) const
{
    if (place.first == Table::Children)
        return m_entries.contains({WatchKind::Children, place.second});
    return m_entries.contains({WatchKind::Data, place.second}) || m_entries.contains({WatchKind::Exists, place.second});
}

} // namespace drover::zk
