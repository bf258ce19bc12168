#pragma once

#include "jobs/client/job_options.h"

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
    const jobs::JobOptions *known = nullptr; // null: no option has a field but those above
    // As typed, by option: all that `known` has and the fields above are not. Several values as words of a shell.
    std::map<QString, QString> options{};

    // A form that shows `spec`; reading it back unchanged gives `spec` again.
    static SubmitForm of(const jobs::JobSpec &spec, const jobs::JobOptions *known = nullptr);
    static const QStringList &ownOptions(); // the names of the fields above
    // The words of the command that submits such a job.
    static QStringList commandFor(const jobs::JobSpec &spec, const jobs::JobOptions &known);
    // The parts of `base` without a field that differ from the defaults, for people: "array 1-10", "lock db".
    QStringList otherParts() const;

    struct Checked {
        jobs::JobSpec spec; // complete only if there are no errors
        std::map<Field, QString> errors; // one line each
        std::map<QString, QString> optionErrors{};
        QString objection{}; // to all of them together
        QString hint; // warns about a valid but doubtful command
        bool ok() const { return errors.empty() && optionErrors.empty() && objection.isEmpty(); }
    };
    Checked check() const;

private:
    void applyOptions(Checked &checked) const;
};

} // namespace drover::gui
