/* test_pool.c - tasks on several threads: each once, committed in order, stopped on demand. */
#include <unistd.h>

#include "tests/check.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define TASKS 500

struct work {
	atomic_int ran[TASKS];
	atomic_int in_commit, overlaps, workers;
	size_t order[TASKS], committed;
	size_t stop_after;
};

static void task(void *ctx, size_t i, int worker)
{
	struct work *w = ctx;
	struct timespec t = {0, (long)(rand_below(1, 1, i, 4) * 30000)};

	nanosleep(&t, NULL); /* so that tasks end out of order */
	atomic_fetch_add(&w->ran[i], 1);
	atomic_fetch_or(&w->workers, 1 << worker);
}

static bool commit(void *ctx, size_t i)
{
	struct work *w = ctx;

	if (atomic_fetch_add(&w->in_commit, 1) != 0)
		atomic_fetch_add(&w->overlaps, 1);
	w->order[w->committed++] = i;
	atomic_fetch_sub(&w->in_commit, 1);
	return w->committed != w->stop_after;
}

static struct work *run(int jobs, size_t n, bool with_commit, size_t stop_after)
{
	struct work *w = mem_zalloc(1, sizeof *w);

	w->stop_after = stop_after;
	pool_run(jobs, n, task, with_commit ? commit : NULL, w);
	return w;
}

static void every_task_runs_once_and_commits_in_order(void **state)
{
	static const int jobs[] = {0, 1, 2, 3, 8};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(jobs); k++) {
		struct work *w = run(jobs[k], TASKS, true, 0);

		assert_int_equal(w->committed, TASKS);
		assert_int_equal(w->overlaps, 0);
		for (size_t i = 0; i < TASKS; i++) {
			assert_int_equal(w->ran[i], 1);
			assert_int_equal(w->order[i], i);
		}
		if (jobs[k] > 1)
			assert_true(w->workers != 1 && w->workers < 1 << jobs[k]);
		free(w);
	}
}

static void works_without_commit_and_without_tasks(void **state)
{
	struct work *w = run(4, TASKS, false, 0);

	(void)state;
	for (size_t i = 0; i < TASKS; i++)
		assert_int_equal(w->ran[i], 1);
	free(w);
	w = run(4, 0, true, 0);
	assert_int_equal(w->committed, 0);
	free(w);
}

static int ended;
static void count_end(void)
{
	__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
}

static void asks_at_exit(void *ctx, size_t i, int worker)
{
	(void)ctx, (void)i, (void)worker;
	thread_at_exit(count_end);
	thread_at_exit(count_end);
	usleep(2000);
}

static void a_thread_that_ends_is_told(void **state)
{
	(void)state;
	pool_run(3, 30, asks_at_exit, NULL, NULL);
	assert_in_range(ended, 1, 2); /* the caller's own thread, one of the three, goes on */
}

static void commit_stops_the_pool(void **state)
{
	static const int jobs[] = {1, 2, 8};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(jobs); k++) {
		struct work *w = run(jobs[k], TASKS, true, 40);
		int ran = 0;

		assert_int_equal(w->committed, 40);
		for (size_t i = 0; i < TASKS; i++) {
			assert_true(w->ran[i] <= 1);
			assert_true(i >= 40 || w->ran[i] == 1);
			ran += w->ran[i];
		}
		assert_true(ran < TASKS);
		if (jobs[k] == 1)
			assert_int_equal(ran, 40);
		free(w);
	}
}

/* stderr is no terminal here: nothing may be written. */
static void progress_is_silent_in_a_pipe(void **state)
{
	char path[] = "/tmp/gpuemu-progress-XXXXXX";
	int fd = mkstemp(path), keep = dup(2);
	struct progress *p;
	off_t size;

	(void)state;
	assert_true(fd >= 0 && keep >= 0);
	dup2(fd, 2);
	p = progress_new("cases", 100);
	for (int i = 0; i < 100; i++)
		progress_add(p, 1);
	progress_note(p, "note");
	progress_end(p);
	dup2(keep, 2);
	size = lseek(fd, 0, SEEK_END);
	close(keep);
	close(fd);
	unlink(path);
	assert_int_equal(size, 0);
	progress_end(NULL);
}

/* On a terminal (a pseudo-terminal here) the line tells done, total, rate and the note, and is
 * erased. */
static void progress_shows_a_line_on_a_terminal(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave, keep = dup(2);
	struct pollfd poll_master = {.events = POLLIN};
	char text[4096] = "";
	struct progress *p;
	ssize_t n = 0;

	(void)state;
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0) {
		close(keep);
		check_skip("no pseudo-terminals here");
		return;
	}
	dup2(slave, 2);
	p = progress_new("cases", 100);
	progress_note(p, "softmax");
	nanosleep(&(struct timespec){0, 150000000}, NULL);
	progress_add(p, 25);
	progress_end(p);
	dup2(keep, 2);
	poll_master.fd = master;
	while (poll(&poll_master, 1, 300) == 1)
		n += read(master, text + n, sizeof text - 1 - (size_t)n);
	close(slave);
	close(master);
	close(keep);
	assert_true(n > 0);
	assert_non_null(strstr(text, "cases 25/100, "));
	assert_non_null(strstr(text, "/s, "));
	assert_non_null(strstr(text, " left  softmax"));
	assert_string_equal(text + n - 4, "\r\033[K");
}

static void there_is_a_cpu(void **state)
{
	(void)state;
	assert_true(cpu_count() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_task_runs_once_and_commits_in_order),
		cmocka_unit_test(works_without_commit_and_without_tasks),
		cmocka_unit_test(a_thread_that_ends_is_told),
		cmocka_unit_test(commit_stops_the_pool),
		cmocka_unit_test(progress_is_silent_in_a_pipe),
		cmocka_unit_test(progress_shows_a_line_on_a_terminal),
		cmocka_unit_test(there_is_a_cpu),
	};

	return check_main(tests);
}
