#include "fuzz/harness/target.h"
#include "history/dialect.h"
#include "history/query.h"
#include "history/search_words.h"

using namespace drover;

// The filters of a search in the history, a line each, in the SQL of both engines.
DROVER_FUZZ_TARGET(history_query, Form::Bytes)
{
    const QStringList lines = QString::fromUtf8(input).split(u'\n');
    history::Query query;
    query.name = lines.value(0);
    query.submitter = lines.value(1);
    query.tag = lines.value(2);
    query.text = lines.value(3);
    query.worker = lines.value(4);
    history::Location postgres;
    postgres.engine = history::Location::Engine::Postgres;
    for (const history::Dialect &dialect : {history::Dialect::of({}), history::Dialect::of(postgres)}) {
        const history::Condition condition = history::Condition::of(query, dialect);
        require(condition.sql.count(u'?') == condition.values.size(), "a condition has other values than places");
    }
    for (const QString &word : history::searchWords(query.text))
        require(history::searchWords(word) == QStringList{word}, "a word is found as another");
}
