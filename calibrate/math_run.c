/* math_run.c - the functions of math_table.c on a device: all inputs measured, or a record held against it. */
#include "calibrate/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, CANDIDATES = 64, LIMIT_SECONDS = 100, EVAL_BLOCK = 128 };

/* ---- running a kernel ---- */

struct storage {
	uint8_t *all;
	struct run_buffer buffer;
};

static void storage_new(struct storage *s, enum run_role role, const char *name, enum dtype dt, size_t bytes)
{
	s->all = mem_zalloc(1, ((bytes + 255) & ~(size_t)255) + 2 * GUARD + 256);
	s->buffer = (struct run_buffer){.name = name, .role = role, .dt = dt, .bytes = bytes, .guard = GUARD};
	s->buffer.data = s->all + GUARD + (256 - ((uintptr_t)s->all & 255));
}

static struct run_arg pointer_to(int buffer)
{
	return (struct run_arg){.buffer = buffer, .bytes = 8};
}

static enum st launch(const struct dev_module *m, struct run_plan *plan, struct err *e)
{
	struct dev_run_options o = {.seconds = LIMIT_SECONDS, .budget = (uint64_t)1 << 50};
	struct run_report r;

	TRY(device_run(m, plan, &o, &r, e));
	if (!r.complete)
		return FAIL(e, DEVICE, "%s ended with %s: %s", plan->launches[0].entry,
		            finding_name(r.findings[0].kind), r.findings[0].text);
	return ST_OK;
}

/* out[i] = encoding of f at the encoding in[i]. */
static enum st evaluate(const struct dev_module *m, size_t f, const uint32_t *in, uint32_t *out, uint32_t n,
                        struct err *e)
{
	char entry[24];
	struct storage s[2];
	struct run_buffer buffers[2];
	struct run_arg args[3] = {pointer_to(0), pointer_to(1), {.buffer = -1, .bytes = 4}};
	struct run_launch l = {.entry = entry, .grid = {(n + EVAL_BLOCK - 1) / EVAL_BLOCK, 1, 1},
	                       .block = {EVAL_BLOCK, 1, 1}, .args = args, .nargs = 3};
	struct run_plan plan = {.buffers = buffers, .nbuffers = 2, .launches = &l, .nlaunches = 1};
	enum st rc;

	math_entry(entry, "eval", f);
	storage_new(&s[0], RUN_IN, "in", DT_U32, 4 * (size_t)n);
	storage_new(&s[1], RUN_OUT, "out", DT_U32, 4 * (size_t)n);
	buffers[0] = s[0].buffer;
	buffers[1] = s[1].buffer;
	memcpy(buffers[0].data, in, 4 * (size_t)n);
	memcpy(args[2].value, &n, 4);
	rc = launch(m, &plan, e);
	memcpy(out, buffers[1].data, 4 * (size_t)n);
	free(s[0].all);
	free(s[1].all);
	return rc;
}

static enum st sweep(const struct dev_module *m, size_t f, struct math_chunk *out, struct err *e)
{
	char entry[24];
	struct storage s;
	struct run_arg arg = pointer_to(0);
	struct run_launch l = {.entry = entry, .grid = {MATH_CHUNKS, 1, 1}, .block = {256, 1, 1}, .args = &arg, .nargs = 1};
	struct run_plan plan = {.nbuffers = 1, .launches = &l, .nlaunches = 1};
	enum st rc;

	math_entry(entry, "check", f);
	storage_new(&s, RUN_OUT, "chunks", DT_U64, MATH_CHUNKS * sizeof *out);
	plan.buffers = &s.buffer;
	rc = launch(m, &plan, e);
	memcpy(out, s.buffer.data, MATH_CHUNKS * sizeof *out);
	free(s.all);
	return rc;
}

static enum st compile(struct device *d, size_t from, size_t to, bool with_sweep, struct dev_module **m, char **ptx,
                       struct err *e)
{
	static const char *const options[] = {"--gpu-architecture=compute_90", "--std=c++17"};
	struct buf source = {0};
	struct nvrtc_input in = {.name = "math.cu", .options = options, .noptions = ARRAY_LEN(options)};
	enum st rc;

