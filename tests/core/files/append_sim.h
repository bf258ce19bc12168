#pragma once

#include "files/shared_file.h"
#include "support/fake/fake_session.h"

#include <QTemporaryDir>

#include <set>

namespace drover::test {

// One seeded schedule of processes that append to one file: a real file, ZooKeeper and time in memory. Sessions break,
// expire and stand still, replies are lost, processes die, their writes come late, torn, or never. The storage is full
// at times, and another client deletes the nodes of lock holders.
class AppendSim
{
public:
    struct Options {
        quint64 seed = 1;
        double faults = 0.05; // of the operations
        bool fenced = true; // false: the mutant whose transactions check nothing
        int processes = 4;
        int streams = 3; // appends at a time in each
        int records = 4; // of each stream
    };

    explicit AppendSim(Options options);
    ~AppendSim();

    // Lives through the schedule, heals, and looks at the file. What is wrong, or nothing.
    QString run();

    const FaultLog &faults() const { return m_faults.log(); }
    qint64 deposed() const { return m_deposed; }
    qint64 lateWrites() const { return m_late; }
    qint64 tornWrites() const { return m_torn; }
    qint64 unsettled() const { return m_unsettled; } // appends that could not be written, and were tried again
    qint64 refused() const { return static_cast<qint64>(m_refused.size()); } // that have failed for good

private:
    struct Process;

    std::unique_ptr<Process> makeProcess(int index);
    async::Task<void> live(Process &self, int index);
    async::Task<void> appendAll(files::SharedFile &file, int process, int stream);
    void startProcess(int index);
    void noteTrouble(const std::exception_ptr &error);
    void killSome();
    async::Task<void> deleteSome(zk::Client &zk);
    void tearPending();
    void workOnFullStorage(const std::function<void()> &work);
    void doWork(Process &process, const std::function<void()> &work);
    QString inspect() const;
    std::optional<files::Ledger> ledger() const;
    async::Duration some(async::Duration longest);

    Options m_options;
    SeededRandom m_random;
    QTemporaryDir m_directory;
    QString m_path;
    jobs::Layout m_layout{"sim"};
    VirtualLoop m_world;
    FaultInjector m_faults;
    FakeZooKeeper m_server{m_world};
    std::map<std::pair<int, int>, int> m_next; // record of a stream
    std::set<QByteArray> m_acknowledged;
    std::set<QByteArray> m_refused; // never to be in the file
    qint64 m_unsettled = 0;
    qint64 m_deposed = 0;
    qint64 m_late = 0;
    qint64 m_torn = 0;
    int m_killings = 0;
    QString m_trouble; // what no append should have met
    bool m_meddling = true;
    ProcessLoop m_meddlerLoop{m_world};
    std::unique_ptr<FakeSession> m_meddlerSession;
    async::TaskGroup m_manualDeleter;
    std::vector<std::unique_ptr<Process>> m_processes;
};

} // namespace drover::test
