/* number.c - see number.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/number.h"
#include "stats/stats.h"

static const char *minus_of(enum num_style s)
{
	return s == NUM_LATEX ? "$-$" : s == NUM_DATA ? "-" : "−";
}

/* A text without sign, with the sign in front. */
static char *signed_text(bool negative, const char *digits, enum num_style s, char *out)
{
	snprintf(out, NUM_SIZE, "%s%.80s", negative ? minus_of(s) : "", digits);
	return out;
}

static char *special(double v, enum num_style s, char *out)
{
	if (isnan(v))
		out[0] = 0;
	else
		signed_text(v < 0,
		            s == NUM_LATEX  ? "$\\infty$"
		            : s == NUM_DATA ? "inf"
		                            : "∞",
		            s, out);
	return out;
}

char *num_count(double v, enum num_style s, char *out)
{
	char digits[64], grouped[NUM_SIZE];
	const char *comma = s == NUM_LATEX ? "{,}" : ",";
	size_t n, at = 0;

	if (!isfinite(v) || fabs(v) >= 1e18)
		return isfinite(v) ? num_value(v, 3, s, out) : special(v, s, out);
	n = (size_t)snprintf(digits, sizeof digits, "%.0f", fabs(v));
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0 && s != NUM_DATA)
			at += (size_t)snprintf(grouped + at, sizeof grouped - at, "%s", comma);
		grouped[at++] = digits[i];
	}
	grouped[at] = 0;
	return signed_text(v < 0 && strcmp(digits, "0") != 0, grouped, s, out);
}

/* m·10^e in the style; m has its digits already. */
static char *scientific(bool negative, const char *m, int e, enum num_style s, char *out)
{
	static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
	char text[NUM_SIZE], power[48] = "", number[16];

	snprintf(number, sizeof number, "%d", abs(e));
	for (const char *d = number; *d && s == NUM_PLAIN; d++)
		strcat(power, raised[*d - '0']);
	if (s == NUM_LATEX)
		snprintf(text, sizeof text, "$%.24s\\cdot 10^{%d}$", m, e);
	else if (s == NUM_MARKUP)
		snprintf(text, sizeof text, "%.24s·10<sup>%s%s</sup>", m, e < 0 ? "−" : "", number);
	else
		snprintf(text, sizeof text, "%.24s·10%s%s", m, e < 0 ? "⁻" : "", power);
	return signed_text(negative, text, s, out);
}

char *num_value(double v, int digits, enum num_style s, char *out)
{
	char text[64], *exponent;
	int e;

	if (!isfinite(v))
		return special(v, s, out);
	if (s == NUM_DATA) {
		snprintf(out, NUM_SIZE, "%.17g", v);
		return out;
	}
	if (v == 0)
		return signed_text(false, "0", s, out);
	snprintf(text, sizeof text, "%.*e", digits - 1, fabs(v));
	exponent = strchr(text, 'e');
	e = (int)strtol(exponent + 1, NULL, 10);
	if (e < -3 || e >= 6) {
		*exponent = 0;
		return scientific(v < 0, text, e, s, out);
	}
	snprintf(text, sizeof text, "%.*f", digits - 1 - e > 0 ? digits - 1 - e : 0, fabs(v));
	return signed_text(v < 0, text, s, out);
}

bool num_are_counts(double x, double n)
{
	return x >= 0 && n > 0 && x <= n && n < 9e15;
}

void num_interval(double x, double n, double *lo, double *hi)
{
	*lo = 0;
	*hi = 1;
	if (num_are_counts(x, n))
		clopper_pearson((int64_t)x, (int64_t)n, lo, hi);
}

/* Decimals of a percentage with this interval. */
static int decimals(double lo, double hi)
{
	double half = 50 * (hi - lo);
	int d = half > 0 ? 1 - (int)floor(log10(half)) : 0;

	return d < 0 ? 0 : d > 8 ? 8 : d;
}

/* None and all are certain figures of what was counted: they have no decimals. */
static void percent(double share, int d, char out[40])
{
	snprintf(out, 40, "%.*f", share == 0 || share == 1 ? 0 : d, 100 * share);
}

/* Limits are rounded outwards: what is printed holds at least as often. */
static void limit(double share, bool up, int d, char out[40])
{
	double scale = 100 * pow(10, d), v = share * scale;

	v = up ? ceil(v - 1e-9) : floor(v + 1e-9);
	percent(v / scale, d, out);
}

char *num_share(double x, double n, enum num_style s, char *out)
{
	double lo, hi;
	char p[40];

	out[0] = 0;
	if (!num_are_counts(x, n))
		return out;
	if (s == NUM_DATA)
		return num_value(x / n, 17, s, out);
	num_interval(x, n, &lo, &hi);
	percent(x / n, decimals(lo, hi), p);
	snprintf(out, NUM_SIZE, "%s%s", p, s == NUM_LATEX ? "\\,\\%" : " %");
	return out;
}

void num_limits(double lo, double hi, char *a, char *b)
{
	a[0] = b[0] = 0;
	if (!(lo >= 0 && lo <= hi && hi <= 1))
		return;
	limit(lo, false, decimals(lo, hi), a);
	limit(hi, true, decimals(lo, hi), b);
}

char *num_share_interval(double x, double n, enum num_style s, char *out)
{
	double lo, hi;
	char share[NUM_SIZE], a[NUM_SIZE], b[NUM_SIZE];

	out[0] = 0;
	if (!num_are_counts(x, n))
		return out;
	num_interval(x, n, &lo, &hi);
	if (s == NUM_DATA) {
		snprintf(out, NUM_SIZE, "%.17g;%.17g", lo, hi);
		return out;
	}
	num_limits(lo, hi, a, b);
	num_share(x, n, s, share);
	snprintf(out, NUM_SIZE, "%.40s [%.20s, %.20s]", share, a, b);
	return out;
}
