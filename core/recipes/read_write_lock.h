#pragma once

#include "recipes/owned_line.h"
#include "recipes/participants.h"

namespace drover::recipes {

// An owner that only reads has asked to write: it would wait for itself.
class UpgradeRefused : public std::logic_error
{
public:
    explicit UpgradeRefused(const zk::Path &directory);
};

// A fair lock that readers share and writers have alone, re-entrant by owner (Curator's InterProcessReadWriteLock).
//
//     <directory>
//         _c_<uuid>-__READ__0000000003     reads
//         _c_<uuid>-__READ__0000000004     reads
//         _c_<uuid>-__WRIT__0000000005     waits for all before it, watching 4 and 3
//         _c_<uuid>-__READ__0000000006     waits for the nearest writer ahead, watching 5; never one behind it
//
//     read:  if this owner writes: make __READ__ with the writer's number, provided the writer's node exists
//            else take a ticket; await its turn behind writers
//     write: if this owner reads and does not write: refuse
//            take a ticket; await its turn behind everybody
//
// Downgrade: acquire the reader with the owner that holds the writer, then release the writer. The node made for it has
// the writer's own number, so a waiting writer finds it ahead. That is the one case of a node appearing ahead of
// another, so a writer that waited behind a writer lists once more when that is gone, where the other pairs need not
// (Precedence::isFinal). Curator names it so from 5.5.0 on (CURATOR-621); up to 5.4.0 a downgrade made by Curator lets
// a waiting writer in beside it, one of ours does not.
//
// The node of a downgraded reader is younger than those that wait behind its number, so its token is greater than that
// of a writer that holds after it: storage that has seen the reader's token would refuse that writer. Such a reader
// shows the token of the writer it was, which is smaller than those of all who come later; its fence guards what is in
// ZooKeeper as any other.
//
// Upgrade: refused, since two readers that upgrade would wait for each other.
//
// With Strangers::Await a node of another name, such as a Mutex's, excludes all of ours and is excluded by all of ours.
// Curator's mutex and read-write lock do not see each other, so in a directory that other programs use it has to be
// Strangers::Refuse, which accepts readers and writers alone.
//
// Everything else is as in Mutex. A release by a writer wakes all readers that waited for it, since all of them go on.
class ReadWriteLock
{
public:
    ReadWriteLock(zk::Coordinator &zk, zk::Path directory, Strangers strangers = Strangers::Await)
        : m_zk(zk), m_reading(zk, directory, "__READ__", among(strangers, behindWriters())),
          m_writing(zk, directory, "__WRIT__", among(strangers, behindAll())), m_reader(m_reading, m_writing),
          m_writer(m_reading, m_writing)
    {
    }

    Lockable &reader() { return m_reader; }
    Lockable &writer() { return m_writer; } // its acquires throw UpgradeRefused as well

    // Readers and writers in their order. Throws SessionLost.
    async::Task<std::vector<Participant>> participants() { return recipes::participants(m_zk, m_writing.directory()); }
    static bool isWriter(const QByteArray &name) { return name.contains("__WRIT__"); }
    static bool isReader(const QByteArray &name) { return name.contains("__READ__"); }
    static bool accepts(const QByteArray &name) { return standsInLineOf(NodeKind::ReadWriteLock, name); }

    // How many of those at the head of a line, given in its order, hold the lock; a Mutex's line will do as well.
    static qsizetype holders(const QByteArrayList &order);

    // Of a ticket of either kind.
    static Precedence behindWriters();
    static Precedence behindAll();

private:
    static Precedence among(Strangers strangers, const Precedence &precedence)
    {
        return strangers == Strangers::Refuse ? precedence.accepting(&ReadWriteLock::accepts) : precedence;
    }

    class Half : public Lockable
    {
    public:
        Half(OwnedLine &reading, OwnedLine &writing) : m_reading(reading), m_writing(writing) { }
        const zk::Path &path() const override { return m_writing.directory(); }

    protected:
        OwnedLine &m_reading;
        OwnedLine &m_writing;
    };

    class Reader final : public Half
    {
    public:
        using Half::Half;
        async::Task<Lock> acquire(QByteArray about, Owner owner) override;
        async::Task<std::optional<Lock>> tryAcquire(QByteArray about, Owner owner) override;
    };

    class Writer final : public Half
    {
    public:
        using Half::Half;
        async::Task<Lock> acquire(QByteArray about, Owner owner) override;
        async::Task<std::optional<Lock>> tryAcquire(QByteArray about, Owner owner) override;

    private:
        void refuseUpgrade(const Owner &owner) const;
    };

    zk::Coordinator &m_zk;
    OwnedLine m_reading;
    OwnedLine m_writing;
    Reader m_reader;
    Writer m_writer;
};

} // namespace drover::recipes
