/* method.c - how the verdicts came about, and the words: the texts of the report that do not depend
 * on the evidence. They restate docs/design.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairo.h>
#include <pango/pango.h>

#include "report/audit/audit.h"

static const struct {
	const char *heading, *text;
} method[] = {
        {"The question", "Is the kernel right on its whole domain, and how do we know? One "
                         "comparison on one shape, one dtype and one seed "
                         "does not answer it. gpuemu runs the kernel's real PTX on many inputs "
                         "that are chosen to break it and judges every "
                         "element of every output against the exact value of the operator."},
        {"The exact value", "An operator is written once as mathematics. It is evaluated as a "
                            "certified enclosure: a double and a radius that "
                            "together contain the exact value. Where the enclosure leaves an "
                            "element's verdict open, the element is evaluated "
                            "again with MPFR at rising precision, up to 4,096 bits; what is open "
                            "then is UNKNOWN, never a pass."},
        {"The tolerance",
         "An output passes if it lies between the roundings of z − T·u·S and z + T·u·S: z is the "
         "exact value, u the "
         "roundoff of the accumulation type, S the error scale, propagated through the formula for "
         "each element, and T the "
         "tolerance factor. T depends on L, the longest chain of dependent additions, and comes "
         "from a tolerance table that "
         "is fitted to known-good kernels with a stated confidence. The scaled error r of an "
         "element is its distance from "
         "the exact value in units of u·S after the output's own rounding is taken off; r ≤ T "
         "passes. Where a table has no "
         "cell, or refused it, a bound stands in its place, and this report says so."},
        {"The cases", "Sizes round the kernel's tiles (one below, at, one above, primes, 1), "
                      "padded, offset and sliced layouts, values "
                      "of many classes (cancellation, wide exponents, subnormal, infinities and "
                      "NaN where the operator takes them), and "
                      "what memory held before. Coverage of the kernel's branches guides the "
                      "choice. The same campaign seed gives the same "
                      "cases, however many workers run them. A failing case is made as small as it "
                      "can be and still fail."},
        {"The device", "The emulator executes the kernel's PTX as an sm_90 executes it, bit for "
                       "bit: ptxas' fused multiply-adds and "
                       "expansions, the special-function unit, roundings, canonical NaN. What it "
                       "does is held against an NVIDIA H200 "
                       "(docs/fidelity.md). On a GPU the same cases run through the CUDA driver."},
        {"The sanitizers", "Every access is checked against the tensor argument it belongs to: out "
                           "of bounds, misaligned, uninitialised; "
                           "divergent or missing barriers, deadlock, writes to inputs and outputs "
                           "never written. A finding that is an error "
                           "makes the case fail even where the output's values are right; both are "
                           "counted apart (“by value”)."},
        {"Power", "A case that would also pass kernels that compute nothing proves nothing. Such "
                  "cases are run and judged, counted "
                  "as “without power”, and shown."},
        {"Intervals", "Shares have two-sided 95 % Clopper–Pearson intervals. A tolerance limit "
                      "with coverage p at confidence c is a bound "
                      "that, with probability c over the calibration runs, at least the share p of "
                      "further runs stays below."},
        {"What a PASS does not say", "It says that no case of the campaign fails. It is no proof "
                                     "for inputs that were not run, nor for instructions "
                                     "that the emulator models without a hardware record; PTX that "
                                     "it does not know is refused by name, as UNSUPPORTED."},
};

/* What the emulator was held against, when the figures are given. */
static void fidelity(struct audit *a)
{
	const cJSON *j = a->in->src->file[SRC_FIDELITY];
	struct buf b = {0};

	if (!j)
		return;
	put_count(&b, ev_number(j, "forms_covered"));
	buf_puts(&b, " of ");
	put_count(&b, ev_number(j, "forms"));
	buf_puts(&b, " instruction forms that the emulator runs were compared on an H200 with ");
	put_count(&b, ev_number(j, "vectors"));
	buf_puts(&b, " operand vectors: ");
	put_count(&b, ev_number(j, "differences"));
	buf_puts(&b, " differ. Of ");
	put_count(&b, ev_number(j, "corpus_cases"));
	buf_puts(&b, " whole cases with ");
	put_count(&b, ev_number(j, "corpus_elements"));
	buf_puts(&b, " outputs, ");
	put_count(&b, ev_number(j, "corpus_identical"));
	buf_puts(&b, " are the same bit for bit.");
	flow_par(&a->f, face_body, b.s);
	buf_free(&b);
}

