/* compare.c - gpuemu compare: two devices, two files of tensors, two campaigns. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { O_CASES = 256, O_SEED, O_SET, O_DTYPE, O_DEVICE, O_JSON, O_RECORD, O_QUIET };

static const struct option options[] = {
	{"cases", 1, NULL, O_CASES}, {"seed", 1, NULL, O_SEED},     {"jobs", 1, NULL, 'j'},
	{"set", 1, NULL, O_SET},     {"dtype", 1, NULL, O_DTYPE},   {"device", 1, NULL, O_DEVICE},
	{"json", 2, NULL, O_JSON},   {"quiet", 0, NULL, O_QUIET},   {"record", 1, NULL, O_RECORD},
	{NULL, 0, NULL, 0},
};

struct request {
	struct compare_options o;
	const char *devices[2];
	int ndevices;
	bool json;
	const char *json_file; /* NULL: standard output */
	const char *record;
};

static int parse_option(struct request *r, int opt, const char *arg)
{
	int64_t v = 0;

	switch (opt) {
	case O_CASES:
		if (!cli_int("compare", "--cases", arg, 1, 1000000, &v))
			return 2;
		r->o.cases = (int)v;
		return 0;
	case 'j':
		if (!cli_int("compare", "--jobs", arg, 1, 1024, &v))
			return 2;
		r->o.jobs = (int)v;
		return 0;
	case O_SEED: return cli_seed("compare", arg, &r->o.seed) ? 0 : 2;
	case O_SET: r->o.set = arg; return 0;
	case O_DTYPE:
		r->o.has_dtype = true;
		return dtype_parse(arg, &r->o.dtype) ? 0 : cli_usage("compare", "unknown dtype '%s'", arg);
	case O_DEVICE:
		if (r->ndevices == 2)
			return cli_usage("compare", "two devices at most");
		r->devices[r->ndevices++] = arg;
		return 0;
	case O_JSON:
		r->json = true;
		r->json_file = arg;
		return 0;
	case O_RECORD: r->record = arg; return 0;
	case O_QUIET: r->o.quiet = true; return 0;
	default: return cli_usage("compare", "unknown option or missing value");
	}
}

/* ---- what a person sees ---- */

static double number_at(const cJSON *j, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);

	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

static void print_classes(struct buf *b, const cJSON *j)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, cJSON_GetObjectItemCaseSensitive(j, "classes"))
		if (c->valuedouble > 0)
			buf_printf(b, "  %s %.0f", c->string, c->valuedouble);
	if (number_at(j, "ulp_max") > 0)
		buf_printf(b, "  (%.0f ulp at most)", number_at(j, "ulp_max"));
	buf_putc(b, '\n');
}

static void print_place(struct buf *b, const char *what, const cJSON *list)
{
	const cJSON *v;

	buf_printf(b, " %s (", what);
	cJSON_ArrayForEach(v, list)
		buf_printf(b, "%s%.0f", v == list->child ? "" : ",", v->valuedouble);
	buf_puts(b, ")");
}

/* Where the runs part. */
static void print_trace(struct buf *b, const cJSON *j)
{
	if (!j)
		return;
	if (json_text(j, "none")[0]) {
		buf_printf(b, "    not traced: %s\n", json_text(j, "none"));
		return;
	}
	buf_printf(b, "    traced: %s\n      %s line %.0f%s%s%s: %s\n     ", json_text(j, "case"), json_text(j, "entry"),
	           number_at(j, "ptx_line"), json_text(j, "source")[0] ? " (" : "", json_text(j, "source"),
	           json_text(j, "source")[0] ? ")" : "", json_text(j, "instruction"));
	print_place(b, "block", cJSON_GetObjectItemCaseSensitive(j, "block"));
	print_place(b, "thread", cJSON_GetObjectItemCaseSensitive(j, "thread"));
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "path")))
		buf_puts(b, ": only a comes here\n");
	else
		buf_printf(b, ": %s is %s (%s) and %s (%s)\n", json_text(j, "register"), json_text(j, "a_bits"),
		           json_text(j, "a"), json_text(j, "b_bits"), json_text(j, "b"));
}

