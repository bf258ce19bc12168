#include "app/support/drover_on_server.h"
#include "gui/session_as_user.h"
#include "gui/workspace/console_models.h"

#include <QJsonArray>
#include <QMap>
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

    QStringList dependenciesListed(const jobs::JobId &id) const
    {
        using Kind = jobs::Dependency::Kind;
        static const QMap<QString, Kind> kinds{{u"after"_qs, Kind::Begun},
                                               {u"after_ok"_qs, Kind::Ok},
                                               {u"after_fail"_qs, Kind::Failed},
                                               {u"after_any"_qs, Kind::Any}};
        const QJsonObject shown = json(m_cluster.drover.run(words("show -o json") + QStringList(id.toString())));
        QStringList lines;
        for (auto kind = kinds.begin(); kind != kinds.end(); ++kind) {
            for (const QVariant &other : shown[kind.key()].toArray().toVariantList())
                lines << id.toString() + u' '
                        + jobs::Dependency{*kind, *jobs::JobId::parse(other.toString())}.toString();
        }
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
        for (const jobs::JobId &id : {second, third})
            listed += dependenciesListed(id);
        QCOMPARE(listed.size(), 3);
        listed.sort();
        for (const jobs::JobId &id : {first, second, third})
            QTRY_COMPARE_WITH_TIMEOUT(dependenciesShown(id), listed, Limit);
    }
};

QTEST_GUILESS_MAIN(DependenciesAgreementTest)
#include "dependencies_agreement_test.moc"
