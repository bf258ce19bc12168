#pragma once

#include "gui/lab/lab_process.h"
#include "gui/lab/lab_server.h"
#include "gui/lab/lesson.h"
#include "gui/lab/step_tracker.h"
#include "recipes/blocks/tree_watch.h"

#include <QTemporaryDir>
#include <QTimer>

namespace drover::gui {

struct LabSettings {
    QString program; // that is a participant with --lab-participant
    std::chrono::milliseconds sessionTimeout{6000};

    static LabSettings ofThisProgram();
};

// Carries out the lessons, one at a time: a private server, which starts with the first lesson, and the processes of
// the participants. Everything ends with this object. It lives on a thread with a Qt loop, which it never blocks for
// longer than a fork.
class LabStage : public QObject
{
    Q_OBJECT

public:
    LabStage(async::Loop &loop, LabSettings settings);
    ~LabStage() override;

    // Ends the lesson before, and begins this one with no participant.
    void open(int lesson);
    // For those that do not run; for those that have released: join again. In the order of the list.
    void startAll();
    void start(int participant);
    void pause(int participant); // SIGSTOP
    void resume(int participant); // SIGCONT
    void kill(int participant); // SIGKILL
    void disconnect(int participant); // cuts its connection until reconnect()
    void reconnect(int participant);
    void release(int participant); // if it holds the lock
    void releaseAll(); // every holder, one in each group of waiting participants

    // Of the server and the participants that run.
    QList<qint64> pids() const;

Q_SIGNALS:
    void changed(const drover::gui::LabSnapshot &snapshot);

private:
    struct Actor;

    async::Task<void> startInOrder();
    async::Task<void> settle(int participant);
    async::Task<void> follow();
    async::Task<void> readWatches();
    async::Task<void> readRecords();
    void run(int participant);
    void read(int participant, const QByteArray &line);
    void ended(int participant);
    void endLesson();
    void fail(const QString &trouble);
    void notify();
    void send();
    bool isOpen(int participant) const { return participant >= 0 && participant < int(m_actors.size()); }
    zk::Path directoryOf(int group) const;
    QString fileOf(int group) const;

    async::Loop &m_loop;
    const LabSettings m_settings;
    QTemporaryDir m_directory;
    LabServer m_server;
    LabSnapshot m_snapshot;
    LabSnapshot m_sent;
    int m_round = 0; // of lessons: each has a directory of its own
    std::vector<std::unique_ptr<Actor>> m_actors;
    std::unique_ptr<recipes::TreeWatch> m_tree;
    async::Event m_moved; // something may have changed
    QTimer m_sending;
    async::TaskGroup m_lesson; // what ends with the lesson
    async::TaskGroup m_tasks;
};

} // namespace drover::gui
