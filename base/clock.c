/* clock.c - time, date and version. */
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

const char gpuemu_version[] = "0.1.0";

double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The time that $SOURCE_DATE_EPOCH states (reproducible-builds.org), or now. */
static time_t date_now(void)
{
	const char *s = getenv("SOURCE_DATE_EPOCH");
	long long v;
	char *end;

	if (s == NULL || *s < '0' || *s > '9')
		return time(NULL);
	errno = 0;
	v = strtoll(s, &end, 10);
	return errno == 0 && *end == '\0' && v < 253402300800 /* year 10000 */ ? (time_t)v
	                                                                       : time(NULL);
}

void date_text(char out[32])
{
	time_t t = date_now();
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