	math_source(&source, from, to, with_sweep);
	in.source = source.s;
	rc = nvrtc_compile(&in, ptx, e);
	buf_free(&source);
	if (rc == ST_OK && m)
		rc = device_load(d, *ptx, strlen(*ptx), math_fns[from].name, m, e);
	return rc;
}

/* ---- the shipped PTX and record ---- */

static const struct {
	const char *name, *text;
} shipped[] = {
#include "math.inc"
};

static const char *shipped_text(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(shipped); i++)
		if (strcmp(shipped[i].name, name) == 0)
			return shipped[i].text;
	return NULL;
}

enum st math_ptx(char **ptx, struct err *e)
{
	return compile(NULL, 0, math_nfns, false, NULL, ptx, e);
}

static enum st load_shipped(struct device *d, struct dev_module **m, struct err *e)
{
	const char *text = shipped_text("math");

	return device_load(d, text, strlen(text), "calibrate/math.ptx", m, e);
}

enum st math_shipped_record(cJSON **out, struct err *e)
{
	const char *text = shipped_text("math_h200");

	if (!text)
		return FAIL(e, INPUT, "no record of the math functions is shipped");
	return json_parse("results/math_h200.json", text, strlen(text), out, e);
}

/* ---- one function measured ---- */

struct worst {
	double value; /* in ulps, or over what is allowed; < 0: none */
	uint32_t at, got;
};

struct measured {
	struct worst ulp, ratio;
	char exact[48]; /* at ulp.at, or at ratio.at when no promise is in ulps */
	uint64_t wrong, far, special, hash;
	uint32_t special_at;
	uint64_t sample[MATH_SAMPLE];
	struct err err;
	enum st rc;
};

static void show_exact(const struct math_fn *f, uint32_t at, char out[48])
{
	mpfr_t z;

	mpfr_init2(z, MATH_PREC);
	math_exact(f, at, z);
	mpfr_snprintf(out, 48, "%.17Rg", z);
	mpfr_clear(z);
}

/* Takes the candidate when its error, by MPFR, is the largest so far. */
static void confirm(const struct math_fn *f, uint32_t at, uint32_t got, struct measured *m)
{
	double ulps, z, ratio, allowed;
	bool in_ulps;
	mpfr_t exact, d;

	mpfr_inits2(2 * MATH_PREC, exact, d, (mpfr_ptr)0);
	math_exact(f, at, exact);
	ulps = math_ulps(f->dt, got, exact);
	z = mpfr_get_d(exact, MPFR_RNDN);
	allowed = math_allowed(f, dtype_decode(f->dt, at), z, &in_ulps);
	mpfr_set_d(d, dtype_decode(f->dt, got), MPFR_RNDN);
	mpfr_sub(d, d, exact, MPFR_RNDN);
	mpfr_abs(d, d, MPFR_RNDN);
	ratio = in_ulps ? ulps / (allowed / math_ulp(f->dt, exact)) : mpfr_get_d(d, MPFR_RNDU) / allowed;
	if (ulps > m->ulp.value && (in_ulps || f->dt != DT_F32))
		m->ulp = (struct worst){ulps, at, got};
	if (ratio > m->ratio.value && f->dt == DT_F32)
		m->ratio = (struct worst){ratio, at, got};
	mpfr_clears(exact, d, (mpfr_ptr)0);
}

static int by_ulp(const void *a, const void *b)
{
	double x = ((const struct math_chunk *)a)->ulp, y = ((const struct math_chunk *)b)->ulp;

	return (x < y) - (x > y);
}

static int by_ratio(const void *a, const void *b)
{
	double x = ((const struct math_chunk *)a)->ratio, y = ((const struct math_chunk *)b)->ratio;

	return (x < y) - (x > y);
}

