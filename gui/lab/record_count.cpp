#include "gui/lab/record_count.h"

#include <QHash>

namespace drover::gui {

namespace {

struct Record {
    qsizetype first = 0; // lines of the file
    qsizetype last = 0;
    int count = 0;
};

} // namespace

RecordCount countRecords(const QByteArray &file, int parts)
{
    QHash<QByteArray, Record> records;
    qsizetype at = 0;
    for (const QByteArray &line : file.split('\n')) {
        const qsizetype end = line.lastIndexOf(' ');
        if (line.count(' ') != 3)
            continue;
        Record &record = records[line.first(end)];
        if (record.count++ == 0)
            record.first = at;
        record.last = at++;
    }
    RecordCount all;
    for (const Record &record : std::as_const(records)) {
        if (record.last - record.first + 1 != record.count)
            ++all.torn;
        else if (record.count == parts)
            ++all.whole;
        else if (record.last + 1 < at)
            ++all.cutShort;
    }
    return all;
}

} // namespace drover::gui
