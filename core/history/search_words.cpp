#include "history/search_words.h"

namespace drover::history {

QStringList searchWords(const QString &text)
{
    constexpr qsizetype LongestWord = 64; // engines have limits, people's memory too
    QStringList words;
    QString word;
    const auto endWord = [&] {
        if (!word.isEmpty())
            words.append(word.left(LongestWord));
        word.clear();
    };
    for (const char32_t c : text.normalized(QString::NormalizationForm_KC).toLower().toUcs4()) {
        if (QChar::isLetterOrNumber(c) || QChar::isMark(c))
            word += QString::fromUcs4(&c, 1);
        else
            endWord();
    }
    endWord();
    words.removeDuplicates();
    return words;
}

} // namespace drover::history
