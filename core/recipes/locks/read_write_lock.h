#pragma once

#include "recipes/locks/fair_lock.h"

namespace drover::recipes {

// An owner that holds only the reader asked for the writer. It would wait for itself.
class UpgradeRefused : public std::logic_error
{
public:
    explicit UpgradeRefused(const zk::Path &directory);
};

// A fair lock that many readers or one writer hold, re-entrant by owner (Curator's InterProcessReadWriteLock).
//
//     <directory>
//         _c_<uuid>-__READ__0000000003     reads
//         _c_<uuid>-__READ__0000000004     reads
//         _c_<uuid>-__WRIT__0000000005     waits for all before it, watching 4 and 3
//         _c_<uuid>-__READ__0000000006     waits for the nearest writer ahead, watching 5
//
//     read:  if this owner writes: make __READ__ with the writer's number, provided the writer's node exists
//            else take a ticket; await its turn behind writers
//     write: if this owner reads and does not write: refuse
//            take a ticket; await its turn behind all others
//
// Downgrade: acquire the reader with the owner that holds the writer, then release the writer. The reader's node gets
// the writer's number, so a waiting writer finds it ahead. Only here does a new node appear ahead of a waiting one. So
// a writer that waited for a writer lists once more when that one is gone (LineRules::isFinal); other pairs need not.
// Curator names the node in this way since 5.5.0 (CURATOR-621). Up to 5.4.0 Curator's downgrade lets a waiting writer
// in beside the reader; Drover's does not.
//
// A downgraded reader's node is younger than the nodes that wait behind its number. Its own czxid would be greater than
// the token of the next writer, and storage that has seen it would refuse that writer. So such a reader has the token
// of its earlier writer node, which is smaller than all later ones. Its fence guards writes to ZooKeeper as usual.
//
// Upgrade: refused, because two readers that upgrade would wait for each other.
//
// With Strangers::Await a node of another name, such as a Mutex's, excludes readers and writers and is excluded by
// them. Curator's mutex and read-write lock ignore each other. So use Strangers::Refuse, which accepts only readers and
// writers, in a directory that other programs use.
//
// Everything else is as in Mutex. A writer's release wakes all readers that waited for it, because all of them go on.
class ReadWriteLock
{
public:
    ReadWriteLock(zk::Client &zk, zk::Path directory, Strangers strangers = Strangers::Await)
        : m_reader(zk, directory, strangers, m_writer), m_writer(zk, directory, strangers, m_reader)
    {
    }

    Lockable &reader() { return m_reader; }
    Lockable &writer() { return m_writer; } // its acquires also throw UpgradeRefused

    // Readers and writers in their order. Throws SessionLost.
    async::Task<std::vector<Participant>> participants() { return m_writer.participants(); }
    static bool isWriter(const QByteArray &name) { return name.contains("__WRIT__"); }
    static bool isReader(const QByteArray &name) { return name.contains("__READ__"); }
    static bool accepts(const QByteArray &name) { return standsInLineOf(NodeKind::ReadWriteLock, name); }

    // How many nodes at the head of a line hold the lock; `order` is the line. It also works for a Mutex's line.
    static qsizetype holders(const QByteArrayList &order);

    // The rules for a reader's ticket.
    static LineRules behindWriters();
    static LineRules behindAll();

private:
    class Reader final : public FairLock
    {
    public:
        Reader(zk::Client &zk, const zk::Path &directory, Strangers strangers, const FairLock &writer)
            : FairLock(zk, directory, "__READ__", behindWriters().among(strangers, &ReadWriteLock::accepts)),
              m_writer(writer)
        {
        }

    private:
        async::Task<OwnNode> take(QByteArray about, Owner owner) override;
        async::Task<std::optional<OwnNode>> tryTake(QByteArray about, Owner owner) override;

        const FairLock &m_writer;
    };

    class Writer final : public FairLock
    {
    public:
        Writer(zk::Client &zk, const zk::Path &directory, Strangers strangers, const FairLock &reader)
            : FairLock(zk, directory, "__WRIT__", behindAll().among(strangers, &ReadWriteLock::accepts)),
              m_reader(reader)
        {
        }

    private:
        async::Task<OwnNode> take(QByteArray about, Owner owner) override;
        async::Task<std::optional<OwnNode>> tryTake(QByteArray about, Owner owner) override;
        void refuseUpgrade(const Owner &owner) const;

        const FairLock &m_reader;
    };

    Reader m_reader;
    Writer m_writer;
};

} // namespace drover::recipes
