#pragma once

#include "jobs/client/job_options.h"

namespace drover::app {

// The options and job files of `drover submit`, for the console.
class SubmitTexts final : public jobs::JobOptions
{
public:
    QList<jobs::JobOption> all() const override;
    QString apply(jobs::JobSpec &spec, const QString &name, const QStringList &values) const override;
    QStringList valuesOf(const jobs::JobSpec &spec, const QString &name) const override;
    QString complete(jobs::JobSpec &spec) const override;
    QString read(const QByteArray &file, const QString &place, jobs::JobSpec &spec) const override;
    QByteArray write(const jobs::JobSpec &spec) const override;
};

} // namespace drover::app
