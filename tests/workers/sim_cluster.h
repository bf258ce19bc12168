#pragma once

#include "jobs/submitter.h"
#include "support/fake_session.h"
#include "workers/cluster_invariants.h"
#include "workers/sim_meddler.h"
#include "workers/worker_options.h"

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
        bool fenced = true; // false: the mutant whose writes check nothing
        bool readsProve = false; // true: the mutant whose sessions live as long as they are answered
        bool stops = false; // workers are told to stop, some of them to abandon their jobs, and come back
        bool runnerDeaths = false;
        bool outages = false; // of ZooKeeper, longer and shorter than a session
        bool secondQueue = false;
        bool fewAttempts = false; // jobs are given up when they have lost two workers
        bool needs = false; // jobs need several slots, a label that one worker has, locks, permits
        bool orders = false; // queues are paused and limited, workers cordoned, and all that is taken back
        bool shortJobs = false; // many at once, most of them over within milliseconds: they wait in the runner
        bool waiting = false; // jobs wait for times and for one another, fail, and are tried again
        bool rush = false; // many jobs of low priority at once, then some of the highest
        bool control = false; // somebody holds, releases, requeues, moves and cancels jobs, and deposes masters
        bool meddling = false; // somebody deletes claims, jobs, places, tickets by hand
        bool arrays = false; // some of the jobs are arrays
        bool gangs = false; // some of the jobs are gangs
        bool dedupe = false; // some of the jobs are submitted twice under one key
        bool sick = false; // runners cannot be started, and cannot start jobs
        bool kills = true; // one of the workers
        bool unfolding = false; // many tasks that are over at once, and many replies are lost
        bool gangSessions = true; // false: the mutant whose members keep their places when their workers have died
        bool arrayVersions = true; // false: the mutant whose masters unfold from whatever progress they know
        int workers = 3;
        int jobs = 10;
        bool longJobs = false; // some outlive the sessions of their workers
        int contenders = 3;
        async::Duration patience = std::chrono::minutes(30); // for the acknowledged to end, once the faults are over

        // One of the variations, with faults.
        static Options ofSeed(quint64 seed);
        void unfold();
    };

    // How often the variations bit.
    struct Incidents {
        qint64 stops = 0;
        qint64 runnerDeaths = 0; // with jobs running
        qint64 outages = 0;
        qint64 handedOn = 0; // give-backs that the next life of a process had to tell
        qint64 refusals = 0; // by runners that could not start a job
        qint64 gaveUp = 0;
        qint64 pauses = 0; // of queues with jobs in them
        qint64 cordons = 0;
        qint64 lockWaits = 0; // of jobs, told in their claims
        qint64 permits = 0; // of limits, with which jobs have begun
        qint64 saidToRun = 0; // jobs that were claimed ahead of their slots
        qint64 followers = 0; // runs that had waited in the runner for the one before
        qint64 waited = 0; // claims of jobs that had waited
        qint64 singletons = 0; // of these
        qint64 deduped = 0; // submits that found an earlier job with their key
        qint64 changes = 0; // by the one who controls
        qint64 taskChanges = 0; // of these, of tasks of arrays and members of gangs
        qint64 cancels = 0; // of these, of any job
        qint64 stepdowns = 0; // of masters, as told
        SimMeddler::Counts meddled{}; // by hand
        qint64 rejectedReports = 0;
        qint64 keptReported = 0; // ends of attempts of earlier lives
        qint64 refusedWrites = 0; // of those who no longer held the lock
        qint64 gangRounds = 0; // that have begun
        qint64 gangsAgain = 0; // rounds after the first of a gang
        qint64 gangRoundsWithdrawn = 0; // that have not
        qint64 gangRoundsLimited = 0; // that have begun, each member with a permit of a limit
        qint64 gangsSucceeded = 0;
        qint64 arraysDone = 0;
        qint64 arraysCancelled = 0; // of these, when some of their tasks had run
        qint64 arraysSkipped = 0; // of these, with tasks that were cancelled before their turn

        Incidents &operator+=(const Incidents &other);
    };

    explicit SimCluster(Options options);
    ~SimCluster();

    // Lives through the schedule, then heals and lets the cluster come to rest.
    void run();

    const QStringList &violations() const { return m_invariants.violations(); }
    const FaultLog &faults() const { return m_faults.log(); }
    Incidents incidents() const;
    QByteArray trace() const { return m_server.trace(); }

private:
    static constexpr int SlotsPerWorker = 2;
    static constexpr int MostMembers = 4; // of a gang

    struct Participant;

    std::unique_ptr<Participant> makeParticipant();
    async::Task<void> liveAsWorker(Participant &self, int index);
    async::Task<void> liveAsClient(Participant &self);
    async::Task<void> liveAsContender(Participant &self);
    async::Task<void> liveAsMeddler(Participant &self);
    async::Task<void> liveAsForeman(Participant &self);
    async::Task<void> liveAsWarden(Participant &self);
    async::Task<void> workOnce(Participant &self, workers::WorkerOptions options);
    async::Task<void> submitJobs(zk::Coordinator &zk, int &next);
    async::Task<std::optional<jobs::JobId>> submit(jobs::Submitter &submitter, jobs::JobSpec job);
    jobs::JobSpec spec(int number);
    void makeItWait(jobs::JobSpec &spec);
    void makeItNeed(jobs::JobSpec &spec);
    void makeMembersNeed(jobs::JobSpec &spec);
    async::Task<void> liveAsOperator(Participant &self);
    async::Task<void> writeUnderLock(Participant &self, int &rounds);
    void startWorker(int index);
    void killSomeWorker();
    void stopSomeWorker();
    void killSomeRunner();
    void beginOutage();
    void scheduleIncidents();
    Participant *someWorker();
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
    Incidents m_incidents;
    QString m_failure; // an exception that ended somebody's life
    int m_busy = 0; // clients and contenders that have not finished
    std::vector<std::unique_ptr<Participant>> m_others;
    std::vector<SimDisk> m_disks; // of the workers
    std::vector<std::unique_ptr<Participant>> m_workers;
};

} // namespace drover::test
