/* test_eval.c - the enclosure against MPFR interval arithmetic of the same text (oracle_exact),
 * over the constructs of the language: the two share only the parser. (Against references written
 * by hand: test_reference_*.c.) */
#include "tests/oracles/eval_case.h"

#define HEAD(name) "op " name " doc \"t\"\ntype T in f32\n"

struct text_case {
	const char *name, *text, *sizes[4];
};

static const struct text_case texts[] = {
        {"cumsum",
         HEAD("cumsum") "dim R in 0.., C in 0..\nin x: T[R,C]\nout y: T[R,C]\n"
                        "y[r,j<C] = sum(k | k <= j: x[r,k])\ncontract acc f32, nan propagate\n",
         {"R=3,C=7", "R=1,C=300"}},
        {"scans that end before their index, of a let, under another sum and of columns",
         HEAD("scans") "dim R in 0.., C in 1..\nin x: T[R,C]\nout y: T[R,C], z: T[R], v: T[R,C]\n"
                       "let e[r,c] = x[r,c]*x[r,c]\n"
                       "y[r,j<C] = sum(k | k < j: x[r,k]) + mean(k | j >= k: e[r,k])\n"
                       "z[r] = sum(j<C: x[r,j]*sum(k | k <= j: e[r,k]))\n"
                       "v[q<R,c] = sum(r | r < q: x[r,c])*sum(r | r <= q: x[r,c])\n"
                       "contract acc f32, nan propagate\n",
         {"R=3,C=7", "R=1,C=300", "R=40,C=2", "R=300,C=1"}},
        {"embedding",
         HEAD("embedding") "dim N in 0.., V in 1.., D in 0..\nin id: i32[N] in 0..V-1, w: T[V,D]\n"
                           "out y: T[N,D]\ny[n,d] = w[id[n],d]\ncontract exact\n",
         {"N=9,V=5,D=6", "N=4,V=3,D=1", "N=300,V=7,D=1"}},
        {"variance",
         HEAD("var") "dim R in 0.., C in 2..\nin x: T[R,C]\nout y: T[R]\n"
                     "y[r] = sum(c: (x[r,c] - mean(k: x[r,k]))^2)/(C - 1)\ncontract acc f32, nan "
                     "propagate\n",
         {"R=4,C=9", "R=2,C=600"}},
        {"bmm",
         HEAD("bmm") "dim I in 0.., M in 0.., N in 0.., K in 0..\nin a: T[I,M,K], b: T[I,K,N]\n"
                     "out c: T[I,M,N]\nc[i,m,n] = sum(k: a[i,m,k]*b[i,k,n])\ncontract acc f32, nan "
                     "propagate\n",
         {"I=2,M=3,N=4,K=5", "I=2,M=30,N=31,K=33", "I=1,M=1,N=300,K=3"}},
        {"conv2d",
         HEAD("conv") "dim N in 0.., C in 1.., H in 1.., W in 1.., K in 1.., R in 1.., S in 1..\n"
                      "dim P = H, Q = W\nin x: T[N,C,H,W], w: T[K,C,R,S]\nout y: T[N,K,P,Q]\n"
                      "y[n,k,p,q] = sum(c,r,s: (x[n,c,p+r-1,q+s-1] else 0)*w[k,c,r,s])\n"
                      "contract acc f32, nan propagate\n",
         {"N=1,C=2,H=4,W=5,K=2,R=3,S=3", "N=2,C=1,H=3,W=20,K=1,R=2,S=1"}},
        {"rope",
         HEAD("rope") "dim S in 0.., P in 1..\ndim D = 2*P\noption style = neox | gptj\n"
                      "in x: T[S,D], cs: T[S,P], sn: T[S,P]\nout y: T[S,D]\n"
                      "let f[d<D] = if style==neox then d%P else d/2\n"
                      "let mate[d<D] = if style==neox then (d+P)%D else d+1-2*(d%2)\n"
                      "y[s,d] = x[s,d]*cs[s,f[d]] + (if d < mate[d] then -1 else "
                      "1)*x[s,mate[d]]*sn[s,f[d]]\n"
                      "contract acc f32, nan propagate\n",
         {"S=3,P=4", "S=2,P=150"}},
        {"softmax of columns",
         HEAD("smcol") "dim R in 1.., C in 0..\nin x: T[R,C]\nout y: T[R,C]\n"
                       "shift m[c] = max(r: x[r,c])\nlet e[r,c] = exp(x[r,c] - m[c])\n"
                       "y[r,c] = e[r,c]/sum(k: e[k,c])\ncontract acc f32, nan propagate\n",
         {"R=4,C=5", "R=9,C=300", "R=300,C=2", "R=5,C=1"}},
        {"cross entropy",
         HEAD("ce") "dim N in 1.., V in 1..\nin x: T[N,V], t: i64[N] in 0..V-1 | {-100}, w: T[V]\n"
                    "out loss: T[]\nshift m[n] = max(v: x[n,v])\n"
                    "let lse[n] = m[n] + log(sum(v: exp(x[n,v] - m[n])))\n"
                    "loss[] = sum(n | t[n] != -100: abs(w[t[n]])*(lse[n] - x[n,t[n]]))/"
                    "sum(n | t[n] != -100: abs(w[t[n]]))\n"
                    "contract acc f32, nan propagate\n",
         {"N=5,V=6", "N=300,V=3", "N=2,V=400"}},
        {"any, all, guards",
         HEAD("guards") "dim R in 0.., C in 1..\nin x: T[R,C]\nout y: T[R], z: T[R]\n"
                        "y[r] = if any(c: x[r,c] > 0) then sum(c | x[r,c] > 0: log(x[r,c])) else "
                        "min(c: x[r,c])\n"
                        "z[r] = if all(c: x[r,c] != x[r,0] or c == 0) then mean(c | c % 2 == 0: "
                        "x[r,c]) else 7\n"
                        "contract acc f32, nan propagate\n",
         {"R=6,C=3", "R=300,C=2", "R=3,C=300"}},
        {"weighted mean",
         HEAD("wmean") "dim R in 0.., C in 1..\nin x: T[R,C], w: T[R,C]\nout y: T[R]\n"
                       "y[r] = sum(c: exp(w[r,c])*x[r,c])/sum(c: exp(w[r,c]))\ncontract acc f32, "
                       "nan propagate\n",
         {"R=3,C=5", "R=2,C=300"}},
        {"functions",
         HEAD("fns") "dim N in 0..\nin x: T[N]\nout a: T[N], b: T[N], c: T[N], d: T[N]\n"
                     "a[i] = log1p(abs(x[i])) + log2(1 + x[i]^2) - sin(x[i])*cos(x[i])\n"
                     "b[i] = if x[i] > 0.5 then sqrt(x[i]) else if x[i] < -1 then rsqrt(-x[i]) "
                     "else exp2(x[i])\n"
                     "c[i] = min(max(expm1(x[i]), -0.25), erf(x[i])) + floor(x[i]) - "
                     "round(3*x[i])\n"
                     "d[i] = (1 - erf(x[i]))*(1 - tanh(3*x[i])) + tanh(x[i]) + x[i]^3\n"
                     "contract acc f32, nan propagate\n",
         {"N=7", "N=1000"}},
        {"nan dropped",
         HEAD("drop") "dim R in 0.., C in 1..\nin x: T[R,C]\nout y: T[R], z: T[R,C]\n"
                      "y[r] = max(c: x[r,c]) - min(c: x[r,c])\nz[r,c] = max(min(x[r,c], 0.5), "
                      "-0.5)\n"
                      "contract acc f32, nan drop\n",
         {"R=5,C=4", "R=2,C=300"}},
        {"shared lets",
         HEAD("shared") "dim R in 1.., C in 1..\nin x: T[R,C]\nout y: T[R,C], z: T[R]\n"
                        "let a[r] = sum(c: x[r,c]^2)\nlet b[r] = a[r] + 1\nlet t[r] = sum(q<R: "
                        "a[q]*b[r])\n"
                        "y[r,c] = x[r,c]*a[r] + b[R-1-r] + t[r]\nz[r] = mean(c: abs(x[r,c]))*a[0] "
                        "+ t[r]/b[r]\n"
                        "contract acc f32, nan propagate\n",
         {"R=4,C=3", "R=3,C=300", "R=300,C=2"}},
        {"absent inputs",
         HEAD("absent") "dim N in 0..\nin x: T[N]\nin? w: T[N] = 1, b: T[N] = 0\nout y: T[N]\n"
                        "y[i] = x[i]*w[i] + b[i]\ncontract acc f32, nan propagate\n",
         {"N=300", "N=300,all"}},
        {"repeated reductions",
         HEAD("rms") "dim A in 0.., N in 1.., B in 0..\nin x: T[A,N,B], w: T[N]\nout y: T[A,N,B]\n"
                     "y[a,n,b] = x[a,n,b]/sqrt(mean(k: x[a,k,b]^2) + 1)*w[n]\n"
                     "contract acc f32, nan propagate\n",
         {"A=2,N=5,B=3", "A=2,N=300,B=2", "A=1,N=3,B=300"}},
        {"sums of sums",
         HEAD("sums") "dim A in 0.., B in 0.., C in 0..\nin x: T[A,B,C]\nout y: T[A,C], z: T[]\n"
                      "y[a,c] = sum(b: x[a,b,c])*mean(b,k<C: x[a,b,k])\nz[] = sum(a,b,c: "
                      "x[a,b,c]*sum(k<B: x[a,k,c]))\n"
                      "contract acc f32, nan propagate\n",
         {"A=2,B=3,C=4", "A=2,B=30,C=40", "A=1,B=700,C=1", "A=0,B=2,C=2"}},
};

