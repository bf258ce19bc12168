#include "app/cli/failure.h"
#include "app/submission/dependency_texts.h"

#include <QTest>

using namespace drover;
using namespace drover::app;
using Kind = jobs::Dependency::Kind;

// What --after and its like take.
class DependencyTextsTest : public QObject
{
    Q_OBJECT

    static std::vector<jobs::Dependency> parse(const char *text)
    {
        return parseDependencies(Kind::Ok, QString::fromLatin1(text), QStringLiteral("--after-ok"));
    }

private Q_SLOTS:
    void aRangeIsEachOfItsNumbers()
    {
        QCOMPARE(parse("default-42").size(), std::size_t(1));
        QVERIFY(!parse("default-42").front().range);
        const std::vector<jobs::Dependency> jobs = parse("default-3..5");
        QCOMPARE(jobs.size(), std::size_t(3));
        QCOMPARE(jobs.back().on.toString(), QStringLiteral("default-5"));
        QCOMPARE(parse("default-42.1..9").back().on.toString(), QStringLiteral("default-42.9"));
    }

    // The number after the last one does not fit into 32 bits.
    void aRangeMayEndWithTheLastNumber()
    {
        const std::vector<jobs::Dependency> jobs = parse("default-2147483646..2147483647");
        QCOMPARE(jobs.size(), std::size_t(2));
        QCOMPARE(jobs.back().on.toString(), QStringLiteral("default-2147483647"));
    }

    void aRangeIsOneWordAgain()
    {
        std::vector<jobs::Dependency> all;
        for (const char *const text : {"default-7", "default-1..3", "default-4..5", "other-4..5"}) {
            for (const jobs::Dependency &dependency : parse(text))
                all.push_back(dependency);
        }
        all.push_back({.kind = Kind::Any, .on = {"default", 9}});
        QCOMPARE(dependencyTexts(all, Kind::Ok).join(u' '),
                 QStringLiteral("default-7 default-1..3 default-4..5 other-4..5"));
        QCOMPARE(dependencyTexts(all, Kind::Any).join(u' '), QStringLiteral("default-9"));
    }

    void aTagIsLookedUpLater()
    {
        const std::vector<jobs::Dependency> jobs = parse("tag:nightly 2");
        QCOMPARE(jobs.size(), std::size_t(1));
        QCOMPARE(jobs.front().tag, QStringLiteral("nightly 2"));
        QCOMPARE(dependencyTexts(jobs, Kind::Ok), QStringList(QStringLiteral("tag:nightly 2")));
        QVERIFY_THROWS_EXCEPTION(UsageError, parse("tag:"));
    }

    void invalidDependenciesAreRefused()
    {
        for (const char *const text : {"41", "default-", "default-1..1001", "default-5..3", ""})
            QVERIFY_THROWS_EXCEPTION(UsageError, parse(text));
        QCOMPARE(parse("default-1..1000").size(), std::size_t(1000));
    }
};

QTEST_GUILESS_MAIN(DependencyTextsTest)
#include "dependency_texts_test.moc"
