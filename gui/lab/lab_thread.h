#pragma once

#include "async/loop_thread.h"
#include "gui/lab/lab_stage.h"

namespace drover::gui {

// The thread of the lab. Make and destroy it on the GUI thread. The stage is reached by tell() and by its signal.
class LabThread
{
public:
    explicit LabThread(LabSettings settings = LabSettings::ofThisProgram())
    {
        qRegisterMetaType<LabSnapshot>();
        m_thread.call([&] { m_stage = std::make_unique<LabStage>(m_thread.loop(), std::move(settings)); });
    }
    // Ends the server and all participants.
    ~LabThread()
    {
        m_thread.call([this] { m_stage.reset(); });
    }

    const LabStage &stage() const { return *m_stage; } // to connect to
    // Calls it on the stage's thread, later.
    void tell(std::function<void(LabStage &)> request)
    {
        m_thread.loop().post([this, request = std::move(request)] { request(*m_stage); });
    }

private:
    async::LoopThread m_thread{QStringLiteral("lab")};
    std::unique_ptr<LabStage> m_stage;
};

} // namespace drover::gui
