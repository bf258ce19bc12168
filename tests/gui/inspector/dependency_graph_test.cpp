#include "gui/inspector/dependency_graph.h"
#include "gui/inspector/job_panel.h"
#include "gui/kit/graph_view.h"
#include "gui/pictures.h"
#include "gui/shell/shell.h"
#include "gui/window_fixture.h"
#include "gui/workspace/job_details.h"

#include <QGraphicsItem>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::JobId;

namespace {

constexpr int Limit = 30'000; // ms

struct Fixture : test::WindowFixture {
    Shell *shell = window.findChild<Shell *>();
    Inspector *inspector = window.findChild<Inspector *>();
    JobId fetch = add(u"fetch"_qs);
    JobId clean = add(u"clean"_qs, {u"ok:"_qs + fetch.toString()});
    JobId train = add(u"train"_qs, {u"ok:"_qs + clean.toString(), u"any:default-8"_qs});
    JobId report = add(u"report"_qs, {u"any:"_qs + train.toString()});
    JobId mail = add(u"tell me"_qs, {u"fail:"_qs + train.toString()});

    Fixture()
    {
        world.runFor(3s);
        window.activateWindow();
        window.showPage(u"jobs"_qs);
        shell->showPanel(true);
        shell->goToEntity(entityOf(train));
        world.runFor(1s);
    }
    JobId add(const QString &name, const QStringList &after = {})
    {
        jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
        spec.name = name;
        spec.after = jobs::dependenciesFrom(after);
        return run(cluster.addJob(spec));
    }
    static EntityRef entityOf(const JobId &id) { return {EntityRef::Kind::Job, id.bytes()}; }
    GraphView &view() { return inspector->job()->findChild<DependencyGraph *>()->view(); }
    void open() { inspector->job()->showTab(JobPanel::Tab::Graph); }
    // The graph is asked for in real time, and answered in the world's.
    template <typename Condition>
    bool comes(const Condition &condition)
    {
        return QTest::qWaitFor(
            [&] {
                world.runFor(100ms);
                return condition();
            },
            Limit);
    }
    int find(const JobId &id)
    {
        const std::vector<GraphPicture::Node> &nodes = view().picture().nodes;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].title == id.toString())
                return int(i);
        }
        return -1;
    }
    bool isDashed(const JobId &from, const JobId &to)
    {
        for (const GraphPicture::Arrow &arrow : view().picture().arrows) {
            if (arrow.from == find(from) && arrow.to == find(to))
                return arrow.isDashed;
        }
        qFatal("no arrow");
    }
    void click(const JobId &id)
    {
        const int node = find(id);
        const QList<QGraphicsItem *> items = view().scene()->items();
        for (const QGraphicsItem *const item : items) {
            if (item->data(0).isValid() && item->data(0).toInt() == node) {
                const QPoint place = view().mapFromScene(item->sceneBoundingRect().center());
                return QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, place);
            }
        }
        QFAIL("not drawn");
    }
};

} // namespace

