/* pool.c - tasks on several threads, committed in order. */
#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct pool {
	void (*fn)(void *ctx, size_t i, int worker);
	bool (*commit)(void *ctx, size_t i);
	void *ctx;
	size_t n;

	pthread_mutex_t lock; /* guards what follows */
	size_t next;          /* first task not started */
	size_t committed;     /* tasks committed: all below */
	bool *done;
	bool committing; /* some thread is in commit */
	bool stop;
};

struct worker {
	struct pool *pool;
	int index;
	pthread_t thread;
};

/* Commits what is ready, unless another thread is at it already. Called and left with the lock. */
static void pool_commit(struct pool *p)
{
	if (p->committing)
		return;
	p->committing = true;
	while (!p->stop && p->committed < p->n && p->done[p->committed]) {
		bool go_on;

		pthread_mutex_unlock(&p->lock);
		go_on = p->commit(p->ctx, p->committed);
		pthread_mutex_lock(&p->lock);
		p->committed++;
		p->stop = !go_on;
	}
	p->committing = false;
}

static void *pool_work(void *arg)
{
	struct worker *w = arg;
	struct pool *p = w->pool;

	pthread_mutex_lock(&p->lock);
	while (!p->stop && p->next < p->n) {
		size_t i = p->next++;

		pthread_mutex_unlock(&p->lock);
		p->fn(p->ctx, i, w->index);
		pthread_mutex_lock(&p->lock);
		if (p->commit != NULL) {
			p->done[i] = true;
			pool_commit(p);
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void pool_alone(const struct pool *p)
{
	for (size_t i = 0; i < p->n; i++) {
		p->fn(p->ctx, i, 0);
		if (p->commit != NULL && !p->commit(p->ctx, i))
			return;
	}
}

void pool_run(int jobs, size_t n, void (*fn)(void *ctx, size_t i, int worker),
              bool (*commit)(void *ctx, size_t i), void *ctx)
{
	struct pool p = {.fn = fn, .commit = commit, .ctx = ctx, .n = n};
	struct worker *w;
	int started = 1;

	if (jobs > 0 && (size_t)jobs > n)
		jobs = (int)n;
	if (jobs <= 1) {
		pool_alone(&p);
		return;
	}
	pthread_mutex_init(&p.lock, NULL);
	p.done = mem_zalloc(n, sizeof *p.done);
	w = mem_zalloc((size_t)jobs, sizeof *w);
	for (int j = 0; j < jobs; j++)
		w[j] = (struct worker){.pool = &p, .index = j};
	/* Worker 0 is the caller's thread; with fewer threads than wished the work is done as well.
	 */
	while (started < jobs &&
	       pthread_create(&w[started].thread, NULL, pool_work, &w[started]) == 0)
		started++;
	pool_work(&w[0]);
	for (int j = 1; j < started; j++)
		pthread_join(w[j].thread, NULL);
	free(w);
	free(p.done);
	pthread_mutex_destroy(&p.lock);
}

static pthread_key_t exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;
static bool exit_key_made;
static _Thread_local void (*exit_fn)(void);

static void call_exit_fn(void *unused)
{
	(void)unused;
	exit_fn();
}

static void make_exit_key(void)
{
	exit_key_made = pthread_key_create(&exit_key, call_exit_fn) == 0;
}

void thread_at_exit(void (*fn)(void))
{
	pthread_once(&exit_once, make_exit_key);
	if (exit_fn || !exit_key_made)
		return; /* without a key the caches stay until the process ends */
	exit_fn = fn;
	pthread_setspecific(exit_key, &exit_key);
}

int cpu_count(void)
{
	cpu_set_t set;
	int n;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return 1;
	n = CPU_COUNT(&set);
	return n > 0 ? n : 1;
}
