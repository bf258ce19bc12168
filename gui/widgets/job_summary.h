#pragma once

#include <QCoreApplication>

namespace drover::gui {

class JobModel;
struct JobsSnapshot;

// What the line above the table of jobs says of it: how many jobs there are, and what the table does not have.
class JobSummary
{
    Q_DECLARE_TR_FUNCTIONS(JobSummary)

public:
    struct Table {
        bool isFiltering; // it shows the jobs that fit a filter
        bool isHistorySorted; // as it is
        bool isGrouped;
    };
    static QString text(const JobModel &model, const Table &table);
    static QString toolTip(const JobsSnapshot &jobs);
    // What the table says if it has no job that fits the filter.
    static QString noneFits(const JobModel &model);

private:
    static QString searched(const JobsSnapshot &jobs);
};

} // namespace drover::gui
