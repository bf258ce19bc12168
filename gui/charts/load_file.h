#pragma once

#include "gui/data/load_sample.h"
#include "gui/text/sqlite_file.h"

#include <vector>

namespace drover::gui {

// The samples of all clusters that this user has looked at, in one SqliteFile. It has a schema version; a file of a
// newer program is left alone. A sample that another process has written already stays. All calls throw SqliteError,
// belong to the thread that made the object, and block it.
class LoadFile
{
public:
    static constexpr std::chrono::milliseconds Patience{1'000};

    // Each call waits at most this long for another process that writes.
    explicit LoadFile(const QString &path, std::chrono::milliseconds patience = Patience);

    static QString usualPath(); // $XDG_STATE_HOME/drover/charts.sqlite

    void add(const QString &cluster, const std::vector<LoadSample> &samples);
    std::vector<LoadSample> samples(const QString &cluster); // in the order of time
    void setPatience(std::chrono::milliseconds patience);
    // Keeps of each cluster what keptAt() says.
    void thin(qint64 now);

private:
    void insert(const QString &cluster, const std::vector<LoadSample> &samples);
    void thin(const QString &cluster, qint64 now);

    SqliteFile m_file;
};

} // namespace drover::gui
