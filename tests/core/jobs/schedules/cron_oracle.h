#pragma once

#include <QByteArray>

#include <vector>

namespace drover::test {

// The ticks of a crontab line in [begin, end), seconds of the epoch on whole minutes, as Vixie cron finds them: it
// wakes up every minute, asks the C library for the time on the wall, and when that has jumped, catches up. Numbers
// only. It shares nothing with the code that it judges, neither the time zones' reader nor a line of arithmetic.
std::vector<qint64> cronOracle(const QByteArray &expression, const QByteArray &zone, qint64 begin, qint64 end);

} // namespace drover::test
