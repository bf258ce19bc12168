#pragma once

#include <QString>

namespace drover::history {

// Where a history is kept.
//
//     /var/lib/drover/history.sqlite                       a SQLite file of this machine
//     shared:/mnt/drover/history.sqlite                    a SQLite file that all machines see
//     postgresql://user@host:5432/database?sslmode=require  PostgreSQL, for a cluster
//     postgresql:///database?host=/run/postgresql           the same by its Unix socket
//
// The part after the question mark holds parameters of libpq. A password may stand in the URL; better is ~/.pgpass.
struct Location {
    enum class Engine { Sqlite, Postgres };

    Engine engine = Engine::Sqlite;
    QString file; // SQLite: absolute
    bool shared = false; // SQLite: several machines use it, on a file system of them all
    QString host;
    QString database;
    QString user;
    QString password;
    QString parameters; // libpq: "sslmode='require' ..."
    int port = -1;

    // Throws InvalidLocation.
    static Location parse(const QString &text);

    // For people, and for telling whether two workers mean the same place: "host1:/srv/history.sqlite",
    // "shared:/mnt/history.sqlite", "postgresql://user@db:5432/jobs". Never with the password.
    QString display() const;
};

} // namespace drover::history
