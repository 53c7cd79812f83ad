/* test_number.c - how numbers are written. Digits are written down by hand; limits of the intervals
 * that have one are from their closed form (none of n: 1 - 0.025^(1/n); all: 0.025^(1/n)), 5 of 9 from
 * Clopper and Pearson's chart as R's binom.test prints it (0.2120085, 0.8630043). */
#include <math.h>

#include "report/number.h"
#include "tests/check.h"

static void check_text(const char *got, const char *want)
{
	assert_string_equal(got, want);
}

static void counts_have_commas(void **state)
{
	char out[NUM_SIZE];

	(void)state;
	check_text(num_count(0, NUM_PLAIN, out), "0");
	check_text(num_count(999, NUM_PLAIN, out), "999");
	check_text(num_count(1000, NUM_PLAIN, out), "1,000");
	check_text(num_count(17274334, NUM_PLAIN, out), "17,274,334");
	check_text(num_count(17274334, NUM_LATEX, out), "17{,}274{,}334");
	check_text(num_count(17274334, NUM_DATA, out), "17274334");
	check_text(num_count(-1234, NUM_PLAIN, out), "−1,234");
	check_text(num_count(-0.0, NUM_PLAIN, out), "0");
	check_text(num_count(1e18, NUM_PLAIN, out), "1.00·10¹⁸");
	check_text(num_count(NAN, NUM_PLAIN, out), "");
}

static void values_keep_their_digits(void **state)
{
	char out[NUM_SIZE];

	(void)state;
	check_text(num_value(0.5, 3, NUM_PLAIN, out), "0.500");
	check_text(num_value(12.345, 3, NUM_PLAIN, out), "12.3");
	check_text(num_value(5296, 2, NUM_PLAIN, out), "5296");
	check_text(num_value(9.996, 3, NUM_PLAIN, out), "10.0");
	check_text(num_value(0.00123, 2, NUM_PLAIN, out), "0.0012");
	check_text(num_value(0.0000123, 2, NUM_PLAIN, out), "1.2·10⁻⁵");
	check_text(num_value(0.0000123, 2, NUM_LATEX, out), "$1.2\\cdot 10^{-5}$");
	check_text(num_value(-0.0000123, 2, NUM_MARKUP, out), "−1.2·10<sup>−5</sup>");
	check_text(num_value(1234567, 3, NUM_PLAIN, out), "1.23·10⁶");
	check_text(num_value(-3.25, 2, NUM_LATEX, out), "$-$3.2");
	check_text(num_value(0.1, 3, NUM_DATA, out), "0.10000000000000001");
	check_text(num_value(-INFINITY, 3, NUM_PLAIN, out), "−∞");
	check_text(num_value(INFINITY, 3, NUM_DATA, out), "inf");
	check_text(num_value(NAN, 3, NUM_LATEX, out), "");
	/* the longest there are fit */
	check_text(num_value(-1.7976931348623157e308, 17, NUM_LATEX, out),
	           "$-$$1.7976931348623157\\cdot 10^{308}$");
}

static void shares_have_the_digits_of_their_interval(void **state)
{
	char out[NUM_SIZE];

	(void)state;
	/* 0.025^(1/9) = 0.66373, 0.025^(1/4800) = 0.99923175 */
	check_text(num_share_interval(9, 9, NUM_PLAIN, out), "100 % [66, 100]");
	check_text(num_share_interval(0, 4800, NUM_PLAIN, out), "0 % [0, 0.077]");
	check_text(num_share_interval(5, 9, NUM_PLAIN, out), "56 % [21, 87]");
	check_text(num_share(5, 9, NUM_LATEX, out), "56\\,\\%");
	check_text(num_share(1, 4, NUM_DATA, out), "0.25");
	/* a million: half the interval is 0.098 %, so three decimals */
	check_text(num_share(500000, 1000000, NUM_PLAIN, out), "50.000 %");
}

static void a_share_of_nothing_is_empty(void **state)
{
	char out[NUM_SIZE];
	double lo, hi;

	(void)state;
	check_text(num_share(0, 0, NUM_PLAIN, out), "");
	check_text(num_share(3, 2, NUM_PLAIN, out), "");
	check_text(num_share(-1, 2, NUM_PLAIN, out), "");
	check_text(num_share_interval(1, 1e300, NUM_PLAIN, out), "");
	check_text(num_share(NAN, 2, NUM_PLAIN, out), "");
	num_interval(3, 2, &lo, &hi);
	assert_true(lo == 0 && hi == 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(counts_have_commas),
	        cmocka_unit_test(values_keep_their_digits),
	        cmocka_unit_test(shares_have_the_digits_of_their_interval),
	        cmocka_unit_test(a_share_of_nothing_is_empty),
	};

	return check_main(tests);
}
