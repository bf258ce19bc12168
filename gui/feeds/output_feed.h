#pragma once

#include "gui/feeds/feed.h"
#include "output/attempt_reader.h"

#include <map>
#include <optional>

namespace drover::gui {

// What running attempts write, as it comes, for as long as somebody looks: asked of their workers. The last 64 KiB of
// each stream that are there at first, and then everything, once, over as many sessions as it takes. Each request is
// told apart by a number of its asker's.
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
    void interrupted(int request, const QString &why); // tried again until the attempt has ended
    void ended(int request); // the attempt has; everything that could be had was told

protected:
    void begin() override;
    void end() override;

private:
    struct Followed {
        Followed(output::AttemptReader reads, QByteArray of) : reader(std::move(reads)), worker(std::move(of)) { }

        output::AttemptReader reader;
        QByteArray worker;
        bool over = false;
        std::optional<async::TaskGroup> task; // last: it uses the others
    };

    void start(int request, Followed &followed);
    async::Task<void> followTask(int request, Followed &followed);

    std::map<int, Followed> m_following;
};

} // namespace drover::gui
