#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The format of segments. If output is longer than its cap, its end is kept in two more files beside the file with its
// beginning, used in turns. Each segment begins with a line that says where in the stream its first byte is. The runner
// writes the segments and links no Qt, so this header has none.
namespace drover::output {

constexpr std::array<const char *, 2> segmentSuffixes{".1", ".2"};

namespace detail {

constexpr std::string_view segmentWords = "from byte ";
constexpr std::size_t segmentDigits = 20;

} // namespace detail

constexpr std::size_t segmentHeaderSize = detail::segmentWords.size() + detail::segmentDigits + 1;

inline std::string segmentHeader(std::uint64_t from)
{
    const std::string number = std::to_string(from);
    std::string header(detail::segmentWords);
    header.append(detail::segmentDigits - number.size(), '0');
    return header + number + '\n';
}

// The longest stream: sums of offsets stay far below what 64 bits hold.
constexpr std::int64_t maxStream = std::int64_t(1) << 53;

// Nothing if the text is not a complete header, or its offset is beyond maxStream.
inline std::optional<std::int64_t> segmentFrom(std::string_view header)
{
    if (header.size() < segmentHeaderSize || !header.starts_with(detail::segmentWords)
        || header[segmentHeaderSize - 1] != '\n')
        return std::nullopt;
    const char *const begin = header.data() + detail::segmentWords.size();
    const char *const end = begin + detail::segmentDigits;
    std::int64_t from = 0;
    const auto [stop, error] = std::from_chars(begin, end, from);
    return error == std::errc() && stop == end && from >= 0 && from <= maxStream ? std::optional(from) : std::nullopt;
}

} // namespace drover::output
