#include "fuzz/harness/target.h"
#include "jobs/model/array_indices.h"
#include "jobs/model/dependency.h"
#include "jobs/model/output_path.h"
#include "jobs/model/resource_limit.h"

using namespace drover;

// The texts within records of jobs, and those that people type in their places.
DROVER_FUZZ_TARGET(job_texts, Form::Bytes)
{
    const QString text = QString::fromUtf8(input);
    if (const auto indices = jobs::ArrayIndices::parse(text)) {
        require(jobs::ArrayIndices::parse(indices->toString()) == indices, "the text of indices has other indices");
        const qint32 count = indices->count();
        require(count > 0 && count <= jobs::ArrayIndices::MaxCount, "the number of indices is out of range");
        for (const qint32 place : {0, count / 2, count - 1})
            require(indices->placeOf(indices->at(place)) == place, "an index has another place");
    }
    if (const auto dependency = jobs::Dependency::parse(text))
        require(jobs::Dependency::parse(dependency->toString()) == dependency, "the text of a dependency has another");
    if (const auto id = jobs::JobId::parse(text))
        require(id->toString() == text, "the text of an id is another");
    (void)jobs::ResourceLimit::parse(text);
    if (jobs::objectionTo(text).isEmpty())
        require(jobs::expanded(text, {"default", 4, 2}, text).count(u'/') == text.count(u'/'), "a name makes a folder");
}
