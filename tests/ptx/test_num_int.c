/* test_num_int.c - integer instructions of a lane against arithmetic in 128 bits and against the
 * bit by bit definitions of the PTX ISA manual. */
#include "ptx/num.h"
#include "tests/ptx/num_ref.h"

enum { CASES = 100000 };
typedef __int128 wide;

static uint64_t operand(unsigned i)
{
	static const uint64_t special[] = {
	        0,
	        1,
	        2,
	        3,
	        31,
	        32,
	        33,
	        63,
	        64,
	        65,
	        0x7f,
	        0x80,
	        0xff,
	        0x7fff,
	        0x8000,
	        0xffff,
	        0x7fffffff,
	        0x80000000,
	        0xffffffff,
	        0x100000000,
	        0x7fffffffffffffff,
	        0x8000000000000000,
	        ~0ull,
	        ~1ull,
	};
	uint64_t r = ref_random(), u = ref_random();
	switch ((r + i) % 5) {
	case 0:
		return special[(r >> 8) % ARRAY_LEN(special)];
	case 1:
		return u >> (r >> 8) % 64;
	case 2:
		return (uint64_t)((int64_t)u >> (r >> 8) % 64);
	case 3:
		return (r >> 8) % 70;
	default:
		return u;
	}
}
/* The number that `bits` bits mean. */
static wide number(uint64_t v, int bits, bool s)
{
	v = bits == 64 ? v : v & ((1ull << bits) - 1);
	wide x = (wide)v;
	return s && (v >> (bits - 1)) ? x - ((wide)1 << bits) : x;
}
static uint64_t low(wide v, int bits)
{
	return (uint64_t)v & (bits == 64 ? ~0ull : (1ull << bits) - 1);
}

static void products(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t a = operand(i), b = operand(i), c = operand(i);
		uint32_t p = (uint32_t)a, q = (uint32_t)b, r = (uint32_t)c, h = p & 0xffff,
		         k = q & 0xffff;
#define N(v, bits, s) number(v, bits, s)
		REF_CHECK(int_mul_hi_u32(p, q), low(N(p, 32, 0) * N(q, 32, 0) >> 32, 32), "hi.u32");
		REF_CHECK(int_mul_hi_s32(p, q), low(N(p, 32, 1) * N(q, 32, 1) >> 32, 32), "hi.s32");
		REF_CHECK(int_mul_hi_u16(h, k), low(N(h, 16, 0) * N(k, 16, 0) >> 16, 16), "hi.u16");
		REF_CHECK(int_mul_hi_s16(h, k), low(N(h, 16, 1) * N(k, 16, 1) >> 16, 16), "hi.s16");
		REF_CHECK(int_mul_wide_u16(h, k), low(N(h, 16, 0) * N(k, 16, 0), 32), "wide.u16");
		REF_CHECK(int_mul_wide_s16(h, k), low(N(h, 16, 1) * N(k, 16, 1), 32), "wide.s16");
		REF_CHECK(int_mul_wide_u32(p, q), low(N(p, 32, 0) * N(q, 32, 0), 64), "wide.u32");
		REF_CHECK(int_mul_wide_s32(p, q), low(N(p, 32, 1) * N(q, 32, 1), 64), "wide.s32");
		/* 64 by 64 bits: from four products of 32 */
		uint64_t al = p, ah = a >> 32, bl = q, bh = b >> 32,
		         mid = ah * bl + (al * bl >> 32);
		uint64_t hi = ah * bh + (mid >> 32) + (((mid & 0xffffffff) + al * bh) >> 32);
		REF_CHECK(int_mul_hi_u64(a, b), hi, "hi.u64");
		hi -= (a >> 63 ? b : 0) + (b >> 63 ? a : 0);
		REF_CHECK(int_mul_hi_s64(a, b), hi, "hi.s64");
		for (int s = 0; s < 2; s++) {
			wide m = N(p, 24, s) * N(q, 24, s);
			REF_CHECK(int_mul24(p, q, s, false), low(m, 32), "mul24.lo %d", s);
			REF_CHECK(int_mul24(p, q, s, true), low(m >> 16, 32), "mul24.hi %d", s);
			for (int bits = 16; bits <= 64; bits *= 2) {
				wide d = N(a, bits, s) - N(b, bits, s);
				REF_CHECK(int_sad(a, b, c, bits, s),
				          low((d < 0 ? -d : d) + (wide)c, bits), "sad %d %d", bits,
				          s);
			}
			for (int t = 0; t < 2; t++) {
				wide four = r, lo = r, up = r;
				for (int j = 0; j < 4; j++)
					four += N(p >> 8 * j, 8, s) * N(q >> 8 * j, 8, t);
				for (int j = 0; j < 2; j++) {
					lo += N(p >> 16 * j, 16, s) * N(q >> 8 * j, 8, t);
					up += N(p >> 16 * j, 16, s) * N(q >> (8 * j + 16), 8, t);
				}
				REF_CHECK(int_dp4a(p, q, r, s, t), low(four, 32), "dp4a %d %d", s,
				          t);
				REF_CHECK(int_dp2a(p, q, r, s, t, false), low(lo, 32), "dp2a.lo");
				REF_CHECK(int_dp2a(p, q, r, s, t, true), low(up, 32), "dp2a.hi");
			}
		}
		REF_CHECK(int_sad_u32(p, q, r), int_sad(p, q, r, 32, false), "sad.u32");
		REF_CHECK(int_sad_s32(p, q, r), int_sad(p, q, r, 32, true), "sad.s32");
	}
}

