#include "gui/recording/codec.h"

#include "jobs/model/errors.h"

#include <QDataStream>
#include <QIODevice>

#include <concepts>
#include <tuple>

namespace drover::gui {

using Kind = RecordedKey::Kind;
using jobs::JobState;

namespace {

constexpr QDataStream::Version Format = QDataStream::Qt_6_0;

template <typename T, typename Row>
concept Is = std::same_as<std::remove_const_t<T>, Row>;

// The fields of a row, in the order in which they are stored.
auto fieldsOf(Is<QueueDepth> auto &row)
{
    return std::tie(row.name, row.depth, row.paused, row.limit, row.running, row.ready);
}

auto fieldsOf(Is<LockRow> auto &row)
{
    return std::tie(row.lock, row.place, row.ticket, row.about, row.session, row.since, row.czxid, row.isOfSeveral);
}

auto fieldsOf(Is<WorkerLoad> auto &load)
{
    return std::tie(load.jobs, load.slotCount);
}

auto fieldsOf(Is<zk::Stat> auto &stat)
{
    return std::tie(stat.czxid, stat.mzxid, stat.ctime, stat.mtime, stat.version, stat.cversion, stat.aversion,
                    stat.ephemeralOwner, stat.dataLength, stat.numChildren, stat.pzxid);
}

template <typename Row>
concept Tied = requires(Row &row)
{
    fieldsOf(row);
};

QDataStream &operator<<(QDataStream &out, const Tied auto &row)
{
    std::apply([&out](const auto &...field) { (out << ... << field); }, fieldsOf(row));
    return out;
}

QDataStream &operator>>(QDataStream &in, Tied auto &row)
{
    std::apply([&in](auto &...field) { (in >> ... >> field); }, fieldsOf(row));
    return in;
}

QDataStream &operator<<(QDataStream &out, const JobRow &row)
{
    return out << row.id.bytes() << qint32(row.state) << row.loaded << row.name << row.command << row.comment
               << row.tags << row.submitter << row.worker << row.priority << row.attempt << row.since << row.failed
               << row.failedCode << row.exitCode.has_value() << row.exitCode.value_or(0) << row.progress << row.waits
               << row.note;
}

QDataStream &operator>>(QDataStream &in, JobRow &row)
{
    QByteArray id;
    qint32 state = 0;
    bool hasExit = false;
    int exitCode = 0;
    in >> id >> state >> row.loaded >> row.name >> row.command >> row.comment >> row.tags >> row.submitter >> row.worker
        >> row.priority >> row.attempt >> row.since >> row.failed >> row.failedCode >> hasExit >> exitCode
        >> row.progress >> row.waits >> row.note;
    const std::optional<jobs::JobId> parsed = jobs::JobId::parse(QString::fromUtf8(id));
    if (!parsed || state < 0 || state > qint32(JobState::Cancelled)) {
        in.setStatus(QDataStream::ReadCorruptData);
        return in;
    }
    row.id = *parsed;
    row.state = JobState(state);
    if (hasExit)
        row.exitCode = exitCode;
    return in;
}

QDataStream &operator<<(QDataStream &out, const WorkerRow &row)
{
    return out << row.id << row.master << row.info.encode() << row.cordon << row.since << row.malformed
               << row.masterToken << row.masterSince;
}

QDataStream &operator>>(QDataStream &in, WorkerRow &row)
{
    QByteArray info;
    in >> row.id >> row.master >> info >> row.cordon >> row.since >> row.malformed >> row.masterToken
        >> row.masterSince;
    if (in.status() != QDataStream::Ok || !row.malformed.isEmpty())
        return in;
    try {
        row.info = jobs::WorkerInfo::decode(info);
    } catch (const jobs::Malformed &error) {
        row.malformed = QString::fromUtf8(error.what()); // an older console took it for sound
    }
    return in;
}

QDataStream &operator<<(QDataStream &out, const ZnodeListing &row)
{
    return out << row.path.bytes() << qint32(row.condition) << row.names << row.stat;
}

QDataStream &operator>>(QDataStream &in, ZnodeListing &row)
{
    QByteArray path;
    qint32 condition = 0;
    in >> path >> condition >> row.names >> row.stat;
    try {
        row.path = zk::Path(path);
    } catch (const zk::InvalidPath &) {
        in.setStatus(QDataStream::ReadCorruptData);
    }
    row.condition = NodeCondition(condition);
    return in;
}

QDataStream &operator<<(QDataStream &out, const RecordedKey &key)
{
    return out << quint8(key.kind) << key.name;
}

QDataStream &operator>>(QDataStream &in, RecordedKey &key)
{
    quint8 kind = 0;
    in >> kind >> key.name;
    key.kind = Kind(kind);
    return in;
}

template <typename Write>
QByteArray bytesOf(const Write &write)
{
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out.setVersion(Format);
    write(out);
    return bytes;
}

constexpr int Effort = 1; // of zlib: the recorder must keep up

// Reads one entry after the other; whether `bytes` are such entries, compressed.
template <typename ReadOne>
bool readAll(const QByteArray &bytes, const ReadOne &readOne)
{
    const QByteArray plain = qUncompress(bytes);
    if (plain.isEmpty() && bytes != qCompress(QByteArray(), Effort))
        return false;
    QDataStream in(plain);
    in.setVersion(Format);
    while (!in.atEnd() && in.status() == QDataStream::Ok)
        readOne(in);
    return in.status() == QDataStream::Ok;
}

void count(JobsSnapshot &jobs, const JobRow &row)
{
    switch (row.state) {
    case JobState::Held:
        ++jobs.held;
        break;
    case JobState::Waiting:
        ++jobs.waiting;
        break;
    case JobState::Ready:
        ++jobs.ready;
        break;
    case JobState::Running:
        ++jobs.running;
        break;
    case JobState::Succeeded:
    case JobState::Failed:
    case JobState::Cancelled:
        ++jobs.ended;
        break;
    }
}

template <typename Row>
void take(QList<Row> &rows, const QByteArray &value)
{
    if (const std::optional<Row> row = decodeRow<Row>(value))
        rows.append(*row);
}

} // namespace

RecordedKey keyOf(const JobRow &row)
{
    return {Kind::Job, row.id.bytes()};
}

RecordedKey keyOf(const QueueDepth &row)
{
    return {Kind::Queue, row.name};
}

RecordedKey keyOf(const LockRow &row)
{
    return {Kind::Lock, row.lock + '/' + row.ticket};
}

RecordedKey keyOfOther(const LockRow &row)
{
    return {Kind::Other, row.lock + '/' + row.ticket};
}

RecordedKey keyOf(const WorkerRow &row)
{
    return {Kind::Worker, row.id};
}

RecordedKey keyOfLoad(const QString &worker)
{
    return {Kind::Load, worker.toUtf8()};
}

RecordedKey keyOf(const ZnodeListing &row)
{
    return {Kind::Znode, row.path.bytes()};
}

template <typename Row>
QByteArray encodeRow(const Row &row)
{
    return bytesOf([&row](QDataStream &out) { out << row; });
}

template <typename Row>
std::optional<Row> decodeRow(const QByteArray &bytes)
{
    QDataStream in(bytes);
    in.setVersion(Format);
    Row row{};
    in >> row;
    return in.status() == QDataStream::Ok ? std::optional<Row>(row) : std::nullopt;
}

#define DROVER_RECORDED(Row) \
    template QByteArray encodeRow<Row>(const Row &); \
    template std::optional<Row> decodeRow<Row>(const QByteArray &);
DROVER_RECORDED(JobRow)
DROVER_RECORDED(QueueDepth)
DROVER_RECORDED(LockRow)
DROVER_RECORDED(WorkerRow)
DROVER_RECORDED(WorkerLoad)
DROVER_RECORDED(ZnodeListing)
#undef DROVER_RECORDED

QByteArray encodeChanges(const QList<RecordedChange> &changes)
{
    const QByteArray plain = bytesOf([&](QDataStream &out) {
        for (const RecordedChange &change : changes)
            out << change.at << change.key << change.value;
    });
    return qCompress(plain, Effort);
}

std::optional<QList<RecordedChange>> decodeChanges(const QByteArray &bytes)
{
    QList<RecordedChange> changes;
    const bool isWhole = readAll(bytes, [&changes](QDataStream &in) {
        RecordedChange change;
        in >> change.at >> change.key >> change.value;
        changes.append(change);
    });
    return isWhole ? std::optional(changes) : std::nullopt;
}

QByteArray encodeState(const RecordedState &state)
{
    const QByteArray plain = bytesOf([&](QDataStream &out) {
        for (const auto &[key, value] : state)
            out << key << value;
    });
    return qCompress(plain, Effort);
}

std::optional<RecordedState> decodeState(const QByteArray &bytes)
{
    RecordedState state;
    const bool isWhole = readAll(bytes, [&state](QDataStream &in) {
        RecordedKey key;
        QByteArray value;
        in >> key >> value;
        state.emplace_hint(state.end(), key, value);
    });
    return isWhole ? std::optional(state) : std::nullopt;
}

Moment momentOf(const RecordedState &state)
{
    Moment moment;
    for (const auto &[key, value] : state) {
        switch (key.kind) {
        case Kind::Job:
            take(moment.jobs.rows, value);
            break;
        case Kind::Queue:
            take(moment.queues, value);
            break;
        case Kind::Lock:
        case Kind::Other:
            take(moment.locks, value);
            break;
        case Kind::Worker:
            take(moment.workers, value);
            break;
        case Kind::Load:
            if (const auto load = decodeRow<WorkerLoad>(value))
                moment.loads.insert(QString::fromUtf8(key.name), *load);
            break;
        case Kind::Znode:
            take(moment.znodes, value);
            break;
        }
    }
    moment.jobs.clusterExists = true;
    for (const JobRow &row : std::as_const(moment.jobs.rows))
        count(moment.jobs, row);
    return moment;
}

} // namespace drover::gui
