#pragma once

#include "gui/inspector/job_panel.h"
#include "gui/models/attempt_log.h"
#include "gui/models/ensemble_model.h"
#include "gui/models/job_model.h"
#include "gui/models/queue_table.h"
#include "gui/models/wait_model.h"
#include "gui/models/worker_model.h"

#include <QLabel>
#include <QPlainTextEdit>

namespace drover::test {

// Jobs as a panel gets them, and what the panel says.

inline const jobs::JobId Id{"default", 42};

inline jobs::JobSpec spec()
{
    jobs::JobSpec spec;
    spec.command = QStringList{QStringLiteral("wc"), QStringLiteral("-w"),
                               QStringLiteral("/srv/data/a long name with blanks.txt")};
    spec.environment = {{QStringLiteral("LANG"), QStringLiteral("C.UTF-8")},
                        {QStringLiteral("PATH"), QStringLiteral("/usr/bin:/bin")}};
    spec.timeLimit = std::chrono::minutes(15);
    spec.comment = QStringLiteral("for the audit");
    spec.submitter = QStringLiteral("ada@engine");
    spec.submittedAt = std::chrono::seconds(1'760'000'000);
    return spec;
}

inline jobs::JobView running()
{
    jobs::JobView job;
    job.id = Id;
    job.state = jobs::JobState::Running;
    job.spec = spec();
    job.claim = jobs::Claim{QStringLiteral("engine-1"), {2, 0}, "q5-0000000042", false};
    job.since = std::chrono::seconds(1'760'000'001);
    job.attempts = 2;
    return job;
}

inline jobs::JobView failed()
{
    jobs::JobView job;
    job.id = Id;
    job.state = jobs::JobState::Failed;
    jobs::FinalRecord record = jobs::FinalRecord::of(Id, spec());
    record.code = 3;
    record.attempts.claimVersion = 1;
    record.worker = QStringLiteral("engine-1");
    record.startedAt = std::chrono::seconds(1'760'000'001);
    record.finishedAt = std::chrono::seconds(1'760'000'063);
    record.cpuTime = std::chrono::milliseconds(4200);
    record.peakMemory = 12 * 1024 * 1024;
    record.tail = "wc: 'a long name with blanks.txt': No such file or directory\n";
    record.outputBytes = 1'000'000;
    record.outputTruncated = true;
    job.record = record;
    return job;
}

// What the models of the console know beside the job.
struct Known {
    gui::JobModel jobs;
    gui::WorkerModel workers;
    gui::QueueTable queues;
    gui::WaitModel waits;
    gui::EnsembleModel ensemble;
    gui::AttemptLog attempts;
    gui::Sources sources{jobs, workers, queues, waits, ensemble, attempts};
};

// Its state, and what its labels say, in order.
inline QString textOf(const gui::JobPanel &panel)
{
    QString text = panel.id().toString() + QStringLiteral(" — ") + panel.facts().state + u'\n';
    for (const QLabel *label : panel.findChildren<QLabel *>())
        text += label->text() + u'\n';
    return text;
}

inline QPlainTextEdit *editorOf(const gui::JobPanel &panel, const QString &name)
{
    for (QPlainTextEdit *editor : panel.findChildren<QPlainTextEdit *>()) {
        if (editor->accessibleName() == name)
            return editor;
    }
    return nullptr;
}

inline QPlainTextEdit *outputOf(const gui::JobPanel &panel)
{
    return editorOf(panel, QStringLiteral("End of the output"));
}

} // namespace drover::test
