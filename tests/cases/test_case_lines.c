/* The case line: parsing, the normal form, and what is refused. */
#include "cases/cases.h"
#include "tests/check.h"

/* Lines in normal form: printing what was parsed gives the same text. */
static const char *const normal_forms[] = {
	"softmax/f16 R=3,C=257 layout=x:rowpad7 values=x:normal(0,4) seed=0x9f3c21 fill=a5",
	"softmax/f32 R=0,C=1 seed=0x0 fill=00",
	"softmax/f32 R=1,C=1 seed=0xffffffffffffffff fill=ff",
	"attention/bf16 B=2,H=4,G=2,N=5,L=33,D=8,E=8 causal=1,anchor=top_left,bias=absent "
	"values=*:uniform(0,1) seed=0x1 fill=00",
	"attention/f32 B=1,H=1,G=1,N=1,L=0,D=1,E=1 scale=0.125,masked_row=nan "
	"layout=q:offset3,o:rowpad1 values=q:same,k:krising(32,0.25),v:normal,bias:zeros seed=0x2 fill=7f",
	"softmax/bf16 R=3,C=2 values=x:same outputs=f32 seed=0x1 fill=00",
	"rmsnorm/f32 A=2,N=3,B=1 eps=1e-05,w=absent seed=0x1 fill=00",
	"matmul/f16 M=1,N=2,K=0 layout=a:transposed,b:colstride2 seed=0x1 fill=3c",
};

static void normal_forms_are_fixed_points(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(normal_forms); i++) {
		struct err e = {0};
		struct kase c;
		char *s;

		check_ok(case_parse(normal_forms[i], NULL, &c, &e), &e);
		s = case_print(&c);
		check_true(strcmp(s, normal_forms[i]) == 0, "got  %s\nwant %s", s, normal_forms[i]);
		free(s);
	}
}

