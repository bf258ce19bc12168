#include "app/demo/report_check.h"

#include <QFile>
#include <QMap>

#include <algorithm>
#include <fstream>
#include <string>

namespace drover::app {

namespace {

qint64 plainCount(const QString &file)
{
    std::ifstream in(QFile::encodeName(file).constData());
    qint64 words = 0;
    for (std::string word; in >> word;)
        ++words;
    return words;
}

} // namespace

ReportCheck checkReport(const InputFiles &input, const DemoReport &report)
{
    ReportCheck check;
    QMap<QString, qint64> expected;
    for (const QString &file : input.files) {
        const qint64 words = plainCount(file);
        expected.insert(input.nameOf(file), words);
        check.words += words;
    }
    const DemoReport::Content content = report.read();
    check.malformed = content.malformed;
    QMap<QString, int> lines;
    for (const DemoReport::Line &line : content.lines) {
        ++lines[line.name];
        check.wrong += expected.value(line.name, -1) != line.words;
    }
    for (auto file = expected.keyBegin(); file != expected.keyEnd(); ++file) {
        const int count = lines.value(*file);
        check.lost += count == 0;
        check.repeated += std::max(0, count - 1);
    }
    return check;
}

} // namespace drover::app
