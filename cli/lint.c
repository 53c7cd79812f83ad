/* lint.c - gpuemu lint: what the PTX already tells. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/metrics.h"
#include "validate/lint/lint.h"

enum { O_FORMAT = 256, O_JSON, O_EXPLAIN, O_LIST, O_LAUNCH, O_ENTRY, O_NOTES, O_DIFF, O_STRICT, O_METRICS, O_BASELINE, O_CONFIRM, O_SASS, O_BUDGET };

static const struct option options[] = {
	{"format", 1, NULL, O_FORMAT}, {"json", 0, NULL, O_JSON},     {"explain", 1, NULL, O_EXPLAIN}, {"list-rules", 0, NULL, O_LIST},
	{"launch", 1, NULL, O_LAUNCH}, {"entry", 1, NULL, O_ENTRY},   {"notes", 0, NULL, O_NOTES},     {"diff", 0, NULL, O_DIFF},
	{"out", 1, NULL, 'o'},         {"strict", 0, NULL, O_STRICT}, {"metrics", 0, NULL, O_METRICS},
	{"baseline", 1, NULL, O_BASELINE}, {"confirm", 0, NULL, O_CONFIRM}, {"sass", 2, NULL, O_SASS},
	{"budget", 1, NULL, O_BUDGET}, {NULL, 0, NULL, 0},
};

enum format { FMT_TEXT, FMT_JSON, FMT_SARIF, FMT_GITHUB };

struct request {
	struct lint_options o;
	enum format format;
	bool notes, diff, strict, metrics;
	struct device *device; /* NULL, or where findings are confirmed */
	bool confirm;
	int sm; /* 0, or the architecture that kernels are compiled for */
	const char *budget;   /* NULL, or "registers=64 …" */
	const char *baseline; /* NULL, or an earlier --json */
	const char *out; /* NULL: standard output */
};

static int explain(const char *id)
{
	const struct lint_rule *r = lint_rule_find(id);
	struct buf b = {0};
	int rc;

	if (!r)
		return cli_usage("lint", "there is no rule '%s' (--list-rules)", id);
	lint_explain(&b, r);
	rc = cli_print(b.s, b.len);
	buf_free(&b);
	return rc;
}

static int list_rules(void)
{
	struct buf b = {0};
	int rc;

	for (int i = 0; lint_rule_get(i); i++)
		buf_printf(&b, "%-26s %-8s %s\n", lint_rule_get(i)->id, lint_severity_name(lint_rule_get(i)->severity),
		           lint_rule_get(i)->title);
	rc = cli_print(b.s, b.len);
	buf_free(&b);
	return rc;
}

static int parse_format(struct request *r, const char *arg)
{
	static const char *const names[] = {"text", "json", "sarif", "github"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(arg, names[i]) == 0) {
			r->format = (enum format)i;
			return 0;
		}
	return cli_usage("lint", "--format is text, json, sarif or github, not '%s'", arg);
}

static int parse_sm(struct request *r, const char *arg)
{
	const char *digits = arg && strncmp(arg, "sm_", 3) == 0 ? arg + 3 : arg;
	int64_t sm = 90;

	if (arg && !cli_int("lint", "--sass", digits, 70, 199, &sm))
		return 2;
	r->sm = (int)sm;
	return 0;
}

static int parse_option(struct request *r, int opt, const char *arg)
{
	switch (opt) {
	case O_FORMAT: return parse_format(r, arg);
	case O_JSON: r->format = FMT_JSON; return 0;
	case O_LAUNCH: r->o.launch = arg; return 0;
	case O_ENTRY: r->o.entry = arg; return 0;
	case O_NOTES: r->notes = true; return 0;
	case O_DIFF: r->diff = true; return 0;
	case O_STRICT: r->strict = true; return 0;
	case O_METRICS: r->metrics = true; return 0;
	case O_BASELINE: r->baseline = arg; return 0;
	case O_BUDGET: r->budget = arg; return 0;
	case O_SASS: return parse_sm(r, arg);
	case O_CONFIRM: r->confirm = true; return 0;
	case 'o': r->out = arg; return 0;
	default: return cli_usage("lint", "unknown option or missing value");
	}
}

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), k = strlen(end);

	return n > k && strcmp(path + n - k, end) == 0;
}

static bool is_ptx(const char *path)
{
	return ends_in(path, ".ptx");
}

static bool is_cubin(const char *path)
{
	return ends_in(path, ".cubin");
}

/* ---- what is linted ---- */

#define MAX_PTX ((size_t)64 << 20)

static enum st lint_file(const struct request *r, const char *path, struct lint_report **out, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	enum st rc;

	TRY(file_read(path, MAX_PTX, &text, &len, e));
	rc = is_cubin(path) ? lint_cubin(text, len, path, out, e) : lint_text(text, len, path, &r->o, out, e);
	if (rc == ST_OK && is_cubin(path) && r->metrics && !lint_disassemble(*out, path))
		fprintf(stderr, "gpuemu: %s: no nvdisasm or cuobjdump in PATH reads it; instructions by kind are gpuemu's own count\n", path);
	free(text);
	return rc;
}

