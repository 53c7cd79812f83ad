/* form_alu.h - what each arithmetic form computes, written for the tests from the PTX ISA manual
 * on numbers (MPFR, 128-bit integers, loops over bits), not on our own lane functions.  Only the
 * special functions come from ptx/mufu.h: test_mufu.c holds those against an H200 for all
 * inputs. */
#ifndef TESTS_PTX_FORM_ALU_H
#define TESTS_PTX_FORM_ALU_H

#include "tests/ptx/form.h" /* first: isa.def has a NAN of its own */

#include "ptx/mufu.h"
#include "tests/ptx/num_ref.h"

typedef __int128 wide;

struct form_values {
	uint64_t in[FORM_IN]; /* sources in order; in[5]: the carry */
	uint64_t d, second;   /* results */
};

static wide alu_number(uint64_t v, int bits, bool s)
{
	v = bits == 64 ? v : v & ((1ull << bits) - 1);
	return s && (v >> (bits - 1)) ? (wide)v - ((wide)1 << bits) : (wide)v;
}
static uint64_t alu_low(wide v, int bits)
{
	return (uint64_t)v & (bits == 64 ? ~0ull : (1ull << bits) - 1);
}
static const struct ref_format *alu_format(const struct form_type *t)
{
	if (t->kind == 'g')
		return &REF_BF16;
	return t->width == 16 ? &REF_F16 : t->width == 32 ? &REF_F32 : &REF_F64;
}
static enum rnd alu_rounding(const struct form *f)
{
	static const char *const names[4][2] = {
	        {"rn", "rni"}, {"rz", "rzi"}, {"rm", "rmi"}, {"rp", "rpi"}};
	for (int k = 0; k < 4; k++)
		if (form_has(f, names[k][0]) || form_has(f, names[k][1]))
			return ref_rounds[k];
	return RND_NE;
}
static bool alu_is(const struct form *f, const char *op)
{
	return !strcmp(f->op, op);
}

/* ---- integers ------------------------------------------------------------------------------- */

static bool alu_integer(const struct form *f, struct form_values *v)
{
	const struct form_type *t = f->type[0];
	int n = t->width;
	bool s = t->kind == 's', hi = form_has(f, "hi"), sat = form_has(f, "sat");
	wide a = alu_number(v->in[0], n, s), b = alu_number(v->in[1], n, s),
	     c = alu_number(v->in[2], n, s);
	wide r, low = s ? -((wide)1 << (n - 1)) : 0, top = low + ((wide)1 << n) - 1;
	uint64_t cin = v->in[5], x = v->in[0], y = v->in[1];

	if (alu_is(f, "add") || alu_is(f, "addc")) {
		bool in = alu_is(f, "addc");
		r = a + b + (in ? (wide)cin : 0);
		wide u = alu_number(x, n, false) + alu_number(y, n, false) + (in ? (wide)cin : 0);
		v->second = form_has(f, "cc") ? u >> n != 0 : in ? cin : 0;
	} else if (alu_is(f, "sub") || alu_is(f, "subc")) {
		bool in = alu_is(f, "subc");
		r = a - b - (in ? (wide)cin : 0);
		wide u = alu_number(x, n, false) - alu_number(y, n, false) - (in ? (wide)cin : 0);
		v->second = form_has(f, "cc") ? u < 0 : in ? cin : 0;
	} else if (alu_is(f, "mul") || alu_is(f, "mad") || alu_is(f, "madc")) {
		unsigned __int128 p = s ? (unsigned __int128)(a * b)
		                        : (unsigned __int128)a * (unsigned __int128)b;
		if (form_has(f, "wide")) {
			uint64_t add = alu_is(f, "mad") ? v->in[2] : 0;
			v->d = alu_low((wide)(p + add), 2 * n);
			return true;
		}
		uint64_t half = alu_low((wide)(hi ? p >> n : p), n);
		bool in = alu_is(f, "madc"), cc = form_has(f, "cc");
		wide u = alu_number(half, n, false) + alu_number(v->in[2], n, false) +
		         (in ? (wide)cin : 0);
		v->second = cc ? u >> n != 0 : in ? cin : 0;
		r = alu_is(f, "mul") ? alu_number(half, n, s)
		                     : alu_number(half, n, s) + c + (in ? (wide)cin : 0);
	} else if (alu_is(f, "mul24") || alu_is(f, "mad24")) {
		wide p = alu_number(x, 24, s) * alu_number(y, 24, s);
		r = alu_number(alu_low(hi ? p >> 16 : p, 32), 32, s) + (alu_is(f, "mad24") ? c : 0);
	} else if (alu_is(f, "sad")) {
		r = c + (a < b ? b - a : a - b);
	} else if (alu_is(f, "div") || alu_is(f, "rem")) {
		r = b == 0 ? -1 : alu_is(f, "div") ? a / b : a % b;
	} else if (alu_is(f, "abs")) {
		r = a < 0 ? -a : a;
	} else if (alu_is(f, "neg")) {
		r = -a;
	} else if (alu_is(f, "min") || alu_is(f, "max")) {
		r = (a < b) ^ alu_is(f, "max") ? a : b;
		r = form_has(f, "relu") && r < 0 ? 0 : r;
	} else {
		return false;
	}
	if (sat)
		r = r < low ? low : r > top ? top : r;
	v->d = alu_low(r, n);
	return true;
}
static bool alu_dot(const struct form *f, struct form_values *v)
{
	bool four = alu_is(f, "dp4a"), s = f->type[0]->kind == 's', t = f->type[1]->kind == 's';
	wide r = (wide)v->in[2];
	for (int k = 0; k < (four ? 4 : 2); k++)
		r += four ? alu_number(v->in[0] >> 8 * k, 8, s) *
		                     alu_number(v->in[1] >> 8 * k, 8, t)
		          : alu_number(v->in[0] >> 16 * k, 16, s) *
		                     alu_number(v->in[1] >> (8 * k + (form_has(f, "hi") ? 16 : 0)),
		                                8, t);
	v->d = alu_low(r, 32);
	return true;
}

