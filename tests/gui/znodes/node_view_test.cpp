#include "gui/inspector/entity_facts.h"
#include "gui/kit/entity_link.h"
#include "gui/pages/znodes_page.h"
#include "gui/pictures.h"
#include "gui/widgets/theme.h"
#include "gui/window_fixture.h"
#include "gui/znodes/data_text.h"
#include "gui/znodes/node_view.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTextLayout>
#include <QToolButton>

#include <ctime>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr int Patience = 60'000; // ms

ZnodeContents contents(const QByteArray &data)
{
    ZnodeContents contents{zk::Path("/a"), NodeCondition::Ok, data, {}};
    contents.stat.czxid = contents.stat.mzxid = contents.stat.pzxid = 0x100000003;
    contents.stat.dataLength = qint32(data.size());
    return contents;
}

QByteArray bigJson(int bytes)
{
    QByteArray json = "[";
    for (int i = 0; json.size() < bytes; ++i)
        json += QByteArray(i == 0 ? "" : ",") + R"({"name":"worker-)" + QByteArray::number(i) + R"(","slots":8})";
    return json + ']';
}

// Of this thread, in seconds: what a turn takes on a machine that does nothing else.
double cpuTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

struct Fixture {
    NodeView view;
    DataText *data = view.findChild<DataText *>();
    QToolButton *fold = view.findChild<QToolButton *>();

    Fixture()
    {
        applyTheme(ThemeChoice::Light);
        view.resize(700, 700);
        view.setVisible(true);
        view.awaitContents(zk::Path("/a"));
    }
    void show(const QByteArray &bytes) { view.show(contents(bytes)); }
    int visibleLines() const
    {
        int lines = 0;
        for (QTextBlock block = data->document()->begin(); block.isValid(); block = block.next())
            lines += block.isVisible() ? 1 : 0;
        return lines;
    }
    bool says(const QString &text) const
    {
        const QList<QLabel *> labels = view.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel *label) { return label->text().contains(text); });
    }
};

} // namespace

