/* case.c - the case line, a public format (design.md §5):
 *
 *   line   = OP "/" TYPE {"," TYPE} " " sizes [" " settings] [" layout=" list] [" values=" list]
 *            [" outputs=f32"] " seed=" HEX " fill=" HEXBYTE
 *   sizes  = DIM "=" INT {"," …}      every dim that is not derived, in declared order
 *   settings = NAME "=" VALUE {","…}  parameters that are set, options other than the default, NAME=absent
 *   list   = TENSOR ":" SPEC {","…}   "*" stands for all tensors not named, alone it repeats the item
 *            before it; SPEC = word, or word(a,b)
 *   outputs=f32 is for 16-bit dtypes: outputs are left in f32, as calibration needs them
 *
 * Printing gives the normal form: what equals a default is left out, so equal cases are equal lines. */
#include "cases/values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scan {
	const char *line;
	size_t pos;
	struct err *e;
};

static enum st bad(struct scan *s, size_t pos, const char *what)
{
	return FAIL_AT(s->e, INPUT, "case", s->line, strlen(s->line), pos, "%s", what);
}

/* Takes letters, digits and underscores. */
static size_t take_word(struct scan *s, char *out, size_t max)
{
	size_t n = 0;

	while (isalnum((unsigned char)s->line[s->pos + n]) || s->line[s->pos + n] == '_')
		n++;
	if (n == 0 || n >= max)
		return 0;
	memcpy(out, s->line + s->pos, n);
	out[n] = 0;
	s->pos += n;
	return n;
}

static bool take_char(struct scan *s, char c)
{
	if (s->line[s->pos] != c)
		return false;
	s->pos++;
	return true;
}

/* A line end is a blank too: a case that was copied from a page on which it took two lines is the same. */
static const char blanks[] = " \t\r\n";

static bool take_blank(struct scan *s)
{
	if (!s->line[s->pos] || !strchr(blanks, s->line[s->pos]))
		return false;
	s->pos++;
	return true;
}

static int tensor_by_name(const struct op_schema *o, const char *name)
{
	for (int i = 0; i < o->ntensors; i++)
		if (strcmp(o->tensors[i].name, name) == 0)
			return i;
	return -1;
}

/* The fault, and the names that would be none; frees them. */
static enum st bad_of(struct scan *s, size_t pos, const char *what, const char *which, struct buf *names)
{
	FAIL_AT(s->e, INPUT, "case", s->line, strlen(s->line), pos, "%s; %s %s", what, which, names->s);
	buf_free(names);
	return ST_INPUT;
}

static enum st bad_dtype(struct scan *s, size_t pos, const char *what, const struct op_type *type)
{
	struct buf b = {0};

	for (int a = 0; a < type->n; a++)
		buf_printf(&b, "%s%s", a ? ", " : "", dtype_name(type->allowed[a]));
	return bad_of(s, pos, what, "it takes", &b);
}

static enum st bad_tensor(struct scan *s, size_t pos, const struct op_schema *o, int last)
{
	struct buf b = {0};

	for (int t = 0; t < last; t++)
		buf_printf(&b, "%s%s", t ? ", " : "", o->tensors[t].name);
	return bad_of(s, pos, "the operator has no such tensor", "here stand", &b);
}

static enum st parse_head(struct scan *s, const struct op *given, struct kase *c)
{
	char name[64];
	const struct op_schema *o;

