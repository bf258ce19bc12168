#pragma once

#include <QByteArray>
#include <QString>

#include <set>

namespace drover::test {

// Records that tell a reader of the file alone whose they are and whether they are whole: "<key:letters>\n". One in
// eight is too long for the ledger. A key always gives the same bytes.
QByteArray recordText(const QByteArray &key);

// Reads the file from its first to its last byte; puts the keys of its records into `keys`. Returns what is wrong:
// bytes that are no whole record, or a record that is there twice; or nothing.
QString readRecords(const QByteArray &content, std::set<QByteArray> &keys);

} // namespace drover::test