/* Bit by bit, as the manual's pseudo-code. */
static bool alu_bits(const struct form *f, struct form_values *v)
{
	const struct form_type *t = f->type[0];
	unsigned n = (unsigned)t->width;
	uint64_t a = v->in[0], b = v->in[1], c = v->in[2], d = 0;
	bool s = t->kind == 's', wrap = form_has(f, "wrap");
#define EACH_BIT(k) for (unsigned k = 0; k < n; k++)
	if (alu_is(f, "popc")) {
		EACH_BIT(k) d += a >> k & 1;
	} else if (alu_is(f, "clz")) {
		while (d < n && !(a >> (n - 1 - d) & 1))
			d++;
	} else if (alu_is(f, "bfind")) {
		uint64_t neg = s && (a >> (n - 1) & 1);
		d = 0xffffffff;
		EACH_BIT(k) d = (a >> k & 1) != neg ? k : d;
		d = form_has(f, "shiftamt") && d != 0xffffffff ? n - 1 - d : d;
	} else if (alu_is(f, "brev")) {
		EACH_BIT(k) d |= (a >> k & 1) << (n - 1 - k);
	} else if (alu_is(f, "bfe")) {
		uint64_t top = b + c - 1 < n - 1 ? b + c - 1 : n - 1,
		         fill = s && c ? a >> top & 1 : 0;
		EACH_BIT(k) d |= (k < c && b + k < n ? a >> (b + k) & 1 : fill) << k;
	} else if (alu_is(f, "bfi")) {
		uint64_t pos = c, len = v->in[3];
		EACH_BIT(k) d |= (k >= pos && k - pos < len ? a >> (k - pos) & 1 : b >> k & 1) << k;
	} else if (alu_is(f, "szext")) {
		uint64_t len = wrap ? b & 31 : b;
		EACH_BIT(k)
		d |= (len == 0  ? 0
		      : k < len ? a >> k & 1
		      : s       ? a >> (len - 1) & 1
		                : 0)
		     << k;
	} else if (alu_is(f, "bmsk")) {
		uint64_t pos = wrap ? a & 31 : a, len = wrap ? b & 31 : b;
		EACH_BIT(k) d |= (uint64_t)(k >= pos && k - pos < len) << k;
	} else if (alu_is(f, "fns")) {
		int32_t step = (int32_t)c < 0 ? -1 : 1, left = abs((int32_t)c);
		d = c == 0 && (a >> b & 1) ? b : 0xffffffff;
		for (int k = (int)b; c != 0 && k >= 0 && k < 32; k += step)
			if ((a >> k & 1) && --left == 0)
				d = (uint64_t)k;
	} else if (alu_is(f, "shl")) {
		EACH_BIT(k) d |= (k >= b ? a >> (k - b) & 1 : 0) << k;
	} else if (alu_is(f, "shr")) {
		EACH_BIT(k)
		d |= (b < n && k + b < n ? a >> (k + b) & 1
		      : s                ? a >> (n - 1) & 1
		                         : 0)
		     << k;
	} else if (alu_is(f, "shf")) {
		unsigned m = wrap ? c & 31 : c < 32 ? (unsigned)c : 32;
		wide both = (wide)(b << 32 | a);
		d = alu_low(form_has(f, "l") ? both << m >> 32 : both >> m, 32);
	} else if (alu_is(f, "lop3")) {
		EACH_BIT(k)
		d |= (uint64_t)(f->lut >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) &
		                1)
		     << k;
		if (form_has(f, "or") || form_has(f, "and"))
			v->second = form_has(f, "or") ? d != 0 || v->in[3] : d != 0 && v->in[3];
		v->second = f->plain ? 0 : v->second;
	} else if (alu_is(f, "prmt")) {
		static const struct {
			const char *mode, *sel[4];
		} modes[] = {
		        {"f4e", {"3210", "4321", "5432", "6543"}},
		        {"b4e", {"5670", "6701", "7012", "0123"}},
		        {"rc8", {"0000", "1111", "2222", "3333"}},
		        {"ecl", {"3210", "3211", "3222", "3333"}},
		        {"ecr", {"0000", "1110", "2210", "3210"}},
		        {"rc16", {"1010", "3232", "1010", "3232"}},
		};
		for (unsigned k = 0; k < 4; k++) {
			uint64_t nibble = c >> 4 * k & 15;
			for (size_t m = 0; m < ARRAY_LEN(modes); m++)
				if (form_has(f, modes[m].mode))
					nibble = (uint64_t)(modes[m].sel[c & 3][3 - k] - '0');
			uint64_t byte = ((nibble & 4 ? b : a) >> 8 * (nibble & 3)) & 255;
			d |= (nibble & 8 ? (byte >> 7) * 255 : byte) << 8 * k;
		}
	} else if (alu_is(f, "and")) {
		d = a & b;
	} else if (alu_is(f, "or")) {
		d = a | b;
	} else if (alu_is(f, "xor")) {
		d = a ^ b;
	} else if (alu_is(f, "not")) {
		d = t->kind == 'p' ? !a : ~a & alu_low(-1, (int)n);
	} else if (alu_is(f, "cnot")) {
		d = a == 0;
	} else if (alu_is(f, "mov")) {
		d = a;
	} else {
		return false;
	}
	v->d = d;
	return true;
}