/* How the report itself was made: part of what "the same bytes" depends on. */
static void put_versions(struct buf *b)
{
	buf_printf(b,
	           "This report is drawn from evidence.json, and charts of studies from the files "
	           "named there. The same files give the same bytes with the same libraries and "
	           "fonts: Cairo %s, Pango %s. The SHA-256 of the evidence stands on the cover.",
	           cairo_version_string(), pango_version_string());
}

/* Which hash pins what, and the commands that make them again. */
static void pins(struct audit *a)
{
	flow_heading(&a->f, 2, DEST_NONE, "What pins what", "What pins what");
	flow_par(&a->f, face_body,
	         "The commit on the cover, with a clean tree, pins the tool. The sha256 on a "
	         "kernel's page pins all of the kernel: it is "
	         "that of its manifest, a zero byte, its source, a zero byte and its PTX, as they "
	         "lie in its folder (a file that is not there counts as empty). In that folder:");
	flow_code(&a->f, "{ cat kernel.json; printf '\\0'; cat kernel.cu; printf '\\0'; cat "
	                 "kernel.ptx; } | sha256sum");
	flow_par(&a->f, face_body,
	         "The sha256 of all kernels, on the cover, is that of a line “name sha256” a "
	         "kernel. The table of tolerances and the evidence "
	         "have their own, of their files; with a signature “gpuemu verify” holds all of "
	         "them against what was signed.");
}

void audit_method(struct audit *a)
{
	struct buf b = {0};

	if (!flow_at_top(&a->f))
		flow_page(&a->f);
	audit_part(a, DEST_METHOD, "Method");
	for (size_t i = 0; i < ARRAY_LEN(method); i++) {
		flow_heading(&a->f, 2, DEST_NONE, method[i].heading, method[i].heading);
		flow_par(&a->f, face_body, method[i].text);
		if (strcmp(method[i].heading, "The device") == 0)
			fidelity(a);
	}
	flow_heading(&a->f, 2, DEST_NONE, "Replaying, and this report",
	             "Replaying, and this report");
	flow_par(&a->f, face_body,
	         "A case is one line of text that makes the same bytes on every machine. With "
	         "gpuemu built (make, no GPU "
	         "and no CUDA toolkit needed) and the kernel's folder at hand, any line in grey in "
	         "this report runs its "
	         "case again and shows the wrong elements; the sha256 on the kernel's "
	         "page tells whether it is the "
	         "kernel that was tested (below). A line that ends with a backslash goes on in the "
	         "next: both are one command, and gpuemu takes a case in several words as in one. "
	         "The whole campaign is run again by its command:");
	flow_code(&a->f, ev_text(ev_get(a->evidence, "tool"), "command"));
	put_versions(&b);
	flow_par(&a->f, face_body, b.s);
	buf_free(&b);
	pins(a);
}

