#pragma once

#include "gui/data/load_sample.h"

#include <QObject>
#include <QThread>
#include <QTimer>

#include <map>
#include <memory>
#include <vector>

namespace drover::gui {

class LoadFile;

// Keeps the samples of all windows of this program in the LoadFile. It lives on a thread of its own (LoadThread): reach
// it by queued signals and slots. It writes in batches. While another process writes, a batch waits for the next one.
// Where the file cannot be read or written it says so once, and keeps nothing more until the program starts again.
class LoadKeeper final : public QObject
{
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds Batch{10'000};
    static constexpr std::chrono::milliseconds Haste{100};
    static constexpr std::chrono::hours BetweenThinnings{1};

    explicit LoadKeeper(const QString &path);
    ~LoadKeeper() override; // writes what has come

public Q_SLOTS:
    void add(const QString &cluster, const drover::gui::LoadSample &sample);
    void read(int request, const QString &cluster);
    void flush(); // writes what has come; a timer calls it
    // The program ends: from now on it waits for other processes at most Haste.
    void finish();

Q_SIGNALS:
    void found(int request, const std::vector<drover::gui::LoadSample> &samples);
    void failed(const QString &why);

private:
    template <typename Use>
    bool use(const Use &use); // of the file, which is opened; false: another process was writing
    void thin();

    const QString m_path;
    std::unique_ptr<LoadFile> m_file;
    std::chrono::milliseconds m_patience;
    bool m_hasFailed = false;
    std::map<QString, std::vector<LoadSample>> m_pending; // by cluster
    QTimer m_batch;
    QTimer m_thinning;
};

// The thread of the one LoadKeeper of this program: all windows write through it. It ends with the last that uses it,
// when all that was added is written, unless another process writes all the time.
class LoadThread
{
public:
    explicit LoadThread(const QString &path);
    LoadThread(const LoadThread &) = delete;
    LoadThread &operator=(const LoadThread &) = delete;
    ~LoadThread();

    // On the GUI thread alone. The path of the first call counts.
    static std::shared_ptr<LoadThread> ofProgram(const QString &path);

    LoadKeeper &keeper() { return *m_keeper; }

private:
    QThread m_thread;
    LoadKeeper *m_keeper;
};

} // namespace drover::gui
