/* language.c - how to read a case, and what the operators are: see audit.h. The meanings of words
 * are the evidence's own ("words"); a word that it uses and does not explain is listed as such. */
#include <stdlib.h>
#include <string.h>

#include "report/audit/audit.h"

/* ---- words that occur ---- */

static const cJSON *explained(const cJSON *list, const char *word)
{
	const cJSON *x;

	cJSON_ArrayForEach(x, list) if (strcmp(ev_text(x, "word"), word) == 0) return x;
	return NULL;
}

void names_add(struct names *n, const char *name)
{
	if (!name[0])
		return;
	for (int i = 0; i < n->n; i++)
		if (strcmp(n->v[i], name) == 0)
			return;
	n->v = mem_realloc(n->v, (size_t)(n->n + 1) * sizeof *n->v);
	n->v[n->n++] = name;
}

void audit_words(struct audit *a, const char *key, const char *title, const char *lead,
                 const struct names *met)
{
	static const struct column columns[] = {{.title = "Word", .w = 132, .mono = true},
	                                        {.title = "What it means", .w = -1}};
	const cJSON *list = ev_get(ev_get(a->evidence, "words"), key), *x;
	struct table t;

	if (cJSON_GetArraySize(list) == 0 && met->n == 0)
		return;
	flow_heading(&a->f, 2, DEST_NONE, title, title);
	flow_lead(&a->f, face_note, lead);
	table_begin(&t, &a->f, columns, 2, TABLE_SIZE);
	cJSON_ArrayForEach(x, list)
	{
		const char *form = ev_text(x, "form");
		struct td cells[2] = {{.text = form[0] ? form : ev_text(x, "word")},
		                      {.text = ev_text(x, "meaning")}};

		table_row(&t, cells);
	}
	for (int i = 0; i < met->n; i++)
		if (!explained(list, met->v[i])) {
			struct td cells[2] = {
			        {.text = met->v[i]},
			        {.text = "occurs in this evidence, which does not explain it"}};

			table_row(&t, cells);
		}
	table_end(&t);
}

/* The layouts or the values that some kernel was tried on. */
static void names_tried(struct names *n, const struct audit *a, const char *key)
{
	const cJSON *x;

	for (int i = 0; i < a->m->nrows; i++)
		cJSON_ArrayForEach(x, ev_get(ev_get(a->m->rows[i].kernel, "tried"),
		                             key)) if (x->string) names_add(n, x->string);
}

/* ---- a case ---- */

/* The case of a failure, else of a run, that has most parts: "" when there is none. */
static const char *example(const struct audit *a)
{
	const char *best = "";

	for (int i = 0; i < a->m->nrows; i++) {
		const cJSON *d;

		cJSON_ArrayForEach(d, ev_get(a->m->rows[i].kernel, "dtypes"))
		{
			const char *s = ev_text(ev_get(d, "worst"), "case");

			if (strstr(s, " layout=") && strstr(s, " values=") && strlen(s) < 110 &&
			    strlen(s) > strlen(best))
				best = s;
		}
	}
	return best[0] || !a->m->nrows ? best : ev_text(ev_minimal(a->m->rows[0].kernel), "case");
}

static const struct {
	const char *part, *meaning;
} parts[] = {
        {"attention/f16",
         "The operator, and the element type of its tensors; a list where it has several."},
        {"B=2,H=4,L=33",
         "The sizes of the operator's axes, by the names that its definition gives them."},
        {"causal=1,bias=absent",
         "Parameters, choices and inputs that are left out. What is not said has its default."},
        {"outputs=f32", "Outputs of 16 bits are left in f32, for calibration."},
        {"layout=q:rowpad7", "How tensors lie in memory: here rows of q with 7 unused elements "
                             "after each. Tensors that are not named are "
                             "contiguous."},
        {"values=q:normal(0,4),*:ints(2)",
         "The class that the values of each input are drawn from, with its arguments; * stands for "
         "all other inputs. "
         "Inputs that are not named are normal(0,1)."},
        {"seed=0x64debae9", "The case seed: what the generator of the values begins with. The same "
                            "seed gives the same values on every machine."},
        {"fill=a5", "The byte, in hexadecimal, that all memory around the tensors, and the "
                    "outputs, held before the run."},
};

