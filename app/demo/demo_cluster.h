#pragma once

#include "app/environment/child_process.h"

#include <QTemporaryDir>
#include <QTimer>

namespace drover::app {

// A closed cluster on this machine with made-up work that never ends: `drover up`, one more worker, and schedules
// that submit jobs. Its files are in a temporary directory. The destructor stops the cluster and removes them; when
// this process is killed, the processes end too, and the directory stays.
class DemoCluster : public QObject
{
    Q_OBJECT

public:
    // From now on this process and its children find this cluster and no other. Their XDG_* variables name the
    // temporary directory, and the DROVER_* variables are gone. Throws CommandError.
    DemoCluster();
    ~DemoCluster() override;

    // Returns at once. Throws CommandError.
    void start();

Q_SIGNALS:
    void serving(const QString &connect); // once; the work begins
    void failed(const QString &reason);

private:
    void lookForIt();
    void beginWork(const QString &connect);
    void startWith(ChildProcess &process, const QString &program, const QStringList &arguments);

    QTemporaryDir m_directory;
    QTimer m_poll;
    ChildProcess m_up; // destroyed last: the others are its clients
    ChildProcess m_worker;
    ChildProcess m_work;
};

} // namespace drover::app
