#pragma once

#include "zk/error.h"
#include "zk/watch.h"

#include <map>
#include <set>
#include <vector>

namespace drover::zk {

// A read was refused because it would add one watch too many. After a reconnection the C client re-arms all watches
// with one packet. If that packet is too large, the server refuses it, and the session can never connect again.
class TooManyWatches : public Error
{
public:
    explicit TooManyWatches(const QString &what) : Error(Code::BadArguments, what) { }
};

// The watches of one session, armed or about to be. Every expected cell is answered once. An armed cell fires, is
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

    // A read that will arm `cell` is about to be sent. Throws TooManyWatches, which names the path as `shown`.
    void expect(const std::shared_ptr<WatchCell> &cell, const Path &shown);
    // The read's reply has arrived, or never will.
    void answered(const std::shared_ptr<WatchCell> &cell, bool armed);

    // take() takes out the cells that the event fires, takeAll() all armed cells. The caller fulfils their promises.
    Cells take(const WatchEvent &event);
    Cells takeAll();

    // The places where the server still keeps a watch that has no owner here. Each place is returned once until
    // removed() reports the outcome.
    std::vector<Place> takeUnwanted();
    // Reports a removal. If not `gone`, the connection broke first and the next one re-arms the watch; then the place
    // is returned by takeUnwanted() again.
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
    std::set<Place> m_removing; // removals that the server has not answered
    qsizetype m_pathBytes = 0; // the paths of these three sets: all are re-armed
};

} // namespace drover::zk
