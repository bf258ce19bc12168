#pragma once

#include "jobs/model/job_spec.h"

#include <map>

namespace drover::gui {

// The fields of the submit dialog and their rules, without its widgets.
struct SubmitForm {
    enum class Field { Command, Name, Comment, Queue, Priority, TimeLimit, Directory, Environment };

    QString command; // as in a shell; nothing is expanded
    QString name;
    QString comment; // one line for people
    QString queue = QStringLiteral("default");
    int priority = 5;
    QString timeLimit; // "90", "90s", "15m", "2h"; empty: none
    QString directory;
    QString environment; // lines NAME=value; `base` has all others
    jobs::JobSpec base; // all parts of the job that have no field above

    // A form that shows `spec`; reading it back unchanged gives `spec` again.
    static SubmitForm of(const jobs::JobSpec &spec);
    // The parts of `base` without a field that differ from the defaults, for people: "array 1-10", "lock db".
    QStringList otherParts() const;

    struct Checked {
        jobs::JobSpec spec; // complete only if there are no errors
        std::map<Field, QString> errors; // one line each
        QString hint; // warns about a valid but doubtful command
        bool ok() const { return errors.empty(); }
    };
    Checked check() const;
};

} // namespace drover::gui
