/* test_random.c - Philox against the known answers of its authors (Random123, tests/kat_vectors),
 * and the public format of our streams against values of an independent program (Python integers,
 * the mapping of base/philox.c's head). */
#include "tests/check.h"

static void philox_known_answers(void **state)
{
	static const struct row {
		uint32_t ctr[4], key[2], out[4];
	} rows[] = {
		{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
	         {0xffffffff, 0xffffffff},
	         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
	         {0xa4093822, 0x299f31d0},
	         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint32_t out[4];

		philox4x32(rows[i].ctr, rows[i].key, out);
		for (int k = 0; k < 4; k++)
			check_bits(out[k], rows[i].out[k], "philox4x32-10");
	}
}

static void words_of_a_stream_never_change(void **state)
{
	static const uint64_t rows[][4] = {
		{0x0, 0x0, 0x0, 0xe169c58d6627e8d5},
		{0x0, 0x0, 0x1, 0x9b00dbd8bc57ac4c},
		{0x1, 0x2, 0x3, 0xe0b3cf344541f91},
		{0x9f3c21, 0x5, 0x3e8, 0xac3d969f260d774e},
		{~0ull, ~0ull, ~0ull, 0x71e0a347b949da37},
		{0x123456789abcdef, 0xfedcba9876543210, 0x8000000000000001, 0x93f875f8d6bb2977},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_bits(rand_u64(rows[i][0], rows[i][1], rows[i][2]), rows[i][3], "rand_u64");
}

/* n = 3·2^62: a quarter of the words is refused, so that the second draw is seen too (i = 2, 3, 7,
 * 9). */
static void rand_below_never_changes(void **state)
{
	static const uint64_t large[] = {
	        1585339608577185370u,  3821304898175985299u,  9364232292217559253u,
	        7576933951468508212u,  2551321186508533439u,  8603104844025325903u,
	        9879432627720065862u,  10742210850901134961u, 4726231793478754503u,
	        11646488998815320810u, 8546333569090978990u,  4894183230864894655u,
	};
	static const uint64_t small[] = {1, 2, 3, 5, 1, 6};

	(void)state;
	for (uint64_t i = 0; i < ARRAY_LEN(large); i++)
		check_bits(rand_below(7, 8, i, 3ull << 62), large[i], "rand_below(3·2^62)");
	for (uint64_t i = 0; i < ARRAY_LEN(small); i++)
		check_bits(rand_below(7, 8, i, 10), small[i], "rand_below(10)");
	for (uint64_t i = 0; i < 100; i++)
		check_bits(rand_below(1, 1, i, 1), 0, "rand_below(1)");
}

/* Chi-squared with 9 degrees of freedom: beyond 27.9 once in 1000 (Abramowitz and Stegun,
 * table 26.8). */
static void rand_below_is_even(void **state)
{
	uint64_t count[10] = {0}, n = 100000;
	double chi = 0;

	(void)state;
	for (uint64_t i = 0; i < n; i++)
		count[rand_below(11, 12, i, 10)]++;
	for (int k = 0; k < 10; k++) {
		double d = (double)count[k] - (double)n / 10;

		chi += d * d / ((double)n / 10);
	}
	check_true(chi < 27.9, "chi squared %g", chi);
}

static void rand_unit_is_the_top_53_bits(void **state)
{
	double sum = 0;

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		double x = rand_unit(5, 6, i);

		assert_true(x >= 0 && x < 1);
		assert_true(ldexp(x, 53) == (double)(rand_u64(5, 6, i) >> 11));
		sum += x;
	}
	/* mean 1/2, standard deviation 1/√(12·10^4) = 0.0029; five of them */
	check_true(fabs(sum / 10000 - 0.5) < 0.0145, "mean %g", sum / 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(philox_known_answers),
		cmocka_unit_test(words_of_a_stream_never_change),
		cmocka_unit_test(rand_below_never_changes),
		cmocka_unit_test(rand_below_is_even),
		cmocka_unit_test(rand_unit_is_the_top_53_bits),
	};

	return check_main(tests);
}
