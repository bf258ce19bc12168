#pragma once

#include "async/task.h"

#include <QByteArrayList>
#include <QString>

#include <stdexcept>

namespace drover::app {

// A host could not be reached, or has refused what it was to do: one line for people.
class HostFailed : public std::runtime_error
{
public:
    explicit HostFailed(const QString &why) : std::runtime_error(why.toStdString()) { }
};

// The `ssh` program, which asks for nothing. The user's configuration holds, or that of the file `config`. Without an
// address it is this machine, and no ssh is needed.
class Ssh
{
public:
    explicit Ssh(QString config) : m_config(std::move(config)) { }

    // Runs the script by the host's sh, with `input` as its standard input. Returns the words of its last line. Throws
    // HostFailed, also for a line that begins with "failed". Destroying the task ends ssh.
    async::Task<QByteArrayList> run(QString address, QByteArray script, QByteArray input = {}) const;

private:
    QString m_config;
};

} // namespace drover::app
