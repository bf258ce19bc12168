#pragma once

#include <QByteArrayList>
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QStringList>

#include <csignal>
#include <vector>

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drover::test {

// An interactive program on a pseudo-terminal of its own, killed in the end.
class OnTerminal
{
public:
    // The program runs in the home directory of its environment, if that names one.
    OnTerminal(const QByteArrayList &command, const QStringList &environment, unsigned short columns = 150)
    {
        const QByteArray home =
            environment.filter(QRegularExpression(QStringLiteral("^HOME="))).value(0).mid(5).toLocal8Bit();
        std::vector<QByteArray> texts;
        for (const QString &variable : environment)
            texts.push_back(variable.toLocal8Bit());
        std::vector<char *> variables;
        for (QByteArray &text : texts)
            variables.push_back(text.data());
        variables.push_back(nullptr);
        QByteArrayList words = command;
        std::vector<char *> arguments;
        for (QByteArray &word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        winsize size{};
        size.ws_row = 40;
        size.ws_col = columns;
        m_child = ::forkpty(&m_terminal, nullptr, nullptr, &size);
        if (m_child == 0) {
            if (home.isEmpty() || ::chdir(home.constData()) == 0)
                ::execve(arguments[0], arguments.data(), variables.data());
            ::_exit(127);
        }
    }
    ~OnTerminal()
    {
        if (m_child > 0) {
            ::kill(m_child, SIGKILL);
            ::waitpid(m_child, nullptr, 0);
        }
        ::close(m_terminal);
    }
    Q_DISABLE_COPY_MOVE(OnTerminal)

    bool type(const QByteArray &keys) const { return ::write(m_terminal, keys.constData(), size_t(keys.size())) > 0; }

    // Reads until `text` was shown; false once 30 s are over, `stop` says so, or the program has ended.
    template <typename Stop>
    bool shows(const QByteArray &text, const Stop &stop)
    {
        readUntil([&] { return seen.contains(text) || stop(); });
        return seen.contains(text);
    }

    // Reads all until the program has ended; false once 30 s are over.
    bool ends()
    {
        readUntil([] { return false; });
        return m_ended;
    }

    QByteArray seen;

private:
    template <typename Stop>
    void readUntil(const Stop &stop)
    {
        QElapsedTimer waited;
        waited.start();
        while (!m_ended && !stop() && waited.elapsed() < 30'000) {
            pollfd readable{m_terminal, POLLIN, 0};
            char buffer[4096];
            if (::poll(&readable, 1, 50) <= 0)
                continue;
            const ssize_t count = ::read(m_terminal, buffer, sizeof buffer);
            m_ended = count <= 0;
            if (!m_ended)
                seen.append(buffer, count);
        }
    }

    pid_t m_child = -1;
    int m_terminal = -1;
    bool m_ended = false;
};

} // namespace drover::test
