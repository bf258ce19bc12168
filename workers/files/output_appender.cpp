#include "workers/files/output_appender.h"

#include "recipes/ticket.h"

namespace drover::workers {

namespace {

constexpr int CannotAppend = 74; // EX_IOERR of sysexits.h
constexpr std::size_t KeptFiles = 16; // with the keys they know, when nobody uses them

} // namespace

async::Task<void> OutputAppender::append(ClaimedJob job, Outcome outcome, QString output, jobs::FinalRecord &record)
{
    const QString path = job.spec.appendTo;
    if (path.isEmpty() || record.state() != jobs::JobState::Succeeded || outcome.outputBytes == 0)
        co_return;
    QString trouble;
    try {
        if (outcome.outputTruncated)
            trouble = QStringLiteral("not all of it was kept (--output-limit)");
        else
            co_await appendNow(job.id.bytes(), output, path);
    } catch (const zk::SessionLost &) {
        throw;
    } catch (const std::exception &error) {
        trouble = QStringLiteral("%1; then, by hand: drover logs %2 | drover append --key %2 %3")
                      .arg(QString::fromUtf8(error.what()), job.id.toString(), path);
    }
    if (trouble.isEmpty())
        co_return;
    record.code = CannotAppend;
    record.reason =
        QStringLiteral("the command succeeded, but its output was not appended to %1: %2").arg(path, trouble);
}

async::Task<void> OutputAppender::appendNow(QByteArray key, QString output, QString path)
{
    if (m_files.size() > KeptFiles)
        std::erase_if(m_files, [](const auto &file) { return file.second.use_count() == 1; });
    if (!m_files.contains(path)) {
        std::unique_ptr<SharedFile> opened = co_await SharedFile::open(m_zk, m_layout, path, m_worker);
        m_files.try_emplace(path, std::move(opened)); // another job of ours may have been faster
    }
    const std::shared_ptr<SharedFile> file = m_files.at(path);
    const SharedFile::Appended appended = co_await file->appendFile(key, output);
    Q_UNUSED(appended)
}

} // namespace drover::workers