	if (!take_word(s, name, sizeof name) || !take_char(s, '/'))
		return bad(s, s->pos, "a case begins with OPERATOR/DTYPE, as in softmax/f16");
	c->op = given && strcmp(op_schema(given)->name, name) == 0 ? given : op_builtin(name);
	if (!c->op)
		return bad(s, 0, "unknown operator; `gpuemu ops` lists the known ones");
	o = op_schema(c->op);
	for (int v = 0; v < o->ntypes; v++) {
		size_t pos = s->pos;
		bool ok = false;

		if (v > 0 && !take_char(s, ','))
			return bad(s, s->pos, "the operator has more type variables");
		if (!take_word(s, name, sizeof name) || !dtype_parse(name, &c->b.types[v]))
			return bad_dtype(s, pos, "unknown dtype", &o->types[v]);
		for (int a = 0; a < o->types[v].n; a++)
			ok |= o->types[v].allowed[a] == c->b.types[v];
		if (!ok)
			return bad_dtype(s, pos, "the operator is not defined for this dtype", &o->types[v]);
	}
	return ST_OK;
}

static enum st parse_int(struct scan *s, int64_t *out)
{
	bool neg = take_char(s, '-');
	size_t start = s->pos;
	int64_t v = 0;

	for (; isdigit((unsigned char)s->line[s->pos]); s->pos++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, s->line[s->pos] - '0', &v))
			return bad(s, start, "the number does not fit 64 bits");
	if (s->pos == start)
		return bad(s, start, "expected an integer");
	*out = neg ? -v : v;
	return ST_OK;
}

static enum st parse_real(struct scan *s, double *out)
{
	char text[64];
	size_t n = strspn(s->line + s->pos, "+-.0123456789abcdefnitxpABCDEFPX");
	char *end;

	if (n == 0 || n >= sizeof text)
		return bad(s, s->pos, "expected a number");
	memcpy(text, s->line + s->pos, n);
	text[n] = 0;
	*out = strtod(text, &end);
	if (*end)
		return bad(s, s->pos, "expected a number");
	s->pos += n;
	return ST_OK;
}

/* NAME=VALUE of a size, parameter, option or absent input. seen has a bit per dim. */
static enum st parse_setting(struct scan *s, struct kase *c, uint32_t *seen)
{
	const struct op_schema *o = op_schema(c->op);
	size_t pos = s->pos;
	char name[64], value[64];
	int t;

	if (!take_word(s, name, sizeof name) || !take_char(s, '='))
		return bad(s, pos, "expected NAME=VALUE");
	for (int i = 0; i < o->ndims; i++)
		if (strcmp(o->dims[i].name, name) == 0) {
			if (o->dims[i].derived)
				return bad(s, pos, "this size follows from the others; leave it out");
			if (*seen & 1u << i)
				return bad(s, pos, "this size is given twice");
			*seen |= 1u << i;
			return parse_int(s, &c->b.dims[i]);
		}
	for (int i = 0; i < o->nparams; i++)
		if (strcmp(o->params[i].name, name) == 0) {
			if (c->b.param_set[i])
				return bad(s, pos, "this parameter is given twice");
			c->b.param_set[i] = true;
			return parse_real(s, &c->b.params[i]);
		}
	if (!take_word(s, value, sizeof value))
		return bad(s, pos, "the operator has no such size, parameter, option or input");
	for (int i = 0; i < o->noptions; i++)
		for (int v = 0; strcmp(o->options[i].name, name) == 0 && v < o->options[i].n; v++)
			if (strcmp(o->options[i].values[v], value) == 0) {
				c->b.options[i] = v;
				return ST_OK;
			}
	t = tensor_by_name(o, name);
	if (t >= 0 && o->tensors[t].optional && strcmp(value, "absent") == 0) {
		c->b.present[t] = false;
		return ST_OK;
	}
	return bad(s, pos, "the operator has no such size, parameter, option or optional input, or it cannot "
	                   "take this value");
}

static enum st parse_settings(struct scan *s, struct kase *c, uint32_t *seen)
{
	do
		TRY(parse_setting(s, c, seen));
	while (take_char(s, ','));
	return ST_OK;
}

