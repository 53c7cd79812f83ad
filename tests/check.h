/* check.h - what every test program includes: cmocka, and assertions on floating-point encodings.
 *
 * A test program is a list of functions named by a sentence, run by check_main(tests). */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

#define check_main(tests) cmocka_run_group_tests_name(__FILE__, (tests), NULL, NULL)

/* Long sweeps run only under `make check-exhaustive`. */
static inline bool check_exhaustive(void)
{
	return getenv("GPUEMU_EXHAUSTIVE") != NULL;
}

#define check_true(c, ...)                                                                         \
	do {                                                                                       \
		if (!(c)) {                                                                        \
			print_error("%s:%d: %s: ", __FILE__, __LINE__, #c);                        \
			print_error(__VA_ARGS__);                                                  \
			print_error("\n");                                                         \
			fail();                                                                    \
		}                                                                                  \
	} while (0)

/* Ends the test as skipped; run.sh lists the reason (printf format and arguments). */
#define check_skip(...)                                                                            \
	do {                                                                                       \
		print_message("skipped %s: ", __func__);                                           \
		print_message(__VA_ARGS__);                                                        \
		print_message("\n");                                                               \
		skip();                                                                            \
	} while (0)

#define check_bits(got, want, what)                                                                \
	do {                                                                                       \
		uint64_t g_ = (got), w_ = (want);                                                  \
		check_true(g_ == w_, "%s: got 0x%" PRIx64 ", want 0x%" PRIx64, what, g_, w_);      \
	} while (0)

#define check_ok(call, e)                                                                          \
	do {                                                                                       \
		enum st s_ = (call);                                                               \
		check_true(s_ == ST_OK, "%s: %s", st_text(s_), (e)->msg);                          \
	} while (0)

/* The call fails with this status and a message that contains the text. */
#define check_fails(call, status, e, text)                                                         \
	do {                                                                                       \
		enum st s_ = (call);                                                               \
		check_true(s_ == (status) && strstr((e)->msg, (text)) != NULL,                     \
		           "status '%s', message '%s', expected '%s'", st_text(s_), (e)->msg, text); \
		memset((e), 0, sizeof *(e));                                                       \
	} while (0)

#endif