/* The worst inputs of the chunks that have the largest errors, for MPFR to judge. */
static uint32_t candidates(struct math_chunk *c, uint32_t *at)
{
	uint32_t n = 0;

	qsort(c, MATH_CHUNKS, sizeof *c, by_ulp);
	for (int i = 0; i < CANDIDATES && c[i].ulp > 0; i++)
		at[n++] = c[i].ulp_at;
	qsort(c, MATH_CHUNKS, sizeof *c, by_ratio);
	for (int i = 0; i < CANDIDATES && c[i].ratio > 0; i++)
		at[n++] = c[i].ratio_at;
	return n;
}

static enum st measure_f32(struct device *d, const struct dev_module *evals, size_t f, struct measured *out,
                           struct err *e)
{
	struct math_chunk *c = mem_alloc(MATH_CHUNKS * sizeof *c);
	uint32_t at[2 * CANDIDATES], got[2 * CANDIDATES], n;
	struct dev_module *m = NULL;
	char *ptx = NULL;
	enum st rc;

	TRY_OR(done, rc, compile(d, f, f + 1, true, &m, &ptx, e));
	TRY_OR(done, rc, sweep(m, f, c, e));
	for (int k = 0; k < MATH_SAMPLE; k++)
		out->sample[k] = c[math_sample_chunk(k)].hash;
	for (size_t k = 0; k < MATH_CHUNKS; k++) {
		out->hash += math_mix(c[k].hash + k);
		out->wrong += c[k].wrong;
		out->far += c[k].far;
		if (c[k].special && !out->special)
			out->special_at = c[k].special_at;
		out->special += c[k].special;
	}
	n = candidates(c, at);
	TRY_OR(done, rc, evaluate(evals, f, at, got, n, e));
	for (uint32_t i = 0; i < n; i++)
		confirm(&math_fns[f], at[i], got[i], out);
done:
	dev_module_free(m);
	free(ptx);
	free(c);
	return rc;
}

/* All 65,536 inputs, each judged by MPFR. */
static enum st measure_half(const struct dev_module *evals, size_t f, struct measured *out, struct err *e)
{
	enum { N = 65536 };
	const struct math_fn *fn = &math_fns[f];
	uint32_t *in = mem_alloc(N * sizeof *in), *got = mem_alloc(N * sizeof *got);
	mpfr_t z;
	enum st rc;

	for (uint32_t i = 0; i < N; i++)
		in[i] = i;
	mpfr_init2(z, MATH_PREC);
	TRY_OR(done, rc, evaluate(evals, f, in, got, N, e));
	for (uint32_t i = 0; i < N; i++) {
		double ulps;

		out->hash += math_mix((uint64_t)i << 32 | got[i]);
		math_exact(fn, i, z);
		ulps = math_ulps(fn->dt, got[i], z);
		if (isinf(ulps)) {
			out->special_at = out->special++ ? out->special_at : i;
			continue;
		}
		out->wrong += ulps > 0.5;
		out->far += ulps >= 1.5;
		if (ulps > out->ulp.value)
			out->ulp = (struct worst){ulps, i, got[i]};
	}
done:
	mpfr_clear(z);
	free(in);
	free(got);
	return rc;
}

struct measuring {
	struct device *d;
	struct dev_module *evals;
	const size_t *fn;
	struct measured *out;
	struct progress *progress;
};

static void measure_one(void *ctx, size_t i, int worker)
{
	struct measuring *s = ctx;
	struct measured *m = &s->out[i];

	(void)worker;
	m->ulp.value = m->ratio.value = -1;
	m->rc = math_fns[s->fn[i]].dt == DT_F32 ? measure_f32(s->d, s->evals, s->fn[i], m, &m->err)
	                                        : measure_half(s->evals, s->fn[i], m, &m->err);
	if (m->rc == ST_OK && (m->ulp.value >= 0 || m->ratio.value >= 0))
		show_exact(&math_fns[s->fn[i]], m->ulp.value >= 0 ? m->ulp.at : m->ratio.at, m->exact);
	progress_add(s->progress, 1);
}

/* ---- records ---- */

