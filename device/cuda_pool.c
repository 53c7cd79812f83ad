/* cuda_pool.c - see cuda_pool.h. */
#include "device/cuda_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Making a context takes below a second; the first one on a machine may have to start the driver. */
#define OPEN_SECONDS 120
#define SHARED_FIRST ((uint64_t)1 << 20)

static enum st system_error(struct err *e, const char *what)
{
	return FAIL(e, IO, "starting a GPU worker: %s: %s", what, strerror(errno));
}

/* The worker is this very program; argv[0] only shows in lists of processes. */
static enum st spawn(struct cuda_worker *w, int socket, const char *which, struct err *e)
{
	char program[] = "gpuemu", command[] = WORKER_COMMAND;
	char *argv[] = {program, command, (char *)(uintptr_t)which, NULL};
	posix_spawn_file_actions_t actions;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, w->shared_fd, STDOUT_FILENO);
	rc = posix_spawn(&w->pid, "/proc/self/exe", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	errno = rc;
	return rc == 0 ? ST_OK : system_error(e, "posix_spawn");
}

enum st cuda_worker_start(struct cuda_worker *w, const char *which, struct wire_reply *reply,
                          struct err *e)
{
	int pair[2] = {-1, -1};
	char how[64];
	enum st rc;

	*w = (struct cuda_worker){.socket = -1, .shared_fd = -1};
	w->shared_fd = memfd_create("gpuemu", MFD_CLOEXEC);
	if (w->shared_fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		TRY_OR(fail, rc, system_error(e, "memfd_create or socketpair"));
	w->socket = pair[0];
	TRY_OR(fail, rc, cuda_worker_reserve(w, SHARED_FIRST, e));
	TRY_OR(fail, rc, spawn(w, pair[1], which, e));
	w->running = true;
	close(pair[1]);
	pair[1] = -1;
	switch (cuda_worker_ask(w, (struct wire_request){.op = WIRE_OPEN}, OPEN_SECONDS, reply, how)) {
	case CUDA_ANSWERED:
		if (reply->outcome == WIRE_DONE)
			return ST_OK;
		rc = err_set(e, reply->status, __FILE__, __LINE__, "%s", reply->text);
		break;
	case CUDA_TIMEOUT:
		rc = FAIL(e, DEVICE, "cuda:%s: no context within %d s", which, OPEN_SECONDS);
		break;
	default:
		rc = FAIL(e, DEVICE, "cuda:%s: the worker process ended (%s)", which, how);
	}
fail:
	if (pair[1] >= 0)
		close(pair[1]);
	cuda_worker_kill(w);
	return rc;
}

/* A process whose kernel loops may take the driver a while to clear away; we wait two seconds and then
 * leave it to init. */
static void reap(pid_t pid)
{
	struct timespec pause = {.tv_nsec = 10000000};

	for (int i = 0; i < 200 && waitpid(pid, NULL, WNOHANG) == 0; i++)
		nanosleep(&pause, NULL);
}

void cuda_worker_kill(struct cuda_worker *w)
{
	if (w->running) {
		kill(w->pid, SIGKILL);
		reap(w->pid);
	}
	if (w->socket >= 0)
		close(w->socket);
	if (w->shared)
		munmap(w->shared, w->shared_bytes);
	if (w->shared_fd >= 0)
		close(w->shared_fd);
	free(w->loaded);
	*w = (struct cuda_worker){.socket = -1, .shared_fd = -1};
}

enum st cuda_worker_reserve(struct cuda_worker *w, uint64_t bytes, struct err *e)
{
	uint64_t size = w->shared_bytes ? w->shared_bytes : SHARED_FIRST;
	void *p;

	if (bytes <= w->shared_bytes)
		return ST_OK;
	while (size < bytes)
		size *= 2;
	if (ftruncate(w->shared_fd, (off_t)size) != 0)
		return FAIL(e, NOMEM, "%llu bytes of memory shared with a GPU worker: %s",
		            (unsigned long long)size, strerror(errno));
	if (w->shared)
		munmap(w->shared, w->shared_bytes);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, w->shared_fd, 0);
	w->shared = p == MAP_FAILED ? NULL : p;
	w->shared_bytes = w->shared ? size : 0;
	return w->shared ? ST_OK : FAIL(e, NOMEM, "mapping %llu bytes: %s", (unsigned long long)size,
	                                strerror(errno));
}

static enum cuda_ending died(struct cuda_worker *w, char how[64])
{
	int status = 0;

	if (waitpid(w->pid, &status, 0) != w->pid)
		snprintf(how, 64, "lost");
	else if (WIFSIGNALED(status))
		snprintf(how, 64, "signal %d", WTERMSIG(status));
	else
		snprintf(how, 64, "exit status %d", WEXITSTATUS(status));
	w->running = false;
	return CUDA_DIED;
}

enum cuda_ending cuda_worker_ask(struct cuda_worker *w, struct wire_request q, double seconds,
                                 struct wire_reply *reply, char how[64])
{
	double end = clock_seconds() + seconds, left;
	struct pollfd p = {.fd = w->socket, .events = POLLIN};
	int n;

	q.shared_bytes = w->shared_bytes;
	if (send(w->socket, &q, sizeof q, MSG_NOSIGNAL) != sizeof q)
		return died(w, how);
	do {
		left = end - clock_seconds();
		n = left > 0 ? poll(&p, 1, (int)(left * 1000) + 1) : 0;
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return CUDA_TIMEOUT;
	if (n < 0 || recv(w->socket, reply, sizeof *reply, 0) != sizeof *reply)
		return died(w, how);
	return CUDA_ANSWERED;
}
