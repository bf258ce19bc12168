#pragma once

#include "jobs/client/submitter.h"
#include "support/fake/fake_session.h"
#include "workers/attempts/worker_options.h"
#include "workers/invariants/cluster_invariants.h"
#include "workers/sim/manual_deleter.h"
#include "workers/sim/sim_storage.h"
#include "workers/sim/variation.h"

namespace drover::test {

// One seeded schedule of a whole cluster in virtual time: workers that claim and run jobs, elect a master and stand in
// line, a client that submits and cancels, and contenders for one lock who write under its fence, all over sessions
// whose requests and replies are lost, late, or end in disconnection, expiry or a pause, while workers are killed. The
// variations add more trouble.
class SimCluster
{
public:
    struct Options {
        quint64 seed = 1;
        double faults = 0.03; // of the operations
        VariationSet variations{&variations::Kills};
        bool fenced = true; // false: the mutant whose writes check nothing
        bool readsProve = false; // true: the mutant whose sessions live as long as they are answered
        bool gangSessions = true; // false: the mutant whose members keep their places when their workers have died
        bool arrayVersions = true; // false: the mutant whose masters expand from whatever progress they know
        int workers = 3;
        int jobs = 10;
        int contenders = 3;
        async::Duration patience = std::chrono::minutes(30); // for the acknowledged to end, once the faults are over

        // Draws the variations, with faults.
        static Options ofSeed(quint64 seed);
        void expand();
    };

    explicit SimCluster(Options options);
    ~SimCluster();

    // Lives through the schedule, then heals and lets the cluster come to rest.
    void run();

    QStringList violations() const { return m_invariants.violations() + m_wrongInFile; }
    const FaultLog &faults() const { return m_faults.log(); }
    Counts counts() const;
    QByteArray trace() const { return m_server.trace(); }

private:
    static constexpr int SlotsPerWorker = 2;
    static constexpr int MostMembers = 4; // of a gang

    struct Process;

    std::unique_ptr<Process> makeProcess();
    async::Task<void> liveAsWorker(Process &self, int index);
    async::Task<void> liveAsClient(Process &self);
    async::Task<void> liveAsContender(Process &self);
    async::Task<void> liveAsManualDeleter(Process &self);
    async::Task<void> liveAsNodeCloser(Process &self);
    async::Task<void> liveAsQueueAdmin(Process &self);
    async::Task<void> liveAsLimitAdmin(Process &self);
    async::Task<bool> workOnce(Process &self, workers::WorkerOptions options);
    async::Task<void> submitJobs(zk::Client &zk, int &next);
    async::Task<std::optional<jobs::JobId>> submit(jobs::Submitter &submitter, jobs::JobSpec job);
    jobs::JobSpec spec(int number);
    void makeItWait(jobs::JobSpec &spec);
    void makeItNeed(jobs::JobSpec &spec);
    void makeMembersNeed(jobs::JobSpec &spec);
    async::Task<void> liveAsOperator(Process &self);
    async::Task<void> writeUnderLock(Process &self, int &rounds);
    void startWorker(int index);
    void killSomeWorker();
    void killWorker(int index);
    void stopSomeWorker();
    void killSomeRunner();
    void beginOutage();
    void hamperServers();
    void freeServers();
    void setSomeClock();
    void inspectStorage();
    void setClockOf(ProcessLoop &worker);
    void scheduleIncidents();
    bool has(const Variation &variation) const { return m_options.variations.has(variation); }
    Process *someWorker();
    QByteArray unfinished() const; // what each job waits for, and which were moved
    void noteEviction(zk::SessionId session);
    async::Duration some(async::Duration longest);
    FakeSessionOptions sessionOptions();

    Options m_options;
    SeededRandom m_random;
    jobs::Layout m_layout{"sim"};
    QByteArrayList m_queues;
    zk::Path m_lock = m_layout.lock("resource");
    zk::Path m_guarded = m_layout.root() / "guarded";
    VirtualLoop m_world;
    FaultInjector m_faults;
    FakeZooKeeper m_server{m_world};
    ClusterInvariants m_invariants{m_server, m_layout, m_lock, m_guarded};
    std::vector<Execution> m_witness;
    std::vector<jobs::JobId> m_ids; // acknowledged
    Counts m_counts;
    QString m_failure; // an exception that ended a process
    int m_busy = 0; // clients and contenders that have not finished
    std::vector<std::unique_ptr<Process>> m_others;
    std::vector<SimDisk> m_disks; // of the workers
    QStringList m_wrongInFile;
    std::unique_ptr<SimStorage> m_storage; // only if jobs append
    std::vector<std::unique_ptr<Process>> m_workers;
};

} // namespace drover::test