/* ---- floats --------------------------------------------------------------------------------- */

static uint64_t alu_f64_nan(const struct form *f, const struct form_values *v, int n, uint64_t made)
{
	static const int order[2][3] = {{1, 2, 0}, {0, 1, 2}}; /* H200: b, c, a; div: a, b */
	for (int k = 0; k < 3; k++) {
		int i = order[alu_is(f, "div")][k];
		if (i < n && ref_isnan(v->in[i], &REF_F64))
			return v->in[i] | 1ull << 51;
	}
	return made;
}
static uint64_t alu_minmax(const struct form *f, uint64_t a, uint64_t b, const struct ref_format *r)
{
	uint64_t sign = (a ^ b) & ref_sign(r), d;
	bool xorsign = form_has(f, "xorsign"), max = alu_is(f, "max");
	if (form_has(f, "ftz"))
		a = ref_flush(a, r), b = ref_flush(b, r);
	if (xorsign)
		a &= ~ref_sign(r), b &= ~ref_sign(r);
	bool an = ref_isnan(a, r), bn = ref_isnan(b, r);
	mpfr_t x, y;
	if ((an && bn) || (form_has(f, "NaN") && (an || bn)))
		return r->width == 64 ? b | 1ull << 51 : r->nan;
	mpfr_inits2(64, x, y, (mpfr_ptr)0);
	ref_set(x, a, r), ref_set(y, b, r);
	if (an || bn)
		d = an ? b : a;
	else if (mpfr_zero_p(x) && mpfr_zero_p(y))
		d = max ? a & b : a | b;
	else
		d = mpfr_less_p(x, y) ^ max ? a : b;
	mpfr_clears(x, y, (mpfr_ptr)0);
	return xorsign ? d | sign : d;
}
static bool alu_approx(const struct form *f, const struct form_type *t, const uint64_t *in,
                       uint64_t *d)
{
	uint32_t a = (uint32_t)in[0], b = (uint32_t)in[1];
	bool ftz = form_has(f, "ftz");
	if (t->width == 64)
		*d = alu_is(f, "rcp") ? f64_rcp_approx(in[0])
		     : ftz            ? f64_rsqrt_approx(in[0])
		                      : f64_rsqrt_refined(in[0]);
	else if (t->width == 16)
		*d = alu_is(f, "tanh") ? (t->kind == 'g' ? bf16_tanh_approx(a) : f16_tanh_approx(a))
		     : t->kind == 'g'  ? bf16_ex2_approx(a)
		                       : f16_ex2_approx(a);
	else
		*d = alu_is(f, "ex2")     ? f32_ex2_approx(a, ftz)
		     : alu_is(f, "lg2")   ? f32_lg2_approx(a, ftz)
		     : alu_is(f, "rcp")   ? f32_rcp_approx(a, ftz)
		     : alu_is(f, "rsqrt") ? f32_rsqrt_approx(a, ftz)
		     : alu_is(f, "sqrt")  ? f32_sqrt_approx(a, ftz)
		     : alu_is(f, "sin")   ? f32_sin_approx(a)
		     : alu_is(f, "cos")   ? f32_cos_approx(a)
		     : alu_is(f, "tanh")  ? f32_tanh_approx(a)
		                          : f32_div_approx(a, b, ftz, form_has(f, "full"));
	return true;
}
/* One number of format t. */
static bool alu_float_one(const struct form *f, const struct form_type *t, struct form_values *v)
{
	static const struct {
		const char *op;
		enum ref_op ref;
	} ops[] = {
	        {"add", REF_ADD}, {"sub", REF_SUB}, {"mul", REF_MUL}, {"fma", REF_FMA},
	        {"mad", REF_FMA}, {"div", REF_DIV}, {"rcp", REF_RCP}, {"sqrt", REF_SQRT},
	};
	const struct ref_format *r = alu_format(t);
	uint64_t a = v->in[0], sign = ref_sign(r);
	bool ftz = form_has(f, "ftz"), an = ref_isnan(a, r);

	if (form_has(f, "approx") || form_has(f, "full"))
		return alu_approx(f, t, v->in, &v->d);
	for (size_t k = 0; k < ARRAY_LEN(ops); k++)
		if (alu_is(f, ops[k].op)) {
			uint64_t d = ref_apply(ops[k].ref, v->in, alu_rounding(f), ftz, r);
			if (t->width == 64)
				d = alu_f64_nan(f, v, ref_op_operands(ops[k].ref), d);
			if (form_has(f, "sat"))
				d = ref_saturate(d, r);
			v->d = form_has(f, "relu") && (d & sign) ? 0 : d;
			return true;
		}
	if (alu_is(f, "min") || alu_is(f, "max"))
		v->d = alu_minmax(f, a, v->in[1], r);
	else if (alu_is(f, "neg") || alu_is(f, "abs")) {
		uint64_t x = ftz ? ref_flush(a, r) : a;
		v->d = an                 ? (t->width == 64 ? a | 1ull << 51 : r->nan)
		       : alu_is(f, "neg") ? x ^ sign
		                          : x & ~sign;
	} else if (alu_is(f, "copysign"))
		v->d = (a & sign) | (v->in[1] & ~sign);
	else if (alu_is(f, "testp")) {
		uint64_t mag = a & ~sign, inf = ref_inf(r), tiny = 1ull << r->mbits;
		v->d = form_has(f, "finite")       ? mag < inf
		       : form_has(f, "infinite")   ? mag == inf
		       : form_has(f, "number")     ? mag <= inf
		       : form_has(f, "notanumber") ? mag > inf
		       : form_has(f, "normal")     ? mag == 0 || (mag >= tiny && mag < inf)
		                                   : mag != 0 && mag < tiny;
	} else
		return false;
	return true;
}
/* Pairs, half by half. */
static bool alu_pairs(const struct form *f, struct form_values *v,
                      bool (*one)(const struct form *, const struct form_type *,
                                  struct form_values *))
{
	const struct form_type *t = f->type[0];
	uint64_t d = 0;
	if (t->count == 1)
		return one(f, t, v);
	for (int k = 0; k < 2; k++) {
		struct form_values h = {{0}, 0, 0};
		for (int i = 0; i < 3; i++)
			h.in[i] = v->in[i] >> 16 * k & 0xffff;
		if (!one(f, t, &h))
			return false;
		d |= (h.d & 0xffff) << 16 * k;
	}
	v->d = d;
	return true;
}
static bool alu_integer_one(const struct form *f, const struct form_type *t, struct form_values *v)
{
	(void)t;
	return alu_integer(f, v);
}