static void encloses_all_constructs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		int64_t open = 0;
		for (int s = 0; s < 4 && texts[i].sizes[s]; s++)
			for (int d = 0; d < DATA_COUNT; d++) {
				bool strided = (s + d) % 2;
				open += case_check(texts[i].text, texts[i].sizes[s], d,
				                   10 + (uint64_t)d, strided,
				                   d % 2 ? ORACLE_SCALE : 0);
				open += case_check(texts[i].text, texts[i].sizes[s], d, 90,
				                   !strided, ORACLE_SCALE);
			}
		print_message("%-20s %" PRId64 " elements left open\n", texts[i].name, open);
	}
}

static void flags_do_not_change_the_enclosure(void **state)
{
	(void)state;
	struct numerics num = numerics_default();
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct eval_case c;
		struct oracle *o[2];
		struct err e = {0};
		case_open(&c, texts[i].text, texts[i].sizes[0], DATA_NORMAL, 3, false);
		for (int k = 0; k < 2; k++)
			check_ok(oracle_eval(c.inst, c.views, NULL, &num, 8, k ? ORACLE_SCALE : 0,
			                     &o[k], &e),
			         &e);
		for (int k = 0; k < o[0]->nout; k++) {
			size_t n = (size_t)o[0]->out[k].n * sizeof(double);
			assert_memory_equal(o[0]->out[k].z, o[1]->out[k].z, n);
			assert_memory_equal(o[0]->out[k].rad, o[1]->out[k].rad, n);
		}
		oracle_free(o[0]);
		oracle_free(o[1]);
		case_close(&c);
	}
}

