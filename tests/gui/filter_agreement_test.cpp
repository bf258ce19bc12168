#include "app/support/drover_on_server.h"
#include "gui/session_as_user.h"
#include "gui/workspace/console_models.h"

#include <QDateTime>
#include <QJsonArray>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;
using namespace Qt::StringLiterals;

// The conditions of `drover history` find the same jobs in the console.
class FilterAgreementTest : public QObject
{
    Q_OBJECT

    static constexpr int Limit = 60'000; // ms

    DroverOnServer m_cluster;
    const QString m_history = m_cluster.drover.directory() + u"/history.sqlite"_s;
    std::vector<std::unique_ptr<QProcess>> m_workers;
    async::QtLoop m_loop;
    ConsoleModels m_models;
    std::unique_ptr<ConsoleSession> m_console;

    // A job that succeeds and one that fails, on w1 and on w2.
    void endJobs()
    {
        for (const char *const queue : {"day", "night"}) {
            for (const char *const command : {"true", "false"}) {
                const Finished submitted = m_cluster.drover.run(
                    {u"submit"_s, u"--wait"_s, u"--queue"_s, QLatin1String(queue), u"--"_s, QLatin1String(command)});
                QVERIFY2(submitted.err.isEmpty() || submitted.exitCode <= 1, submitted.err);
            }
        }
    }
    QStringList listed(const QString &options) const
    {
        QStringList ids;
        const Finished finished = m_cluster.drover.run(words(u"history -o json "_s + options));
        const QJsonArray all = json(finished)[u"jobs"].toArray();
        for (const QJsonValue &job : all)
            ids << job[u"id"].toString();
        ids.sort();
        return ids;
    }
    QStringList shown(const JobSearch &search) const
    {
        QStringList ids;
        for (int i = 0; i < m_models.jobs.rowCount(); ++i) {
            if (search.fits(m_models.jobs.row(i)))
                ids << m_models.jobs.row(i).id.toString();
        }
        ids.sort();
        return ids;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.drover.setVariable("DROVER_HISTORY", m_history);
        m_cluster.start({"day", "night"});
        m_workers.push_back(m_cluster.drover.start(words("worker --id w1 --queue day")));
        m_workers.push_back(m_cluster.drover.start(words("worker --id w2 --queue night")));
        m_console =
            std::make_unique<ConsoleSession>(m_loop, sessionAsUser(m_cluster), [this](const Target &, const QString &) {
                return history::Location::parse(m_history);
            });
        connectModels(m_models, *m_console);
        m_console->open({m_cluster.server.connectString(), "default"});
    }
    void cleanupTestCase()
    {
        m_console.reset();
        for (const std::unique_ptr<QProcess> &worker : m_workers) {
            worker->terminate();
            DroverProgram::finish(*worker);
        }
    }

    void timesAndWorkersFindTheSame()
    {
        endJobs();
        QTRY_COMPARE_WITH_TIMEOUT(listed(u"--rows 10"_s).size(), 4, Limit);
        const QString between = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs);
        endJobs();
        QTRY_COMPARE_WITH_TIMEOUT(listed(u"--rows 10"_s).size(), 8, Limit);
        const std::pair<QString, int> filters[] = {{u"--since 1h"_s, 8},
                                                   {u"--since "_s + between, 4},
                                                   {u"--until "_s + between, 4},
                                                   {u"--worker w1"_s, 4},
                                                   {u"--since %1 --worker w2 --state failed"_s.arg(between), 1},
                                                   {u"--until 2h"_s, 0}};
        for (const auto &[filter, count] : filters) {
            const JobSearch search(filter);
            m_console->jobs().search(search);
            m_console->past().search(search);
            const QStringList expected = listed(filter);
            QCOMPARE(expected.size(), count);
            QTRY_VERIFY2_WITH_TIMEOUT(shown(search) == expected, qPrintable(filter), Limit);
        }
    }
};

QTEST_GUILESS_MAIN(FilterAgreementTest)
#include "filter_agreement_test.moc"
