#pragma once

#include <QStringList>

namespace drover::history {

// Where a history is kept.
//
//     /var/lib/drover/history.sqlite                       a SQLite file of this machine
//     shared:/mnt/drover/history.sqlite                    a SQLite file on a file system of all machines
//     postgresql://user@host:5432/database?sslmode=require  PostgreSQL, for a cluster
//     postgresql:///database?host=/run/postgresql           PostgreSQL by its Unix socket
//
// The part after the question mark holds parameters of libpq. The URL may contain a password; ~/.pgpass is safer.
struct Location {
    enum class Engine { Sqlite, Postgres };

    Engine engine = Engine::Sqlite;
    QString file; // SQLite: absolute
    bool shared = false; // SQLite: the file system is shared by all machines
    QString host;
    QString database;
    QString user;
    QString password;
    QString parameters; // libpq: "sslmode='require' ..."
    int port = -1;
    bool unnamedHere = false; // only the cluster's settings name it: gets no credentials

    // Throws InvalidLocation.
    static Location parse(const QString &text);
    // From the cluster's settings, which everybody who reaches ZooKeeper can write. A place of `allowed`, which are
    // this machine's own settings, is taken as it stands there, with its parameters and password. Of other PostgreSQL
    // places only harmless parameters are taken, and no credentials are sent: neither PGPASSWORD nor those of files.
    // Files and Unix sockets of this machine have to be in `allowed`. Throws InvalidLocation and LocationNotListed.
    static Location fromCluster(const QString &text, const QStringList &allowed);

    // The location for people, without the password. Two workers use one place if their texts are equal:
    // "host1:/srv/history.sqlite",
    // "shared:/mnt/history.sqlite", "postgresql://user@db:5432/jobs".
    QString display() const;
    // As settings of this machine name it, without the password: "/srv/history.sqlite", else like display().
    QString setting() const;
};

} // namespace drover::history
