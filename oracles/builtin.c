/* builtin.c - the embedded operators: the texts of oracles/ops/, parsed once. */
#include "oracles/lang.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *text;
} texts[] = {
#include "ops.inc"
};

static struct op *parsed[ARRAY_LEN(texts)];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A text that does not parse is a mistake of the build, found by the first test. */
static void parse_all(void)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err e = {0};
		char file[64];

		snprintf(file, sizeof file, "oracles/ops/%s.op", texts[i].name);
		if (op_parse(texts[i].text, strlen(texts[i].text), file, &parsed[i], &e) == ST_OK)
			continue;
		fprintf(stderr, "gpuemu: embedded operator: %s\n", e.msg);
		abort();
	}
}

/* Frees them at exit, so that leak checkers stay silent. */
__attribute__((destructor)) static void free_all(void)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		op_free(parsed[i]);
}

static int find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (strcmp(texts[i].name, name) == 0)
			return (int)i;
	return -1;
}

int op_builtin_count(void)
{
	return (int)ARRAY_LEN(texts);
}

const char *op_builtin_name(int i)
{
	return i >= 0 && i < op_builtin_count() ? texts[i].name : NULL;
}

const char *op_builtin_text(const char *name)
{
	int i = find(name);

	return i < 0 ? NULL : texts[i].text;
}

const struct op *op_builtin(const char *name)
{
	int i = find(name);

	pthread_once(&once, parse_all);
	return i < 0 ? NULL : parsed[i];
}
