#include "gui/charts/load_keeper.h"

#include "gui/charts/load_file.h"

#include <QDateTime>

namespace drover::gui {

LoadKeeper::LoadKeeper(const QString &path)
    : m_path(path), m_patience(LoadFile::Patience), m_batch(this), m_thinning(this)
{
    qRegisterMetaType<LoadSample>();
    qRegisterMetaType<std::vector<LoadSample>>();
    connect(&m_batch, &QTimer::timeout, this, &LoadKeeper::flush);
    connect(&m_thinning, &QTimer::timeout, this, &LoadKeeper::thin);
    m_batch.start(Batch);
    m_thinning.start(BetweenThinnings);
}

LoadKeeper::~LoadKeeper()
{
    flush();
}

template <typename Use>
bool LoadKeeper::use(const Use &use)
{
    if (m_hasFailed)
        return true;
    try {
        if (!m_file) {
            m_file = std::make_unique<LoadFile>(m_path, m_patience);
            m_file->thin(QDateTime::currentMSecsSinceEpoch());
        }
        use(*m_file);
    } catch (const SqliteError &error) {
        if (error.isBusy())
            return false;
        m_hasFailed = true;
        m_file.reset();
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
    return true;
}

void LoadKeeper::add(const QString &cluster, const LoadSample &sample)
{
    if (!m_hasFailed)
        m_pending[cluster].push_back(sample);
}

void LoadKeeper::read(int request, const QString &cluster)
{
    flush();
    std::vector<LoadSample> samples;
    use([&](LoadFile &file) { samples = file.samples(cluster); });
    Q_EMIT found(request, samples);
}

void LoadKeeper::flush()
{
    while (!m_pending.empty()) {
        const auto first = m_pending.begin();
        if (!use([first](LoadFile &file) { file.add(first->first, first->second); }))
            return;
        m_pending.erase(first);
    }
}

void LoadKeeper::finish()
{
    m_patience = Haste;
    if (m_file)
        use([](LoadFile &file) { file.setPatience(Haste); });
    flush();
}

void LoadKeeper::thin()
{
    use([](LoadFile &file) { file.thin(QDateTime::currentMSecsSinceEpoch()); });
}

LoadThread::LoadThread(const QString &path) : m_keeper(new LoadKeeper(path))
{
    m_keeper->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_keeper, &QObject::deleteLater);
    m_thread.setObjectName(QStringLiteral("charts"));
    m_thread.start();
}

LoadThread::~LoadThread()
{
    QMetaObject::invokeMethod(m_keeper, &LoadKeeper::finish, Qt::BlockingQueuedConnection); // after all that was added
    m_thread.quit();
    m_thread.wait();
}

std::shared_ptr<LoadThread> LoadThread::ofProgram(const QString &path)
{
    static std::weak_ptr<LoadThread> one;
    std::shared_ptr<LoadThread> thread = one.lock();
    if (!thread) {
        thread = std::make_shared<LoadThread>(path);
        one = thread;
    }
    return thread;
}

} // namespace drover::gui
