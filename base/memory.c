/* memory.c - allocation that cannot fail, and arenas. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *mem_check(void *p, size_t bytes)
{
	if (p == NULL) {
		fprintf(stderr, "gpuemu: out of memory (%zu bytes were asked for)\n", bytes);
		exit(st_exit(ST_NOMEM));
	}
	return p;
}

void *mem_alloc(size_t bytes)
{
	return mem_check(malloc(bytes ? bytes : 1), bytes);
}

void *mem_zalloc(size_t count, size_t size)
{
	return mem_check(calloc(count ? count : 1, size ? size : 1), count * size);
}

void *mem_realloc(void *p, size_t bytes)
{
	return mem_check(realloc(p, bytes ? bytes : 1), bytes);
}

char *mem_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = mem_alloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

/* An arena is a list of chunks, the newest first; a chunk's bytes follow its head. */
struct chunk {
	struct chunk *next;
	size_t size;
};

struct arena {
	struct chunk *chunks;
	size_t used; /* bytes of the newest chunk that are taken */
};

#define ARENA_ALIGN ((size_t)16)
#define CHUNK_MIN   ((size_t)16 << 10)
#define CHUNK_MAX   ((size_t)4 << 20)

_Static_assert(sizeof(struct chunk) % ARENA_ALIGN == 0, "the bytes of a chunk are aligned");

struct arena *arena_new(void)
{
	return mem_zalloc(1, sizeof(struct arena));
}

void arena_free(struct arena *a)
{
	if (a == NULL)
		return;
	for (struct chunk *c = a->chunks, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

/* A new chunk, twice as large as the last one, that holds at least bytes. */
static void arena_grow(struct arena *a, size_t bytes)
{
	size_t size = a->chunks ? a->chunks->size * 2 : CHUNK_MIN;
	struct chunk *c;

	if (size > CHUNK_MAX)
		size = CHUNK_MAX;
	if (size < bytes)
		size = bytes;
	c = mem_zalloc(1, sizeof *c + size);
	c->size = size;
	c->next = a->chunks;
	a->chunks = c;
	a->used = 0;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	void *p;

	if (bytes > SIZE_MAX / 2)
		mem_check(NULL, bytes);
	bytes = (bytes + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	if (bytes == 0)
		bytes = ARENA_ALIGN;
	if (a->chunks == NULL || bytes > a->chunks->size - a->used)
		arena_grow(a, bytes);
	p = (char *)(a->chunks + 1) + a->used;
	a->used += bytes;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);

	return memcpy(arena_alloc(a, len + 1), s, len);
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}