static void refuses(const char *text, const char *sizes, enum st code, const char *message)
{
	struct numerics num = numerics_default();
	struct eval_case c;
	struct oracle *o = NULL;
	struct err e = {0};

	case_open(&c, text, sizes, DATA_NORMAL, 1, false);
	check_fails(oracle_eval(c.inst, c.views, NULL, &num, 8, 0, &o, &e), code, &e, message);
	assert_null(o);
	case_close(&c);
}

static void names_what_it_cannot_do(void **state)
{
	(void)state;
	refuses(HEAD("oob") "dim N in 1..\nin x: T[N]\nout y: T[N]\ny[i] = x[i+1]\n"
	                    "contract acc f32, nan propagate\n",
	        "N=4", ST_INPUT, "out of range");
	refuses(HEAD("huge") "dim N in 1..\nin x: T[1]\nout y: T[]\n"
	                     "let a[i<N,j<N] = x[0] + i*j\nlet b[i<N] = sum(k: a[k,i])\ny[] = "
	                     "sum(i: b[i])\n"
	                     "contract acc f32, nan propagate\n",
	        "N=100000", ST_LIMIT, "let 'a'");
	refuses("op rz ; dim N in 1.. ; in x: f32[N] ; out q: i8[N]\n"
	        "q[i] = cast(i8, rz, sat, x[i])\n",
	        "N=4", ST_UNSUP, "a cast other than cast(TYPE, rne, sat, ...) of a whole output");
	refuses("op other ; dim N in 1.. ; in x: f32[N] ; out q: i16[N]\n"
	        "q[i] = cast(i8, rne, sat, x[i])\n",
	        "N=4", ST_UNSUP, "a cast other than cast(TYPE, rne, sat, ...) of a whole output");
	refuses("op index ; dim N in 1.. ; in x: f32[N] ; out q: i32[N]\nq[i] = 2*i\n", "N=4",
	        ST_UNSUP, "output 'q' is an integer");
}

static void checks_its_arguments(void **state)
{
	(void)state;
	struct numerics num = numerics_default();
	struct eval_case c;
	struct oracle *o = NULL;
	struct err e = {0};

	case_open(&c, texts[0].text, "R=2,C=2", DATA_NORMAL, 1, false);
	c.views[0] = NULL;
	check_fails(oracle_eval(c.inst, c.views, NULL, &num, 8, 0, &o, &e), ST_INPUT, &e,
	            "'x' is missing");
	c.views[0] = &c.t[0];
	c.t[0].dt = DT_F16;
	check_fails(oracle_eval(c.inst, c.views, NULL, &num, 8, 0, &o, &e), ST_INPUT, &e,
	            "type and shape");
	c.t[0].dt = DT_F32;
	num.nlow = 1;
	snprintf(num.low[0].name, sizeof num.low[0].name, "q");
	num.low[0].dt = DT_F16;
	check_fails(oracle_eval(c.inst, c.views, NULL, &num, 8, 0, &o, &e), ST_INPUT, &e,
	            "no input and no intermediate 'q'");
	case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(encloses_all_constructs),
	        cmocka_unit_test(flags_do_not_change_the_enclosure),
	        cmocka_unit_test(names_what_it_cannot_do),
	        cmocka_unit_test(checks_its_arguments),
	};
	return check_main(tests);
}
