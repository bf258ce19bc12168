#pragma once

#include <QCommandLineParser>

#include <chrono>

namespace drover::app {

// The command line of one command, its values read with their types. Every reader throws UsageError with the option's
// name when the value does not fit.
class Arguments
{
public:
    explicit Arguments(std::shared_ptr<QCommandLineParser> parser) : m_parser(std::move(parser)) { }

    QStringList positional() const { return m_parser->positionalArguments(); }
    // The words from `first` on, byte by byte as they were typed, for a command to run here.
    QByteArrayList command(qsizetype first) const;
    QString at(qsizetype index) const { return m_parser->positionalArguments().value(index); }

    bool has(const char *option) const { return m_parser->isSet(QLatin1String(option)); }
    QString value(const char *option) const { return m_parser->value(QLatin1String(option)); }
    QStringList values(const char *option) const { return m_parser->values(QLatin1String(option)); }

    std::chrono::milliseconds duration(const char *option, std::chrono::milliseconds fallback) const;
    std::chrono::milliseconds timeout() const; // --timeout; 0 if it is not given
    qint64 size(const char *option, qint64 fallback, qint64 minimum = 0) const;
    qint64 integer(const char *option, qint64 minimum, qint64 maximum, qint64 fallback) const;
    // A queue's or worker's name.
    QByteArray name(const char *option, const char *fallback) const;

private:
    std::shared_ptr<QCommandLineParser> m_parser;
};

// Shorthand for a command's table of options. Without a placeholder the option takes no value.
QCommandLineOption option(const char *names, const char *description, const char *placeholder = "");

// The options that every command has.
QList<QCommandLineOption> globalOptions();

} // namespace drover::app