static void print_first(struct buf *b, const cJSON *j)
{
	const cJSON *f = cJSON_GetObjectItemCaseSensitive(j, "first");

	if (!f)
		return;
	if (json_text(f, "case")[0])
		buf_printf(b, "    first: %s\n", json_text(f, "case"));
	if (json_text(f, "tensor")[0])
		buf_printf(b, "    %s, element %.0f: %s (%s) and %s (%s), %s\n", json_text(f, "tensor"),
		           number_at(f, "element"), json_text(f, "a_bits"), json_text(f, "a"),
		           json_text(f, "b_bits"), json_text(f, "b"), json_text(f, "class"));
	if (json_text(f, "findings")[0])
		buf_printf(b, "    findings: %s\n", json_text(f, "findings"));
	print_trace(b, cJSON_GetObjectItemCaseSensitive(f, "trace"));
}

static void print_devices(struct buf *b, const cJSON *j)
{
	const cJSON *k;

	for (int i = 0; i < 2; i++) {
		const cJSON *d = cJSON_GetObjectItemCaseSensitive(j, i ? "b" : "a");

		buf_printf(b, "%s  %s%s%s\n", i ? "b" : "a", json_text(d, "name"),
		           json_text(d, "text")[0] ? ": " : "", json_text(d, "text"));
	}
	cJSON_ArrayForEach(k, cJSON_GetObjectItemCaseSensitive(j, "kernels"))
	{
		buf_printf(b, "%-24s %-5s %6.0f of %6.0f cases identical, %.0f of %.0f elements differ",
		           json_text(k, "kernel"), json_text(k, "dtype"), number_at(k, "identical"),
		           number_at(k, "cases"), number_at(k, "elements_different"),
		           number_at(k, "elements"));
		print_classes(b, k);
		print_first(b, k);
	}
	buf_printf(b, "%.0f of %.0f cases identical, %.0f elements", number_at(j, "cases_identical"),
	           number_at(j, "cases"), number_at(j, "elements"));
	print_classes(b, j);
}

static void print_tensors(struct buf *b, const cJSON *j)
{
	const cJSON *t;

	cJSON_ArrayForEach(t, cJSON_GetObjectItemCaseSensitive(j, "tensors"))
	{
		if (json_text(t, "problem")[0]) {
			buf_printf(b, "%-24s %s\n", json_text(t, "tensor"), json_text(t, "problem"));
			continue;
		}
		buf_printf(b, "%-24s %.0f of %.0f elements differ", json_text(t, "tensor"),
		           number_at(t, "elements_different"), number_at(t, "elements"));
		print_classes(b, t);
		print_first(b, t);
	}
}

static void print_records(struct buf *b, const cJSON *j)
{
	const cJSON *d;

	buf_printf(b, "a  %s (%s)\nb  %s (%s)\n",
	           json_text(cJSON_GetObjectItemCaseSensitive(j, "a"), "path"),
	           json_text(cJSON_GetObjectItemCaseSensitive(j, "a"), "name"),
	           json_text(cJSON_GetObjectItemCaseSensitive(j, "b"), "path"),
	           json_text(cJSON_GetObjectItemCaseSensitive(j, "b"), "name"));
	cJSON_ArrayForEach(d, cJSON_GetObjectItemCaseSensitive(j, "differences"))
		buf_printf(b, "%s\n    %s: %s and %s\n", json_text(d, "case"), json_text(d, "what"),
		           json_text(d, "a"), json_text(d, "b"));
	buf_printf(b, "%.0f cases in both, %.0f identical in verdict by value and in outputs (other value %.0f, other "
	              "outputs %.0f); only in a %.0f, only in b %.0f\n", number_at(j, "cases"),
	           number_at(j, "cases_identical"), number_at(j, "values_different"),
	           number_at(j, "outputs_different"), number_at(j, "only_a"), number_at(j, "only_b"));
	buf_printf(b, "%.0f cases FAIL in one alone, by a finding (a GPU does not see reads outside a buffer)\n",
	           number_at(j, "one_sees"));
	buf_printf(b, "%.0f kernels and dtypes, %.0f with another verdict\n", number_at(j, "kernels"),
	           number_at(j, "kernels_verdict_different"));
}