static enum st add_sass(const struct kernel *k, int sm, struct lint_report *r, struct err *e)
{
	char *code = NULL;
	size_t n = 0;
	enum st rc;

	TRY(lint_compile(k, sm, &code, &n, e));
	rc = lint_add_cubin(r, code, n, e);
	free(code);
	return rc;
}

static enum st lint_folder(const struct request *q, const char *path, struct lint_report **out, struct err *e)
{
	struct lint_report *r = NULL;
	struct ptx_module *m = NULL;
	struct kernel *k = NULL;
	char *made = NULL;
	size_t len;
	enum st rc;

	TRY(kernel_read(path, &k, e));
	if (!kernel_ptx(k, &len) && kernel_source(k)) {
		TRY_OR(done, rc, target_compile(k, &made, e));
		TRY_OR(done, rc, ptx_parse(made, strlen(made), kernel_name(k), &m, e));
	}
	TRY_OR(done, rc, lint_kernel(k, m, &r, e));
	if (q->sm)
		TRY_OR(done, rc, add_sass(k, q->sm, r, e));
	*out = r;
	r = NULL;
done:
	lint_report_free(r);
	ptx_module_free(m);
	kernel_free(k);
	free(made);
	return rc;
}

/* The same, and each finding tried in the emulator. */
static enum st lint_and_confirm(const struct request *q, const char *path, struct lint_report **out, struct err *e)
{
	struct lint_report *r = NULL;
	struct target *t = NULL;
	enum st rc;

	TRY_OR(done, rc, target_open(q->device, path, false, &t, e));
	TRY_OR(done, rc, lint_kernel(t->kernel, dev_module_ptx(t->module), &r, e));
	TRY_OR(done, rc, lint_confirm(r, t, e));
	if (q->sm)
		TRY_OR(done, rc, add_sass(t->kernel, q->sm, r, e));
	*out = r;
	r = NULL;
done:
	lint_report_free(r);
	target_free(t);
	return rc;
}

struct found {
	struct lint_report **v;
	int n, worst; /* worst: exit status of what could not be linted */
};

static void add(struct found *f, enum st rc, struct lint_report *r, const struct err *e)
{
	if (rc != ST_OK) {
		int code = cli_error(e);

		f->worst = f->worst ? f->worst : code;
		return;
	}
	f->v = mem_realloc(f->v, sizeof(struct lint_report *) * (size_t)(f->n + 1));
	f->v[f->n++] = r;
}

static void lint_path(const struct request *r, const char *path, struct found *f)
{
	char *one[] = {(char *)path}, **folders = NULL;
	struct lint_report *report = NULL;
	struct err e = {0};
	enum st rc;
	int n = 0;

	if ((is_ptx(path) || is_cubin(path)) && r->confirm) {
		add(f, FAIL(&e, INPUT, "%s: --confirm runs the kernel, which takes a kernel folder (gpuemu init makes one)", path), NULL, &e);
		return;
	}
	if (is_ptx(path) || is_cubin(path)) {
		rc = lint_file(r, path, &report, &e);
		add(f, rc, report, &e);
		return;
	}
	if (cli_find_kernels(one, 1, NULL, &folders, &n, &e) != ST_OK) {
		add(f, e.code, NULL, &e);
		return;
	}
	for (int i = 0; i < n; i++) {
		struct err ei = {0};

		report = NULL;
		rc = r->device ? lint_and_confirm(r, folders[i], &report, &ei) : lint_folder(r, folders[i], &report, &ei);
		add(f, rc, report, &ei);
	}
	cli_folders_free(folders, n);
}

/* ---- output ---- */

static int write_out(const struct request *r, const char *s, size_t n)
{
	struct err e = {0};

	if (!r->out)
		return cli_print(s, n);
	return file_write(r->out, s, n, &e) == ST_OK ? 0 : cli_error(&e);
}

static const cJSON *find_kernel(const cJSON *kernels, const char *name)
{
	const cJSON *j;

	cJSON_ArrayForEach(j, kernels)
	{
		const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, "name");

		if (cJSON_IsString(v) && strcmp(v->valuestring, name) == 0)
			return j;
	}
	return NULL;
}

/* Lines of a text, each after the kernel's name when there is one. */
struct lines {
	struct buf b;
	const char *kernel;
};

static void tell(void *ctx, const char *text)
{
	struct lines *l = ctx;

	buf_printf(&l->b, "%s%s%s\n", l->kernel ? l->kernel : "", l->kernel ? " " : "", text);
}

/* Returns 0, 1 when something grew, or an error's exit status. */
static int against_baseline(const char *path, const struct found *f)
{
	static const char *const lists[] = {"metrics", "sass"};
	cJSON *was = NULL, *now = lint_json(f->v, f->n);
	struct lines l = {0};
	struct err e = {0};
	const cJSON *k;
	int n = 0, rc;

	if (json_read(path, (size_t)256 << 20, &was, &e) != ST_OK) {
		cJSON_Delete(now);
		return cli_error(&e);
	}
	cJSON_ArrayForEach(k, cJSON_GetObjectItemCaseSensitive(now, "kernels"))
	{
		const cJSON *old;

		l.kernel = cJSON_GetObjectItemCaseSensitive(k, "name")->valuestring;
		old = find_kernel(cJSON_GetObjectItemCaseSensitive(was, "kernels"), l.kernel);
		for (int i = 0; i < 2; i++)
			n += metrics_grown(lists[i], cJSON_GetObjectItemCaseSensitive(old, lists[i]), cJSON_GetObjectItemCaseSensitive(k, lists[i]),
			                   tell, &l);
	}
	rc = l.b.len ? cli_print(l.b.s, l.b.len) : 0;
	buf_free(&l.b);
	cJSON_Delete(was);
	cJSON_Delete(now);
	return rc ? rc : n > 0;
}

