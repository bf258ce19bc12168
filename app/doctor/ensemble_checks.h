#pragma once

#include "app/doctor/ensemble.h"
#include "app/doctor/finding.h"

namespace drover::app {

// What clients can learn of an ensemble.
struct EnsembleView {
    std::vector<zk::ServerReport> reports; // with srvr, mntr and conf
    QByteArray config; // of /zookeeper/config; empty: unknown
    std::chrono::milliseconds sessionTimeout; // that the workers ask for
};

// Judges the servers and their settings. Each finding has advice that is safe to follow while the cluster runs, or says
// when it is not. A setting that no server tells of is unknown.
Findings checkEnsemble(const EnsembleView &view);

// What of it the word conf tells, or a text of its form: connections, ticks and session time-outs; and the members.
Findings checkStatedNumbers(const EnsembleView &view);
Findings checkStatedMembers(const EnsembleView &view);

// Advice of several checks.
QString changeOnEachServer(const QString &change);
QString adviceOnPurge(); // the settings alone
QString adviceOnAutocreate();
QString adviceOnSnapshotSync();

} // namespace drover::app
