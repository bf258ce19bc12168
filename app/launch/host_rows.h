#pragma once

#include "app/cli/output.h"

#include <QStringList>

namespace drover::app {

// How far `drover launch` is, a row for each host. On a terminal the rows are drawn again and again; elsewhere a line
// is printed for each host that is done. With -o json there is one document, at the end. With -o jsonl each step of a
// host is a line, and the last line of a host is its result.
class HostRows
{
public:
    HostRows(const Output &out, const QStringList &names);

    void working(qsizetype host, const QString &on);
    void done(qsizetype host, const QString &state, QJsonObject about = {});
    void failed(qsizetype host, const QString &why);

    // After the last host. Returns the number of those that failed.
    int finish();

private:
    struct Row {
        QString name;
        QString state{QStringLiteral("waiting")};
        QString text{};
        QJsonObject about{};
    };

    void draw();
    QString lineOf(const Row &row) const;
    QJsonObject objectOf(const Row &row) const;
    void tell(qsizetype host);

    const Output &m_out;
    QList<Row> m_rows;
    bool m_isDrawn; // on a terminal
    bool m_isStream; // -o jsonl
    bool m_hasDrawn = false;
    int m_failed = 0;
};

} // namespace drover::app