static int show(const struct request *r, const cJSON *j)
{
	const char *mode = json_text(j, "mode");
	char *text = r->json ? json_print(j, true) : NULL;
	struct buf b = {0};
	struct err e = {0};
	int rc = 0;

	if (text && !r->json_file) {
		rc = cli_print(text, strlen(text));
	} else {
		if (text && file_write(r->json_file, text, strlen(text), &e) != ST_OK)
			rc = cli_error(&e);
		(strcmp(mode, "devices") == 0 ? print_devices :
		 strcmp(mode, "tensors") == 0 ? print_tensors : print_records)(&b, j);
		if (rc == 0)
			rc = cli_print(b.s ? b.s : "", b.len);
	}
	buf_free(&b);
	free(text);
	return rc;
}

/* What a comparison of two devices adds to the figures of docs/fidelity.md. */
static enum st record_figures(const char *path, const cJSON *out, struct err *e)
{
	const struct cli_figure figures[] = {
		{"corpus_cases", number_at(out, "cases")},
		{"corpus_identical", number_at(out, "cases_identical")},
		{"corpus_elements", number_at(out, "elements")},
	};

	return cli_record(path, figures, ARRAY_LEN(figures), e);
}

/* ---- what is compared ---- */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

static bool is_record(const char *path)
{
	char *inside = path_join(path, "cases.jsonl");
	bool is = ends_with(path, ".jsonl") || ends_with(path, "evidence.json") || path_exists(inside);

	free(inside);
	return is;
}

static enum st run_devices(const struct request *r, char *const *paths, int n, cJSON **out,
                           struct err *e)
{
	const char *a = r->ndevices == 2 ? r->devices[0] : "emu";
	const char *b = r->ndevices ? r->devices[r->ndevices - 1] : "cuda:0";
	struct device *da = NULL, *db = NULL;
	char **folders = NULL;
	int nfolders = 0;
	enum st rc;

	TRY_OR(done, rc, cli_find_kernels(paths, n, r->o.set, &folders, &nfolders, e));
	TRY_OR(done, rc, device_open(a, &da, e));
	TRY_OR(done, rc, device_open(b, &db, e));
	rc = compare_devices(&r->o, da, db, folders, nfolders, out, e);
done:
	cli_folders_free(folders, nfolders);
	device_close(da);
	device_close(db);
	return rc;
}

static int run(const struct request *r, char *const *paths, int n)
{
	struct err e = {0};
	cJSON *out = NULL;
	enum st st;
	int rc;

	if (n == 2 && ends_with(paths[0], ".safetensors") && ends_with(paths[1], ".safetensors"))
		st = compare_tensors(paths[0], paths[1], &out, &e);
	else if (n == 2 && is_record(paths[0]) && is_record(paths[1]))
		st = compare_records(paths[0], paths[1], &out, &e);
	else
		st = run_devices(r, paths, n, &out, &e);
	if (st != ST_OK)
		return cli_error(&e);
	rc = show(r, out);
	if (rc == 0 && r->record && record_figures(r->record, out, &e) != ST_OK)
		rc = cli_error(&e);
	if (rc == 0 && !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(out, "identical")))
		rc = 1;
	cJSON_Delete(out);
	return rc;
}

int cmd_compare(int argc, char **argv)
{
	struct request r = {.o = {.seed = 1, .cases = 100, .jobs = cpu_count()}};
	int opt, rc = 0;

	opterr = 0;
	while (rc == 0 && (opt = getopt_long(argc, argv, "j:", options, NULL)) != -1)
		rc = parse_option(&r, opt, optarg);
	if (rc == 0 && r.record && r.ndevices == 0)
		rc = cli_usage("compare", "--record keeps what two devices gave: name one with --device");
	if (rc == 0 && optind == argc)
		rc = cli_usage("compare", "name kernel folders, or two files to compare");
	if (r.json && !r.json_file)
		r.o.quiet = true;
	return rc ? rc : run(&r, argv + optind, argc - optind);
}
