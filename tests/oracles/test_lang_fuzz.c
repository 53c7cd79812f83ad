/* Mutated operator texts: each must parse, or be refused with a message that names a place;
 * whatever parses must describe itself, print, and bind without a fault. The mutations are a
 * function of the iteration number alone. */
#include "tests/check.h"

#include "oracles/lang.h"

#define MAX_TEXT 8000

static const char *const fragments[] = {" ",
                                        "\n",
                                        ";",
                                        ",",
                                        ":",
                                        "|",
                                        "[",
                                        "]",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        "=",
                                        "==",
                                        "<",
                                        "<=",
                                        "!=",
                                        "->",
                                        "=>",
                                        "..",
                                        "+",
                                        "-",
                                        "*",
                                        "/",
                                        "%",
                                        "^2",
                                        "^9",
                                        "0",
                                        "1",
                                        "0.1",
                                        "1e-5",
                                        "9223372036854775807",
                                        "inf",
                                        "nan",
                                        "pi",
                                        "true",
                                        " if ",
                                        " then ",
                                        " else ",
                                        " and ",
                                        " or ",
                                        " not ",
                                        "sum(i: ",
                                        "max(j | j < i: ",
                                        "argmax(k: ",
                                        "mean(",
                                        "exp(",
                                        "cast(f16,rne,sat,",
                                        "actual(y",
                                        "let q[i] = ",
                                        "shift m = ",
                                        "in x: T[N]",
                                        "in? w: f32[N] = 1",
                                        "out y: T[N]",
                                        "dim N in 0..",
                                        "dim P = N/2",
                                        "need N > 1",
                                        "param p: f32 = 1",
                                        "option o = a | b",
                                        "type T in f32",
                                        "y[i] = ",
                                        "x[i]",
                                        "N",
                                        "i",
                                        "low",
                                        "contract exact",
                                        "accept y[i] when ",
                                        "relation r: x[i] -> ",
                                        "# ",
                                        "\"",
                                        "\xff",
                                        "op t"};

struct rng {
	uint64_t seed, i;
};

static uint64_t below(struct rng *r, uint64_t n)
{
	return rand_below(r->seed, 7, r->i++, n);
}

static void insert(char *s, size_t *n, size_t at, const char *what, size_t len)
{
	if (*n + len >= MAX_TEXT)
		return;
	memmove(s + at + len, s + at, *n - at);
	memcpy(s + at, what, len);
	*n += len;
}

static void erase(char *s, size_t *n, size_t at, size_t len)
{
	if (len > *n - at)
		len = *n - at;
	memmove(s + at, s + at + len, *n - at - len);
	*n -= len;
}

static void mutate(struct rng *r, char *s, size_t *n)
{
	size_t at = (size_t)below(r, *n + 1), from = (size_t)below(r, *n + 1);
	size_t len = (size_t)below(r, 12);
	const char *f = fragments[below(r, ARRAY_LEN(fragments))];
	char copy[12];

	switch (below(r, 6)) {
	case 0:
		insert(s, n, at, f, strlen(f));
		break;
	case 1:
		erase(s, n, at, len);
		break;
	case 2: /* copy a piece elsewhere */
		len = len > *n - from ? *n - from : len;
		memcpy(copy, s + from, len);
		insert(s, n, at, copy, len);
		break;
	case 3:
		if (at < *n)
			s[at] = (char)below(r, 256);
		break;
	case 4: /* exchange two letters */
		if (at < *n && from < *n) {
			char c = s[at];

			s[at] = s[from];
			s[from] = c;
		}
		break;
	default:
		erase(s, n, at, len);
		insert(s, n, at, f, strlen(f));
	}
}

static void use(const struct op *op)
{
	const struct op_schema *s = op_schema(op);
	char *text = op_describe(op);
	struct err e = {0};

	assert_true(strlen(text) > 0);
	free(text);
	for (int64_t size = 0; size <= 9; size += 3) {
		struct op_binding b = {0};
		struct op_inst *in;

		for (int i = 0; i < s->ntypes; i++)
			b.types[i] = s->types[i].allowed[0];
		for (int i = 0; i < s->ndims; i++)
			b.dims[i] = size;
		memset(&e, 0, sizeof e);
		if (op_bind(op, &b, &in, &e) == ST_OK)
			op_inst_free(in);
		else
			assert_true(e.msg[0] && (e.code == ST_INPUT || e.code == ST_UNSUP));
	}
}

static size_t read_seed(char *text, uint64_t i)
{
	static const char *const data[] = {"argmax_any", "conv2d",    "cross_entropy",
	                                   "cumsum",     "embedding", "quant_i8",
	                                   "rope",       "var",       "words"};
	int builtin = op_builtin_count();
	uint64_t k = i % (uint64_t)(builtin + (int)ARRAY_LEN(data));
	struct err e = {0};
	char path[100], *from;
	size_t n;

	if (k < (uint64_t)builtin) {
		from = mem_strdup(op_builtin_text(op_builtin_name((int)k)));
		n = strlen(from);
	} else {
		snprintf(path, sizeof path, "tests/oracles/data/%s.op",
		         data[k - (uint64_t)builtin]);
		check_ok(file_read(path, MAX_TEXT, &from, &n, &e), &e);
	}
	memcpy(text, from, n);
	free(from);
	return n;
}

static void mutated_texts_never_crash(void **state)
{
	int parsed = 0, total = check_exhaustive() ? 2000000 : 20000;
	char *text = mem_alloc(MAX_TEXT);

	(void)state;
	for (int i = 0; i < total; i++) {
		struct rng r = {(uint64_t)i, 0};
		size_t n = read_seed(text, (uint64_t)i);
		struct err e = {0};
		struct op *op = NULL;
		enum st rc;

		for (uint64_t k = 1 + below(&r, 4); k > 0; k--)
			mutate(&r, text, &n);
		rc = op_parse(text, n, "fuzz.op", &op, &e);
		if (rc == ST_OK) {
			use(op);
			op_free(op);
			parsed++;
			continue;
		}
		check_true(rc == ST_INPUT && strncmp(e.msg, "fuzz.op:", 8) == 0 &&
		                   strchr(e.msg, '^'),
		           "iteration %d: %s: %s", i, st_text(rc), e.msg);
	}
	/* Neither side may be empty, or the test tries nothing. */
	check_true(parsed > total / 50 && parsed < total * 9 / 10, "%d of %d parsed", parsed,
	           total);
	free(text);
}

/* Every prefix of every text. */
static void truncated_texts_never_crash(void **state)
{
	(void)state;
	for (int k = 0; k < op_builtin_count(); k++) {
		const char *text = op_builtin_text(op_builtin_name(k));

		for (size_t n = 0; n < strlen(text); n++) {
			struct err e = {0};
			struct op *op = NULL;

			if (op_parse(text, n, "cut.op", &op, &e) == ST_OK)
				op_free(op);
			else
				check_true(strncmp(e.msg, "cut.op:", 7) == 0, "%s", e.msg);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(mutated_texts_never_crash),
	        cmocka_unit_test(truncated_texts_never_crash),
	};

	return check_main(tests);
}
