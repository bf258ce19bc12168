#include "app/jobs/filter_options.h"

namespace drover::app {

QList<QCommandLineOption> filterOptions()
{
    return {
        option("name", "jobs of this name; * and ? stand for any characters", "JOB-NAME"),
        option("tag", "jobs with this tag", "TAG"),
        option("submitter", "jobs that this user has submitted: NAME or NAME@HOST; * and ? stand for any characters",
               "USER"),
    };
}

jobs::JobFilter jobFilterFrom(const Arguments &arguments)
{
    jobs::JobFilter filter;
    if (arguments.has("name"))
        filter.name = arguments.value("name");
    filter.tag = arguments.value("tag");
    filter.submitter = arguments.value("submitter");
    return filter;
}

} // namespace drover::app