/* word, word7, or word(a,b). A layout's number is part of its word. */
static enum st parse_value_spec(struct scan *s, struct value_spec *v)
{
	*v = (struct value_spec){0};
	if (!take_word(s, v->name, sizeof v->name))
		return bad(s, s->pos, "expected a class of values, as in normal(0,1)");
	if (!take_char(s, '('))
		return ST_OK;
	do {
		if (v->nargs == (int)ARRAY_LEN(v->args))
			return bad(s, s->pos, "too many arguments");
		TRY(parse_real(s, &v->args[v->nargs]));
		v->nargs++;
	} while (take_char(s, ','));
	return take_char(s, ')') ? ST_OK : bad(s, s->pos, "expected ')'");
}

static enum st parse_layout_spec(struct scan *s, struct layout_spec *l)
{
	char word[64];
	size_t n, pos = s->pos;

	if (!take_word(s, word, sizeof word))
		return bad(s, pos, "expected a layout, as in rowpad7");
	for (n = strlen(word); n > 0 && isdigit((unsigned char)word[n - 1]); n--)
		;
	if (n == 0 || n >= sizeof l->name || strlen(word + n) > 9)
		return bad(s, pos, "expected a layout, as in rowpad7");
	memcpy(l->name, word, n);
	l->name[n] = 0;
	l->arg = word[n] ? strtol(word + n, NULL, 10) : 0;
	return ST_OK;
}

/* TENSOR:SPEC {,TENSOR:SPEC}; "*" is every tensor of the kind not named elsewhere in the list. */
static enum st parse_list(struct scan *s, struct kase *c, bool layouts)
{
	const struct op_schema *o = op_schema(c->op);
	int last = layouts ? o->ntensors : o->nin, last_t = -1;
	bool named[OP_MAX_TENSORS] = {0}, star = false;
	struct value_spec all_v = {0};
	struct layout_spec all_l = {0};

	do {
		size_t pos = s->pos;
		char name[64] = "*";
		int t = -1;

		if (!take_char(s, '*') && !take_word(s, name, sizeof name))
			return bad(s, pos, "expected the name of a tensor, or *");
		if (strcmp(name, "*") != 0) {
			t = tensor_by_name(o, name);
			if (t < 0 || t >= last)
				return bad_tensor(s, pos, o, last);
			if (named[t])
				return bad(s, pos, "this tensor is named twice");
			named[t] = true;
		} else if (star) {
			return bad(s, pos, "* stands twice in the list");
		} else {
			star = true;
		}
		if (!take_char(s, ':')) {
			if (t >= 0 || last_t < 0)
				return bad(s, s->pos, "expected ':'");
			all_l = c->layout[last_t]; /* a bare * repeats the item before it */
			all_v = c->values[last_t];
			continue;
		}
		if (layouts)
			TRY(parse_layout_spec(s, t >= 0 ? &c->layout[t] : &all_l));
		else
			TRY(parse_value_spec(s, t >= 0 ? &c->values[t] : &all_v));
		last_t = t >= 0 ? t : last_t;
	} while (take_char(s, ','));
	for (int t = 0; star && t < last; t++)
		if (!named[t] && layouts)
			c->layout[t] = all_l;
		else if (!named[t])
			c->values[t] = all_v;
	return ST_OK;
}

static enum st parse_hex(struct scan *s, int max_digits, uint64_t *out)
{
	size_t start;
	int n = 0;

	if (s->line[s->pos] == '0' && (s->line[s->pos + 1] | 32) == 'x')
		s->pos += 2;
	start = s->pos;
	for (*out = 0; isxdigit((unsigned char)s->line[s->pos]); s->pos++, n++) {
		int d = tolower((unsigned char)s->line[s->pos]);

		*out = *out << 4 | (uint64_t)(d <= '9' ? d - '0' : d - 'a' + 10);
	}
	return n == 0 || n > max_digits ? bad(s, start, "expected a hexadecimal number") : ST_OK;
}

static bool take_key(struct scan *s, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(s->line + s->pos, key, n) != 0)
		return false;
	s->pos += n;
	return true;
}

