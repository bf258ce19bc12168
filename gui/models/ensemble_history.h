#pragma once

#include "gui/data/ensemble_snapshot.h"
#include "gui/models/queue_history.h"

namespace drover::gui {

// How each server answered over the last half hour. A number that a server did not say is -1.
class EnsembleHistory final : public QObject
{
    Q_OBJECT

public:
    enum Measure { AnswerTime, Outstanding, Connections, Measures }; // the first in microseconds

    using QObject::QObject;

    // In the order of the connect string: the names that tell the servers apart, as short as they can be.
    const QStringList &names() const { return m_names; }
    const SampleRing &of(qsizetype server, Measure measure) const { return m_rings[std::size_t(server)][measure]; }

public Q_SLOTS:
    void show(const drover::gui::EnsembleSnapshot &ensemble);

Q_SIGNALS:
    void sampled();

private:
    std::vector<zk::ServerAddress> m_servers;
    QStringList m_names;
    std::vector<std::array<SampleRing, Measures>> m_rings; // one of each server
};

} // namespace drover::gui