// The data, the Stat and the ACL of a node, as the page shows them.
class NodeViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void colorsJson()
    {
        Fixture f;
        f.show(R"({"name":"up-1","slots":8})");
        QCOMPARE(f.data->toPlainText(), u"{\n    \"name\": \"up-1\",\n    \"slots\": 8\n}"_qs);
        const auto formats = f.data->document()->findBlockByNumber(1).layout()->formats();
        QCOMPARE(formats.size(), 2);
        QVERIFY(formats[0].format.foreground() != formats[1].format.foreground()); // a key and a string
        QVERIFY(f.says(u"JSON, 25 bytes"_qs));
    }

    void folds()
    {
        Fixture f;
        f.show(R"({"a":{"b":[1,2],"c":3},"d":4})");
        const int all = f.visibleLines();
        QCOMPARE(all, 10);
        f.fold->click();
        QCOMPARE(f.visibleLines(), 5); // { a: … } d }
        QCOMPARE(f.data->document()->findBlockByNumber(1).text(), u"    \"a\": {"_qs);
        f.fold->click();
        QCOMPARE(f.visibleLines(), all);
        QTextCursor cursor(f.data->document()->findBlockByNumber(2));
        f.data->setTextCursor(cursor);
        QTest::keyClick(f.data, Qt::Key_Minus);
        QCOMPARE(f.visibleLines(), all - 2);
        test::pictureOf(f.view, u"node-folded"_qs);
        QTest::keyClick(f.data, Qt::Key_Plus);
        QCOMPARE(f.visibleLines(), all);
        QTest::mouseClick(f.data->findChildren<QWidget *>().last(), Qt::LeftButton, {}, {5, 5}); // not a line
        QVERIFY(f.visibleLines() <= all);
        f.show("plain");
        QVERIFY(!f.fold->isVisible());
    }

    // 673 KB of JSON held the window for 304 ms.
    void decodesBigDataBesideTheWindow()
    {
        Fixture f;
        const QByteArray json = bigJson(1'000'000);
        double longest = cpuTime();
        f.show(json);
        longest = cpuTime() - longest;
        QCOMPARE(f.data->toPlainText(), QString()); // it comes from another thread, later
        const auto arrived = [&] { return !f.data->toPlainText().isEmpty() && f.data->isComplete(); };
        int turns = 0;
        QElapsedTimer waiting;
        waiting.start();
        while (!arrived() && waiting.elapsed() < Patience) {
            const double begun = cpuTime();
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            longest = std::max(longest, cpuTime() - begun);
            ++turns;
        }
        QVERIFY(arrived());
        QVERIFY2(turns > 20, qPrintable(QString::number(turns))); // in pieces, between which the window answers
        QVERIFY(f.data->toPlainText().endsWith(u"}\n]"_qs));
        qInfo("1 MB of JSON: %d turns, the longest took %.1f ms of CPU; %d lines", turns, longest * 1000,
              f.data->document()->blockCount());
        f.view.awaitContents(zk::Path("/b"));
        f.show(json); // of /a
        QCOMPARE(f.data->toPlainText(), QString());
    }

    void aHexDumpFitsAnyWidth()
    {
        Fixture f;
        f.show(QByteArray("\0\1\2", 3).repeated(50));
        for (const int width : {900, 700, 500, 360, 280}) {
            f.view.resize(width, 600);
            test::pictureOf(f.view, u"node-hex-%1"_qs.arg(width));
            const QString line = f.data->document()->begin().text();
            QVERIFY2(f.data->fontMetrics().horizontalAdvance(line) < f.data->viewport()->width(), qPrintable(line));
        }
        QVERIFY(f.says(u"Hex, 150 bytes"_qs));
    }

    void showsAnOwnerAndTheAcl()
    {
        Fixture f;
        ZnodeContents shown = contents("x");
        shown.stat.ephemeralOwner = 0x1234;
        f.view.show(shown);
        QVERIFY(f.says(u"the node goes with it"_qs));
        auto *const link = f.view.findChild<EntityLink *>();
        QVERIFY(link);
        QCOMPARE(link->text(), u"session 0x1234"_qs);
        QSignalSpy wanted(&f.view, &NodeView::entityWanted);
        QTest::mouseClick(link, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(wanted.size(), 1, Patience);
        QCOMPARE(wanted[0][0].value<EntityRef>(), (EntityRef{EntityRef::Kind::Session, "0x1234"}));
        ZnodeAbout about;
        about.path = zk::Path("/a");
        about.acl = zk::openAcl();
        about.owner = u"the session of worker up-1"_qs;
        f.view.showAbout(about);
        QVERIFY(f.says(u"the session of worker up-1"_qs));
        QVERIFY(f.says(u"everyone: everything"_qs));
        QVERIFY(f.says(u"epoch 1, transaction 3 (0x100000003)"_qs));
        QVERIFY(f.says(u"1 byte"_qs));
        shown.stat.ephemeralOwner = 0;
        f.view.show(shown);
        QVERIFY(!f.view.findChild<EntityLink *>());
        QVERIFY(f.says(u"none: it is persistent"_qs));
    }

    // The servers mark a container and a node with a time to live by an owner that is no session.
    void aNodeOfNoSessionHasNoLinkToOne()
    {
        Fixture f;
        ZnodeContents shown = contents("x");
        const std::pair<quint64, QString> nodes[] = {
            {0x8000000000000000, u"none: it is a container, and goes after its last child"_qs},
            {0xff0000000000ea60, u"none: it goes 1m00s after its last change, if it has no children"_qs}};
        for (const auto &[owner, words] : nodes) {
            shown.stat.ephemeralOwner = zk::SessionId(owner);
            f.view.show(shown);
            QVERIFY(!f.view.findChild<EntityLink *>());
            QVERIFY2(f.says(words), qPrintable(words));
            const QList<Fact> facts = znodeFacts(shown).sections.front().facts;
            const auto isItsOwner = [&words = words](const Fact &fact) {
                return fact.text == words && fact.links.isEmpty();
            };
            QVERIFY2(std::any_of(facts.begin(), facts.end(), isItsOwner), qPrintable(words));
        }
    }

    // A member's node of the sample cluster, from the feed to the labels.
    void thePageSaysWhoOwnsANode()
    {
        test::WindowFixture f;
        f.window.showPage(u"znodes"_qs);
        f.window.findChild<ZnodesPage *>()->goTo(zk::Path("/drover/default/members/worker-1"));
        f.world.runFor(3s);
        QVERIFY(f.says(u"the session of worker worker-"_qs));
        QVERIFY(f.says(u"The worker worker-1 at "_qs));
        QVERIFY(f.says(u"everyone: everything"_qs));
        test::pictureOf(f.window, u"znodes-light"_qs);
        applyTheme(ThemeChoice::Dark);
        test::pictureOf(f.window, u"znodes-dark"_qs);
        applyTheme(ThemeChoice::Light);
        f.window.resize(800, 600);
        test::pictureOf(f.window, u"znodes-small"_qs);
        QCOMPARE(f.window.size(), QSize(800, 600));
    }
};

QTEST_MAIN(NodeViewTest)
#include "node_view_test.moc"
