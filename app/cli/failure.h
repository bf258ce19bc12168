#pragma once

#include "app/cli/exit_codes.h"

#include <QString>

#include <exception>
#include <stdexcept>

namespace drover::app {

// Ends the command with one line on stderr and an exit code.
class CommandError : public std::runtime_error
{
public:
    CommandError(Exit code, const QString &what) : std::runtime_error(what.toStdString()), m_code(code) { }
    Exit code() const { return m_code; }

private:
    Exit m_code;
};

// The command line, or a value in it, is wrong.
class UsageError : public CommandError
{
public:
    explicit UsageError(const QString &what) : CommandError(ExitUsage, what) { }
};

struct Failure {
    Exit code = ExitError;
    QString message; // one line
};

// The one place that turns an exception into the user's message and the exit code. `check` is the command that shows
// whether a change was carried out (Command::check). Without it, the message for a lost connection or session advises
// to run the command again.
Failure explain(const std::exception_ptr &error, const QString &check = {});

} // namespace drover::app