/* ---- comparison and selection --------------------------------------------------------------- */

/* The relation of a and b as '<', '=', '>' or 'u'. */
static char alu_relation(const struct form *f, const struct form_type *t, uint64_t a, uint64_t b)
{
	char c;
	if (strchr("usb", t->kind)) {
		bool s = t->kind == 's' && !form_has(f, "lo") && !form_has(f, "ls") &&
		         !form_has(f, "hi");
		wide x = alu_number(a, t->width, s), y = alu_number(b, t->width, s);
		return x < y ? '<' : x > y ? '>' : '=';
	}
	const struct ref_format *r = alu_format(t);
	mpfr_t x, y;
	mpfr_inits2(64, x, y, (mpfr_ptr)0);
	ref_set(x, form_has(f, "ftz") ? ref_flush(a, r) : a, r);
	ref_set(y, form_has(f, "ftz") ? ref_flush(b, r) : b, r);
	c = mpfr_unordered_p(x, y) ? 'u'
	    : mpfr_less_p(x, y)    ? '<'
	    : mpfr_greater_p(x, y) ? '>'
	                           : '=';
	mpfr_clears(x, y, (mpfr_ptr)0);
	return c;
}
static bool alu_holds(const struct form *f, const struct form_type *t, uint64_t a, uint64_t b)
{
	static const char *const table[][2] = {
	        {"eq", "="},    {"ne", "<>"},   {"lt", "<"},   {"le", "<="},   {"gt", ">"},
	        {"ge", ">="},   {"lo", "<"},    {"ls", "<="},  {"hi", ">"},    {"hs", ">="},
	        {"equ", "=u"},  {"neu", "<>u"}, {"ltu", "<u"}, {"leu", "<=u"}, {"gtu", ">u"},
	        {"geu", ">=u"}, {"num", "<=>"}, {"nan", "u"},
	};
	for (size_t k = 0; k < ARRAY_LEN(table); k++)
		if (form_has(f, table[k][0]))
			return strchr(table[k][1], alu_relation(f, t, a, b)) != NULL;
	fail_msg("%s has no comparison", f->text);
	return false;
}
static bool alu_combine(const struct form *f, bool x, bool p)
{
	return form_has(f, "and")   ? x && p
	       : form_has(f, "or")  ? x || p
	       : form_has(f, "xor") ? x != p
	                            : x;
}
static bool alu_compare(const struct form *f, struct form_values *v)
{
	const struct form_type *t = f->type[alu_is(f, "set") ? 1 : 0], *d = f->type[0];
	bool hold[2], p = v->in[2] != 0;
	for (int k = 0; k < t->count; k++) {
		uint64_t mask = t->count == 2 ? 0xffff : ~0ull;
		hold[k] = alu_holds(f, t, v->in[0] >> 16 * k & mask, v->in[1] >> 16 * k & mask);
	}
	if (alu_is(f, "setp")) {
		v->d = alu_combine(f, hold[0], p);
		if (t->count == 2)
			v->second = alu_combine(f, hold[1], p);
		else
			v->second = f->plain ? 0 : alu_combine(f, !hold[0], p);
		return true;
	}
	uint64_t one = d->kind == 'g'   ? 0x3f80
	               : d->kind != 'f' ? 0xffffffff
	               : d->width == 16 ? 0x3c00
	                                : 0x3f800000;
	if (t->count == 2)
		v->d = (alu_combine(f, hold[0], p) ? one & 0xffff : 0) |
		       (alu_combine(f, hold[1], p) ? (one & 0xffff) << 16 : 0);
	else
		v->d = alu_combine(f, hold[0], p) ? alu_low((wide)one, d->bits) : 0;
	return true;
}
static bool alu_select(const struct form *f, struct form_values *v)
{
	if (alu_is(f, "selp"))
		v->d = v->in[2] ? v->in[0] : v->in[1];
	else if (f->type[1]->kind == 's')
		v->d = alu_number(v->in[2], 32, true) >= 0 ? v->in[0] : v->in[1];
	else /* a NaN selects b, -0 selects a */
		v->d = strchr("=>", alu_relation(f, f->type[1], v->in[2], 0)) ? v->in[0] : v->in[1];
	return true;
}

