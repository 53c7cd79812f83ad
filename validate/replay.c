/* replay.c - one case again, and what a person needs to see of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/internal.h"

static void put_value(struct buf *b, enum dtype dt, uint64_t bits)
{
	double v = dtype_decode(dt, bits);

	if (dtype_is_float(dt))
		buf_printf(b, "%.9g (0x%0*llx)", v, 2 * dtype_bytes(dt), (unsigned long long)bits);
	else
		buf_printf(b, "%lld", (long long)(int64_t)v);
}

static void put_r(struct buf *b, double r)
{
	if (isinf(r))
		buf_puts(b, "inf");
	else
		buf_printf(b, "%.3g", r);
}

static void put_elements(struct buf *b, const struct kase *c, const struct judgement *j)
{
	const struct op_schema *o = op_schema(c->op);

	for (int i = 0; i < j->nshown; i++) {
		const struct judged *s = &j->shown[i];
		const struct op_tensor *t = &o->tensors[o->nin + s->output];
		enum dtype dt = case_output_dtype(c, s->output);

		buf_printf(b, "  %s[", t->name);
		for (int k = 0; k < s->rank; k++)
			buf_printf(b, "%s%lld", k ? "," : "", (long long)s->index[k]);
		buf_puts(b, "]  got ");
		put_value(b, dt, s->got);
		buf_puts(b, "\n        exact ");
		if (s->status == EL_NAN)
			buf_puts(b, "nan");
		else
			buf_printf(b, "%.17g", s->exact);
		buf_puts(b, ", allowed ");
		put_value(b, dt, s->lo);
		buf_puts(b, " to ");
		put_value(b, dt, s->hi);
		buf_puts(b, "\n        scaled error ");
		put_r(b, s->r);
		if (s->ulps != UINT64_MAX)
			buf_printf(b, ", %llu ulp", (unsigned long long)s->ulps);
		buf_putc(b, '\n');
	}
	if (j->failed > j->nshown)
		buf_printf(b, "  … and %lld more wrong elements\n", (long long)(j->failed - j->nshown));
}

/* Where the finding was first seen, as far as it is known (a GPU tells less than the emulator). */
static void put_place(struct buf *b, const struct finding *f)
{
	if (f->entry[0] && f->ptx_line)
		buf_printf(b, "\n    in %s, block %u,%u,%u thread %u,%u,%u", f->entry, f->block[0], f->block[1],
		           f->block[2], f->thread[0], f->thread[1], f->thread[2]);
	if (f->ptx_line)
		buf_printf(b, ", PTX line %d", f->ptx_line);
	if (f->source_line)
		buf_printf(b, ", %s line %d", f->source_file[0] ? f->source_file : "source", f->source_line);
}

static void put_findings(struct buf *b, const struct run_report *r)
{
	for (int i = 0; i < r->nfindings; i++) {
		const struct finding *f = &r->findings[i];

		buf_printf(b, "  %s%s: %s", finding_name(f->kind),
		           finding_is_error(f->kind) ? "" : " (information)", f->text);
		if (f->count > 1)
			buf_printf(b, " (%llu times)", (unsigned long long)f->count);
		put_place(b, f);
		buf_putc(b, '\n');
	}
}

static void input_hash(const struct case_run *run, char out[65])
{
	struct buf b = {0};

	for (int i = 0; i < run->plan.nbuffers; i++)
		if (run->plan.buffers[i].role == RUN_IN)
			buf_add(&b, run->plan.buffers[i].data, run->plan.buffers[i].bytes);
	sha256_hex(b.s ? b.s : "", b.len, out);
	buf_free(&b);
}

static struct named_tensor copy_tensor(const char *name, const struct tensor *t)
{
	struct named_tensor n = {.name = mem_strdup(name), .t = *t};
	int64_t count = tensor_count(t);
	size_t es = (size_t)dtype_bytes(t->dt);

	tensor_set_contiguous(&n.t);
	n.t.bytes = (size_t)count * es;
	n.t.data = mem_alloc(n.t.bytes + 1);
	for (int64_t i = 0; i < count; i++)
		memcpy(n.t.data + (size_t)i * es, t->data + (size_t)tensor_index(t, i) * es, es);
	return n;
}

enum st case_dump(const char *path, const struct kase *c, const struct case_run *run,
                        const struct oracle *or, struct err *e)
{
	const struct op_schema *o = op_schema(c->op);
	struct named_tensor ts[3 * OP_MAX_TENSORS];
	size_t n = 0;
	enum st rc;

	for (int t = 0; t < o->nin; t++)
		if (run->in[t])
			ts[n++] = copy_tensor(o->tensors[t].name, run->in[t]);
	for (int k = 0; k < run->nout; k++) {
		char name[80];
		struct tensor z = *run->out[k];

		ts[n++] = copy_tensor(o->tensors[o->nin + k].name, run->out[k]);
		if (!or)
			continue;
		z.dt = DT_F64;
		tensor_set_contiguous(&z);
		z.bytes = (size_t)or->out[k].n * sizeof(double);
		z.data = (uint8_t *)or->out[k].z;
		snprintf(name, sizeof name, "%s.exact", o->tensors[o->nin + k].name);
		ts[n++] = copy_tensor(name, &z);
	}
	rc = safetensors_write(path, ts, n, e);
	for (size_t i = 0; i < n; i++) {
		free(ts[i].name);
		free(ts[i].t.data);
	}
	return rc;
}