static void case_parts(struct audit *a)
{
	static const struct column columns[] = {
	        {.title = "Part, for example", .w = 150, .mono = true},
	        {.title = "What it says", .w = -1}};
	struct table t;

	table_begin(&t, &a->f, columns, 2, TABLE_SIZE);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct td cells[2] = {{.text = parts[i].part}, {.text = parts[i].meaning}};

		table_row(&t, cells);
	}
	table_end(&t);
}

static void seeds(struct audit *a)
{
	struct buf b = {0};

	flow_heading(&a->f, 2, DEST_NONE, "Which seed is which", "Which seed is which");
	buf_printf(&b,
	           "The campaign seed (here %s) decides which cases are made. The case seed, in "
	           "each case's line, "
	           "decides the values of its inputs. The benchmark seeds, 0 and up, are those "
	           "from which a published one-shape "
	           "check makes its inputs, so that “20 of 20” speaks of 20 such inputs. The seed "
	           "corpus is a set of kernels "
	           "and has nothing to do with random numbers.",
	           ev_text(a->evidence, "seed")[0] ? ev_text(a->evidence, "seed") : "not recorded");
	flow_par(&a->f, face_body, b.s);
	buf_free(&b);
}

void audit_cases(struct audit *a)
{
	struct names layouts = {0}, values = {0};
	const char *line = example(a);

	audit_part(a, DEST_CASES, "How to read a case");
	flow_par(&a->f, face_body,
	         "A case is one line of text. It says all that decides the bytes of a run, so that "
	         "the line alone brings the run "
	         "back, and it is given to “gpuemu replay” behind the folder of a kernel.");
	if (line[0])
		flow_code(&a->f, line);
	case_parts(a);
	seeds(a);
	names_tried(&layouts, a, "layouts");
	audit_words(a, "layouts", "Layouts",
	            "N stands for the number behind the word. A row is the last axis of a tensor.",
	            &layouts);
	names_tried(&values, a, "values");
	audit_words(a, "values", "Classes of values",
	            "Arguments in parentheses are what stands where a case gives none; letters and "
	            "words in a meaning (s, v, p, n, tile, step) "
	            "are these arguments in their order. Integer "
	            "inputs draw from their own range "
	            "whatever the class. A row is the last axis of a tensor; “keys” are the axis "
	            "before it.",
	            &values);
	flow_heading(&a->f, 2, DEST_NONE, "The chain, L", "The chain, L");
	flow_par(&a->f, face_body,
	         "L is the longest chain of additions in one accumulator of the kernel, each of "
	         "which waits for the one before: rounding "
	         "errors add up along it. A manifest states it as an expression of the sizes: + - "
	         "* / (rounded down) and %, min(a,b), "
	         "max(a,b), ceil(a,b), which is a/b rounded up, log2ceil(a) and pow2ceil(a), the "
	         "next power of two's exponent and "
	         "the power itself. So ceil(C,256)+8 is what a block of 256 threads needs that "
	         "share a row of C elements and then add "
	         "up in a tree of 8 steps. A kernel that states none is taken to add one term "
	         "after the other.");
	free(layouts.v);
	free(values.v);
}

/* ---- operators ---- */

bool audit_has_operators(const struct audit *a)
{
	return cJSON_GetArraySize(ev_get(ev_get(a->evidence, "words"), "operators")) > 0;
}

static void one_operator(struct audit *a, const cJSON *op)
{
	struct face mono = {.size = 6.7, .colour = C_INK, .mono = true};
	struct buf b = {0};

	for (const char *p = ev_text(op, "text"); *p; p++)
		if (*p == '\n')
			buf_puts(&b, BREAK);
		else
			buf_putc(&b, *p);
	flow_heading(&a->f, 2, DEST_NONE, ev_text(op, "word"), ev_text(op, "word"));
	flow_par(&a->f, mono, b.s ? b.s : "");
	buf_free(&b);
}

void audit_definitions(struct audit *a)
{
	const cJSON *op;

	if (!audit_has_operators(a))
		return;
	audit_part(a, DEST_OPERATORS, "The operators tested");
	flow_par(&a->f, face_body,
	         "What each kernel is held against: the exact value of the mathematics below. T "
	         "stands for the element type, sums and "
	         "conditions are written with their index before a colon or behind a bar.");
	cJSON_ArrayForEach(op, ev_get(ev_get(a->evidence, "words"), "operators"))
	        one_operator(a, op);
}
