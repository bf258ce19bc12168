#pragma once

#include "app/context.h"
#include "app/failure.h"

#include <QJsonObject>
#include <QSet>

#include <optional>

namespace drover::app {

// What has become of one of the jobs that a command acts on.
struct Acted {
    bool named = true; // by its id, not found by a range or a filter
    std::optional<QJsonObject> row{}; // or why there is none
    Failure failure{};
    QString inDoubt{}; // the job, if ZooKeeper was lost before it was known what has become of it: `failure` says why
};

// The row that `acting` returns, or why it throws. `job`: which it acts on.
async::Task<Acted> outcomeOf(QString job, async::Task<QJsonObject> acting, bool named);

// Sums them up, and tells of those that were named and could not be acted on, what is to be said of several once; one
// that was found by a range or a filter may be in another state than it is meant for.
class JobTally
{
public:
    void add(Acted acted);
    bool empty() const { return m_rows.isEmpty() && m_code == ExitOk; }

    enum class Print {
        Rows,
        NewIds,
    };
    // Prints what was done, and which jobs may have been acted on or not, so that nobody repeats that unseen. Returns the
    // exit code: that of the first failure that was told, or 4 if nothing was done.
    int finish(const Output &out, const char *participle, Print what = Print::Rows) const;

private:
    QList<QJsonObject> m_rows;
    int m_code = ExitOk;
    QSet<QString> m_told;
    int m_all = 0;
    bool m_found = false; // some of them by ranges and filters, or as tasks of an array
    QStringList m_inDoubt; // in the order in which they were added
    QString m_trouble; // of the first of them
};

} // namespace drover::app
