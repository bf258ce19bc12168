#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // GCC
#define DROVER_SANITIZED
#elif defined(__has_feature) // Clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DROVER_SANITIZED
#endif
#endif

namespace drover::test {

// Under a sanitizer everything takes five to ten times as long: what is done over and over is done less often then.
#ifdef DROVER_SANITIZED
inline constexpr bool Sanitized = true;
#else
inline constexpr bool Sanitized = false;
#endif

} // namespace drover::test
