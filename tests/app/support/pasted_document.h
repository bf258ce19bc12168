#pragma once

#include <QList>
#include <QStringList>

namespace drover::test {

// A command of a document, as a reader pastes it into a shell.
struct PastedCommand {
    QString text; // several lines if it has a here-document or ends its lines with backslashes
    QString comment; // behind the command, with its "#"
    QStringList output; // the lines below it; "..." stands for what differs
    qsizetype line;
    QString machine{}; // where it runs; empty: in the reader's shell
};

// A command that the test cannot paste.
struct LeftOutCommand {
    QString text;
    QString why;
    qsizetype line;
};

// The commands of a document in Markdown. They stand in fenced blocks without a language, behind a prompt: "$ " is this
// shell, "# " is root's, and "zk1$ " is a shell of that machine. "drover$ " is the folder of the sources. Root's
// commands, those of the sources, windows and what runs by ssh are not pasted.
// A block that is no command names its language, as in "```toml".
class PastedDocument
{
public:
    // Throws std::runtime_error for a file that cannot be read, and for a line without a prompt before it.
    explicit PastedDocument(const QString &path);

    const QList<PastedCommand> &commands() const { return m_commands; }
    const QList<LeftOutCommand> &leftOut() const { return m_leftOut; }
    // All commands behind a prompt, in their order and with their prompts.
    const QStringList &prompted() const { return m_prompted; }

    // Runs the commands in one bash, with merged output. Stops at a command that ends with another exit code than its
    // comment says: "exit code N", or 130 for "Ctrl-C ends it". After "Ctrl-C stops everything" it is detached.
    // A command of a machine runs in a subshell after `machine NAME`, a function that the caller defines.
    QString script() const;
    // Describes how the output differs from what the document shows; empty if it does not.
    QString objectionTo(const QString &output) const;

private:
    void add(const QString &prompt, const QString &text, qsizetype line);

    QString m_name;
    QList<PastedCommand> m_commands;
    QList<LeftOutCommand> m_leftOut;
    QStringList m_prompted;
};

} // namespace drover::test
