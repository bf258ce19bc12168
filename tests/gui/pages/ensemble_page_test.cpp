#include "gui/models/ensemble_model.h"
#include "gui/pages/quorum_picture.h"
#include "gui/pages/server_chart.h"
#include "gui/pictures.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"
#include "gui/widgets/table_view.h"
#include "gui/window_fixture.h"

#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using Role = zk::ServerReport::Role;

namespace {

struct Fixture : test::WindowFixture {
    Page *page = window.findChild<Shell *>()->find(u"ensemble"_qs);

    Fixture()
    {
        window.showPage(u"ensemble"_qs);
        window.resize(1100, 720);
    }
    // The colours of the charts' lines and of their ends.
    int colorsIn(const QImage &picture) const
    {
        QSet<QRgb> found;
        for (int i = 0; i < 3; ++i) {
            const QRgb color = seriesColor(i, window.palette()).rgb();
            for (int y = 0; y < picture.height(); ++y) {
                for (int x = 0; x < picture.width(); ++x) {
                    if (picture.pixel(x, y) == color)
                        found.insert(color);
                }
            }
        }
        return int(found.size());
    }
};

} // namespace

// The page of the ZooKeeper servers, in the window.
class EnsemblePageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsTheServersAndTheirPast()
    {
        Fixture f;
        f.servers[2] = test::serverThatSays(u"zk3"_qs, Role::Follower, 0x100000002);
        for (int i = 0; i < 40; ++i) {
            for (std::size_t server = 0; server < f.servers.size(); ++server)
                f.servers[server].answeredIn = std::chrono::microseconds(900 + 400 * server + 60 * (i % 7));
            f.world.runFor(3s);
        }
        f.servers[0].answeredIn = std::chrono::microseconds(1240);
        f.world.runFor(4s);
        const auto *const table = f.page->findChild<TableView *>();
        QCOMPARE(table->model()->rowCount(), 3);
        QCOMPARE(table->accessibleName(), u"ZooKeeper servers"_qs);
        QCOMPARE(f.page->badge().words, u"3 servers"_qs);
        const auto *const quorum = f.page->findChild<QuorumPicture *>();
        QVERIFY2(quorum->accessibleDescription().contains(u"zk2:2181: Leader"_qs),
                 qPrintable(quorum->accessibleDescription()));
        const QList<ServerChart *> charts = f.page->findChildren<ServerChart *>();
        QCOMPARE(charts.size(), 3);
        QCOMPARE(charts[0]->legends()[0], u"zk1  1.2 ms"_qs);
        QCOMPARE(charts[2]->legends()[1], u"zk2  12"_qs);
        test::pictureOf(f.window, u"ensemble"_qs);
        QCOMPARE(f.colorsIn(charts[0]->grab().toImage()), 3);
        applyTheme(ThemeChoice::Dark);
        test::pictureOf(f.window, u"ensemble-dark"_qs);
    }

    // From each page, before the last majority is gone.
    void warnsInTheRailBeforeTheQuorumIsLost()
    {
        Fixture f;
        QVERIFY(!f.says(u"One more loss"_qs));
        f.window.showPage(u"jobs"_qs);
        f.servers[0] = test::serverThatSays(u"zk1"_qs, Role::Silent);
        f.world.runFor(4s);
        QCOMPARE(f.page->badge().words, u"one more loss ends the quorum"_qs);
        QCOMPARE(f.page->badge().tone, Tone::Waiting);
        f.window.showPage(u"ensemble"_qs);
        QVERIFY(f.says(u"One more loss ends the quorum: 2 of 3 voting servers"_qs));
        test::pictureOf(f.window, u"ensemble-one-away"_qs);
        f.servers[1] = test::serverThatSays(u"zk2"_qs, Role::Silent);
        f.servers[2] = test::serverThatSays(u"zk3"_qs, Role::NotServing);
        f.world.runFor(4s);
        QCOMPARE(f.page->badge().words, u"the quorum is lost"_qs);
        QVERIFY(f.says(u"The quorum is lost"_qs));
        test::pictureOf(f.window, u"ensemble-lost"_qs);
        f.servers = test::threeServers();
        f.world.runFor(4s);
        QVERIFY(!f.says(u"The quorum is lost"_qs));
    }

    // Without a session the servers are asked all the same: what they say is of now.
    void isOfNowWithoutASession()
    {
        Fixture f;
        f.server.stop();
        f.world.runFor(30s);
        QVERIFY(f.says(u"as of "_qs));
        f.servers[0] = test::serverThatSays(u"zk1"_qs, Role::NotServing);
        f.world.runFor(10s);
        const auto *const table = f.page->findChild<TableView *>();
        QCOMPARE(table->model()->index(0, EnsembleModel::Role).data().toString(), u"No majority"_qs);
        QVERIFY(f.colorsIn(f.page->findChild<ServerChart *>()->grab().toImage()) > 0); // not greyed out
        Q_EMIT f.window.shown().closeWanted();
        f.world.runFor(1s);
        QCOMPARE(table->model()->rowCount(), 0);
    }
};

QTEST_MAIN(EnsemblePageTest)
#include "ensemble_page_test.moc"