static void put_verdict(struct buf *b, const struct kase *c, const struct case_result *r)
{
	char *line = case_print(c);

	buf_printf(b, "case     %s\nverdict  %s%s%s\n", line, verdict_name(r->verdict), r->reason[0] ? ": " : "", r->reason);
	buf_printf(b, "by value %s, %lld of %lld elements wrong, largest scaled error ",
	           verdict_name(r->value), (long long)r->judgement.failed, (long long)r->judgement.n);
	put_r(b, r->judgement.r_max);
	buf_printf(b, ", T = %.4g (%s, L = %.4g)\n", r->envelope.T, r->envelope.name, r->chain);
	free(line);
}

static void put_wrong(struct buf *b, const struct kase *c, const struct case_result *r)
{
	if (r->judgement.nshown) {
		buf_puts(b, "wrong elements\n");
		put_elements(b, c, &r->judgement);
	}
}

enum st replay(const struct target *t, const char *line, const struct case_options *o,
               const char *dump, struct buf *out, struct case_result *r, struct err *e)
{
	struct case_run *run = NULL;
	struct oracle *or = NULL;
	struct kase c;
	char sha[65];
	enum st rc;

	TRY_OR(done, rc, case_parse(line, kernel_op(t->kernel), &c, e));
	TRY_OR(done, rc, run_and_judge(t, &c, o, NULL, &run, &or, r, e));
	input_hash(run, sha);
	buf_printf(out, "kernel   %s\n", kernel_folder(t->kernel));
	put_verdict(out, &c, r);
	buf_printf(out, "inputs   sha256 %s\noutputs  sha256 %s\n", sha, r->outputs_sha256);
	put_wrong(out, &c, r);
	if (r->report.nfindings) {
		buf_puts(out, "findings\n");
		put_findings(out, &r->report);
	}
	if (dump)
		rc = case_dump(dump, &c, run, or, e);
done:
	oracle_free(or);
	case_run_free(run);
	return rc;
}

/* ---- outputs computed elsewhere ---- */

static const struct tensor *named(const char *name, const struct named_tensor *ts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(ts[i].name, name) == 0)
			return &ts[i].t;
	return NULL;
}

static const char *shape_text(const struct tensor *t, char out[128])
{
	int at = snprintf(out, 128, "[");

	for (int i = 0; i < t->rank; i++)
		at += snprintf(out + at, 128 - (size_t)at, "%s%lld", i ? "," : "", (long long)t->dim[i]);
	snprintf(out + at, 128 - (size_t)at, "]");
	return out;
}

static enum st no_output(const char *name, const struct named_tensor *outputs, size_t n, struct err *e)
{
	struct buf have = {0};

	for (size_t i = 0; i < n; i++)
		buf_printf(&have, "%s%.40s", i ? ", " : "", outputs[i].name);
	FAIL(e, INPUT, "there is no output tensor named %s; the file has %.120s", name, n ? have.s : "none");
	buf_free(&have);
	return ST_INPUT;
}

static enum st check_output(const char *name, const struct tensor *got, const struct tensor *want, enum dtype dt,
                            struct err *e)
{
	char is[128], should[128];

	if (got->dt == DT_F32 && dtype_is_float(dt) && dtype_bytes(dt) == 2)
		return FAIL(e, INPUT, "output %s is of f32, the case's is of %s: round it, or put outputs=f32 into the case", name,
		            dtype_name(dt));
	if (got->dt != dt)
		return FAIL(e, INPUT, "output %s is of %s, the case's is of %s", name, dtype_name(got->dt), dtype_name(dt));
	if (strcmp(shape_text(got, is), shape_text(want, should)) != 0)
		return FAIL(e, INPUT, "output %s has shape %s, the case's has %s", name, is, should);
	return ST_OK;
}

enum st judge_outputs(const struct kase *c, const struct named_tensor *outputs, size_t n, const struct numerics *num,
                      const struct tolerance_table *table, struct buf *text, struct case_result *r, struct err *e)
{
	const struct op_schema *o = op_schema(c->op);
	struct case_run run = {.num = *num, .nout = o->ntensors - o->nin};
	struct case_options co = {0};
	struct target t = {.table = table};
	struct named_tensor *in = NULL;
	struct oracle *or = NULL;
	size_t nin = 0;
	enum st rc;

	memset(r, 0, sizeof *r);
	r->abs_error = NAN;
	r->report.complete = true;
	TRY_OR(done, rc, case_inputs(c, &in, &nin, e));
	TRY_OR(done, rc, op_bind(c->op, &c->b, &run.inst, e));
	for (int i = 0; i < o->nin; i++)
		run.in[i] = named(o->tensors[i].name, in, nin);
	for (int k = 0; k < run.nout; k++) {
		struct tensor want = op_inst_tensor(run.inst, o->nin + k);

		run.out[k] = named(o->tensors[o->nin + k].name, outputs, n);
		TRY_OR(done, rc, run.out[k] ? ST_OK : no_output(o->tensors[o->nin + k].name, outputs, n, e));
		TRY_OR(done, rc, check_output(o->tensors[o->nin + k].name, run.out[k], &want, case_output_dtype(c, k), e));
	}
	TRY_OR(done, rc, settle(r, judge_run(&t, c, &run, &co, r, &or, e), e));
	put_verdict(text, c, r);
	buf_printf(text, "outputs  sha256 %s\n", r->outputs_sha256);
	put_wrong(text, c, r);
done:
	oracle_free(or);
	op_inst_free(run.inst);
	named_tensors_free(in, nin);
	return rc;
}