static void add_bits(cJSON *j, const char *key, uint32_t v)
{
	char text[16];

	snprintf(text, sizeof text, "0x%08x", v);
	cJSON_AddStringToObject(j, key, text);
}

static void add_hash(cJSON *j, const char *key, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof text, "%016llx", (unsigned long long)v);
	if (key)
		cJSON_AddStringToObject(j, key, text);
	else
		cJSON_AddItemToArray(j, cJSON_CreateString(text));
}

static cJSON *function_json(const struct math_fn *f, const struct measured *m)
{
	cJSON *j = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(j, "name", f->name);
	cJSON_AddStringToObject(j, "dtype", dtype_name(f->dt));
	if (f->bound[0])
		cJSON_AddStringToObject(j, "bound", f->bound);
	if (m->ulp.value >= 0) {
		cJSON_AddNumberToObject(j, "max_ulp", m->ulp.value);
		add_bits(j, "at", m->ulp.at);
		add_bits(j, "got", m->ulp.got);
		cJSON_AddNumberToObject(j, "x", dtype_decode(f->dt, m->ulp.at));
	}
	if (m->ratio.value >= 0) {
		cJSON_AddNumberToObject(j, "of_bound", m->ratio.value);
		add_bits(j, "of_bound_at", m->ratio.at);
		add_bits(j, "of_bound_got", m->ratio.got);
		cJSON_AddBoolToObject(j, "met", m->ratio.value <= 1 && m->special == 0);
	}
	cJSON_AddStringToObject(j, "exact", m->exact);
	cJSON_AddNumberToObject(j, "not_correctly_rounded", (double)m->wrong);
	cJSON_AddNumberToObject(j, "two_or_more", (double)m->far);
	cJSON_AddNumberToObject(j, "nan_differs", (double)m->special);
	if (m->special)
		add_bits(j, "nan_differs_at", m->special_at);
	if (f->v100[0])
		cJSON_AddStringToObject(j, "v100", f->v100);
	add_hash(j, "hash", m->hash);
	if (f->dt == DT_F32) {
		list = cJSON_AddArrayToObject(j, "sample");
		for (int k = 0; k < MATH_SAMPLE; k++)
			add_hash(list, NULL, m->sample[k]);
	}
	return j;
}

static size_t chosen(const char *only, size_t *fn)
{
	size_t n = 0;

	for (size_t i = 0; i < math_nfns; i++)
		if (!only || strstr(math_fns[i].name, only))
			fn[n++] = i;
	return n;
}

enum st math_measure(struct device *d, const struct math_options *o, cJSON **record, struct err *e)
{
	size_t *fn = mem_alloc(math_nfns * sizeof *fn), n = chosen(o->only, fn);
	struct measuring s = {.d = d, .fn = fn, .out = mem_zalloc(n + 1, sizeof *s.out)};
	cJSON *list;
	enum st rc = ST_OK;

	if (n == 0) {
		rc = FAIL(e, INPUT, "no function's name contains '%s'", o->only);
		goto done;
	}
	TRY_OR(done, rc, load_shipped(d, &s.evals, e));
	s.progress = progress_new(o->quiet ? NULL : "functions", n);
	pool_run(o->jobs, n, measure_one, NULL, &s);
	progress_end(s.progress);
	*record = cJSON_CreateObject();
	cJSON_AddStringToObject(*record, "schema", "gpuemu-math/1");
	cJSON_AddStringToObject(*record, "device", device_text(d));
	list = cJSON_AddArrayToObject(*record, "functions");
	for (size_t i = 0; i < n && rc == ST_OK; i++) {
		rc = s.out[i].rc;
		if (rc != ST_OK) {
			*e = s.out[i].err;
			rc = err_prefix(e, "%s", math_fns[fn[i]].name);
		} else {
			cJSON_AddItemToArray(list, function_json(&math_fns[fn[i]], &s.out[i]));
		}
	}
done:
	dev_module_free(s.evals);
	free(s.out);
	free(fn);
	return rc;
}