static wide clamp32(wide v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
}
static void sums_and_carries(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t a = operand(i), b = operand(i), c = operand(i);
		uint32_t p = (uint32_t)a, q = (uint32_t)b, r = (uint32_t)c, out;
		wide x = number(a, 32, 1), y = number(b, 32, 1), z = number(c, 32, 1);
		REF_CHECK(int_add_sat_s32(p, q), low(clamp32(x + y), 32), "add.sat");
		REF_CHECK(int_sub_sat_s32(p, q), low(clamp32(x - y), 32), "sub.sat");
		REF_CHECK(int_mad_hi_sat_s32(p, q, r), low(clamp32((x * y >> 32) + z), 32),
		          "mad.hi.sat");
		wide m = number(a, 24, 1) * number(b, 24, 1);
		wide h = number((uint64_t)(m >> 16), 32, 1);
		REF_CHECK(int_mad24_hi_sat_s32(p, q, r), low(clamp32(h + z), 32), "mad24.hi.sat");
		for (uint32_t cin = 0; cin < 2; cin++) {
			wide s = (wide)p + q + cin, d = (wide)p - q - cin;
			REF_CHECK(int_addc_u32(p, q, cin, &out), low(s, 32), "addc");
			REF_CHECK(out, s >> 32 != 0, "carry");
			REF_CHECK(int_subc_u32(p, q, cin, &out), low(d, 32), "subc");
			REF_CHECK(out, d < 0, "borrow");
			s = (wide)a + b + cin, d = (wide)a - b - cin;
			REF_CHECK(int_addc_u64(a, b, cin, &out), low(s, 64), "addc 64");
			REF_CHECK(out, s >> 64 != 0, "carry 64");
			REF_CHECK(int_subc_u64(a, b, cin, &out), low(d, 64), "subc 64");
			REF_CHECK(out, d < 0, "borrow 64");
		}
		uint32_t sum = 0;
		for (int k = 0; k < 2; k++)
			sum |= (uint32_t)low(
			               number(p >> 16 * k, 16, 0) + number(q >> 16 * k, 16, 0), 16)
			       << 16 * k;
		REF_CHECK(int_add_16x2(p, q), sum, "add.u16x2");
		for (int k = 0; k < 8; k++) {
			bool max = k & 1, s = k & 2, relu = k & 4;
			uint32_t want = 0;
			for (int j = 0; j < 2; j++) {
				wide u = number(p >> 16 * j, 16, s), v = number(q >> 16 * j, 16, s);
				wide d = (u < v) ^ max ? u : v;
				want |= (uint32_t)low(relu && d < 0 ? 0 : d, 16) << 16 * j;
			}
			REF_CHECK(int_minmax_16x2(p, q, max, s, relu), want, "minmax 16x2");
		}
	}
}

