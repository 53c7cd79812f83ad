/* read.c - reading evidence: see read.h. */
#include "report/read.h"

#include <string.h>

#define MAX_EVIDENCE ((size_t)1 << 30)

const cJSON *ev_get(const cJSON *j, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(j, key);
}

const char *ev_text(const cJSON *j, const char *key)
{
	return json_text(j, key);
}

double ev_number(const cJSON *j, const char *key)
{
	const cJSON *v = ev_get(j, key);

	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

bool ev_is(const cJSON *j, const char *key, const char *text)
{
	return strcmp(ev_text(j, key), text) == 0;
}

bool ev_lists(const cJSON *list, const char *text)
{
	const cJSON *j;

	cJSON_ArrayForEach(j, list)
		if (cJSON_IsString(j) && strcmp(j->valuestring, text) == 0)
			return true;
	return false;
}

bool ev_has_set(const cJSON *kernel, const char *set)
{
	return ev_lists(ev_get(kernel, "sets"), set);
}

void ev_put_set(struct buf *b, const char *set)
{
	bool ours = strcmp(set, "seed") == 0 || strcmp(set, "flash") == 0;

	buf_printf(b, ours ? "%s corpus" : "set %s", set);
}

const char *ev_check_title(const char *profile)
{
	return strcmp(profile, "seed") == 0 ? "one-shape" : profile;
}

int ev_put_dtypes(struct buf *b, const cJSON *kernel, const char *verdict)
{
	const cJSON *d;
	int n = 0;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes"))
	{
		if (strcmp(ev_text(d, "verdict"), verdict) != 0)
			continue;
		buf_printf(b, "%s%s", n ? ", " : "", ev_text(d, "dtype"));
		n++;
	}
	return n;
}

struct ev_totals ev_totals(const cJSON *kernel)
{
	struct ev_totals t = {0};
	const cJSON *d;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes"))
	{
		t.cases += ev_number(d, "cases");
		t.failed += ev_number(d, "cases_failed");
		t.failed_by_value += ev_number(d, "cases_failed_by_value");
		t.unknown += ev_number(d, "cases_unknown");
		t.unsupported += ev_number(d, "cases_unsupported");
		t.no_power += ev_number(d, "cases_no_power");
	}
	return t;
}

/* A count of seeds as an int; evidence may hold any number. */
static int count_of(double v)
{
	return v < 0 ? 0 : v > 1e9 ? 1000000000 : (int)v;
}

bool ev_bench(const cJSON *kernel, const char *input, const char *dtype, const char *profile,
              int *accepted, int *seeds)
{
	const cJSON *a = ev_get(ev_get(ev_get(kernel, "bench"), input), dtype);

	if (!a)
		return false;
	*accepted = count_of(ev_number(ev_get(a, "accepted"), profile));
	*seeds = count_of(ev_number(a, "seeds"));
	return *seeds > 0;
}

bool ev_limits(const cJSON *set, const char *key, char *lo, char *hi)
{
	const cJSON *ci = ev_get(ev_get(set, "ci95"), key);

	if (cJSON_GetArraySize(ci) != 2)
		return false;
	num_limits(cJSON_GetArrayItem(ci, 0)->valuedouble, cJSON_GetArrayItem(ci, 1)->valuedouble, lo, hi);
	return lo[0] != 0;
}

void ev_put_replay(struct buf *b, const cJSON *kernel)
{
	const char *own = ev_text(kernel, "replay");

	if (own[0]) {
		buf_puts(b, own);
		return;
	}
	buf_puts(b, "gpuemu replay ");
	buf_shell(b, ev_text(kernel, "folder"));
}

bool ev_watched(const cJSON *evidence)
{
	const char *device = ev_text(ev_get(evidence, "device"), "name");

	return (!device[0] || strncmp(device, "emu", 3) == 0) && !cJSON_IsFalse(ev_get(ev_get(evidence, "options"), "sanitize"));
}

const char *ev_first_finding(const cJSON *kernel)
{
	const cJSON *d, *f;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes")) cJSON_ArrayForEach(
	        f,
	        ev_get(d, "findings")) if (cJSON_IsTrue(ev_get(f, "error"))) return ev_text(f,
	                                                                                    "kind");
	return "";
}

/* The text of source line `number`, without indentation, or "". */
static const char *source_line(const cJSON *kernel, double number)
{
	const cJSON *l;

	cJSON_ArrayForEach(l, ev_get(kernel, "source_lines")) {
		const cJSON *n = cJSON_GetArrayItem(l, 0), *text = cJSON_GetArrayItem(l, 1);

		if (cJSON_IsNumber(n) && n->valuedouble == number && cJSON_IsString(text))
			return text->valuestring + strspn(text->valuestring, " \t");
	}
	return "";
}

void ev_place(struct buf *b, const cJSON *kernel, const cJSON *finding)
{
	const char *text = source_line(kernel, ev_number(finding, "source_line"));

	buf_printf(b, "%s%s%s", ev_text(finding, "entry"), text[0] ? ": " : "", text);
}

int ev_line(const cJSON *finding, const char *key)
{
	double v = ev_number(finding, key);

	return v >= 1 && v <= 1e9 ? (int)v : 0;
}

int ev_locate(const cJSON *kernel, const cJSON *finding, const char **path)
{
	const char *source = ev_text(finding, "source_file"), *ptx = ev_text(kernel, "ptx_file");

	if (!source[0])
		source = ev_text(kernel, "source_file");
	*path = source[0] ? source : ptx;
	if (source[0] && ev_line(finding, "source_line"))
		return ev_line(finding, "source_line");
	if (!ptx[0] || !ev_line(finding, "ptx_line"))
		return 0;
	*path = ptx;
	return ev_line(finding, "ptx_line");
}

const cJSON *ev_minimal(const cJSON *kernel)
{
	const cJSON *d, *first = NULL;

	cJSON_ArrayForEach(d, ev_get(kernel, "dtypes"))
	{
		const cJSON *m = ev_get(d, "minimal");

		if (m && strcmp(ev_text(m, "by"), "value") == 0)
			return m;
		first = first ? first : m;
	}
	return first;
}

int ev_columns(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

enum st report_read(const char *path, cJSON **evidence, struct err *e)
{
	TRY(json_read(path, MAX_EVIDENCE, evidence, e));
	if (strcmp(ev_text(*evidence, "schema"), "gpuemu-evidence/1") == 0 &&
	    cJSON_IsArray(ev_get(*evidence, "kernels")))
		return ST_OK;
	FAIL(e, INPUT, "%s is not evidence of gpuemu (\"schema\" must be \"gpuemu-evidence/1\")",
	     path);
	cJSON_Delete(*evidence);
	*evidence = NULL;
	return e->code;
}