static void other_spellings_reach_the_normal_form(void **state)
{
	static const char *const pairs[][2] = {
		{"attention/bf16 B=2,H=4,G=2,N=5,L=33,D=8,E=8 causal=1,anchor=top_left,bias=absent "
		 "values=q:uniform(0,1),* seed=0x1 fill=00",
		 "attention/bf16 B=2,H=4,G=2,N=5,L=33,D=8,E=8 causal=1,anchor=top_left,bias=absent "
		 "values=*:uniform(0,1) seed=0x1 fill=00"},
		{"softmax/f32 C=2,R=1 seed=1f fill=0", "softmax/f32 R=1,C=2 seed=0x1f fill=00"},
		{"softmax/f32 R=1,C=2 values=*:normal layout=*:contiguous", "softmax/f32 R=1,C=2 seed=0x0 fill=00"},
		{"softmax/f32 R=1 C=2  seed=0x1 fill=00", "softmax/f32 R=1,C=2 seed=0x1 fill=00"},
		/* as copied from a page where it took two lines; what follows the line end was once lost */
		{"softmax/f32 R=1,C=2\nvalues=x:ints(2)\r\n\tseed=0x1 fill=a5\n",
		 "softmax/f32 R=1,C=2 values=x:ints(2) seed=0x1 fill=a5"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		struct err e = {0};
		struct kase c;
		char *s;

		check_ok(case_parse(pairs[i][0], NULL, &c, &e), &e);
		s = case_print(&c);
		check_true(strcmp(s, pairs[i][1]) == 0, "got  %s\nwant %s", s, pairs[i][1]);
		free(s);
	}
}

static void wrong_lines_are_refused_with_the_place(void **state)
{
	static const char *const wrong[][2] = {
		{"softmax/f32 R=1,C=1 outputs=f32", "outputs=f32 is for outputs of 16 bits"},
		{"softmax/f16 R=1,C=1 outputs=f16", "no such size"},
		{"softmax/f16 R=1,C=1 outputs=f322", "unexpected text"},
		{"", "begins with OPERATOR/DTYPE"},
		{"softmax", "begins with OPERATOR/DTYPE"},
		{"softmaxx/f32 R=1,C=1", "unknown operator"},
		{"softmax/f33 R=1,C=1", "unknown dtype"},
		{"softmax/i32 R=1,C=1", "not defined for this dtype"},
		{"softmax/f32 R=1", "size C is missing"},
		{"softmax/f32 R=1,C=", "expected an integer"},
		{"softmax/f32 R=1,C=99999999999999999999", "does not fit 64 bits"},
		{"softmax/f32 R=1,C=1,D=2", "no such size"},
		{"softmax/f32 R=1,C=1,C=2", "given twice"},
		{"layernorm/f32 R=1,C=1 eps=1,eps=2", "given twice"},
		{"softmax/f32 R=1,C=1 values=z:normal", "no such tensor"},
		{"softmax/f32 R=1,C=1 values=y:normal", "no such tensor"},
		{"softmax/f32 R=1,C=1 values=x:normal(", "expected a number"},
		{"softmax/f32 R=1,C=1 values=x:normal(1", "expected ')'"},
		{"softmax/f32 R=1,C=1 values=x:normal,x:normal", "named twice"},
		{"softmax/f32 R=1,C=1 seed=0xfffffffffffffffff", "hexadecimal"},
		{"softmax/f32 R=1,C=1 fill=100", "hexadecimal"},
		{"softmax/f32 R=1,C=1 seed=0x1 fill=00!", "unexpected text"},
		{"softmax/f32 R=1,C=1 x=absent", "no such size"},
		{"attention/f32 B=1,H=1,G=1,N=1,L=1,D=1,E=1 anchor=left", "cannot take this value"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct err e = {0};
		struct kase c;

		check_fails(case_parse(wrong[i][0], NULL, &c, &e), ST_INPUT, &e, wrong[i][1]);
	}
}

/* Any bytes: an error or a case whose print parses again; never a crash. */
static void mutated_lines_never_crash(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 50000; i++) {
		char line[400];
		size_t len, cuts = rand_below(1, 1, 4 * i, 4) + 1;
		struct err e = {0};
		struct kase c;

		snprintf(line, sizeof line, "%s", normal_forms[i % ARRAY_LEN(normal_forms)]);
		len = strlen(line);
		for (uint64_t k = 0; k < cuts; k++) {
			uint64_t r = rand_u64(2, k, i);

			line[r % len] = (char)(32 + (r >> 32) % 95);
		}
		if (case_parse(line, NULL, &c, &e) == ST_OK) {
			struct kase again;
			char *s = case_print(&c);

			check_ok(case_parse(s, NULL, &again, &e), &e);
			free(s);
		}
	}
}

/* The last of the classes of the inputs; a tensor repeated along a reduced axis is constant, along another is not. */
static void coherence_is_known_from_the_line(void **state)
{
	static const struct {
		const char *line, *group;
	} cases[] = {
	        {"softmax/f32 R=2,C=9 seed=0x1 fill=00", "mixed"},
	        {"softmax/f32 R=2,C=9 values=x:normal(0,0.25) seed=0x1 fill=00", "mixed"},
	        {"softmax/f32 R=2,C=9 values=x:normal(0,4) seed=0x1 fill=00", "wide"},
	        {"softmax/f32 R=2,C=9 values=x:normal(5,1) seed=0x1 fill=00", "same"},
	        {"softmax/f32 R=2,C=9 values=x:uniform(-1,1) seed=0x1 fill=00", "mixed"},
	        {"softmax/f32 R=2,C=9 values=x:swamp seed=0x1 fill=00", "spike"},
	        {"softmax/f32 R=2,C=9 layout=x:broadcast seed=0x1 fill=00", "mixed"},
	        {"matmul/f32 M=2,N=3,K=9 values=a:wide,b:same seed=0x1 fill=00", "same"},
	        {"matmul/f32 M=2,N=3,K=9 values=a:same,b:const seed=0x1 fill=00", "const"},
	        {"matmul/f32 M=2,N=3,K=9 layout=b:broadcast seed=0x1 fill=00", "const"},
	        {"matmul/f32 M=2,N=3,K=9 layout=a:broadcast seed=0x1 fill=00", "mixed"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct kase c;
		struct err e = {0};

		check_ok(case_parse(cases[i].line, NULL, &c, &e), &e);
		check_true(strcmp(coherence_name(case_coherence(&c)), cases[i].group) == 0, "%s: %s", cases[i].line,
		           coherence_name(case_coherence(&c)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(coherence_is_known_from_the_line),
		cmocka_unit_test(normal_forms_are_fixed_points),
		cmocka_unit_test(other_spellings_reach_the_normal_form),
		cmocka_unit_test(wrong_lines_are_refused_with_the_place),
		cmocka_unit_test(mutated_lines_never_crash),
	};

	return check_main(tests);
}
