#include "app/support/drover_on_server.h"
#include "gui/session_as_user.h"
#include "gui/workspace/console_models.h"

#include <QJsonArray>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;

// The graph of a job's dependencies in the console, beside the command line.
class DependenciesAgreementTest : public QObject
{
    Q_OBJECT

    static constexpr int Limit = 60'000; // ms

    DroverOnServer m_cluster;
    async::QtLoop m_loop;
    ConsoleModels m_models;
    std::unique_ptr<ConsoleSession> m_console;

    jobs::JobId submit(const QByteArray &arguments)
    {
        const Finished submitted = m_cluster.drover.run(words("submit") + words(arguments.constData()));
        if (submitted.exitCode != 0)
            qFatal("%s", submitted.err.constData());
        return jobs::JobId::parse(QString::fromUtf8(submitted.out.trimmed())).value();
    }

    // "default-7 ok:default-6", of all that the graph of a job draws.
    QStringList dependenciesShown(const jobs::JobId &id)
    {
        QSignalSpy found(&m_console->actions(), &JobActions::neighboursFound);
        m_console->actions().findNeighbours(1, id);
        if (!found.wait(Limit))
            return {};
        const auto graph = found[0][1].value<JobGraph>();
        QStringList lines;
        for (const JobGraph::Arrow &arrow : graph.arrows)
            lines << graph.nodes[std::size_t(arrow.after)].id.toString() + u' '
                    + jobs::Dependency{arrow.kind, graph.nodes[std::size_t(arrow.before)].id}.toString();
        lines.sort();
        return lines;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        m_console = std::make_unique<ConsoleSession>(m_loop, sessionAsUser(m_cluster));
        connectModels(m_models, *m_console);
        m_console->open({m_cluster.server.connectString(), "default"});
    }
    void cleanupTestCase() { m_console.reset(); }

    // The graph of each of three jobs has the dependencies that `drover show` lists, and no others.
    void eachJobHasTheDependenciesThatAreShown()
    {
        const jobs::JobId first = submit("--name first --hold -- true");
        const jobs::JobId second = submit("--name second --after-ok " + first.bytes() + " -- true");
        const jobs::JobId third =
            submit("--name third --after " + second.bytes() + " --after-ok " + first.bytes() + " -- true");
        QStringList listed;
        for (const jobs::JobId &id : {second, third}) {
            const QStringList after =
                json(m_cluster.drover.run(words("show -o json") + QStringList(id.toString())))[u"after"]
                    .toVariant()
                    .toStringList();
            QVERIFY(!after.isEmpty());
            for (const QString &one : after)
                listed << id.toString() + u' ' + one;
        }
        listed.sort();
        for (const jobs::JobId &id : {first, second, third})
            QTRY_COMPARE_WITH_TIMEOUT(dependenciesShown(id), listed, Limit);
    }
};

QTEST_GUILESS_MAIN(DependenciesAgreementTest)
#include "dependencies_agreement_test.moc"
