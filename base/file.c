/* file.c - whole files, folders and paths. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool path_exists(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0;
}

bool path_is_dir(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

char *path_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);
	struct buf b = {0};

	buf_add(&b, dir, n);
	if (n > 0 && dir[n - 1] != '/')
		buf_putc(&b, '/');
	buf_puts(&b, name);
	return b.s;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- reading ---- */

/* Reads fd to its end into b, at most max bytes. */
static enum st read_all(int fd, const char *path, size_t max, struct buf *b, struct err *e)
{
	char piece[1 << 14];
	ssize_t n;

	for (;;) {
		n = read(fd, piece, sizeof piece);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EIO)
			return FAIL(e, IO, "%s: %s", path, strerror(errno));
		if (n < 0)
			return FAIL(e, INPUT, "%s: %s", path, strerror(errno));
		if (n == 0)
			break;
		if ((size_t)n > max - b->len)
			return FAIL(e, INPUT, "%s: larger than the limit of %zu bytes", path, max);
		buf_add(b, piece, (size_t)n);
	}
	buf_add(b, "", 0);
	return ST_OK;
}

enum st file_read(const char *path, size_t max, char **data, size_t *len, struct err *e)
{
	/* a pipe that nobody writes to is empty, it is not waited for */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct buf b = {0};
	struct stat s;
	enum st rc;

	if (fd < 0)
		return FAIL(e, INPUT, "%s: %s", path, strerror(errno));
	fcntl(fd, F_SETFL, 0);
	if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && (uintmax_t)s.st_size > max)
		rc = FAIL(e, INPUT, "%s: %jd bytes are more than the limit of %zu", path,
		          (intmax_t)s.st_size, max);
	else
		rc = read_all(fd, path, max, &b, e);
	close(fd);
	if (rc == ST_OK) {
		*data = b.s;
		*len = b.len;
	} else {
		buf_free(&b);
	}
	return rc;
}

/* ---- writing ---- */

static enum st write_failed(const char *path, int why, struct err *e)
{
	if (why == ENOSPC || why == EDQUOT)
		return FAIL(e, IO, "%s: disk full (%s)", path, strerror(why));
	if (why == EIO || why == EFBIG || why == EPIPE || why == EMFILE || why == ENFILE)
		return FAIL(e, IO, "%s: cannot write: %s", path, strerror(why));
	return FAIL(e, INPUT, "%s: cannot write: %s", path, strerror(why));
}

/* Writes all bytes; 0 or an errno. */
static int write_all(int fd, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The open descriptor that a path stands for, or -1.  /dev/stdout may be a file that has been written
 * to already: it is continued, not replaced. */
static int standard_stream(const char *path)
{
	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	return !strcmp(path, "/dev/stderr") ? STDERR_FILENO : -1;
}

static enum st write_stream(const char *path, int fd, const void *data, size_t len, struct err *e)
{
	int why;

	fflush(fd == STDOUT_FILENO ? stdout : stderr);
	why = write_all(fd, data, len);
	return why ? write_failed(path, why, e) : ST_OK;
}

/* A device or a pipe is written as it is. */
static enum st write_device(const char *path, const void *data, size_t len, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), why;

	if (fd < 0)
		return write_failed(path, errno, e);
	why = write_all(fd, data, len);
	if (close(fd) < 0 && why == 0)
		why = errno;
	return why ? write_failed(path, why, e) : ST_OK;
}

/* Creates temp afresh, over a leftover of an earlier process that was killed. */
static int create_temp(const char *temp)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	int fd = open(temp, flags, 0666);

	if (fd < 0 && errno == EEXIST && unlink(temp) == 0)
		fd = open(temp, flags, 0666);
	return fd;
}

static enum st write_renamed(const char *path, const void *data, size_t len, struct err *e)
{
	struct buf temp = {0};
	enum st rc = ST_OK;
	int fd, why = 0;

	/* No other thread writes under this name. */
	buf_printf(&temp, "%s.%ld-%ld.tmp", path, (long)getpid(), (long)gettid());
	fd = create_temp(temp.s);
	if (fd < 0) {
		rc = write_failed(path, errno, e);
		goto done;
	}
	why = write_all(fd, data, len);
	if (why == 0 && fsync(fd) < 0 && errno != EINVAL)
		why = errno;
	if (close(fd) < 0 && why == 0)
		why = errno;
	if (why == 0 && rename(temp.s, path) < 0)
		why = errno;
	if (why != 0) {
		unlink(temp.s);
		rc = write_failed(path, why, e);
	}
done:
	buf_free(&temp);
	return rc;
}

enum st file_write(const char *path, const void *data, size_t len, struct err *e)
{
	int stream = standard_stream(path);
	char *target = NULL;
	struct stat s;
	enum st rc;

	if (stream >= 0)
		return write_stream(path, stream, data, len, e);
	if (stat(path, &s) == 0) {
		if (S_ISDIR(s.st_mode))
			return FAIL(e, INPUT, "%s: cannot write: is a folder", path);
		if (!S_ISREG(s.st_mode))
			return write_device(path, data, len, e);
		target = realpath(path, NULL); /* a link stays a link */
	}
	rc = write_renamed(target ? target : path, data, len, e);
	free(target);
	return rc;
}

enum st dir_make(const char *path, struct err *e)
{
	char *p = mem_strdup(path);
	enum st rc = ST_OK;

	for (char *s = p; rc == ST_OK && *s != '\0'; s++) {
		char next = s[1];

		if (next != '/' && next != '\0')
			continue;
		s[1] = '\0';
		if (mkdir(p, 0777) < 0 && errno != EEXIST && !path_is_dir(p))
			rc = errno == ENOSPC || errno == EDQUOT
			             ? write_failed(p, errno, e)
			             : FAIL(e, INPUT, "%s: cannot make the folder: %s", p,
			                    strerror(errno));
		s[1] = next;
	}
	free(p);
	if (rc == ST_OK && !path_is_dir(path))
		rc = FAIL(e, INPUT, "%s: is not a folder", path);
	if (rc == ST_OK && access(path, W_OK | X_OK) < 0)
		rc = FAIL(e, INPUT, "%s: cannot write into the folder: %s", path, strerror(errno));
	return rc;
}
