#pragma once

#include "gui/data/job_verb.h"
#include "gui/data/lock_node.h"

#include <QObject>

#include <functional>
#include <map>

namespace drover::gui {

class ChangeDialog;
class ConsoleSession;
struct ConsoleModels;
class Gateway;
class LockFeed;
class LocksPage;

// Changes jobs, queues, workers and the lines of locks for the user. It asks for what is missing, names what will be
// changed, sends the request to the session, and says what came of it. Lives on the thread of its window.
class ClusterCommands final : public QObject
{
    Q_OBJECT

public:
    // Its dialogs are children of the window; the other arguments outlive it.
    ClusterCommands(ConsoleSession &session, const ConsoleModels &models, const Gateway &gateway, QWidget *window);

    void act(JobVerb::Kind kind, const QList<jobs::JobId> &jobs);
    // Counts the jobs first, in the whole cluster.
    void actOnAll(JobVerb::Kind kind, const JobSearch &search);
    void pause(const QByteArrayList &queues);
    void resume(const QByteArrayList &queues);
    void limit(const QByteArray &queue); // how many of its jobs may run at a time
    void setLimit(const LockRow &limit); // how many of the jobs that ask for it may run at a time
    void cordon(const QByteArrayList &workers, bool drain);
    void uncordon(const QByteArrayList &workers);
    void stepDown(); // the master that is shown
    void askToLetGo(const LockRow &contender);
    void breakLock(const LockRow &contender);
    // The page asks for changes of its locks, and for a search of the tree, which `feed` makes.
    void serve(LocksPage &page, LockFeed &feed);
    // Another cluster is shown now.
    void forget();

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);

    void matchWanted(int request, const drover::gui::JobVerb &verb, const drover::gui::JobSearch &search);
    void actWanted(int request, const drover::gui::JobVerb &verb, const QList<drover::jobs::JobId> &jobs);
    void pauseWanted(int request, const QByteArrayList &queues, const QString &why);
    void resumeWanted(int request, const QByteArrayList &queues);
    void limitWanted(int request, const QByteArray &queue, int seen, int limit);
    void permitsWanted(int request, const QByteArray &limit, int seen, int permits);
    void cordonWanted(int request, const QByteArrayList &workers, const QString &why, bool drain);
    void uncordonWanted(int request, const QByteArrayList &workers);
    void stepDownWanted(int request, drover::zk::Zxid master);
    void askWanted(int request, const drover::gui::LockNode &holder);
    void breakWanted(int request, const drover::gui::LockNode &holder);

private:
    static constexpr std::chrono::seconds ShortTime{8}; // that news are shown
    static constexpr std::chrono::seconds LongTime{15}; // and trouble

    struct Matching {
        JobVerb::Kind kind;
        JobSearch search;
    };
    struct Acting {
        JobVerb::Kind kind;
        bool isFound; // by a search: an unsuitable state is no error
    };

    void wire(ConsoleSession &session);
    // Asks, and carries out what is answered with yes.
    void ask(JobVerb::Kind kind, const QList<jobs::JobId> &jobs, const std::optional<JobSearch> &search);
    ChangeDialog *askWhy(const QString &title, const QString &question, const QString &meaning, const QString &yes,
                         std::function<void(const QString &why)> act);
    void send(const JobVerb &verb, const QList<jobs::JobId> &jobs, bool isFound);
    void show(const Acting &acting, const QList<ActedOn> &outcomes);
    void sayWhoIsDrained();

    const ConsoleModels &m_models;
    const Gateway &m_gateway;
    QWidget *m_window;
    int m_lastRequest = 0;
    std::map<int, Matching> m_matching;
    std::map<int, Acting> m_acting;
    std::map<int, QString> m_changing; // what to say once it is done
    std::set<QByteArray> m_draining;
};

} // namespace drover::gui
