/* test_eval_blas.c - contractions: dgemm is replaced by this program's own, honest or not. The
 * right result must come out of both, and a wrong product must be noticed. */
#include "tests/oracles/eval_case.h"

#include <cblas.h>

static enum { HONEST, ONE_WRONG, ALL_SLIGHTLY_WRONG, ZERO, SECOND_WRONG } mood;
static int calls;

/* Takes the place of the library's: the program's own symbol comes first. */
void cblas_dgemm(const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE ta,
                 const enum CBLAS_TRANSPOSE tb, const blasint m, const blasint n, const blasint k,
                 const double alpha, const double *a, const blasint lda, const double *b,
                 const blasint ldb, const double beta, double *c, const blasint ldc)
{
	assert_true(order == CblasRowMajor && ta == CblasNoTrans && alpha == 1 && beta == 0);
	calls++;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			double s = 0;
			for (int l = k; l-- > 0;)
				s = fma(a[i * lda + l],
				        tb == CblasTrans ? b[j * ldb + l] : b[l * ldb + j], s);
			if (mood == ALL_SLIGHTLY_WRONG)
				s *= 1 + 1e-9;
			if (mood == ZERO)
				s = 0;
			c[i * ldc + j] = s;
		}
	if (mood == ONE_WRONG || (mood == SECOND_WRONG && calls % 2 == 0))
		c[(m / 2) * ldc + n / 3] *= 1.001;
}

static const char matmul[] =
        "op mm doc \"t\"\ntype T in f32\ndim M in 0.., N in 0.., K in 0..\n"
        "in a: T[M,K], b: T[K,N]\nout c: T[M,N]\nc[m,n] = sum(k: a[m,k]*b[k,n])\n"
        "contract acc f32, nan propagate\n";
static const char scores[] =
        "op qk doc \"t\"\ntype T in f32\ndim B in 1.., N in 0.., L in 0.., D in 1..\n"
        "in q: T[B,N,D], k: T[B,L,D]\nout y: T[B,N,L]\n"
        "let s[b,i,j] = 0.25*sum(d: q[b,i,d]*k[b,j,d])\n"
        "y[b,i,j] = s[b,i,j] - max(l: s[b,i,l])\n"
        "contract acc f32, nan propagate\n";

static int64_t run(const char *text, const char *sizes, enum data d, unsigned flags,
                   int64_t *fallbacks)
{
	struct numerics num = numerics_default();
	struct eval_case c;
	struct oracle *o;
	struct err e = {0};
	int64_t open = 0;

	calls = 0;
	case_open(&c, text, sizes, d, 4, false);
	check_ok(oracle_eval(c.inst, c.views, NULL, &num, 8, flags, &o, &e), &e);
	for (int64_t i = 0, step = o->out[0].n / 200 + 1; i < o->out[0].n; i += step)
		case_check_element(&c, o, 0, i, d == DATA_NORMAL, &open);
	*fallbacks = o->blas_fallbacks;
	oracle_free(o);
	case_close(&c);
	return open;
}

static void an_honest_blas_is_used(void **state)
{
	(void)state;
	int64_t fallbacks;
	mood = HONEST;
	for (int flags = 0; flags < 2; flags++) {
		assert_int_equal(
		        run(matmul, "M=40,N=50,K=60", DATA_NORMAL, (unsigned)flags, &fallbacks), 0);
		assert_int_equal(calls, 2);
		assert_int_equal(fallbacks, 0);
		run(matmul, "M=700,N=30,K=20", DATA_INTS, (unsigned)flags, &fallbacks);
		assert_int_equal(calls, 2);
		run(scores, "B=3,N=40,L=50,D=30", DATA_NORMAL, (unsigned)flags, &fallbacks);
		assert_int_equal(calls, 6);
		assert_int_equal(fallbacks, 0);
	}
}

static void a_lying_blas_is_noticed(void **state)
{
	(void)state;
	int64_t fallbacks;
	for (mood = ONE_WRONG; mood <= SECOND_WRONG; mood++) {
		assert_int_equal(
		        run(matmul, "M=40,N=50,K=60", DATA_NORMAL, ORACLE_SCALE, &fallbacks), 0);
		assert_int_equal(fallbacks, 1);
		run(scores, "B=2,N=40,L=50,D=30", DATA_NORMAL, 0, &fallbacks);
		assert_int_equal(fallbacks, 2);
	}
	mood = HONEST;
}

/* NaN, infinities and values that overflow go through the careful loops, not the BLAS. */
static void special_values_avoid_the_blas(void **state)
{
	(void)state;
	int64_t fallbacks;
	run(matmul, "M=40,N=50,K=60", DATA_SPECIAL, ORACLE_SCALE, &fallbacks);
	assert_int_equal(calls, 0);
	run(matmul, "M=40,N=50,K=60", DATA_EXTREME, ORACLE_SCALE, &fallbacks);
	assert_int_equal(calls, 0);
	run(matmul, "M=40,N=50,K=60", DATA_EXTREME, 0, &fallbacks);
	assert_int_equal(fallbacks, 0);
	run(scores, "B=2,N=40,L=50,D=30", DATA_MASKED, ORACLE_SCALE, &fallbacks);
	assert_int_equal(calls, 0);
}

/* The BLAS's result and that of own loops lie in each other's enclosure; S is the same. */
static void both_ways_agree(void **state)
{
	(void)state;
	struct numerics num = numerics_default();
	struct oracle *o[2];
	struct eval_case c;
	struct err e = {0};

	case_open(&c, matmul, "M=33,N=35,K=40", DATA_NORMAL, 9, false);
	for (int k = 0; k < 2; k++) {
		mood = k ? ZERO : HONEST;
		check_ok(oracle_eval(c.inst, c.views, NULL, &num, 8, ORACLE_SCALE, &o[k], &e), &e);
	}
	mood = HONEST;
	for (int64_t i = 0; i < o[0]->out[0].n; i++) {
		const struct oracle_out *a = &o[0]->out[0], *b = &o[1]->out[0];
		assert_true(fabs(a->z[i] - b->z[i]) <= a->rad[i] + b->rad[i]);
		check_true(fabs(a->S[i] - b->S[i]) <= 1e-12 * a->S[i], "S %g, %g", a->S[i],
		           b->S[i]);
	}
	oracle_free(o[0]);
	oracle_free(o[1]);
	case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(an_honest_blas_is_used),
	        cmocka_unit_test(a_lying_blas_is_noticed),
	        cmocka_unit_test(special_values_avoid_the_blas),
	        cmocka_unit_test(both_ways_agree),
	};
	return check_main(tests);
}