static enum st parse_field(struct scan *s, struct kase *c, uint32_t *seen)
{
	uint64_t v;

	if (take_key(s, "layout="))
		return parse_list(s, c, true);
	if (take_key(s, "values="))
		return parse_list(s, c, false);
	if (take_key(s, "outputs=f32")) {
		c->f32_outputs = true;
		return ST_OK;
	}
	if (take_key(s, "seed="))
		return parse_hex(s, 16, &c->seed);
	if (take_key(s, "fill=")) {
		TRY(parse_hex(s, 2, &v));
		c->fill = (uint8_t)v;
		return ST_OK;
	}
	return parse_settings(s, c, seen);
}

static void case_defaults(struct kase *c)
{
	const struct op_schema *o = op_schema(c->op);

	for (int t = 0; t < o->ntensors; t++) {
		c->b.present[t] = true;
		snprintf(c->layout[t].name, sizeof c->layout[t].name, "contiguous");
		snprintf(c->values[t].name, sizeof c->values[t].name, "normal");
	}
}

enum st case_parse(const char *line, const struct op *op, struct kase *out, struct err *e)
{
	struct scan s = {.line = line, .e = e};
	const struct op_schema *o;
	uint32_t seen = 0;

	memset(out, 0, sizeof *out);
	TRY(parse_head(&s, op, out));
	case_defaults(out);
	o = op_schema(out->op);
	while (take_blank(&s))
		if (s.line[s.pos] && !strchr(blanks, s.line[s.pos]))
			TRY(parse_field(&s, out, &seen));
	if (s.line[s.pos])
		return bad(&s, s.pos, "unexpected text");
	if (out->f32_outputs && (o->tensors[o->nin].type < 0 ||
	                         dtype_bytes(out->b.types[o->tensors[o->nin].type]) != 2))
		return FAIL(e, INPUT, "case: outputs=f32 is for outputs of 16 bits, not in '%s'", line);
	for (int i = 0; i < o->ndims; i++)
		if (!o->dims[i].derived && !(seen >> i & 1))
			return FAIL(e, INPUT, "case: the size %s is missing in '%s'", o->dims[i].name, line);
	return ST_OK;
}

/* ---- printing ---- */

/* The shortest decimal of at most 17 digits that reads back as the same number. */
static void put_real(struct buf *b, double v)
{
	char s[40];

	for (int digits = 1; digits <= 17; digits++) {
		snprintf(s, sizeof s, "%.*g", digits, v);
		if (strtod(s, NULL) == v)
			break;
	}
	buf_puts(b, s);
}

static void put_value_spec(struct buf *b, const struct value_spec *v)
{
	buf_puts(b, v->name);
	for (int i = 0; i < v->nargs; i++) {
		buf_putc(b, i ? ',' : '(');
		put_real(b, v->args[i]);
	}
	if (v->nargs)
		buf_putc(b, ')');
}

static void put_layout_spec(struct buf *b, const struct layout_spec *l)
{
	buf_puts(b, l->name);
	if (l->arg)
		buf_printf(b, "%lld", (long long)l->arg);
}

static void put_settings(struct buf *b, const struct kase *c)
{
	const struct op_schema *o = op_schema(c->op);
	const char *sep = " ";

	for (int i = 0; i < o->nparams; i++)
		if (c->b.param_set[i]) {
			buf_printf(b, "%s%s=", sep, o->params[i].name);
			put_real(b, c->b.params[i]);
			sep = ",";
		}
	for (int i = 0; i < o->noptions; i++)
		if (c->b.options[i]) {
			buf_printf(b, "%s%s=%s", sep, o->options[i].name,
			           o->options[i].values[c->b.options[i]]);
			sep = ",";
		}
	for (int t = 0; t < o->nin; t++)
		if (o->tensors[t].optional && !c->b.present[t]) {
			buf_printf(b, "%s%s=absent", sep, o->tensors[t].name);
			sep = ",";
		}
}