/* ---- a record held against a device ---- */

struct holding {
	const struct dev_module *evals;
	const cJSON *functions;
	struct buf *text;
	size_t different, compared;
	int chunks;
};

static uint64_t number_of(const cJSON *j, const char *key, int base)
{
	const cJSON *v = key ? cJSON_GetObjectItemCaseSensitive(j, key) : j;

	return cJSON_IsString(v) ? strtoull(v->valuestring, NULL, base) : 0;
}

static void hold_worst(struct holding *h, size_t f, const cJSON *j, const char *at, const char *got, struct err *e,
                       enum st *rc, bool *differs)
{
	uint32_t x, want, y;

	if (!cJSON_GetObjectItemCaseSensitive(j, at) || *rc != ST_OK)
		return;
	x = (uint32_t)number_of(j, at, 16);
	want = (uint32_t)number_of(j, got, 16);
	*rc = evaluate(h->evals, f, &x, &y, 1, e);
	if (*rc == ST_OK && y != want) {
		buf_printf(h->text, "%s at 0x%08x: 0x%08x, the record has 0x%08x\n", math_fns[f].name, x, y, want);
		*differs = true;
	}
}

static enum st hold_chunk(struct holding *h, size_t f, uint32_t chunk, uint64_t want, bool *differs, struct err *e)
{
	enum { N = 65536 };
	uint32_t *in = mem_alloc(N * sizeof *in), *out = mem_alloc(N * sizeof *out);
	uint64_t hash = 0;
	enum st rc;

	for (uint32_t i = 0; i < N; i++)
		in[i] = chunk << 16 | i;
	rc = evaluate(h->evals, f, in, out, N, e);
	for (uint32_t i = 0; i < N; i++)
		hash += math_mix((uint64_t)in[i] << 32 | out[i]);
	if (rc == ST_OK && hash != want) {
		buf_printf(h->text, "%s: some of the inputs 0x%04x0000 to 0x%04xffff differ\n", math_fns[f].name,
		           chunk, chunk);
		*differs = true;
	}
	free(in);
	free(out);
	return rc;
}

static enum st hold(struct holding *h, size_t f, const cJSON *j, struct err *e)
{
	const cJSON *sample = cJSON_GetObjectItemCaseSensitive(j, "sample");
	bool differs = false;
	enum st rc = ST_OK;

	hold_worst(h, f, j, "at", "got", e, &rc, &differs);
	hold_worst(h, f, j, "of_bound_at", "of_bound_got", e, &rc, &differs);
	if (math_fns[f].dt != DT_F32 && rc == ST_OK)
		rc = hold_chunk(h, f, 0, number_of(j, "hash", 16), &differs, e);
	for (int k = 0; sample && k < h->chunks && rc == ST_OK; k++)
		rc = hold_chunk(h, f, math_sample_chunk(k), number_of(cJSON_GetArrayItem(sample, k), NULL, 16), &differs,
		                e);
	h->different += differs;
	h->compared++;
	return rc;
}

enum st math_hold(struct device *d, const cJSON *record, const struct math_options *o, struct buf *text,
                  size_t *compared, size_t *different, struct err *e)
{
	struct dev_module *evals = NULL;
	struct holding h = {.text = text, .chunks = MATH_SAMPLE};
	const cJSON *j;
	enum st rc;

	TRY(load_shipped(d, &evals, e));
	h.evals = evals;
	rc = ST_OK;
	cJSON_ArrayForEach(j, cJSON_GetObjectItemCaseSensitive(record, "functions"))
	{
		const cJSON *name = cJSON_GetObjectItemCaseSensitive(j, "name");

		for (size_t f = 0; f < math_nfns && rc == ST_OK && cJSON_IsString(name); f++)
			if (strcmp(math_fns[f].name, name->valuestring) == 0 &&
			    (!o->only || strstr(math_fns[f].name, o->only)))
				rc = hold(&h, f, j, e);
	}
	dev_module_free(evals);
	*compared = h.compared;
	*different = h.different;
	return rc;
}
