#include "history/query.h"

#include <QTest>

using namespace drover;
using history::Query;
using namespace Qt::StringLiterals;

class QueryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFilterAddsItsConditions()
    {
        Query query;
        query.narrow({.queue = "gpu", .state = jobs::JobState::Failed, .name = u"t*"_s, .tag = u"x"_s});
        QCOMPARE(query.queue, "gpu");
        QCOMPARE(query.state, jobs::JobState::Failed);
        QCOMPARE(query.name, u"t*"_s);
        QCOMPARE(query.tag, u"x"_s);
    }

    void aFilterTakesNoConditionAway()
    {
        Query query;
        query.queue = "gpu";
        query.state = jobs::JobState::Failed;
        query.name = u"t*"_s;
        query.tag = u"x"_s;
        query.narrow({.submitter = u"ann"_s});
        QCOMPARE(query.submitter, u"ann"_s);
        QCOMPARE(query.queue, "gpu");
        QCOMPARE(query.state, jobs::JobState::Failed);
        QCOMPARE(query.name, u"t*"_s);
        QCOMPARE(query.tag, u"x"_s);
    }
};

QTEST_GUILESS_MAIN(QueryTest)
#include "query_test.moc"
