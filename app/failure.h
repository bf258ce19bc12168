#pragma once

#include "app/exit_codes.h"

#include <QString>

#include <exception>
#include <stdexcept>

namespace drover::app {

// Ends the command with one line on stderr and this exit code.
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

// The one place that turns an exception into what the user reads and what a script sees. `check`: of what changes
// something, the command that shows whether it was carried out (Command::check). Without, a lost connection or session
// has the advice to run the command again.
Failure explain(const std::exception_ptr &error, const QString &check = {});

} // namespace drover::app