static bool same_values(const struct value_spec *a, const struct value_spec *b)
{
	return strcmp(a->name, b->name) == 0 && a->nargs == b->nargs &&
	       memcmp(a->args, b->args, sizeof a->args) == 0;
}

static void put_lists(struct buf *b, const struct kase *c)
{
	const struct op_schema *o = op_schema(c->op);
	const char *sep = " layout=";
	int first = -1, present = 0;
	bool same = true;

	for (int t = 0; t < o->ntensors; t++)
		if (strcmp(c->layout[t].name, "contiguous") != 0 && c->b.present[t]) {
			buf_printf(b, "%s%s:", sep, o->tensors[t].name);
			put_layout_spec(b, &c->layout[t]);
			sep = ",";
		}
	for (int t = 0; t < o->nin; t++) {
		if (!c->b.present[t])
			continue;
		same = first < 0 || (same && same_values(&c->values[t], &c->values[first]));
		first = first < 0 ? t : first;
		present++;
	}
	if (first < 0)
		return;
	if (same) {
		if (strcmp(c->values[first].name, "normal") != 0 || c->values[first].nargs) {
			buf_printf(b, " values=%s:", present > 1 ? "*" : o->tensors[first].name);
			put_value_spec(b, &c->values[first]);
		}
		return;
	}
	sep = " values=";
	for (int t = 0; t < o->nin; t++)
		if (c->b.present[t]) {
			buf_printf(b, "%s%s:", sep, o->tensors[t].name);
			put_value_spec(b, &c->values[t]);
			sep = ",";
		}
}

char *case_print(const struct kase *c)
{
	const struct op_schema *o = op_schema(c->op);
	struct buf b = {0};
	const char *sep = " ";

	buf_printf(&b, "%s/", o->name);
	for (int v = 0; v < o->ntypes; v++)
		buf_printf(&b, "%s%s", v ? "," : "", dtype_name(c->b.types[v]));
	for (int i = 0; i < o->ndims; i++)
		if (!o->dims[i].derived) {
			buf_printf(&b, "%s%s=%lld", sep, o->dims[i].name, (long long)c->b.dims[i]);
			sep = ",";
		}
	put_settings(&b, c);
	put_lists(&b, c);
	if (c->f32_outputs)
		buf_puts(&b, " outputs=f32");
	buf_printf(&b, " seed=0x%llx fill=%02x", (unsigned long long)c->seed, c->fill);
	return b.s;
}

const char *coherence_name(enum coherence c)
{
	static const char *const names[] = {"mixed", "wide", "same", "spike", "const"};

	return names[c];
}

enum coherence case_coherence(const struct kase *c)
{
	const struct op_schema *o = op_schema(c->op);
	enum coherence most = COHERENCE_MIXED, one;

	for (int t = 0; t < o->nin; t++) {
		if (!c->b.present[t] || !c->values[t].name[0])
			continue;
		one = strcmp(c->layout[t].name, "broadcast") == 0 && op_axis_reduced(c->op, t) ?
		              COHERENCE_CONST : values_coherence(&c->values[t]);
		most = one > most ? one : most;
	}
	return most;
}

enum dtype case_output_dtype(const struct kase *c, int k)
{
	const struct op_schema *o = op_schema(c->op);
	const struct op_tensor *t = &o->tensors[o->nin + k];

	return t->type < 0 ? t->fixed : c->f32_outputs && t->type == o->tensors[o->nin].type ? DT_F32 : c->b.types[t->type];
}

void case_types(const struct kase *c, char out[64])
{
	int at = 0;

	out[0] = 0;
	for (int i = 0; i < op_schema(c->op)->ntypes && at < 63; i++)
		at += snprintf(out + at, 64 - (size_t)at, "%s%s", i ? "," : "", dtype_name(c->b.types[i]));
}
