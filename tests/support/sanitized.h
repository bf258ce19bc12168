#pragma once

namespace drover::test {

// Under a sanitizer everything takes five to ten times as long: what is done over and over is done less often then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool Sanitized = true;
#else
inline constexpr bool Sanitized = false;
#endif

} // namespace drover::test
