#pragma once

#include "app/worker/worker_policy.h"

#include <toml++/toml.h>

namespace drover::app {

// One key of a worker's file, with the place that messages begin with. Each reader throws UsageError when the value
// does not fit.
class WorkerEntry
{
public:
    WorkerEntry(QString key, QString where, const toml::node &node)
        : m_key(std::move(key)), m_where(std::move(where)), m_node(node)
    {
    }

    QString what() const { return QStringLiteral("%1: %2").arg(m_where, m_key); }
    [[noreturn]] void refuse(const QString &why) const;

    QString text() const;
    QStringList texts() const;
    qint64 integer(qint64 least, qint64 most) const;
    bool flag() const;
    QString absolutePath() const;
    // Absolute, of what is there.
    QStringList paths() const;

private:
    QString m_key;
    QString m_where;
    const toml::node &m_node;
};

// A key that a worker's file may have, by its name with underscores.
struct WorkerKey {
    const char *name;
    const char *usual; // what holds without it, for people
    void (*take)(WorkerPolicy &policy, const WorkerEntry &entry);
};

// In the order of packaging/worker.toml.
const QList<WorkerKey> &workerKeys();
const WorkerKey *findWorkerKey(const QString &name); // null: there is none
QStringList workerKeyNames();

} // namespace drover::app
