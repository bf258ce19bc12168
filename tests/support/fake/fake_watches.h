#pragma once

#include "zk/error.h"
#include "zk/types.h"
#include "zk/watch.h"

#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace drover::test {

// Whether a read with this outcome arms its watch.
inline bool arms(zk::WatchKind kind, zk::Code code)
{
    return code == zk::Code::Ok || (code == zk::Code::NoNode && kind == zk::WatchKind::Exists);
}

// The server's side of watches: per session and path, one for data and existence and one for children, whatever the
// number of Watch objects behind it.
class ServerWatches
{
public:
    enum class Table { Data, Children };
    static Table tableOf(zk::WatchKind kind) { return kind == zk::WatchKind::Children ? Table::Children : Table::Data; }

    struct Armed {
        zk::SessionId session;
        Table table;
        zk::Path path;
    };

    void arm(zk::SessionId session, Table table, const zk::Path &path);
    void remove(zk::SessionId session, Table table, const zk::Path &path);
    void removeAll(zk::SessionId session);

    // Disarms what the event fires and gives the sessions to tell, each once, in the order in which they armed. The
    // event is not seen by sessions whose server lags: theirs stay.
    std::vector<zk::SessionId> fire(const zk::WatchEvent &event, const std::function<bool(zk::SessionId)> &sees);

    std::vector<Armed> all() const; // sorted by table and path

private:
    using Key = std::pair<Table, QByteArray>;
    std::map<Key, std::vector<zk::SessionId>> m_armed;
};

// The client's side: which Watch objects wait for what. As in the C client, an exists watch on a node that was there
// counts as a data watch.
class ClientWatches
{
public:
    enum class Table { Data, Existence, Children };
    struct Standing {
        Table table;
        zk::Path path;
    };

    // A watch that is armed or about to be, for as long as a caller keeps this. Throws zk::TooManyWatches, as
    // zk::WatchRegistry does, if a session could not have so many watches.
    using Place = std::shared_ptr<void>;
    Place expect(const zk::WatchCell &cell);

    void arm(const std::shared_ptr<zk::WatchCell> &cell, bool nodeExists, Place place);
    // Takes the watches that the event fires.
    std::vector<std::shared_ptr<zk::WatchCell>> take(const zk::WatchEvent &event);
    void forget(const zk::WatchCell &cell);
    std::vector<std::shared_ptr<zk::WatchCell>> takeAll();

    // Whether any watch still needs the server's of this table and path.
    bool needs(ServerWatches::Table table, const zk::Path &path) const;
    std::vector<Standing> standing() const; // for a server that has forgotten them: SetWatches
    static qsizetype sizeOf(const std::vector<Standing> &standing); // of that request, in bytes

private:
    using Key = std::pair<Table, QByteArray>;
    struct Watched { // by kind and path
        std::map<std::pair<zk::WatchKind, QByteArray>, int> counts;
        qsizetype bytes = 0;
    };

    std::map<Key, std::vector<std::shared_ptr<zk::WatchCell>>> m_cells;
    std::map<const zk::WatchCell *, Place> m_places;
    std::shared_ptr<Watched> m_watched = std::make_shared<Watched>(); // the places may outlive us
};

} // namespace drover::test
