#include "recipes/values/config.h"
#include "support/fake/fake_cluster.h"

#include <QJsonObject>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace Qt::StringLiterals;

class ConfigTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/config"};

private Q_SLOTS:
    void keysAreSetReadAndListed()
    {
        FakeCluster fake(2);
        Config config(fake[0], m_path);
        Config other(fake[1], m_path);
        QVERIFY(!fake.run(other.get("jobs")));
        fake.run(config.set("jobs", "8"));
        fake.run(config.set("limits/memory", "1G"));
        QCOMPARE(fake.run(other.get("jobs"))->bytes, QByteArray("8"));
        QCOMPARE(fake.run(other.get("limits/memory"))->bytes, QByteArray("1G"));
        QCOMPARE(fake.run(other.keys()), (QByteArrayList{"jobs", "limits"}));
        fake.settle();
        QVERIFY(fake.childrenOf(m_path / "jobs").isEmpty());
    }

    void isSetIfNoOtherClientHasSetItSince()
    {
        FakeCluster fake(2);
        Config config(fake[0], m_path);
        Config other(fake[1], m_path);
        QCOMPARE(fake.run(config.setIf("jobs", std::nullopt, "8")), std::optional<qint32>(0));
        const qint32 seen = fake.run(config.get("jobs"))->version;
        QCOMPARE(fake.run(other.setIf("jobs", seen, "9")), std::optional<qint32>(1));
        QCOMPARE(fake.run(config.setIf("jobs", seen, "10")), std::optional<qint32>());
        QCOMPARE(fake.run(config.setIf("jobs", std::nullopt, "10")), std::optional<qint32>());
        QCOMPARE(fake.run(config.get("jobs"))->bytes, QByteArray("9"));
    }

    void valuesAreJson()
    {
        FakeCluster fake(1);
        Config config(fake[0], m_path);
        const QJsonObject object{{u"b"_s, 1}, {u"a"_s, u"x"_s}};
        QCOMPARE(Config::bytesOf(object), QByteArray(R"({"a":"x","b":1})"));
        QCOMPARE(Config::bytesOf(true), QByteArray("true"));
        fake.run(config.set("key", Config::bytesOf(object)));
        QCOMPARE(fake.run(config.get("key"))->json().toObject(), object);
        QCOMPARE((Setting{m_path, " 8\n", 0}.json()), QJsonValue(8));
        QVERIFY_THROWS_EXCEPTION(NotJson, (Setting{m_path, "1G", 0}.json()));
        QVERIFY_THROWS_EXCEPTION(NotJson, (Setting{m_path, "1, 2", 0}.json()));
        QVERIFY_THROWS_EXCEPTION(NotJson, (Setting{m_path, "", 0}.json()));
    }

    void aKeyIsWatched()
    {
        FakeCluster fake(2);
        Config config(fake[0], m_path);
        Config other(fake[1], m_path);
        QByteArrayList seen;
        async::TaskGroup watching;
        watching.spawn(config.watch("jobs", [&](const Setting *s) {
            seen.push_back(s ? s->bytes + '@' + QByteArray::number(s->version) : "");
        }));
        fake.settle();
        fake.run(other.set("jobs", "8"));
        fake.settle();
        fake.run(other.set("jobs", "9"));
        fake.settle();
        QCOMPARE(seen, (QByteArrayList{"", "8@0", "9@1"}));
    }

    void aKeyThatIsNoPathIsRefused()
    {
        FakeCluster fake(1);
        Config config(fake[0], m_path);
        QVERIFY_THROWS_EXCEPTION(zk::InvalidPath, fake.run(config.get("a//b")));
    }
};

QTEST_GUILESS_MAIN(ConfigTest)
#include "config_test.moc"
