#include "gui/kept_pictures.h"

#include <QDir>

#include <algorithm>
#include <vector>

namespace drover::test {

namespace {

constexpr int Coarse = 32; // between two levels of a colour that is kept of letters and slanted lines
constexpr int Fine = 4; // and of areas and straight lines
constexpr int Much = 48; // levels by which one colour of a pixel differs where letters are
constexpr int Little = 10; // and where there are none: more than Fine, for a level may be rounded otherwise
constexpr int Straight = 14; // pixels of one colour, one beside the other: longer than a letter has them
constexpr int Place = 16; // pixels: the side of a square
constexpr int Several = 14; // pixels of a place

// With a table of its colours, if it has few enough of them.
QImage smallest(const QImage &image)
{
    const QImage indexed = image.convertToFormat(QImage::Format_Indexed8, Qt::AvoidDither | Qt::ThresholdDither);
    return indexed.convertToFormat(QImage::Format_RGB32) == image ? indexed : image;
}

int differenceBetween(QRgb a, QRgb b)
{
    return std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
}

// The pixels of areas and of straight lines, by rows. They look alike on each machine, other than the edges of letters.
class Plain
{
public:
    explicit Plain(const QImage &image) : m_width(image.width()), m_pixels(std::size_t(image.width() * image.height()))
    {
        for (int y = 0; y < image.height(); ++y)
            mark(image, {0, y}, {1, 0}, image.width());
        for (int x = 0; x < image.width(); ++x)
            mark(image, {x, 0}, {0, 1}, image.height());
    }

    bool has(int x, int y) const { return m_pixels[std::size_t(y * m_width + x)]; }

private:
    void mark(const QImage &image, const QPoint &begin, const QPoint &step, int length)
    {
        const auto colorAt = [&](int i) { return image.pixel(begin + step * i); };
        for (int i = 0, end = 0; i < length; i = end) {
            while (end < length && colorAt(end) == colorAt(i))
                ++end;
            for (int k = i; end - i >= Straight && k < end; ++k)
                m_pixels[std::size_t((begin + step * k).y() * m_width + (begin + step * k).x())] = true;
        }
    }

    int m_width;
    std::vector<bool> m_pixels;
};

} // namespace

QImage asKept(const QImage &picture)
{
    QImage image = picture.convertToFormat(QImage::Format_RGB32);
    const Plain plain(image);
    const auto level = [](int value, int step) { return std::min(255, (value + step / 2) / step * step); };
    for (int y = 0; y < image.height(); ++y) {
        auto *const line = reinterpret_cast<QRgb *>(image.scanLine(y));
        for (int x = 0; x < image.width(); ++x) {
            const int step = plain.has(x, y) ? Fine : Coarse;
            line[x] = qRgb(level(qRed(line[x]), step), level(qGreen(line[x]), step), level(qBlue(line[x]), step));
        }
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
    const Plain plainBefore(kept);
    const Plain plainNow(now);
    const int columns = now.width() / Place + 1;
    std::vector<int> counts(std::size_t(columns) * std::size_t(now.height() / Place + 1));
    int worst = 0;
    std::size_t where = 0;
    for (int y = 0; y < now.height(); ++y) {
        for (int x = 0; x < now.width(); ++x) {
            const bool isPlain = plainBefore.has(x, y) && plainNow.has(x, y);
            if (differenceBetween(kept.pixel(x, y), now.pixel(x, y)) <= (isPlain ? Little : Much))
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
