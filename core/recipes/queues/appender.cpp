#include "recipes/queues/appender.h"

#include "recipes/blocks/ticket.h"
#include "recipes/queues/item_size.h"

#include <QScopeGuard>

namespace drover::recipes {

using zk::Code;

namespace {

qsizetype bytesOf(const QByteArrayList &items)
{
    qsizetype sum = 0;
    for (const QByteArray &item : items)
        sum += item.size();
    return sum;
}

// Refuses items that no taker could take. Throws RequestTooLarge.
void requireThatTheyFit(const zk::Path &directory, const QByteArrayList &items)
{
    for (const QByteArray &item : items) {
        if (!fitsIntoRequests(directory, item.size()))
            throw zk::RequestTooLarge(QStringLiteral("an item of %1 bytes is too large for the queue %2")
                                          .arg(item.size())
                                          .arg(QString::fromUtf8(directory.bytes())));
    }
}

} // namespace

Appender::Appender(zk::Client &zk, zk::Path directory, zk::Path side)
    : m_zk(zk), m_directory(std::move(directory)), m_side(std::move(side)), m_receipts(zk, m_side)
{
}

std::shared_ptr<Appender::Unit> Appender::add(QByteArray prefix, QByteArrayList items)
{
    auto unit = std::make_shared<Unit>();
    unit->prefix = std::move(prefix);
    unit->items = std::move(items);
    m_units.push_back(unit);
    if (m_work.empty())
        m_work.spawn(work());
    return unit;
}

async::Task<void> Appender::append(QByteArray prefix, QByteArrayList items)
{
    if (items.isEmpty())
        co_return;
    requireThatTheyFit(m_directory, items);
    const std::shared_ptr<Unit> unit = add(std::move(prefix), std::move(items));
    const auto withdraw = qScopeGuard([unit] { unit->withdrawn = true; });
    const async::Future<std::monostate> durable = unit->durable.future();
    co_await durable;
}

async::Task<void> Appender::appendAll(QByteArray prefix, QByteArrayList items)
{
    requireThatTheyFit(m_directory, items);
    Units units;
    const auto withdraw = qScopeGuard([&units] {
        for (const auto &unit : units)
            unit->withdrawn = true;
    });
    QByteArrayList part;
    qsizetype bytes = 0;
    for (QByteArray &item : items) {
        if (!part.isEmpty() && (part.size() == MaxItems || bytes + item.size() > MaxBytes)) {
            units.push_back(add(prefix, std::exchange(part, {})));
            bytes = 0;
        }
        bytes += item.size();
        part.push_back(std::move(item));
    }
    if (!part.isEmpty())
        units.push_back(add(prefix, std::move(part)));
    for (const auto &unit : units) {
        const async::Future<std::monostate> durable = unit->durable.future();
        co_await durable;
    }
}

async::Task<void> Appender::work()
{
    for (;;) {
        const Units batch = nextBatch();
        if (batch.empty())
            co_return;
        std::exception_ptr error;
        try {
            co_await write(batch);
        } catch (...) {
            error = std::current_exception();
        }
        // From the loop, not from here: the resumed caller may destroy this object.
        m_zk.loop().post([batch, error] {
            for (const auto &unit : batch)
                error ? unit->durable.fail(error) : unit->durable.set({});
        });
    }
}

Appender::Units Appender::nextBatch()
{
    Units batch;
    std::size_t count = 0;
    qsizetype bytes = 0;
    while (!m_units.empty()) {
        const std::shared_ptr<Unit> &next = m_units.front();
        if (!next->withdrawn) {
            count += static_cast<std::size_t>(next->items.size());
            bytes += bytesOf(next->items);
            if (!batch.empty() && (count > MaxItems || bytes > MaxBytes))
                break;
            batch.push_back(next);
        }
        m_units.pop_front();
    }
    return batch;
}

async::Task<void> Appender::write(Units batch)
{
    zk::Transaction transaction;
    for (const auto &unit : batch) {
        for (const QByteArray &item : unit->items)
            transaction.create(m_directory / unit->prefix, item, zk::CreateMode::PersistentSequential);
    }
    for (;;) {
        const Receipts::Result result = co_await m_receipts.commit(transaction);
        if (result.ok())
            co_return;
        if (result.code == Code::NodeExists)
            throw NumbersUsedUp(m_directory);
        if (result.code != Code::NoNode)
            zk::throwFailure(result.code, "append to", m_directory);
        if (result.receiptGone)
            co_await ensureSideDirectory(m_zk, m_side);
        else
            co_await m_zk.ensurePath(m_directory);
    }
}

} // namespace drover::recipes
