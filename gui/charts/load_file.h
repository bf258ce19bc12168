#pragma once

#include "gui/data/load_sample.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace drover::gui {

// A failure to keep or to read samples, in one line with its reason.
class LoadFileError final : public std::runtime_error
{
public:
    explicit LoadFileError(const QString &what, const QSqlError &error = {});
    bool isBusy() const { return m_isBusy; } // another process was writing all the time: a later try may succeed

private:
    bool m_isBusy;
};

// The samples of all clusters that this user has looked at, in one SQLite file (mode 0600). It has a schema version; a
// file of a newer program is left alone. Several processes may write it at a time: a sample that is there already stays.
// A power failure may cost the last samples, never the file. All calls throw LoadFileError, belong to the thread that
// made the object, and block it.
class LoadFile
{
public:
    static constexpr std::chrono::milliseconds Patience{1'000};

    // Each call waits at most this long for another process that writes.
    explicit LoadFile(const QString &path, std::chrono::milliseconds patience = Patience);
    LoadFile(const LoadFile &) = delete;
    LoadFile &operator=(const LoadFile &) = delete;
    ~LoadFile();

    static QString usualPath(); // $XDG_STATE_HOME/drover/charts.sqlite

    void add(const QString &cluster, const std::vector<LoadSample> &samples);
    std::vector<LoadSample> samples(const QString &cluster); // in the order of time
    void setPatience(std::chrono::milliseconds patience);
    // Keeps of each cluster what keptAt() says.
    void thin(qint64 now);

private:
    QSqlQuery exec(const QString &sql, const QVariantList &values = {});
    template <typename Write>
    void atOnce(const Write &write); // all or nothing
    void open(const QString &path, std::chrono::milliseconds patience);
    void close();
    void makeTables(const QString &path);
    void insert(const QString &cluster, const std::vector<LoadSample> &samples);
    void thin(const QString &cluster, qint64 now);

    const QString m_connection; // its name
    QSqlDatabase m_database;
};

} // namespace drover::gui
