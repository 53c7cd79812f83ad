/* conform_form.c - a form of the instruction table taken apart, and its class. */
#include "calibrate/conform.h"

#include <stdio.h>
#include <string.h>

static const struct conform_type types[] = {
        {"u8", 16, 8, 'u', 1},     {"u16", 16, 16, 'u', 1},   {"u32", 32, 32, 'u', 1},
        {"u64", 64, 64, 'u', 1},   {"s8", 16, 8, 's', 1},     {"s16", 16, 16, 's', 1},
        {"s32", 32, 32, 's', 1},   {"s64", 64, 64, 's', 1},   {"b8", 16, 8, 'b', 1},
        {"b16", 16, 16, 'b', 1},   {"b32", 32, 32, 'b', 1},   {"b64", 64, 64, 'b', 1},
        {"f16", 16, 16, 'f', 1},   {"f32", 32, 32, 'f', 1},   {"f64", 64, 64, 'f', 1},
        {"bf16", 16, 16, 'g', 1},  {"f16x2", 32, 16, 'f', 2}, {"bf16x2", 32, 16, 'g', 2},
        {"u16x2", 32, 16, 'u', 2}, {"s16x2", 32, 16, 's', 2}, {"tf32", 32, 32, 't', 1},
        {"e4m3x2", 16, 8, '4', 2}, {"e5m2x2", 16, 8, '5', 2}, {"pred", 1, 1, 'p', 1},
};

const struct conform_type *conform_type(const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strlen(types[i].name) == n && strncmp(types[i].name, s, n) == 0)
			return &types[i];
	return NULL;
}

static const struct {
	enum conform_class cls;
	const char *ops;
} classes[] = {
        {CLASS_ALU, " abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt div dp2a "
                    "dp4a ex2 fma fns lg2 "
                    "lop3 mad mad24 madc max min mov mul mul24 neg not or popc prmt rcp rem rsqrt "
                    "sad selp set setp "
                    "shf shl shr sin slct sqrt sub subc szext tanh testp xor "},
        {CLASS_MEMORY, " atom ld ldu red st "},
        {CLASS_FLOW, " activemask bar barrier bra brx call cvta exit isspacep ret shfl vote "},
        {CLASS_QUIET, " fence membar nanosleep prefetch prefetchu "},
        {CLASS_END, " brkpt trap "},
};

enum conform_class conform_class_of(const char *text)
{
	char word[24];

	snprintf(word, sizeof word, " %.*s ", (int)strcspn(text, "."), text);
	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		if (strstr(classes[i].ops, word))
			return classes[i].cls;
	return CLASS_NONE;
}

uint64_t conform_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

void conform_form_read(struct conform_form *f, const struct ptx_form *form)
{
	size_t n = strcspn(form->text, ".");

	*f = (struct conform_form){
	        .operands = form->operands, .vec = 1, .seed = conform_hash(form->text)};
	snprintf(f->text, sizeof f->text, "%s", form->text);
	snprintf(f->op, sizeof f->op, "%.*s", (int)n, form->text);
	strcpy(f->mods, ".");
	for (const char *s = form->text + n; *s; s += n) {
		const struct conform_type *t;
		size_t at = strlen(f->mods);

		n = strcspn(++s, ".");
		t = conform_type(s, n);
		if (t && f->ntypes < 3)
			f->type[f->ntypes++] = t;
		else
			snprintf(f->mods + at, sizeof f->mods - at, "%.*s.", (int)n, s);
		if (n == 2 && s[0] == 'v')
			f->vec = s[1] - '0';
	}
	f->cls = conform_class_of(f->text);
}

bool conform_has(const struct conform_form *f, const char *mod)
{
	char dotted[32];

	snprintf(dotted, sizeof dotted, ".%s.", mod);
	return strstr(f->mods, dotted) != NULL;
}

bool conform_is(const struct conform_form *f, const char *op)
{
	return strcmp(f->op, op) == 0;
}

static const struct conform_type *wide_type(const struct conform_type *t)
{
	char name[4];

	snprintf(name, sizeof name, "%c%d", t->kind == 's' ? 's' : 'u', 2 * t->bits);
	return conform_type(name, 3);
}

static const struct conform_type *operand_type(const struct conform_form *f, const char *s,
                                               size_t len)
{
	if (strchr("pPQb", *s))
		return conform_type("pred", 4);
	if (len <= 2 || s[1] != ':')
		return f->type[0];
	if (s[2] >= '0' && s[2] <= '2')
		return f->type[s[2] - '0'] ? f->type[s[2] - '0'] : f->type[0];
	return s[2] == 'w' ? wide_type(f->type[0]) : conform_type(s + 2, len - 2);
}

int conform_operands(const struct conform_form *f, struct conform_operand out[CONFORM_OPERANDS])
{
	int n = 0;

	if (strcmp(f->operands, "M") == 0) { /* mov */
		out[0] = (struct conform_operand){'d', f->type[0]};
		out[1] = (struct conform_operand){'a', f->type[0]};
		return 2;
	}
	for (const char *s = f->operands; *s && *s != '?' && n < CONFORM_OPERANDS; s += *s == ',') {
		size_t len = strcspn(s, ",");

		out[n++] = (struct conform_operand){*s, operand_type(f, s, len)};
		s += len;
	}
	return n;
}
