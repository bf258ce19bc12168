#include "interop/fenced_log.h"

#include <QFile>

#include <algorithm>
#include <stdexcept>

namespace drover::test {

namespace {

using Entry = FencedLog::Entry;

FencedLog::Entry parse(const QByteArray &line)
{
    const QByteArrayList words = line.trimmed().split(' ');
    const bool begins = words.front() == "begin";
    bool isNumber = false;
    const zk::Zxid token = words.back().toLongLong(&isNumber);
    if (words.size() != 4 || !isNumber || !(begins || words.front() == "end"))
        throw std::runtime_error("not a line of a fenced log: " + line.toStdString());
    return {begins ? FencedLog::Event::Begin : FencedLog::Event::End, words[1], words[2], token};
}

bool isExclusive(const Entry &entry)
{
    static const QByteArrayList modes{"lock", "write", "writelock", "kazoolock", "semaphoremutex"};
    return modes.contains(entry.mode);
}

bool isShared(const Entry &entry)
{
    return entry.mode == "read" || entry.mode == "semaphore";
}

bool isOneHold(const Entry &begin, const Entry &end)
{
    return begin.who == end.who && begin.mode == end.mode && begin.token == end.token;
}

QString describe(const Entry &entry)
{
    return QStringLiteral("%1 (%2, %3)")
        .arg(QString::fromUtf8(entry.who), QString::fromUtf8(entry.mode))
        .arg(entry.token);
}

// Whether `entry` may begin beside these holders.
bool isAdmissible(const Entry &entry, const std::vector<Entry> &holders, int permits)
{
    if (isExclusive(entry))
        return holders.empty();
    if (std::any_of(holders.begin(), holders.end(), isExclusive))
        return false;
    return entry.mode == "read" || holders.size() < static_cast<std::size_t>(permits);
}

} // namespace

FencedLog::FencedLog()
{
    if (!m_file.open())
        throw std::runtime_error("no temporary file: " + m_file.errorString().toStdString());
}

void FencedLog::begin(const QByteArray &who, const QByteArray &mode, zk::Zxid token)
{
    append("begin " + who + ' ' + mode + ' ' + QByteArray::number(token) + '\n');
}

void FencedLog::end(const QByteArray &who, const QByteArray &mode, zk::Zxid token)
{
    append("end " + who + ' ' + mode + ' ' + QByteArray::number(token) + '\n');
}

void FencedLog::append(const QByteArray &line)
{
    QFile file(m_file.fileName());
    if (!file.open(QFile::WriteOnly | QFile::Append | QFile::Unbuffered) || file.write(line) != line.size())
        throw std::runtime_error("cannot write to the log: " + file.errorString().toStdString());
}

std::vector<FencedLog::Entry> FencedLog::entries() const
{
    QFile file(m_file.fileName());
    if (!file.open(QFile::ReadOnly))
        throw std::runtime_error("cannot read the log: " + file.errorString().toStdString());
    std::vector<Entry> entries;
    while (!file.atEnd())
        entries.push_back(parse(file.readLine()));
    return entries;
}

QStringList faults(const std::vector<FencedLog::Entry> &log, int permits)
{
    QStringList faults;
    std::vector<Entry> holders;
    zk::Zxid newest = 0; // of all that have begun
    zk::Zxid newestExclusive = 0;
    for (const Entry &entry : log) {
        if (!isExclusive(entry) && !isShared(entry)) {
            faults << QStringLiteral("%1 holds nothing that is known").arg(describe(entry));
        } else if (entry.event == FencedLog::Event::End) {
            const auto begin = std::find_if(holders.begin(), holders.end(),
                                            [&](const Entry &holder) { return isOneHold(holder, entry); });
            if (begin == holders.end())
                faults << QStringLiteral("%1 ends without having begun").arg(describe(entry));
            else
                holders.erase(begin);
        } else {
            if (!isAdmissible(entry, holders, permits))
                faults << QStringLiteral("%1 begins beside %2").arg(describe(entry), describe(holders.back()));
            if (entry.token <= (isExclusive(entry) ? newest : newestExclusive))
                faults << QStringLiteral("%1 was overtaken").arg(describe(entry));
            newest = std::max(newest, entry.token);
            if (isExclusive(entry))
                newestExclusive = std::max(newestExclusive, entry.token);
            holders.push_back(entry);
        }
    }
    for (const Entry &holder : holders)
        faults << QStringLiteral("%1 never ends").arg(describe(holder));
    return faults;
}

std::map<QByteArray, int> rounds(const std::vector<FencedLog::Entry> &log)
{
    std::map<QByteArray, int> rounds;
    for (const Entry &entry : log) {
        if (entry.event == FencedLog::Event::Begin)
            ++rounds[entry.who];
    }
    return rounds;
}

int handOvers(const std::vector<FencedLog::Entry> &log)
{
    int handOvers = 0;
    QByteArray last;
    for (const Entry &entry : log) {
        if (entry.event != FencedLog::Event::Begin)
            continue;
        if (!last.isEmpty() && entry.who != last)
            ++handOvers;
        last = entry.who;
    }
    return handOvers;
}

} // namespace drover::test
