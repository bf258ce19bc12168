#pragma once

#include "gui/feeds/feed.h"
#include "output/attempt_reader.h"

#include <map>
#include <optional>

namespace drover::gui {

// Follows the output of running attempts while a dialog shows it, by asking their workers. It reports the last 64 KiB
// of each stream, then all that follows, each byte once, over any number of sessions. The caller numbers its requests.
class OutputFeed final : public Feed
{
    Q_OBJECT

public:
    int watches() const override;

public Q_SLOTS:
    void follow(int request, const drover::jobs::JobId &id, int attempt, const QString &worker);
    void stop(int request);

Q_SIGNALS:
    void grew(int request, const QByteArray &output, const QByteArray &error);
    void interrupted(int request, const QString &why); // the feed retries until the attempt has ended
    void ended(int request); // the attempt has ended; all available output was reported

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

    void start(int request, Followed &followed);
    async::Task<void> followTask(int request, Followed &followed);

    std::map<int, Followed> m_following;
};

} // namespace drover::gui
