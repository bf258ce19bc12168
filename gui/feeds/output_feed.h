#pragma once

#include "gui/feeds/feed.h"
#include "gui/output/output_file.h"
#include "jobs/model/final_record.h"
#include "output/attempt_reader.h"

#include <map>
#include <memory>
#include <optional>

namespace drover::gui {

// Follows the output of running attempts while a dialog shows it, by asking their workers. It reports the last 64 KiB
// of each stream, then all that follows, each byte once, over any number of sessions. Of an attempt that has ended it
// reads all that its worker still has. The caller numbers its requests; another one of the same number replaces it.
class OutputFeed final : public Feed
{
    Q_OBJECT

public:
    int watches() const override;

public Q_SLOTS:
    void follow(int request, const drover::jobs::JobId &id, int attempt, const QString &worker);
    void readWhole(int request, const drover::jobs::FinalRecord &record); // gui/output/whole_output.h
    void stop(int request);

Q_SIGNALS:
    void grew(int request, const QByteArray &output, const QByteArray &error);
    void interrupted(int request, const QString &why); // the feed retries until the attempt has ended
    void ended(int request); // the attempt has ended; all available output was reported
    void readSoFar(int request, qint64 bytes);
    void wholeRead(int request, const std::shared_ptr<const drover::gui::OutputFile> &file);
    // It is over, but for the end of a session: the next one begins anew.
    void wholeNotRead(int request, const QString &why);

protected:
    void begin() override;
    void end() override;

private:
    struct Followed {
        Followed(output::AttemptReader reads, QByteArray of) : reader(std::move(reads)), worker(std::move(of)) { }

        output::AttemptReader reader;
        QByteArray worker;
        bool over = false;
        std::optional<async::TaskGroup> task; // last: it uses the members above
    };

    struct Reading {
        explicit Reading(jobs::FinalRecord of) : record(std::move(of)) { }

        jobs::FinalRecord record;
        bool over = false;
        std::optional<async::TaskGroup> task;
    };

    void start(int request, Followed &followed);
    void start(int request, Reading &reading);
    async::Task<void> readTask(int request, Reading &reading);
    async::Task<void> followTask(int request, Followed &followed);

    std::map<int, Followed> m_following;
    std::map<int, Reading> m_reading;
};

} // namespace drover::gui