// The graph of dependencies in the inspector.
class DependencyGraphTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void drawsWhatIsBeforeAndAfterTheJob()
    {
        Fixture f;
        f.open();
        QVERIFY(f.comes([&] { return f.view().picture().nodes.size() == 6; }));
        const GraphPicture::Node &self = f.view().picture().nodes.front();
        QCOMPARE(self.title, f.train.toString());
        QCOMPARE(self.remark, u"Waiting: train"_qs);
        QVERIFY(self.isFilled);
        QVERIFY(f.isDashed(f.fetch, f.clean) && f.isDashed(f.train, f.mail));
        const QString spoken = f.view().accessibleDescription();
        QVERIFY2(spoken.contains(u"%1 waits for %2 (ok)"_qs.arg(f.train.toString(), f.clean.toString())),
                 qPrintable(spoken));
        QCOMPARE(f.view().accessibleName(), u"Dependencies of "_qs + f.train.toString());
        f.window.resize(1400, 900);
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            test::pictureOf(f.window, u"dependencies-%1"_qs.arg(int(theme)));
        }
        f.window.resize(800, 600);
        test::pictureOf(f.window, u"dependencies-small"_qs);
    }

    void followsTheJobsWhileItIsSeen()
    {
        Fixture f;
        QSignalSpy asked(f.window.findChild<JobDetails *>(), &JobDetails::neighboursWanted);
        f.run(f.cluster.claim(f.fetch, u"worker-3"_qs));
        f.world.runFor(3s);
        QCOMPARE(asked.size(), 0); // it is not seen
        f.open();
        QVERIFY(f.comes([&] { return f.view().picture().nodes.size() == 6; }));
        QCOMPARE(f.view().picture().nodes[std::size_t(f.find(f.fetch))].remark, u"Running: fetch"_qs);
        f.run(f.cluster.finish(f.fetch, jobs::FinalRecord::Outcome::Exited, 0, {}));
        const auto unclaimed = f.writer->remove(f.cluster.layout().claim(f.fetch));
        QVERIFY(f.comes([&] { return !f.isDashed(f.fetch, f.clean); }));
        QCOMPARE(f.view().picture().nodes[std::size_t(f.find(f.fetch))].remark, u"Succeeded: fetch"_qs);
        QVERIFY(f.isDashed(f.clean, f.train));
        f.inspector->job()->showTab(JobPanel::Tab::Facts);
        f.world.runFor(1s);
        asked.clear();
        f.add(u"further"_qs, {u"ok:"_qs + f.train.toString()});
        f.world.runFor(3s);
        QTest::qWait(0);
        QCOMPARE(asked.size(), 0);
        f.open();
        QVERIFY(f.comes([&] { return f.view().picture().nodes.size() == 7; }));
    }

    void aClickLeadsToTheJobAndBack()
    {
        Fixture f;
        f.open();
        QVERIFY(f.comes([&] { return f.view().picture().nodes.size() == 6; }));
        f.click(f.train); // where one is already
        f.world.runFor(1s);
        QCOMPARE(f.inspector->entity(), Fixture::entityOf(f.train));
        f.click(f.mail);
        QVERIFY(f.comes([&] { return f.inspector->entity() == Fixture::entityOf(f.mail); }));
        QCOMPARE(f.inspector->job()->shownTab(), JobPanel::Tab::Graph);
        QVERIFY(f.comes([&] { return f.view().picture().nodes.size() == 5; })); // all but the report
        QTest::keyClick(&f.window, Qt::Key_Left, Qt::AltModifier);
        QVERIFY(f.comes([&] { return f.inspector->entity() == Fixture::entityOf(f.train); }));
        QVERIFY(f.comes([&] { return f.view().picture().nodes.size() == 6; }));
    }

    void theKeysGoFromJobToJob()
    {
        Fixture f;
        f.open();
        QVERIFY(f.comes([&] { return f.view().picture().nodes.size() == 6; }));
        f.view().setFocus();
        const auto press = [&f](Qt::Key key) {
            QTest::keyClick(&f.view(), key);
            return f.view().picture().nodes[std::size_t(f.view().current())].title;
        };
        QVERIFY(f.view().height() > f.view().width()); // the jobs before it are above it
        QCOMPARE(press(Qt::Key_Up), f.train.toString()); // the job itself first
        QCOMPARE(press(Qt::Key_Up), f.clean.toString());
        QCOMPARE(press(Qt::Key_Up), f.fetch.toString());
        QCOMPARE(press(Qt::Key_Up), f.fetch.toString()); // there is none before it
        f.window.resize(800, 600);
        QVERIFY(f.comes([&] { return f.view().width() > f.view().height(); })); // now to the left of it
        QCOMPARE(press(Qt::Key_Right), f.clean.toString());
        QCOMPARE(press(Qt::Key_Right), f.train.toString());
        QCOMPARE(press(Qt::Key_Left), f.clean.toString());
        QCOMPARE(press(Qt::Key_Left), f.fetch.toString());
        QVERIFY2(f.view().accessibleName().endsWith(u": %1, Ready: fetch"_qs.arg(f.fetch.toString())),
                 qPrintable(f.view().accessibleName()));
        test::pictureOf(f.window, u"dependencies-keys"_qs);
        QTest::keyClick(&f.view(), Qt::Key_Return);
        QVERIFY(f.comes([&] { return f.inspector->entity() == Fixture::entityOf(f.fetch); }));
    }

    void anOutageLeavesItAndGreysItOut()
    {
        Fixture f;
        f.open();
        QVERIFY(f.comes([&] { return f.view().picture().nodes.size() == 6; }));
        f.server.stop();
        f.world.runFor(30s);
        QCOMPARE(f.view().picture().nodes.size(), std::size_t(6));
        test::pictureOf(f.window, u"dependencies-outage"_qs);
        f.server.start();
        f.world.runFor(30s);
        const std::unique_ptr<zk::Client> later = f.server.connect(f.clusterLoop); // the writer's session has ended
        test::SampleCluster again(*later, "default");
        jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
        spec.after = jobs::dependenciesFrom({u"ok:"_qs + f.train.toString()});
        f.run(again.addJob(spec));
        QVERIFY(f.comes([&] { return f.view().picture().nodes.size() == 7; }));
    }
};

QTEST_MAIN(DependencyGraphTest)
#include "dependency_graph_test.moc"