static bool alu_convert(const struct form *f, struct form_values *v);

/* Computes v->d and v->second; false: no reference for this form. */
static bool alu_reference(const struct form *f, struct form_values *v)
{
	static const char bits[] =
	        " popc clz bfind brev bfe bfi szext bmsk fns shl shr shf lop3 prmt and or"
	        " xor not cnot mov ";
	char op[20];
	snprintf(op, sizeof op, " %s ", f->op);
	v->d = v->second = 0;
	if (alu_is(f, "cvt"))
		return alu_convert(f, v);
	if (alu_is(f, "set") || alu_is(f, "setp"))
		return alu_compare(f, v);
	if (alu_is(f, "selp") || alu_is(f, "slct"))
		return alu_select(f, v);
	if (strstr(bits, op))
		return alu_bits(f, v);
	if (alu_is(f, "dp4a") || alu_is(f, "dp2a"))
		return alu_dot(f, v);
	if (f->type[0] && strchr("us", f->type[0]->kind))
		return alu_pairs(f, v, alu_integer_one);
	if (f->type[0] && strchr("fg", f->type[0]->kind))
		return alu_pairs(f, v, alu_float_one);
	return false;
}

/* ---- cvt ------------------------------------------------------------------------------------ */

static mpfr_t alu_x; /* enough for any number */