/* Division by zero: all ones, as an H200 (driver 580.159) returned for every width. */
static void quotients(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t a = operand(i), b = i % 8 ? operand(i) : 0;
		for (int bits = 16; bits <= 64; bits *= 2)
			for (int s = 0; s < 2; s++) {
				wide x = number(a, bits, s), y = number(b, bits, s);
				uint64_t q = low(y ? x / y : -1, bits),
				         r = low(y ? x % y : -1, bits), gq, gr;
				uint32_t p = (uint32_t)low(x, 32), d = (uint32_t)low(y, 32);
				switch (bits + s) {
				case 16:
					gq = int_div_u16(p & 0xffff, d & 0xffff);
					gr = int_rem_u16(p & 0xffff, d & 0xffff);
					break;
				case 17:
					gq = int_div_s16(p & 0xffff, d & 0xffff);
					gr = int_rem_s16(p & 0xffff, d & 0xffff);
					break;
				case 32:
					gq = int_div_u32(p, d), gr = int_rem_u32(p, d);
					break;
				case 33:
					gq = int_div_s32(p, d), gr = int_rem_s32(p, d);
					break;
				case 64:
					gq = int_div_u64(a, b), gr = int_rem_u64(a, b);
					break;
				default:
					gq = int_div_s64(a, b), gr = int_rem_s64(a, b);
					break;
				}
				REF_CHECK(gq, q, "div %d %d %" PRIx64 " %" PRIx64, bits, s, a, b);
				REF_CHECK(gr, r, "rem %d %d %" PRIx64 " %" PRIx64, bits, s, a, b);
			}
	}
}

/* Bit n of the infinite two's complement number, or of zero-extended v. */
static unsigned bit(uint64_t v, unsigned n, int bits, bool s)
{
	return n < (unsigned)bits ? v >> n & 1 : s ? v >> (bits - 1) & 1 : 0;
}
static void shifts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t a = operand(i);
		uint32_t n = (uint32_t)operand(i), p = (uint32_t)a, q = (uint32_t)(a >> 32);
		for (int bits = 16; bits <= 64; bits *= 2) {
			uint64_t left = 0, right = 0, arith = 0;
			for (unsigned k = 0; k < (unsigned)bits; k++) {
				left |= (uint64_t)(k >= n ? a >> (k - n) & 1 : 0) << k;
				right |= (uint64_t)(n > 64 ? 0 : bit(a, k + n, bits, false)) << k;
				arith |= (uint64_t)bit(a, n > 64 ? 64 : k + n, bits, true) << k;
			}
			if (bits == 16) {
				REF_CHECK(int_shl_b16(p & 0xffff, n), left, "shl.b16 %u", n);
				REF_CHECK(int_shr_u16(p & 0xffff, n), right, "shr.u16 %u", n);
				REF_CHECK(int_shr_s16(p & 0xffff, n), arith, "shr.s16 %u", n);
			} else if (bits == 32) {
				REF_CHECK(int_shl_b32(p, n), left, "shl.b32 %u", n);
				REF_CHECK(int_shr_u32(p, n), right, "shr.u32 %u", n);
				REF_CHECK(int_shr_s32(p, n), arith, "shr.s32 %u", n);
			} else {
				REF_CHECK(int_shl_b64(a, n), left, "shl.b64 %u", n);
				REF_CHECK(int_shr_u64(a, n), right, "shr.u64 %u", n);
				REF_CHECK(int_shr_s64(a, n), arith, "shr.s64 %u", n);
			}
		}
		for (int wrap = 0; wrap < 2; wrap++) {
			unsigned k = wrap ? n & 31 : n < 32 ? n : 32;
			uint64_t l = k == 0 ? q : k == 32 ? p : (uint64_t)q << k | p >> (32 - k);
			uint64_t r = k == 0 ? p : k == 32 ? q : (uint64_t)q << (32 - k) | p >> k;
			REF_CHECK(int_shf_l(p, q, n, wrap), (uint32_t)l, "shf.l %u", n);
			REF_CHECK(int_shf_r(p, q, n, wrap), (uint32_t)r, "shf.r %u", n);
		}
	}
}

