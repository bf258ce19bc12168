#pragma once

#include "zk/error.h"
#include "zk/watch.h"

#include <map>
#include <set>
#include <vector>

namespace drover::zk {

// After a reconnection the C client re-arms all watches with one packet, which the server refuses if it is too large:
// the session could never connect again. So the read that would add one too many is refused instead.
class TooManyWatches : public Error
{
public:
    explicit TooManyWatches(const QString &what) : Error(Code::BadArguments, what) { }
};

// The watches of one session, armed or about to be. Every expect()ed cell is settled once; an armed one fires, is
// abandoned by its owner, or is taken out when the session ends. One thread; must not be moved.
class WatchRegistry
{
public:
    static constexpr qsizetype MaxPathBytes = 900'000;

    // On the server exists() and get() share one kind of watch.
    enum class Table { Data, Children };
    using Place = std::pair<Table, Path>;
    using Cells = std::vector<std::shared_ptr<WatchCell>>;

    WatchRegistry() = default;
    WatchRegistry(const WatchRegistry &) = delete;
    WatchRegistry &operator=(const WatchRegistry &) = delete;

    // A read that is to arm this cell is about to be sent. Throws TooManyWatches.
    void expect(const std::shared_ptr<WatchCell> &cell);
    // Its reply has come, or never will.
    void settle(const std::shared_ptr<WatchCell> &cell, bool armed);

    // Takes out the cells that an event fires, and all that are armed. They are the caller's to settle.
    Cells take(const WatchEvent &event);
    Cells takeAll();

    // The places where the server still keeps a watch that nobody here waits for, each named once until removed() has
    // told what became of it.
    std::vector<Place> takeUnwanted();
    // Not `gone`: the connection broke first, and the next one re-arms the watch. To be removed again.
    void removed(const Place &place, bool gone);

    bool empty() const { return m_entries.empty(); }

private:
    struct Entry {
        Cells armed;
        int expected = 0;
    };
    using Key = std::pair<WatchKind, Path>;

    void abandon(WatchCell &cell);
    void add(const Place &place, std::set<Place> &to);
    void erase(const Place &place, std::set<Place> &from);
    void takeFrom(WatchKind kind, const Path &path, Cells &to);
    void eraseIfIdle(std::map<Key, Entry>::iterator entry);
    bool anyAt(const Place &place) const;

    std::map<Key, Entry> m_entries;
    std::set<Place> m_unwanted;
    std::set<Place> m_removing; // the server has been asked
    qsizetype m_pathBytes = 0; // of all three, for all are re-armed
};

} // namespace drover::zk
