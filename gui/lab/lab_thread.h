#pragma once

#include "async/qt_loop.h"
#include "gui/lab/lab_stage.h"

#include <QThread>

namespace drover::gui {

// The thread of the lab. Make and destroy it on the GUI thread. The stage is reached by tell() and by its signal.
class LabThread
{
public:
    explicit LabThread(LabSettings settings = LabSettings::ofThisProgram());
    LabThread(const LabThread &) = delete;
    LabThread &operator=(const LabThread &) = delete;
    ~LabThread(); // ends the server and all participants

    const LabStage &stage() const { return *m_stage; } // to connect to
    // Calls it on the stage's thread, later.
    void tell(std::function<void(LabStage &)> request);

private:
    QObject m_there; // lives in the thread
    QThread m_thread;
    std::unique_ptr<async::QtLoop> m_loop;
    std::unique_ptr<LabStage> m_stage;
};

} // namespace drover::gui
