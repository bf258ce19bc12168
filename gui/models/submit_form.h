#pragma once

#include "jobs/job_spec.h"

#include <map>

namespace drover::gui {

// What a user types to submit a job, and what it means: the rules of the submit dialog without its widgets.
struct SubmitForm {
    enum class Field { Command, Name, Queue, Priority, TimeLimit, Directory, Environment };

    QString command; // as in a shell; nothing is expanded
    QString name;
    QString queue = QStringLiteral("default");
    int priority = 5;
    QString timeLimit; // "90", "90s", "15m", "2h"; empty: none
    QString directory;
    QString environment; // NAME=value, one a line; what cannot be said so is in `base`
    jobs::JobSpec base; // what the fields above do not say

    // That shows `spec`, and changes nothing of it by itself.
    static SubmitForm of(const jobs::JobSpec &spec);
    // What of `base` is not in a field, for people: "array 1-10", "lock db"; nothing of what is as usual.
    QStringList otherParts() const;

    struct Checked {
        jobs::JobSpec spec; // complete only if there are no errors
        std::map<Field, QString> errors; // one line each
        QString hint; // about the command: nothing wrong, but perhaps not what was meant
        bool ok() const { return errors.empty(); }
    };
    Checked check() const;
};

// Nothing if it is no duration.
std::optional<std::chrono::milliseconds> parseDuration(const QString &text);

} // namespace drover::gui