/* Returns 0, 1 when an entry takes more, 2 for a budget that says nothing. */
static int within_budget(const char *budget, const struct found *f)
{
	cJSON *now = lint_json(f->v, f->n);
	struct lines l = {0};
	struct err e = {0};
	int over = 0, rc = 0;

	if (metrics_budget(budget, cJSON_GetObjectItemCaseSensitive(now, "kernels"), tell, &l, &over, &e) != ST_OK)
		rc = cli_error(&e);
	else if (l.b.len)
		rc = cli_print(l.b.s, l.b.len);
	buf_free(&l.b);
	cJSON_Delete(now);
	return rc ? rc : over > 0;
}

static int show(const struct request *r, const struct found *f)
{
	struct buf b = {0};
	cJSON *j = r->format == FMT_JSON ? lint_json(f->v, f->n) : r->format == FMT_SARIF ? lint_sarif(f->v, f->n) : NULL;
	int rc;

	if (j) {
		char *text = json_print(j, true);

		buf_puts(&b, text);
		free(text);
		cJSON_Delete(j);
	}
	for (int i = 0; !j && i < f->n; i++)
		if (r->format == FMT_GITHUB)
			lint_print_github(&b, f->v[i]);
		else {
			lint_print_text(&b, f->v[i], r->notes);
			if (r->metrics || f->v[i]->nsass)
				lint_print_metrics(&b, f->v[i]);
		}
	rc = write_out(r, b.s ? b.s : "", b.len);
	buf_free(&b);
	return rc;
}

/* ---- differences ---- */

static enum st read_ptx(const char *path, char **text, size_t *len, struct err *e)
{
	struct kernel *k = NULL;
	const char *ptx;

	if (is_ptx(path))
		return file_read(path, MAX_PTX, text, len, e);
	TRY(kernel_read(path, &k, e));
	ptx = kernel_ptx(k, len);
	*text = ptx ? mem_strndup(ptx, *len) : NULL;
	kernel_free(k);
	return ptx ? ST_OK : FAIL(e, INPUT, "%s: no PTX; gpuemu compile makes it", path);
}

static int difference(const struct request *r, const char *a, const char *b)
{
	char *ta = NULL, *tb = NULL;
	size_t na = 0, nb = 0;
	struct buf diff = {0};
	struct err e = {0};
	enum lint_change change = LINT_SAME;
	enum st rc;
	int exit;

	TRY_OR(done, rc, read_ptx(a, &ta, &na, &e));
	TRY_OR(done, rc, read_ptx(b, &tb, &nb, &e));
	TRY_OR(done, rc, lint_difference(ta, na, a, tb, nb, b, &change, &diff, &e));
done:
	exit = rc == ST_OK ? write_out(r, diff.s, diff.len) : cli_error(&e);
	if (exit == 0 && change != LINT_SAME)
		exit = 1;
	free(ta);
	free(tb);
	buf_free(&diff);
	return exit;
}

static int run(struct request *r, char *const *paths, int n)
{
	struct found f = {0};
	struct err e = {0};
	int rc, errors = 0;

	if (n == 0)
		return cli_usage("lint", "name kernel folders, .ptx or .cubin files");
	if (r->diff)
		return n == 2 ? difference(r, paths[0], paths[1]) : cli_usage("lint", "--diff takes two kernels");
	if (r->confirm && device_open("emu", &r->device, &e) != ST_OK)
		return cli_error(&e);
	for (int i = 0; i < n; i++)
		lint_path(r, paths[i], &f);
	device_close(r->device);
	rc = show(r, &f);
	if (rc == 0 && r->baseline)
		rc = against_baseline(r->baseline, &f);
	if (rc == 0 && r->budget)
		rc = within_budget(r->budget, &f);
	for (int i = 0; i < f.n; i++) {
		errors += lint_count(f.v[i], LINT_ERROR) + (r->strict ? lint_count(f.v[i], LINT_WARNING) : 0);
		lint_report_free(f.v[i]);
	}
	free(f.v);
	return rc ? rc : f.worst ? f.worst : errors > 0;
}

int cmd_lint(int argc, char **argv)
{
	struct request r = {0};
	int opt, rc = 0;

	opterr = 0;
	while (rc == 0 && (opt = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (opt == O_EXPLAIN)
			return explain(optarg);
		if (opt == O_LIST)
			return list_rules();
		rc = parse_option(&r, opt, optarg);
	}
	return rc ? rc : run(&r, argv + optind, argc - optind);
}