static const struct {
	const char *word, *meaning;
} words[] = {
        {"accepted",
         "Of a published check and a kernel: accepted at every benchmark seed on one input."},
        {"benchmark seed", "What a published check's random inputs begin with; it has several, and "
                           "all of them count."},
        {"bound", "A limit of numerical analysis for T, which needs no calibration: γ, or λ·sqrt(L "
                  "+ 4) (Tolerances)."},
        {"bounded", "Of a cell, a tier: an operator without sums; T is the largest error met in "
                    "dense runs, with a margin."},
        {"buggy kernel",
         "A kernel of the corpus that is known to be wrong; it differs in one place from its good "
         "twin. It may "
         "pass where its fault does not show: in some cases, or in one element type."},
        {"by value", "Of a failing case: its outputs are wrong, whatever the sanitizers found."},
        {"campaign", "All cases of one run of “gpuemu validate”."},
        {"campaign seed", "The number that decides which cases a campaign makes."},
        {"case", "Sizes, options, layouts, value classes, case seed and fill in one line: all that "
                 "decides a run's bytes."},
        {"case seed", "The number in a case's line that the values of its inputs begin with."},
        {"cell", "One entry of a tolerance table: an operator with its types, a family of numerics "
                 "and a coherence group."},
        {"chain, L", "The longest chain of dependent additions in one accumulator; an expression "
                     "of the sizes (How to read a "
                     "case)."},
        {"coherence group", "How the roundings of a sum behave, by its values. mixed: even terms "
                            "of both signs; wide: both signs, "
                            "very different sizes; same: one sign; spike: a large term among small "
                            "ones, terms that rise or few "
                            "distinct ones; const: equal terms; all: an operator without sums."},
        {"confidence", "The probability, over the calibration runs, that a cell's limit covers "
                       "what it says it covers."},
        {"control",
         "A kernel of the corpus that is known to be right; to flag it is a false alarm."},
        {"corpus", "The kernels whose faults are known, in sets: the seed corpus and the flash "
                   "corpus, which share most of their "
                   "kernels; the summary says how many."},
        {"coverage", "Of a kernel: basic blocks and ways of branches that were executed. Of a "
                     "tolerance: the share of known-good runs "
                     "below it."},
        {"dtype", "The element type of inputs and outputs: f32, f16, bf16 and others."},
        {"enclosure", "A midpoint and a radius that are certain to contain the exact value."},
        {"envelope", "The fitted T of a cell as a function of L and M."},
        {"error scale, S",
         "For an element: what a rounding error of size u in each step adds up to at the output."},
        {"exact", "Of a cell: every calibration run gave the exact value; or, as a tier, the "
                  "contract is bitwise."},
        {"family of numerics", "How a kernel computes: the type of its sums, whether subnormals "
                               "are flushed, tensor cores, narrower "
                               "intermediates."},
        {"fill",
         "The byte that all memory around the tensors, and the outputs, held before the run."},
        {"finding", "A fault that a sanitizer saw: kernel, block, thread, PTX line, source line, "
                    "argument and element."},
        {"fitted",
         "Of a cell: its T comes from a fit to known-good runs, with a coverage and a confidence."},
        {"friendly input", "One input an operator, of the kind that a benchmark would pick."},
        {"held-out run",
         "A run of a known-good kernel that the fit did not see, and that is held against it."},
        {"ill-conditioned", "An element for which no tolerance can be stated; counted apart."},
        {"KernelBench v0, HEAD", "A published benchmark at its first version and at its newest; "
                                 "its checks and its own inputs."},
        {"knee", "The chain up to which a fitted T does not grow."},
        {"known-good kernel", "One made for calibration: several independent ones an operator, "
                              "right by construction and by tests."},
        {"lint", "Rules held against the PTX itself, without running it on data. proved: shown for "
                 "a launch; possible: not excluded."},
        {"loose", "Of a cell: its limit holds, but half of it would fail no run, or its tail is that of a "
                  "power law. It is applied where it lies below the bound."},
        {"M, M₀", "The number of results of a case; the fewest that the runs of a cell had."},
        {"minimal case", "The smallest case found that still fails in the same way."},
        {"null kernel", "One that computes nothing: zeros, a copy of an input, the mean of the "
                        "exact output, a constant, untouched "
                        "memory."},
        {"observably wrong", "Of a case: some element differs by more than the deterministic bound "
                             "and its output's rounding, or in class, "
                             "whatever the envelope."},
        {"one-shape check", "The published check that headlines speak of: |y − x| ≤ 1e-5 + "
                            "1e-2·|x| on one shape, in f32."},
        {"out of contract",
         "An element whose intermediates overflow the accumulation type; it has no verdict."},
        {"plan", "How many calibration runs a table was made with: smoke, pr or release, with "
                 "rising coverage."},
        {"power", "A case has power when it tells the kernel from null kernels; a cell, when "
                  "errors beyond T are seen."},
        {"provisional",
         "T(L) = 6 + L/4, where no table knows the operator or the family of numerics."},
        {"r, scaled error", "Distance of an output from the exact value in units of u·S, its own "
                            "last rounding taken off; r ≤ T passes."},
        {"refused",
         "Of a cell: its runs do not support a fit, with the reason; the bound stands instead."},
        {"sanitizer", "The checks of every memory access and barrier that the emulator makes."},
        {"sha256", "A fingerprint: two texts with the same SHA-256 are the same text."},
        {"slope, slope′", "The powers with which a fitted T grows with L and with M."},
        {"stale", "Of shipped PTX: it was made from another source or with other options than "
                  "those in the folder."},
        {"statistical", "Of a cell, a tier: its operator sums, and its T is fitted."},
        {"strategy", "A rule by which cases are chosen; “ours” is gpuemu's own."},
        {"t", "The factor of a fitted T: its value at chains up to the knee and M₀ results."},
        {"T", "The tolerance factor: an error up to T·u·S is allowed."},
        {"toolkit", "The CUDA version that made the PTX."},
        {"twin", "The control that a buggy kernel differs from in one place."},
        {"u", "The unit roundoff of the accumulation type: 2⁻²⁴ for f32."},
        {"ulp", "The distance between neighbouring numbers of a type at the exact value."},
        {"undecided", "Of a case: UNKNOWN or UNSUPPORTED."},
        {"way of a branch", "Taken or not taken, of a predicated branch of the PTX."},
        {"z", "The exact value of an output."},
        {"γ, λ", "The deterministic bound and the factor of the probabilistic one (Tolerances)."},
        {"PASS", "No case fails, and some were decided."},
        {"FAIL", "Some case fails: wrong elements, or a finding that is an error."},
        {"UNKNOWN", "Could not be decided: out of contract, a limit of precision, memory or time."},
        {"UNSUPPORTED", "The kernel or the operator uses what gpuemu does not know; it says what."},
};