static uint64_t alu_nan_as(uint64_t u, const struct ref_format *from, const struct ref_format *to)
{
	uint64_t m = u & ((1ull << from->mbits) - 1);
	m = from->mbits > to->mbits ? m >> (from->mbits - to->mbits)
	                            : m << (to->mbits - from->mbits);
	return (u & ref_sign(from) ? ref_sign(to) : 0) | ref_inf(to) | 1ull << (to->mbits - 1) | m;
}
static uint64_t alu_to_integer(const struct form *f, uint64_t u, const struct ref_format *r)
{
	const struct form_type *d = f->type[0];
	int n = d->width;
	bool s = d->kind == 's';
	wide low = s ? -((wide)1 << (n - 1)) : 0, top = low + ((wide)1 << n) - 1, x;

	if (ref_isnan(u, r))
		return n == 64 || r->width == 64 ? 1ull << (n - 1) : 0;
	ref_set(alu_x, form_has(f, "ftz") ? ref_flush(u, r) : u, r);
	mpfr_rint(alu_x, alu_x, ref_rnd(alu_rounding(f)));
	if (mpfr_cmpabs_ui(alu_x, 0) != 0 && mpfr_get_exp(alu_x) > 66)
		x = mpfr_signbit(alu_x) ? low : top;
	else {
		wide mag = 0;
		mpfr_t y;
		mpfr_init2(y, 128);
		mpfr_abs(y, alu_x, MPFR_RNDN);
		mpfr_div_2ui(y, y, 32, MPFR_RNDN);
		uint64_t high = mpfr_get_uj(y, MPFR_RNDZ);
		mpfr_sub_ui(y, y, 0, MPFR_RNDN);
		mag = (wide)high << 32;
		mpfr_frac(y, y, MPFR_RNDN);
		mpfr_mul_2ui(y, y, 32, MPFR_RNDN);
		mag += (wide)mpfr_get_uj(y, MPFR_RNDZ);
		mpfr_clear(y);
		x = mpfr_signbit(alu_x) ? -mag : mag;
	}
	return (uint64_t)(x < low ? low : x > top ? top : x);
}
/* alu_x rounded to format r. */
static uint64_t alu_round(const struct form *f, bool ftz, const struct ref_format *r)
{
	mpfr_t y;
	mpfr_init2(y, r->p);
	uint64_t d = ref_finish(y, mpfr_set(y, alu_x, ref_rnd(alu_rounding(f))), alu_rounding(f),
	                        ftz, r);
	mpfr_clear(y);
	return d;
}
/* Numbers to f16, bf16, f32 or f64; u is the source's encoding when it is a float. */
static uint64_t alu_to_float(const struct form *f, uint64_t u, const struct form_type *src)
{
	const struct form_type *d = f->type[0];
	const struct ref_format *to = alu_format(d);
	uint64_t r;

	if (strchr("us", src->kind)) {
		wide x = alu_number(u, src->width, src->kind == 's');
		if (src->kind == 's')
			mpfr_set_sj(alu_x, (intmax_t)x, MPFR_RNDN);
		else
			mpfr_set_uj(alu_x, (uintmax_t)x, MPFR_RNDN);
		r = alu_round(f, false, to);
	} else {
		const struct ref_format *from = alu_format(src);
		/* .ftz acts on f32 operands and results, but not in cvt.f16.f32 (H200) */
		bool ftz = form_has(f, "ftz") && to->width >= 32,
		     move = from == to && !form_has(f, "sat");
		bool integral = form_has(f, "rni") || form_has(f, "rzi") || form_has(f, "rmi") ||
		                form_has(f, "rpi");
		if (ftz && from->width == 32)
			u = ref_flush(u, from);
		ref_set(alu_x, u, from);
		if (integral)
			mpfr_rint(alu_x, alu_x, ref_rnd(alu_rounding(f)));
		r = alu_round(f, ftz, to);
		if (ref_isnan(u, from)) {
			if (from->width == 64 || to->width == 64)
				r = ftz && to->width == 64 ? 0x7fffffffe0000000
				                           : alu_nan_as(u, from, to);
			else if (from == &REF_BF16 && to == &REF_F32 && !ftz && !form_has(f, "sat"))
				r = u << 16;
		}
		if (move && !ftz && !integral && (to->width >= 32))
			r = u;
		if (form_has(f, "satfinite") && !ref_isnan(u, from) &&
		    (r & ~ref_sign(to)) == ref_inf(to))
			r--;
	}
	if (form_has(f, "sat"))
		r = ref_saturate(r, to);
	return form_has(f, "relu") && (r & ref_sign(to)) ? 0 : r;
}
/* The 8-bit formats by search among all their numbers (OCP, 2023). */
static double alu_fp8(uint32_t b, char kind)
{
	int mb = kind == '4' ? 3 : 2, bias = kind == '4' ? 7 : 15, e = (int)(b & 0x7f) >> mb;
	int m = (int)b & ((1 << mb) - 1);
	return e ? ldexp((1 << mb) + m, e - bias - mb) : ldexp(m, 1 - bias - mb);
}
static uint64_t alu_to_fp8(const struct form *f, uint64_t u, const struct ref_format *from,
                           char kind)
{
	uint32_t best = 0, top = kind == '4' ? 0x7e : 0x7b, sign = u & ref_sign(from) ? 0x80 : 0;
	if (ref_isnan(u, from))
		return 0x7f;
	if (sign && form_has(f, "relu"))
		return 0;
	ref_set(alu_x, u & ~ref_sign(from), from);
	double x = mpfr_get_d(alu_x, MPFR_RNDN);
	if (x >= alu_fp8(top, kind))
		return sign | top;
	for (uint32_t b = 1; b <= top; b++) {
		double old = fabs(x - alu_fp8(best, kind)), new = fabs(x - alu_fp8(b, kind));
		if (new < old || (new == old && !(b & 1)))
			best = b;
	}
	return sign | best;
}
static uint64_t alu_from_fp8(const struct form *f, uint32_t b, char kind)
{
	uint64_t sign = (b & 0x80) << 8, mag = b & 0x7f, r;
	if (kind == '4' ? mag == 0x7f : mag > 0x7c)
		return 0x7fff;
	if (kind == '5' && mag == 0x7c)
		r = sign | 0x7c00;
	else {
		mpfr_set_d(alu_x, alu_fp8(b, kind), MPFR_RNDN);
		r = sign | alu_round(f, false, &REF_F16);
	}
	return form_has(f, "relu") && sign ? 0 : r;
}
static uint64_t alu_tf32(const struct form *f, uint64_t u)
{
	uint64_t r;
	if (form_has(f, "rna")) {
		r = (u & 0x7fffffff) < 0x7f800000 ? u + 0x1000 : u;
		r &= 0xffffe000;
	} else {
		ref_set(alu_x, u, &REF_F32);
		r = ref_isnan(u, &REF_F32) ? 0x7fffe000 : alu_round(f, false, &REF_TF32) << 13;
	}
	if (form_has(f, "satfinite") && (r & 0x7fffffff) >= 0x7f800000)
		r -= 0x2000; /* NaN too, as an H200 showed */
	return form_has(f, "relu") && r >> 31 ? 0 : r;
}
static bool alu_convert(const struct form *f, struct form_values *v)
{
	const struct form_type *d = f->type[0], *s = f->type[1];
	uint64_t a = v->in[0], b = v->in[1];
	if (strchr("us", d->kind) && strchr("us", s->kind)) {
		wide x = alu_number(a, s->width, s->kind == 's'), low, top;
		low = d->kind == 's' ? -((wide)1 << (d->width - 1)) : 0;
		top = low + ((wide)1 << d->width) - 1;
		if (form_has(f, "sat"))
			x = x < low ? low : x > top ? top : x;
		v->d = alu_low(alu_number((uint64_t)x, d->width, d->kind == 's'), d->bits);
	} else if (strchr("us", d->kind)) {
		uint64_t x = alu_to_integer(f, a, alu_format(s));
		v->d = alu_low(alu_number(x, d->width, d->kind == 's'), d->bits);
	} else if (strchr("45", d->kind)) {
		if (s->count == 2)
			v->d = alu_to_fp8(f, a >> 16, &REF_F16, d->kind) << 8 |
			       alu_to_fp8(f, a & 0xffff, &REF_F16, d->kind);
		else
			v->d = alu_to_fp8(f, a, &REF_F32, d->kind) << 8 |
			       alu_to_fp8(f, b, &REF_F32, d->kind);
	} else if (strchr("45", s->kind)) {
		v->d = alu_from_fp8(f, (uint32_t)a >> 8 & 255, s->kind) << 16 |
		       alu_from_fp8(f, (uint32_t)a & 255, s->kind);
	} else if (d->kind == 't') {
		v->d = alu_tf32(f, a);
	} else if (d->count == 2) {
		v->d = alu_to_float(f, a, s) << 16 | alu_to_float(f, b, s);
	} else {
		v->d = alu_to_float(f, a, s);
	}
	return true;
}

