#include "app/launch/host_rows.h"

#include <algorithm>

namespace drover::app {

namespace {

constexpr qsizetype MostDrawn = 20; // more may not fit on the screen

} // namespace

HostRows::HostRows(const Output &out, const QStringList &names) : m_out(out)
{
    for (const QString &name : names)
        m_rows.append({.name = name});
    m_isStream = out.format() == Format::JsonLines;
    for (const Row &row : std::as_const(m_rows)) {
        if (m_isStream)
            out.event(objectOf(row));
    }
    m_isDrawn = out.isTable() && out.terminal().canBeDrawn && m_rows.size() <= MostDrawn;
}

void HostRows::working(qsizetype host, const QString &on)
{
    Row &row = m_rows[host];
    row.state = QStringLiteral("working");
    row.text = on;
    row.about = {{QStringLiteral("on"), on}};
    if (m_isStream)
        m_out.event(objectOf(row));
    draw();
}

void HostRows::done(qsizetype host, const QString &state, QJsonObject about)
{
    Row &row = m_rows[host];
    row.state = state;
    row.text = about.take(QStringLiteral("text")).toString();
    row.about = std::move(about);
    tell(host);
}

void HostRows::failed(qsizetype host, const QString &why)
{
    Row &row = m_rows[host];
    row.state = QStringLiteral("failed");
    row.text = why;
    row.about = {{QStringLiteral("trouble"), why}};
    ++m_failed;
    tell(host);
}

void HostRows::tell(qsizetype host)
{
    if (m_isDrawn)
        draw();
    else if (m_out.isTable())
        m_out.line(lineOf(m_rows[host]));
    else if (m_isStream)
        m_out.event(objectOf(m_rows[host]));
}

QString HostRows::lineOf(const Row &row) const
{
    qsizetype width = 0;
    for (const Row &one : m_rows)
        width = std::max(width, one.name.size());
    const QString state = m_out.coloured(row.state, row.state.leftJustified(8));
    return QStringLiteral("%1  %2  %3").arg(row.name.leftJustified(width), state, row.text).trimmed();
}

void HostRows::draw()
{
    if (!m_isDrawn)
        return;
    QString screen = m_hasDrawn ? QStringLiteral("\x1b[%1A").arg(m_rows.size()) : QString();
    for (const Row &row : m_rows) {
        Row cut = row;
        cut.text = elided(row.text, std::max(8, m_out.terminal().width - int(row.name.size()) - 14));
        screen += QStringLiteral("\x1b[2K") + lineOf(cut) + u'\n';
    }
    m_out.bytes(screen.toUtf8());
    m_hasDrawn = true;
}

QJsonObject HostRows::objectOf(const Row &row) const
{
    QJsonObject object = row.about;
    object.insert(QStringLiteral("host"), row.name);
    object.insert(QStringLiteral("state"), row.state);
    return object;
}

int HostRows::finish()
{
    QList<QJsonObject> rows;
    for (const Row &row : std::as_const(m_rows)) {
        rows.append(objectOf(row));
        if (m_isDrawn && row.state == u"failed") // the row on the screen may be cut
            Output::message(QStringLiteral("%1: %2").arg(row.name, row.text));
    }
    if (m_out.format() == Format::Json)
        m_out.list("hosts", {}, rows);
    return m_failed;
}

} // namespace drover::app