/* The loops of the PTX ISA manual for bfe, bfi, bfind, and definitions bit by bit for the rest. */
static void bit_fields(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t a = operand(i), b = operand(i);
		uint32_t c = (uint32_t)operand(i) & 255, d = (uint32_t)operand(i) & 255;
		for (int bits = 32; bits <= 64; bits *= 2) {
			unsigned msb = (unsigned)bits - 1;
			uint64_t f = low((wide)b, bits), x = low((wide)a, bits);
			for (int s = 0; s < 2; s++) {
				unsigned top = c + d - 1 < msb ? c + d - 1 : msb;
				unsigned sbit = !s || d == 0 ? 0 : x >> top & 1;
				uint64_t e = 0;
				for (unsigned k = 0; k <= msb; k++)
					e |= (uint64_t)(k < d && c + k <= msb ? x >> (c + k) & 1
					                                      : sbit)
					     << k;
				REF_CHECK(int_bfe(a, c, d, bits, s), e, "bfe %d %d %u %u", bits, s,
				          c, d);
				if (bits == 32)
					REF_CHECK(s ? int_bfe_s32((uint32_t)a, c, d)
					            : int_bfe_u32((uint32_t)a, c, d),
					          e, "bfe 32 %d %u %u", s, c, d);
				int64_t pos = -1;
				bool invert = s && (x >> msb & 1);
				for (int k = (int)msb; k >= 0 && pos < 0; k--)
					if ((x >> k & 1) != invert)
						pos = k;
				REF_CHECK(int_bfind(a, bits, s, false), (uint32_t)pos, "bfind %d",
				          s);
				REF_CHECK(int_bfind(a, bits, s, true),
				          (uint32_t)(pos < 0 ? -1 : (int)msb - pos),
				          "bfind.shiftamt %d", s);
			}
			for (unsigned k = 0; k < d && c + k <= msb; k++)
				f = (f & ~(1ull << (c + k))) | (x >> k & 1) << (c + k);
			REF_CHECK(int_bfi(a, b, c, d, bits), f, "bfi %d %u %u", bits, c, d);
			if (bits == 32)
				REF_CHECK(int_bfi_b32((uint32_t)a, (uint32_t)b, c, d), f,
				          "bfi.b32");
		}
	}
}
static void words_bit_by_bit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t a = operand(i), rev = 0;
		uint32_t p = (uint32_t)a, q = (uint32_t)operand(i), r = (uint32_t)operand(i);
		unsigned ones = 0, zeros = 0;
		for (int k = 0; k < 64; k++) {
			rev |= (a >> k & 1) << (63 - k);
			ones += a >> k & 1;
		}
		while (zeros < 64 && !(a >> (63 - zeros) & 1))
			zeros++;
		REF_CHECK(int_brev_b64(a), rev, "brev.b64");
		REF_CHECK(int_brev_b32((uint32_t)(a >> 32)), (uint32_t)rev, "brev.b32");
		REF_CHECK(int_popc_b64(a), ones, "popc.b64");
		REF_CHECK(int_clz_b64(a), zeros, "clz.b64");
		REF_CHECK(int_clz_b32((uint32_t)(a >> 32)), zeros < 32 ? zeros : 32, "clz.b32");
		REF_CHECK(int_popc_b32(p) + int_popc_b32((uint32_t)(a >> 32)), ones, "popc.b32");
		uint32_t lut = i & 255, want = 0;
		for (int k = 0; k < 32; k++)
			want |= (lut >> ((p >> k & 1) << 2 | (q >> k & 1) << 1 | (r >> k & 1)) & 1)
			        << k;
		REF_CHECK(int_lop3(p, q, r, lut), want, "lop3 %x", lut);
		for (int wrap = 0; wrap < 2; wrap++) {
			uint32_t pos = wrap ? q & 31 : q, len = wrap ? r & 31 : r, mask = 0;
			for (uint32_t k = 0; k < 32; k++)
				mask |= (uint32_t)(k >= pos && k - pos < len) << k;
			REF_CHECK(int_bmsk(q, r, wrap), mask, "bmsk %u %u", pos, len);
			for (int s = 0; s < 2; s++) {
				uint32_t n = wrap ? q & 31 : q, e = 0;
				for (uint32_t k = 0; k < 32; k++)
					e |= (n == 0  ? 0
					      : k < n ? p >> k & 1
					      : s     ? p >> (n - 1) & 1
					              : 0)
					     << k;
				REF_CHECK(int_szext(p, q, s, wrap), e, "szext %u", n);
			}
		}
		int32_t n = (int32_t)(ref_random() % 70) - 35;
		uint32_t base = q & 31, found = ~0u;
		int need = n < 0 ? -n : n;
		if (n == 0)
			found = p >> base & 1 ? base : ~0u;
		for (int k = (int)base; n != 0 && k >= 0 && k < 32; k += n < 0 ? -1 : 1)
			if ((p >> k & 1) && --need == 0)
				found = (uint32_t)k;
		REF_CHECK(int_fns(p, base, (uint32_t)n), found, "fns %x %u %d", p, base, n);
	}
}

