// Which instruction sets the kernels are compiled for; to be included before any Highway header.
#pragma once

// On x86 exactly the baseline ("scalar"), SSE4, AVX2 and AVX3_DL (AVX-512 of Ice Lake and Zen 4:
// 8 and 16-bit compress) are left. Numbers, because old Highway lacks the newer names: bits 0..6
// are AVX10_2, AVX3_SPR, AVX3_ZEN4 and reserved ones, 8 AVX3, 10 AVX, 12 SSSE3, 13 SSE3, 14 SSE2.
#define HWY_DISABLED_TARGETS 0x757FLL

#if defined(__x86_64__)
// Old Highway makes AVX3_DL only when asked.
#define HWY_WANT_AVX3_DL
#else
#define HWY_COMPILE_ONLY_STATIC
#endif
