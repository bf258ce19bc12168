#include "recipes/config.h"
#include "support/fake_party.h"

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
        FakeParty party(2);
        Config config(party[0], m_path);
        Config other(party[1], m_path);
        QVERIFY(!party.run(other.get("jobs")));
        party.run(config.set("jobs", "8"));
        party.run(config.set("limits/memory", "1G"));
        QCOMPARE(party.run(other.get("jobs"))->bytes, QByteArray("8"));
        QCOMPARE(party.run(other.get("limits/memory"))->bytes, QByteArray("1G"));
        QCOMPARE(party.run(other.keys()), (QByteArrayList{"jobs", "limits"}));
        party.settle();
        QVERIFY(party.childrenOf(m_path / "jobs").isEmpty());
    }

    void isSetIfNobodyElseHasSince()
    {
        FakeParty party(2);
        Config config(party[0], m_path);
        Config other(party[1], m_path);
        QCOMPARE(party.run(config.setIf("jobs", std::nullopt, "8")), std::optional<qint32>(0));
        const qint32 seen = party.run(config.get("jobs"))->version;
        QCOMPARE(party.run(other.setIf("jobs", seen, "9")), std::optional<qint32>(1));
        QCOMPARE(party.run(config.setIf("jobs", seen, "10")), std::optional<qint32>());
        QCOMPARE(party.run(config.setIf("jobs", std::nullopt, "10")), std::optional<qint32>());
        QCOMPARE(party.run(config.get("jobs"))->bytes, QByteArray("9"));
    }

    void valuesAreJson()
    {
        FakeParty party(1);
        Config config(party[0], m_path);
        const QJsonObject object{{u"b"_s, 1}, {u"a"_s, u"x"_s}};
        QCOMPARE(Config::bytesOf(object), QByteArray(R"({"a":"x","b":1})"));
        QCOMPARE(Config::bytesOf(true), QByteArray("true"));
        party.run(config.set("key", Config::bytesOf(object)));
        QCOMPARE(party.run(config.get("key"))->json().toObject(), object);
        QCOMPARE((Setting{m_path, " 8\n", 0}.json()), QJsonValue(8));
        QVERIFY_THROWS_EXCEPTION(NotJson, (Setting{m_path, "1G", 0}.json()));
        QVERIFY_THROWS_EXCEPTION(NotJson, (Setting{m_path, "1, 2", 0}.json()));
        QVERIFY_THROWS_EXCEPTION(NotJson, (Setting{m_path, "", 0}.json()));
    }

    void aKeyIsWatched()
    {
        FakeParty party(2);
        Config config(party[0], m_path);
        Config other(party[1], m_path);
        QByteArrayList seen;
        async::TaskGroup watching;
        watching.spawn(config.watch("jobs", [&](const Setting *s) {
            seen.push_back(s ? s->bytes + '@' + QByteArray::number(s->version) : "");
        }));
        party.settle();
        party.run(other.set("jobs", "8"));
        party.settle();
        party.run(other.set("jobs", "9"));
        party.settle();
        QCOMPARE(seen, (QByteArrayList{"", "8@0", "9@1"}));
    }

    void aKeyThatIsNoPathIsRefused()
    {
        FakeParty party(1);
        Config config(party[0], m_path);
        QVERIFY_THROWS_EXCEPTION(zk::InvalidPath, party.run(config.get("a//b")));
    }
};

QTEST_GUILESS_MAIN(ConfigTest)
#include "config_test.moc"
