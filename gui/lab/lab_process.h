#pragma once

#include "async/owned_process.h"

#include <functional>

namespace drover::gui {

// The process of one participant, which the destructor kills. Use it from one thread, which needs a Qt loop.
class LabProcess
{
public:
    using OnLine = std::function<void(const QByteArray &line)>;
    using OnEnd = std::function<void()>;

    // Neither may destroy this object.
    LabProcess(OnLine onLine, OnEnd onEnd);

    // Returns an empty text, or why the process could not be started.
    QString start(const QString &program, const QStringList &arguments);
    bool runs() const { return m_process.state() != QProcess::NotRunning; }
    qint64 pid() const { return m_process.processId(); } // 0: it does not run
    void signal(int number) const;
    void tell(const QByteArray &command) { m_process.write(command + '\n'); }

private:
    void read();

    OnLine m_onLine;
    async::OwnedProcess m_process{async::OwnedProcess::Group::Own};
};

} // namespace drover::gui
