/* launch.c - names and merging of sanitizer findings. */
#include "base/launch.h"

#include <string.h>

static const char *const finding_names[FIND_COUNT] = {
#define X(name, text, meaning) [FIND_##name] = text,
	FINDING_LIST(X)
#undef X
};

static const char *const finding_meanings[FIND_COUNT] = {
#define X(name, text, meaning) [FIND_##name] = meaning,
	FINDING_LIST(X)
#undef X
};

const char *finding_name(enum finding_kind k)
{
	return (unsigned)k < FIND_COUNT ? finding_names[k] : "unknown finding";
}

const char *finding_meaning(enum finding_kind k)
{
	return (unsigned)k < FIND_COUNT ? finding_meanings[k] : "";
}

bool finding_is_error(enum finding_kind k)
{
	return k != FIND_NONFINITE;
}

static bool same_place(const struct finding *a, const struct finding *b)
{
	return a->kind == b->kind && a->ptx_line == b->ptx_line && !strcmp(a->buffer, b->buffer);
}

void run_report_add(struct run_report *r, const struct finding *f)
{
	for (int i = 0; i < r->nfindings; i++)
		if (same_place(&r->findings[i], f)) {
			r->findings[i].count += f->count;
			return;
		}
	if (r->nfindings < RUN_MAX_FINDINGS)
		r->findings[r->nfindings++] = *f;
}
