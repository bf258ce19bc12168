#include "gui/kept_pictures.h"

#include <QDir>

#include <algorithm>
#include <vector>

namespace drover::test {

namespace {

constexpr int Step = 32; // between two levels of a colour that is kept
constexpr int Much = 48; // levels by which one colour of a pixel differs
constexpr int Place = 16; // pixels: the side of a square
constexpr int Several = 14; // pixels of a place

// With a table of its colours, if it has few enough of them.
QImage smallest(const QImage &image)
{
    const QImage indexed = image.convertToFormat(QImage::Format_Indexed8, Qt::AvoidDither | Qt::ThresholdDither);
    return indexed.convertToFormat(QImage::Format_RGB32) == image ? indexed : image;
}

bool differsMuch(QRgb a, QRgb b)
{
    return std::abs(qRed(a) - qRed(b)) > Much || std::abs(qGreen(a) - qGreen(b)) > Much
        || std::abs(qBlue(a) - qBlue(b)) > Much;
}

} // namespace

QImage asKept(const QImage &picture)
{
    QImage image = picture.convertToFormat(QImage::Format_RGB32);
    const auto level = [](int value) { return std::min(255, (value + Step / 2) / Step * Step); };
    for (int y = 0; y < image.height(); ++y) {
        auto *const line = reinterpret_cast<QRgb *>(image.scanLine(y));
        for (int x = 0; x < image.width(); ++x)
            line[x] = qRgb(level(qRed(line[x])), level(qGreen(line[x])), level(qBlue(line[x])));
    }
    return image;
}

QString differenceOf(const QImage &kept, const QImage &now)
{
    if (kept.size() != now.size())
        return QStringLiteral("it is %1 x %2 pixels, and the kept one %3 x %4")
            .arg(now.width())
            .arg(now.height())
            .arg(kept.width())
            .arg(kept.height());
    const int columns = now.width() / Place + 1;
    std::vector<int> counts(std::size_t(columns) * std::size_t(now.height() / Place + 1));
    int worst = 0;
    std::size_t where = 0;
    for (int y = 0; y < now.height(); ++y) {
        for (int x = 0; x < now.width(); ++x) {
            if (!differsMuch(kept.pixel(x, y), now.pixel(x, y)))
                continue;
            const std::size_t place = std::size_t(y / Place) * std::size_t(columns) + std::size_t(x / Place);
            if (++counts[place] > worst) {
                worst = counts[place];
                where = place;
            }
        }
    }
    if (worst < Several)
        return {};
    const auto places = std::count_if(counts.begin(), counts.end(), [](int count) { return count >= Several; });
    return QStringLiteral("%1 places differ; the worst is about (%2, %3), by %4 pixels")
        .arg(places)
        .arg(int(where) % columns * Place)
        .arg(int(where) / columns * Place)
        .arg(worst);
}

QString compareWithKept(const QImage &picture, const QString &name, const QString &failures)
{
    const QString file = QStringLiteral(DROVER_KEPT_PICTURES "/%1.png").arg(name);
    const QImage now = asKept(picture);
    if (qEnvironmentVariableIsSet("DROVER_ACCEPT_PICTURES"))
        return smallest(now).save(file, "PNG", 0) ? QString() : QStringLiteral("cannot write ") + file;
    const QImage kept(file);
    const QString difference = kept.isNull() ? QStringLiteral("there is no kept picture") : differenceOf(kept, now);
    if (difference.isEmpty())
        return {};
    const QString seen = QDir(failures).filePath(name + QStringLiteral(".png"));
    QDir().mkpath(failures);
    now.save(seen);
    return QStringLiteral("%1: %2. It is in %3; if it is right, packaging/run accept-pictures keeps it.")
        .arg(name, difference, seen);
}

} // namespace drover::test