/* The table of prmt's modes in the PTX ISA manual, byte numbers from the most significant on. */
static const char *const prmt_table[7][4] = {
        [PRMT_F4E] = {"3210", "4321", "5432", "6543"},
        [PRMT_B4E] = {"5670", "6701", "7012", "0123"},
        [PRMT_RC8] = {"0000", "1111", "2222", "3333"},
        [PRMT_ECL] = {"3210", "3211", "3222", "3333"},
        [PRMT_ECR] = {"0000", "1110", "2210", "3210"},
        [PRMT_RC16] = {"1010", "3232", "1010", "3232"},
};
static void prmt(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint32_t a = (uint32_t)operand(i), b = (uint32_t)operand(i),
		         c = (uint32_t)ref_random();
		for (int mode = 0; mode < 7; mode++) {
			uint32_t want = 0;
			for (int k = 0; k < 4; k++) {
				uint32_t n = mode ? (uint32_t)(prmt_table[mode][c & 3][3 - k] - '0')
				                  : c >> 4 * k & 15;
				uint32_t byte =
				        ((n & 7) < 4 ? a >> 8 * (n & 3) : b >> 8 * (n & 3)) & 255;
				byte = n & 8 ? (byte & 128 ? 255 : 0) : byte;
				want |= byte << 8 * k;
			}
			REF_CHECK(int_prmt(a, b, c, mode), want, "prmt mode %d %x %x %x", mode, a,
			          b, c);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(products),   cmocka_unit_test(sums_and_carries),
	        cmocka_unit_test(quotients),  cmocka_unit_test(shifts),
	        cmocka_unit_test(bit_fields), cmocka_unit_test(words_bit_by_bit),
	        cmocka_unit_test(prmt),
	};
	return check_main(tests);
}
