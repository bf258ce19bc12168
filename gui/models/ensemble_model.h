#pragma once

#include "gui/data/ensemble_snapshot.h"
#include "gui/data/entity.h"
#include "gui/models/snapshot_model.h"

namespace drover::gui {

// Each server of the connection, and how near the ensemble is to losing its quorum.
class EnsembleModel final : public SnapshotModel<zk::ServerReport, QString>
{
    Q_OBJECT

public:
    enum Column { Server, Role, Version, Latency, Connections, Watches, Znodes, Outstanding, Lag, Zxid, Trouble };

    explicit EnsembleModel(QObject *parent = nullptr);

    const EnsembleSnapshot &now() const { return m_now; }
    // "2 of 3 servers serve, and 2 must."; empty: nothing is known.
    QString summary() const;
    // Says that the ensemble has lost its majority, or will lose it with the next server; empty: neither.
    QString warning() const;
    // Bad: the quorum is lost. Waiting: one more loss ends it, or a server is away. Good otherwise.
    Tone health() const;
    // The servers of the connection that vote and do not serve.
    qsizetype away() const { return namesOfAway().size(); }

    static QString roleText(const zk::ServerReport &server);
    static Tone roleTone(const zk::ServerReport &server);

public Q_SLOTS:
    void show(const drover::gui::EnsembleSnapshot &ensemble);

Q_SIGNALS:
    void shown();

protected:
    QString keyOf(const zk::ServerReport &server) const override { return server.address.toString(); }
    QVariant cell(const zk::ServerReport &server, int column, int role) const override;

private:
    QVariant text(const zk::ServerReport &server, int column) const;
    QString troubleOf(const zk::ServerReport &server) const;
    QStringList namesOfAway() const;

    EnsembleSnapshot m_now;
    quint64 m_newest = 0;
};

} // namespace drover::gui
