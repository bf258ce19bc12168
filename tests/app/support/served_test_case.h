#pragma once

#include "app/support/drover_on_server.h"

namespace drover::test {

// Base of the tests that run the program's commands on jobs. A real worker with four slots serves the queue "default",
// and no worker serves "other".
class ServedTestCase : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();

protected:
    Finished run(const char *command, const QStringList &more = {}) const
    {
        return m_drover.run(words(command) + more);
    }
    // A job that runs `script` in a shell. Returns its id.
    QString submit(const char *options, const char *script) const;
    QJsonObject show(const QString &id) const { return json(run("show -o json", {id})); }
    QString stateOf(const QString &id) const { return show(id).value(QStringLiteral("state")).toString(); }

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;

private:
    std::unique_ptr<QProcess> m_worker;
};

} // namespace drover::test
