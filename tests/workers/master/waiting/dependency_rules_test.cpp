#include "workers/master/waiting/dependency_rules.h"

#include <QTest>

using namespace drover;
using jobs::Dependency;
using workers::DependencyWatcher;
using Kind = Dependency::Kind;
using State = DependencyWatcher::State;

Q_DECLARE_METATYPE(Kind)
Q_DECLARE_METATYPE(State)

class DependencyRulesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachStateSatisfiesSomeKinds_data()
    {
        constexpr int Waits = -1;
        constexpr int Never = 0;
        constexpr int Satisfied = 1;
        QTest::addColumn<State>("state");
        QTest::addColumn<int>("ok");
        QTest::addColumn<int>("failed");
        QTest::addColumn<int>("any");
        QTest::addColumn<int>("begun");
        QTest::newRow("open") << State::Open << Waits << Waits << Waits << Waits;
        QTest::newRow("begun") << State::Begun << Waits << Waits << Waits << Satisfied;
        QTest::newRow("succeeded") << State::Succeeded << Satisfied << Never << Satisfied << Satisfied;
        QTest::newRow("failed") << State::Failed << Never << Satisfied << Satisfied << Satisfied;
        QTest::newRow("forgotten") << State::Forgotten << Never << Never << Satisfied << Satisfied;
        // An end that this master does not know may still be found, and may be either.
        QTest::newRow("unknown") << State::Unknown << Waits << Waits << Satisfied << Satisfied;
    }

    void eachStateSatisfiesSomeKinds()
    {
        QFETCH(State, state);
        QTEST(verdict(Kind::Ok, state), "ok");
        QTEST(verdict(Kind::Failed, state), "failed");
        QTEST(verdict(Kind::Any, state), "any");
        QTEST(verdict(Kind::Begun, state), "begun");
    }

    void theReasonNamesTheJobAndItsEnd()
    {
        const Dependency ok{Kind::Ok, {"default", 7}};
        const Dependency failed{Kind::Failed, {"default", 7}};
        QCOMPARE(workers::whyNever(ok, State::Failed),
                 QStringLiteral("it was to wait for default-7 to succeed, which failed"));
        QCOMPARE(workers::whyNever(failed, State::Succeeded),
                 QStringLiteral("it was to wait for default-7 to fail, which succeeded"));
        QCOMPARE(workers::whyNever(ok, State::Forgotten),
                 QStringLiteral("it was to wait for default-7 to succeed, which is no longer known"));
    }

private:
    static int verdict(Kind kind, State state)
    {
        const std::optional<bool> satisfied = workers::isSatisfied(kind, state);
        return satisfied ? int(*satisfied) : -1;
    }
};

QTEST_GUILESS_MAIN(DependencyRulesTest)
#include "dependency_rules_test.moc"