/* Why a cell of a tolerance table is loose or refused: what its reason begins with (tolerances/fit.c,
 * calibrate/envelopes.c). */
static const struct {
	const char *word, *meaning;
} refusals[] = {
        {"too few runs", "fewer than the coverage asked for needs"},
        {"too discrete", "too many runs are exact, or err by the same, for a fit"},
        {"tail too heavy",
         "large errors are more frequent than an exponential law allows: loose where a power law allows them"},
        {"grows faster than L",
         "the error grows faster than the chain: the error scale misses something"},
        {"sizes differ", "runs of some sizes err by more than the fitted growth"},
        {"runs depend on the one before", "the runs are no independent sample"},
        {"held out", "some of the runs that the fit did not see lie above it"},
        {"loose", "half the envelope would fail no run: it is wider than need be"},
        {"no power", "errors far above the envelope, or null kernels, are not seen"},
        {"second order",
         "the error scale itself depends on T, and the fit fails when judged by itself"},
        {"run",
         "one run errs without limit or beyond the bound: that kernel, or its chain, is wrong"},
};

static void why_refused(struct audit *a)
{
	static const struct column columns[] = {{.title = "Reason", .w = 132},
	                                        {.title = "What it means", .w = -1}};
	struct table t;

	flow_heading(&a->f, 2, DEST_NONE, "Why a cell is loose or refused", "Why a cell is loose or refused");
	flow_lead(&a->f, face_note,
	          "What the reason in the table of cells begins with. The bound stands in the "
	          "place of a refused cell; in that of a loose one the lower of its limit and the bound.");
	table_begin(&t, &a->f, columns, 2, TABLE_SIZE);
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		struct td cells[2] = {{.text = refusals[i].word}, {.text = refusals[i].meaning}};

		table_row(&t, cells);
	}
	table_end(&t);
}

/* Words of published checks: left out where none was run. */
static bool of_checks(const char *word)
{
	static const char *const list[] = {"accepted", "benchmark seed", "friendly input",
	                                   "KernelBench v0, HEAD", "one-shape check"};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (strcmp(list[i], word) == 0)
			return true;
	return false;
}

/* Kinds of findings and rules of lint that the evidence names. */
static void names_found(struct names *findings, struct names *rules, const struct audit *a)
{
	const cJSON *d, *f;

	for (int i = 0; i < a->m->nrows; i++) {
		const cJSON *k = a->m->rows[i].kernel;

		cJSON_ArrayForEach(d, ev_get(k, "dtypes"))
		        cJSON_ArrayForEach(f, ev_get(d, "findings"))
		                names_add(findings, ev_text(f, "kind"));
		cJSON_ArrayForEach(f, ev_get(ev_get(k, "lint"), "findings"))
		        names_add(rules, ev_text(f, "rule"));
	}
}

void audit_glossary(struct audit *a)
{
	static const struct column columns[] = {{.w = 96}, {.w = -1}};
	struct names findings = {0}, rules = {0};
	struct table t;

	audit_part(a, DEST_GLOSSARY, "Glossary");
	table_begin(&t, &a->f, columns, 2, TABLE_SIZE);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct td cells[2] = {{.text = words[i].word, .bold = true},
		                      {.text = words[i].meaning}};

		if (of_checks(words[i].word) && !a->m->nprofiles)
			continue;
		table_row(&t, cells);
	}
	table_end(&t);
	why_refused(a);
	names_found(&findings, &rules, a);
	audit_words(a, "findings", "Findings of the sanitizers: kinds",
	            "Each is an error of the kernel but where it says “information”.", &findings);
	audit_words(a, "rules", "Rules of lint",
	            "“gpuemu lint --explain RULE” tells more, with an example.", &rules);
	free(findings.v);
	free(rules.v);
}
