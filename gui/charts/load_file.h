#pragma once

#include "gui/data/load_sample.h"

#include <QSqlDatabase>
#include <QSqlQuery>

#include <stdexcept>
#include <vector>

namespace drover::gui {

// One line: what was not kept or read, and why.
class LoadFileError final : public std::runtime_error
{
public:
    explicit LoadFileError(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The samples of all clusters that this user has looked at, in one SQLite file (mode 0600). It has a schema version; a
// file of a newer program is left alone. Several processes may write it at a time: a sample that is there already stays.
// A power failure may cost the last samples, never the file. All calls throw LoadFileError, belong to the thread that
// made the object, and block it.
class LoadFile
{
public:
    explicit LoadFile(const QString &path);
    LoadFile(const LoadFile &) = delete;
    LoadFile &operator=(const LoadFile &) = delete;
    ~LoadFile();

    static QString usualPath(); // $XDG_STATE_HOME/drover/charts.sqlite

    void add(const QString &cluster, const std::vector<LoadSample> &samples);
    std::vector<LoadSample> samples(const QString &cluster); // in the order of time
    // Keeps of each cluster what keptAt() says.
    void thin(qint64 now);

private:
    QSqlQuery exec(const QString &sql, const QVariantList &values = {});
    template <typename Write>
    void atOnce(const Write &write); // all or nothing
    void makeTables(const QString &path);
    void insert(const QString &cluster, const std::vector<LoadSample> &samples);
    void thin(const QString &cluster, qint64 now);

    const QString m_connection; // its name
    QSqlDatabase m_database;
};

} // namespace drover::gui