/* ---- operands ------------------------------------------------------------------------------- */

static uint64_t alu_integer_operand(void)
{
	static const uint64_t special[] = {
	        0,
	        1,
	        2,
	        31,
	        32,
	        63,
	        64,
	        0x7f,
	        0x80,
	        0xff,
	        0x7fff,
	        0x8000,
	        0xffff,
	        0x7fffffff,
	        0x80000000,
	        0xffffffff,
	        0x7fffffffffffffff,
	        0x8000000000000000,
	        ~0ull,
	        ~1ull,
	};
	uint64_t r = ref_random(), u = ref_random();
	switch (r % 4) {
	case 0:
		return special[(r >> 8) % ARRAY_LEN(special)];
	case 1:
		return u >> (r >> 8) % 64;
	case 2:
		return (uint64_t)((int64_t)u >> (r >> 8) % 64);
	default:
		return u;
	}
}
static uint64_t alu_operand(const struct form_type *t, int pos, const uint64_t prev[3], bool first)
{
	if (strchr("fg", t->kind))
		return first ? ref_special((unsigned)ref_random(), alu_format(t))
		             : ref_operand(pos, prev, alu_format(t));
	return alu_low((wide)alu_integer_operand(), t->width);
}
/* Sources of one thread. Positions and lengths stay in the ranges that the manual defines. */
static void alu_source(const struct form *f, struct form_values *v, unsigned thread)
{
	struct form_operand o[8];
	int n = form_operands(f, o), at = 0;
	for (int i = 1; i < n; i++) {
		const struct form_type *t = o[i].type;
		uint64_t x = 0;
		if (o[i].code == 'i')
			continue;
		for (int k = 0; k < t->count; k++) {
			uint64_t prev[3] = {0, 0, 0};
			for (int j = 0; j < at && j < 3; j++)
				prev[j] = t->count == 2 ? v->in[j] >> t->width * k & 0xffff
				                        : v->in[j];
			x |= alu_operand(t, at < 3 ? at : 2, prev, thread < 24) << t->width * k;
		}
		if (t->kind == 'p')
			x &= 1;
		bool amount = !strcmp(t->name, "u32") && at > 0 && f->type[0] &&
		              strcmp(f->type[0]->name, "u32") && strncmp(f->op, "dp", 2);
		if ((amount || alu_is(f, "szext") || alu_is(f, "bmsk")) && thread % 3)
			x %= 70;
		if ((alu_is(f, "bfe") && at >= 1) || (alu_is(f, "bfi") && at >= 2))
			x %= thread % 3 ? 70 : 256;
		if (alu_is(f, "fns") && at == 1)
			x &= 31;
		if (alu_is(f, "fns") && at == 2)
			x = alu_low((wide)(x % 70) - 35, 32);
		v->in[at++] = x;
	}
	v->in[5] = thread & 1;
}

/* Sources of n threads; they depend on nothing but the form's text and n. */
static void alu_sources(const struct form *f, struct form_values *v, unsigned n)
{
	memset(v, 0, n * sizeof *v);
	ref_seed = form_hash(f->text);
	for (unsigned t = 0; t < n; t++)
		alu_source(f, &v[t], t);
}

#endif
