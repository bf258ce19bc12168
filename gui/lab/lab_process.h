#pragma once

#include <QProcess>

#include <functional>

namespace drover::gui {

// The process of one participant. The kernel kills it when the thread that started it ends; so does the destructor.
// Use it from one thread, which needs a Qt loop.
class LabProcess
{
public:
    using OnLine = std::function<void(const QByteArray &line)>;
    using OnEnd = std::function<void()>;

    // Neither may destroy this object.
    LabProcess(OnLine onLine, OnEnd onEnd);
    LabProcess(const LabProcess &) = delete;
    LabProcess &operator=(const LabProcess &) = delete;
    ~LabProcess();

    // Returns an empty text, or why the process could not be started.
    QString start(const QString &program, const QStringList &arguments);
    bool runs() const { return m_process.state() != QProcess::NotRunning; }
    qint64 pid() const { return m_process.processId(); } // 0: it does not run
    void signal(int number) const;
    void tell(const QByteArray &command);

private:
    void read();

    OnLine m_onLine;
    QProcess m_process;
};

} // namespace drover::gui
