#pragma once

#include "gui/feeds_fixture.h"

#include <QTemporaryDir>

namespace drover::test {

// A cluster whose master archives.
struct PastFixture : FeedsFixture {
    QTemporaryDir directory;
    history::Location place = history::Location::parse(directory.filePath(QStringLiteral("history.sqlite")));
    history::History past{clusterLoop, place, history::OpenMode::Write};

    PastFixture()
    {
        history = [this](const gui::Target &, const QString &) { return place; };
    }

    void add(const jobs::FinalRecord &record)
    {
        history::ArchiveBatch batch{"default", {std::chrono::milliseconds(1)}, {}};
        batch.entries.push_back({"default", record, std::chrono::milliseconds(1'760'000'000'000), {}});
        run(past.archive(batch));
    }
    // The first is the oldest, and alone has the command, and the tag "seldom". A greater number has ended later.
    void archiveMany(int count, const QStringList &command, int first = 100)
    {
        history::ArchiveBatch batch{"default", {std::chrono::milliseconds(1)}, {}};
        for (int i = 0; i < count; ++i) {
            jobs::JobSpec spec = SampleCluster::spec(i == 0 ? command : QStringList(QStringLiteral("filler")));
            if (i == 0)
                spec.tags = QStringList(QStringLiteral("seldom"));
            batch.entries.push_back({"default",
                                     jobs::FinalRecord::of({"default", first + i}, spec),
                                     std::chrono::milliseconds(1'700'000'000'000 + (first - 100 + i) * 1000),
                                     {}});
        }
        run(past.archive(batch));
    }
    // As the master does a moment after the job's end.
    void archive(const jobs::JobId &id)
    {
        const zk::Path node = cluster.layout().done(id);
        add(jobs::FinalRecord::decode(server.tree().find(node)->data, id));
        const auto removed = writer->remove(node);
        world.runFor(std::chrono::seconds(5));
    }
    void search(const QString &text)
    {
        console.jobs().search({text, {}, false});
        console.past().search({text, {}, false});
        world.runFor(std::chrono::seconds(10));
    }
};

} // namespace drover::test
