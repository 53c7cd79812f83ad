/* progress.c - one line on a terminal: what, done, rate, time left. */
#include "base/base.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct progress {
	char what[64], note[64];
	uint64_t total, done;
	double start, shown;
	bool tty;
	pthread_mutex_t lock;
};

#define REDRAW_SECONDS 0.1

struct progress *progress_new(const char *what, uint64_t total)
{
	struct progress *p = mem_zalloc(1, sizeof *p);

	snprintf(p->what, sizeof p->what, "%s", what);
	p->total = total;
	p->start = clock_seconds();
	p->tty = isatty(STDERR_FILENO);
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

/* "12 s", "3 min 05 s", "2 h 07 min" */
static void time_text(char *out, size_t size, double seconds)
{
	uint64_t s = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 1000000000;

	if (s < 60)
		snprintf(out, size, "%d s", (int)s);
	else if (s < 3600)
		snprintf(out, size, "%d min %02d s", (int)(s / 60), (int)(s % 60));
	else
		snprintf(out, size, "%d h %02d min", (int)(s / 3600), (int)(s / 60 % 60));
}

static void progress_draw(struct progress *p)
{
	double now = clock_seconds(), seconds = now - p->start;
	double rate = seconds > 0 ? (double)p->done / seconds : 0;
	char left[32] = "?";

	if (!p->tty || now - p->shown < REDRAW_SECONDS)
		return;
	p->shown = now;
	if (p->done > 0 && p->total >= p->done)
		time_text(left, sizeof left, (double)(p->total - p->done) / rate);
	fprintf(stderr, "\r\033[K%s %llu/%llu, %.*f/s, %s left%s%s", p->what,
	        (unsigned long long)p->done, (unsigned long long)p->total, rate < 10 ? 1 : 0, rate,
	        left, p->note[0] ? "  " : "", p->note);
	fflush(stderr);
}

void progress_add(struct progress *p, uint64_t n)
{
	pthread_mutex_lock(&p->lock);
	p->done += n;
	progress_draw(p);
	pthread_mutex_unlock(&p->lock);
}

void progress_note(struct progress *p, const char *note)
{
	pthread_mutex_lock(&p->lock);
	snprintf(p->note, sizeof p->note, "%s", note);
	progress_draw(p);
	pthread_mutex_unlock(&p->lock);
}

void progress_end(struct progress *p)
{
	if (p == NULL)
		return;
	if (p->tty && p->shown > 0)
		fputs("\r\033[K", stderr);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
