"""paper.py - what the paper needs beside its text; tools/paper.sh calls it.

    paper.py values TABLES OUT   every number of the paper as a LaTeX definition, from the tables of figures in the
                                 folder TABLES (gpuemu report --tables), results/ and build/evidence/evidence.json
    paper.py pick TABLE.tex COLUMNS HEADS     some columns of a table, under shorter heads ("a|b|c")
    paper.py constants           reads a table of published checks, writes it with their constants beside their names
    paper.py minimal             the smallest failing case of every faulty kernel, a table
    paper.py sources             Markdown: each number, where it comes from and the command that makes that
    paper.py check TEXT.tex      literal numbers and unknown values in the text; exit status 1 if there are any

The text writes \\val{key} for a number that was measured and \\const{...} for one that is given: a tolerance that a
benchmark states, a size that was chosen, a figure of another paper beside its citation.
"""
import glob
import json
import os
import re
import sys

EVIDENCE = "build/evidence/evidence.json"
MADE_BY = {
    EVIDENCE: "make evidence",
    "results/calibration.json": "tools/calibration.sh build/gpuemu results/calibration.json",
    "results/corpus_h200.json": "tools/fidelity.sh build/node/gpuemu cuda:0 OUT (on an H200)",
    "results/fidelity.json": "gpuemu calibrate --isa --against isa_h200 --record results/fidelity.json",
    "results/math_h200.json": "gpuemu calibrate --math --device cuda:0 -o results/math_h200.json (on an H200)",
    "results/isa_h200.txt": "gpuemu calibrate --isa --device cuda:0 --all-inputs -o results/isa_h200.txt (on an H200)",
    "results/lint.json": "tools/lint-results.sh",
    "results/strategies.json": "make study-strategies",
    "results/coverage.json": "make study-coverage",
    "results/mutation.json": "make study-mutation",
    "results/tensor_slope.json": "tools/tensor-slope.py (docs/calibration.md; the tensor cores' runs on an H200)",
    "results/library_h200.json": "tools/library.py (on an H200 with PyTorch)",
    "results/heldout_h200.json": "gpuemu validate, then tools/heldout.py (docs/calibration.md; on an H200)",
    "docs/facts/benchmark-oracles.md": "a record kept by hand; its last section says how it was measured",
    "docs/facts/bug-classes.md": "a record kept by hand; counted from its tables",
    "tolerances/": "gpuemu calibrate (docs/calibration.md)",
    "corpus/": "the folders counted",
    "calibrate/kernels/": "the folders counted",
    "oracles/ops/": "the files counted",
    "docs/lint.md": "the table of rules counted",
}


def made_by(path):
    return MADE_BY.get(path) or MADE_BY[path[:path.rindex("/") + 1]]


class Data:
    """Files read when first asked for. TABLES: None where only files of the repository are wanted."""

    def __init__(self, tables):
        self.tables, self.files, self.macros = tables, {}, None

    def json(self, path):
        if path not in self.files:
            try:
                with open(path) as f:
                    self.files[path] = json.load(f)
            except OSError:
                sys.exit(f"paper.py: {path} is not there; it is made by: {made_by(path)}")
        return self.files[path]

    def text(self, path):
        with open(path) as f:
            return f.read()

    def macro(self, name):
        """The number as the tables print it: gpuemu report --tables wrote it as a LaTeX command."""
        if self.macros is None:
            self.macros = {}
            for path in sorted(glob.glob(os.path.join(self.tables, "*.macros.tex"))):
                for m in re.finditer(r"\\newcommand\{\\gpuemu(\w+)\}\{(.*)\}$", self.text(path), re.M):
                    self.macros[m[1]] = m[2]
        if name not in self.macros:
            sys.exit(f"paper.py: the tables in {self.tables} have no number {name}; see gpuemu report --list-tables")
        return self.macros[name]

    def rows(self, table):
        path = os.path.join(self.tables, table + ".json")
        if not os.path.exists(path):
            sys.exit(f"paper.py: {path} is not there; gpuemu report --list-tables FILES says why")
        return json.loads(self.text(path))["rows"]


def count(n):
    return f"{n:,}".replace(",", "{,}")


def texttt(s):
    return r"\texttt{%s}" % re.sub(r"([_%#&$])", r"\\\1", s)


def words(names):
    names = [texttt(n) for n in names]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


# ---- what the tables and records hold, counted ----

def checks(d, column):
    """(check, accepted, of) of every published check."""
    return [(r["check"], r[column]["x"], r[column]["n"]) for r in d.rows("checks") if r[column]]


def strictest(d):
    least = min(x for _, x, _ in checks(d, "buggy_friendly"))
    return [c for c, x, _ in checks(d, "buggy_friendly") if x == least]


def bug_totals(d, mark, method):
    line = re.search(r"^\| %s \|(.*)\|$" % mark, d.text("docs/facts/bug-classes.md"), re.M)[1]
    return int(line.split("|")["abcde".index(method)])


def bug_group(d, name):
    return int(re.search(r"^\| %s \|.*\| (\d+) \|$" % name, d.text("docs/facts/bug-classes.md"), re.M)[1])


def bug_basis(d):
    m = re.search(r"(\d+) public reports .* into (\d+) root-cause classes", d.text("docs/facts/bug-classes.md"))
    return int(m[1]), int(m[2])


def published(d, inputs, column):
    line = re.search(r"^\| %s \|(.*)\|$" % re.escape(inputs), d.text("docs/facts/benchmark-oracles.md"), re.M)[1]
    return int(line.split("|")[column])


def math_functions(d, bits=None):
    return [f for f in d.json("results/math_h200.json")["functions"]
            if bits is None or (f["dtype"] == "f32") == (bits == 32)]


def ratios(d):
    return sorted(r["ratio"] for r in d.rows("devices"))


def near_bound(f):
    """Within a tenth of a bound that allows an error ("0 ulp": correctly rounded, half a unit is allowed)."""
    return f["bound"] != "0 ulp" and 0.9 < f.get("of_bound", 0) <= 1


def runs(d, table):
    """Runs that the cells of a shipped table were fitted to."""
    return sum(c.get("runs", 0) for c in d.json(f"tolerances/{table}.json")["cells"])


def median(v):
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def strategies(d):
    return d.json("results/strategies.json")["strategies"]


def complete(d):
    """Strategies under which every buggy kernel fails in every element type."""
    return [s["strategy"] for s in strategies(d) if s["buggy_units_failing"] == s["buggy_units"]]


def missed(d, strategy):
    """Kernels that a strategy misses in some element type."""
    return sorted({m.split("/")[0] for s in strategies(d) if s["strategy"] == strategy for m in s["missed"]})


def coverage(d):
    return d.json("results/coverage.json")["coverage"]


def mutants(d):
    return d.json("results/mutation.json")["total"]


def runs_bug(k, who):
    return k[who + "_bug_lines"] == k["bug_lines"]


def minimal(d):
    """(kernel, its smallest failing case in f32) of every faulty kernel."""
    return [(k["name"], t["minimal"]) for k in evidence(d)["kernels"] if k["role"] == "buggy"
            for t in k["dtypes"] if t["dtype"] == "f32" and "minimal" in t]


def lint(d, part):
    return d.json("results/lint.json")[part]


def lint_found(d, severity):
    """Buggy kernels with a finding of that severity."""
    buggy = {os.path.basename(p) for p in glob.glob("corpus/buggy/*")}
    return sorted(k for k, v in lint(d, "corpus")["kernels"].items()
                  if k in buggy and any(r["severity"] == severity for r in v.values()))


def changes(d, kind):
    return [k for k, v in lint(d, "differences").items() if v["change"] == kind]


def slope(d, kernel):
    """Growth of r with K in f16, with its interval."""
    r, = (r for r in d.json(SLOPE)["rows"] if r["kernel"] == kernel and r["types"] == "f16")
    return "%.2f [%.2f, %.2f]" % (r["slope"], r["slope_lo"], r["slope_hi"])


def evidence(d):
    return d.json(EVIDENCE)


def nulls(d):
    return {r["operator"] for r in d.rows("nulls") if r["set"] == "flash"}


def friendly(d):
    return {f["operator"] for f in evidence(d)["friendly_inputs"]}


def isa(d):
    return [line.split() for line in d.text("results/isa_h200.txt").splitlines()[4:]]


def from_macro(name):
    return lambda d: d.macro(name)


CAL, FID, POL, SUM = "results/calibration.json", "results/fidelity.json", "results/calibration.json", EVIDENCE
MATH, LINT, CORPUS = "results/math_h200.json", "results/lint.json", "results/corpus_h200.json"
STRAT, COVER, MUT = "results/strategies.json", "results/coverage.json", "results/mutation.json"
SLOPE, LIBRARY = "results/tensor_slope.json", "results/library_h200.json"
ON_GPU = "results/heldout_h200.json"
ORACLES, BUGS = "docs/facts/benchmark-oracles.md", "docs/facts/bug-classes.md"
HELD, SAME = "CalibrationHeldOutGoodCasesFlaggedShare", "CalibrationTheSameByTheHTwoZeroZeroSTableShare"
OBS, TWIN = "CalibrationObservablyWrongCasesCaughtShare", "CalibrationCasesWithOtherBitsThanTheTwinSCaughtShare"
RUNS, LEFT = "CalibrationHeldOutRunsOverTheEnvelopeShare", "CalibrationKernelsLeftOutThatTheOthersEnvelopeFlagsShare"
LONG = "CalibrationRunsOfTheLongestChainsLeftOutThatAreOverShare"

# key, source, how it is got
VALUES = [
    # the campaign
    ("date", SUM, lambda d: evidence(d)["date"][:10]),
    ("commit", SUM, lambda d: texttt(evidence(d)["tool"]["commit"].split(",")[0])),
    ("corpus-sha", SUM, lambda d: texttt(evidence(d)["corpus"]["sha256"][:16])),
    ("table-sha", SUM, lambda d: texttt(evidence(d)["tolerance"]["sha256"][:16])),
    ("seed", SUM, lambda d: texttt(evidence(d)["seed"])),
    ("toolkit", SUM, lambda d: evidence(d)["kernels"][0]["toolkit"]),
    ("cases-each", SUM, lambda d: count(evidence(d)["options"]["cases"])),
    ("kernels", SUM, lambda d: count(len(evidence(d)["kernels"]))),
    ("cases", SUM, lambda d: count(sum(t["cases"] for k in evidence(d)["kernels"] for t in k["dtypes"]))),
    ("profiles", SUM, lambda d: count(len(evidence(d)["profiles"]))),
    ("bench-seeds", SUM, lambda d: count(evidence(d)["friendly_inputs"][0]["seeds"])),
    ("seed-buggy", SUM, from_macro("SummarySeedCaughtOf")),
    ("seed-controls", SUM, from_macro("SummarySeedFlaggedOf")),
    ("seed-friendly", SUM, from_macro("SummarySeedBenchFriendlyCount")),
    ("seed-own", SUM, from_macro("SummarySeedBenchOwnCount")),
    ("seed-caught", SUM, from_macro("SummarySeedCaughtCount")),
    ("seed-caught-interval", SUM, from_macro("SummarySeedCaughtInterval")),
    ("seed-flagged", SUM, from_macro("SummarySeedFlaggedCount")),
    ("seed-flagged-interval", SUM, from_macro("SummarySeedFlaggedInterval")),
    ("flash-buggy", SUM, from_macro("SummaryFlashCaughtOf")),
    ("flash-controls", SUM, from_macro("SummaryFlashFlaggedOf")),
    ("flash-friendly", SUM, from_macro("SummaryFlashBenchFriendlyCount")),
    ("flash-own", SUM, from_macro("SummaryFlashBenchOwnCount")),
    ("flash-own-interval", SUM, from_macro("SummaryFlashBenchOwnInterval")),
    ("flash-controls-accepted", SUM, from_macro("SummaryFlashBenchControlsCount")),
    ("flash-caught", SUM, from_macro("SummaryFlashCaughtCount")),
    ("flash-caught-interval", SUM, from_macro("SummaryFlashCaughtInterval")),
    ("flash-by-value", SUM, from_macro("SummaryFlashCaughtByValueCount")),
    ("flash-flagged", SUM, from_macro("SummaryFlashFlaggedCount")),
    ("flash-flagged-interval", SUM, from_macro("SummaryFlashFlaggedInterval")),
    ("buggy-cases", SUM, from_macro("SummaryFlashBuggyCasesOf")),
    ("buggy-cases-flagged", SUM, from_macro("SummaryFlashBuggyCasesCount")),
    ("buggy-cases-interval", SUM, from_macro("SummaryFlashBuggyCasesInterval")),
    ("control-cases", SUM, from_macro("SummaryFlashControlCasesOf")),
    ("control-cases-flagged", SUM, from_macro("SummaryFlashControlCasesCount")),
    ("control-cases-interval", SUM, from_macro("SummaryFlashControlCasesInterval")),
    ("unknown", SUM, from_macro("SummaryFlashUnknown")),
    ("no-power", SUM, from_macro("SummaryFlashNoPower")),
    ("minimal-twins", SUM, lambda d: count(sum(m["twin_verdict"] == "PASS" for _, m in minimal(d)))),
    # the published checks
    ("checks-all-friendly", SUM, lambda d: count(sum(x == n for _, x, n in checks(d, "buggy_friendly")))),
    ("checks-least-friendly", SUM, lambda d: count(min(x for _, x, _ in checks(d, "buggy_friendly")))),
    ("checks-strictest", SUM, lambda d: words(strictest(d))),
    ("checks-strictest-controls", SUM, lambda d: count(min(x for _, x, _ in checks(d, "controls_friendly")))),
    ("checks-least-own", SUM, lambda d: count(min(x for _, x, _ in checks(d, "buggy_own")))),
    ("checks-most-own", SUM, lambda d: count(max(x for _, x, _ in checks(d, "buggy_own")))),
    ("nulls-operators", SUM, lambda d: count(len(nulls(d)))),
    ("friendly-operators", SUM, lambda d: count(len(friendly(d)))),
    # the public corpus under its own check, on a GPU
    ("published-controls", ORACLES, lambda d: count(published(d, "normal", 0))),
    ("published-normal", ORACLES, lambda d: count(published(d, "normal", 1))),
    ("published-wide", ORACLES, lambda d: count(published(d, "uniform [−10,10]", 1))),
    ("published-unit", ORACLES, lambda d: count(published(d, "uniform [0,1)", 1))),
    # reports of wrong kernels
    ("reports", BUGS, lambda d: count(bug_basis(d)[0])),
    ("bug-classes", BUGS, lambda d: count(bug_basis(d)[1])),
    ("bugs-marked", BUGS, lambda d: count(sum(bug_totals(d, m, "a") for m in "YPN"))),
    ("bugs-oracle", BUGS, lambda d: count(bug_totals(d, "Y", "a"))),
    ("bugs-emulator", BUGS, lambda d: count(bug_totals(d, "Y", "b"))),
    ("bugs-lint", BUGS, lambda d: count(bug_totals(d, "Y", "c"))),
    ("bugs-memory", BUGS, lambda d: count(bug_group(d, "memory and addressing"))),
    ("bugs-sync", BUGS, lambda d: count(bug_group(d, "synchronisation and state"))),
    ("bugs-numerics", BUGS, lambda d: count(bug_group(d, "numerics and semantics"))),
    # what there is
    ("operators", "oracles/ops/", lambda d: count(len(glob.glob("oracles/ops/*.op")))),
    ("good-kernels", "calibrate/kernels/", lambda d: count(len(glob.glob("calibrate/kernels/*/kernel.json")))),
    ("lint-rules", "docs/lint.md", lambda d: count(len(re.findall(r"^\| `", d.text("docs/lint.md"), re.M)))),
    # fidelity
    ("gpu", CORPUS, lambda d: re.sub("sm_", r"sm\\_", d.json(CORPUS)["b"]["text"])),
    ("forms", FID, from_macro("FidelityInstructionFormsN")),
    ("forms-differ", FID, from_macro("FidelityInstructionFormsDiffer")),
    ("tuples", FID, from_macro("FidelityOperandTuplesOfFormsN")),
    ("sequences", "results/isa_h200.txt", lambda d: count(sum(r[0].startswith("rewrite:") for r in isa(d)))),
    ("corpus-cases", CORPUS, lambda d: count(d.json(CORPUS)["cases"])),
    ("corpus-cases-each", CORPUS, lambda d: count(d.json(CORPUS)["cases_each"])),
    ("corpus-elements", CORPUS, lambda d: count(d.json(CORPUS)["elements"])),
    ("corpus-differ", CORPUS, lambda d: count(d.json(CORPUS)["elements_different"])),
    # math functions
    ("math-functions", MATH, lambda d: count(len(math_functions(d)))),
    ("math-f32", MATH, lambda d: count(len(math_functions(d, 32)))),
    ("math-short", MATH, lambda d: count(len(math_functions(d, 16)))),
    ("math-short-correct", MATH, lambda d: count(sum(not f["not_correctly_rounded"] for f in math_functions(d, 16)))),
    ("math-not-met", MATH, lambda d: words([f["name"] for f in math_functions(d) if f.get("met") is False])),
    ("math-not-met-count", MATH, lambda d: count(sum(f.get("met") is False for f in math_functions(d)))),
    ("math-worst", MATH, lambda d: "%.3f" % max(f["of_bound"] for f in math_functions(d) if "of_bound" in f)),
    ("math-two-or-more", MATH, lambda d: count(sum(f["two_or_more"] > 0 for f in math_functions(d, 32)))),
    ("math-near", MATH, lambda d: count(sum(near_bound(f) for f in math_functions(d, 32)))),
    # calibration
    ("heldout-cases", CAL, from_macro(HELD + "Of")),
    ("heldout-alarms", CAL, from_macro(HELD + "Count")),
    ("heldout-interval", CAL, from_macro(HELD + "Interval")),
    ("heldout-h-alarms", CAL, from_macro(SAME + "Count")),
    ("heldout-gpu-alarms", ON_GPU, lambda d: count(d.json(ON_GPU)["false_alarms"])),
    ("heldout-gpu-cases", ON_GPU, lambda d: count(d.json(ON_GPU)["cases"])),
    ("observable-cases", CAL, from_macro(OBS + "Of")),
    ("observable-caught", CAL, from_macro(OBS + "Count")),
    ("twin-cases", CAL, from_macro(TWIN + "Of")),
    ("twin-caught", CAL, from_macro(TWIN + "Count")),
    ("twin-interval", CAL, from_macro(TWIN + "Interval")),
    ("plan-runs", CAL, from_macro(RUNS + "Of")),
    ("plan-over", CAL, from_macro(RUNS + "Count")),
    ("left-out", CAL, from_macro(LEFT + "Of")),
    ("left-out-over", CAL, from_macro(LEFT + "Count")),
    ("longest", CAL, from_macro(LONG + "Of")),
    ("longest-over", CAL, from_macro(LONG + "Count")),
    ("slope-tensor", SLOPE, lambda d: slope(d, "matmul_mma16")),
    ("slope-serial", SLOPE, lambda d: slope(d, "matmul_serial")),
    ("library-cases", LIBRARY, lambda d: count(d.json(LIBRARY)["cases"])),
    ("library-rows", LIBRARY, lambda d: count(len(d.json(LIBRARY)["rows"]))),
    ("library-clean", LIBRARY, lambda d: count(sum(r["fail"] == 0 for r in d.json(LIBRARY)["rows"]))),
    ("library-failing", LIBRARY, lambda d: words(sorted({r["op"] for r in d.json(LIBRARY)["rows"] if r["fail"]}))),
    ("cells", "tolerances/", from_macro("StatesAllCells")),
    ("cells-envelope", "tolerances/", from_macro("StatesAllEnvelopesCount")),
    ("cells-exact", "tolerances/", from_macro("StatesAllExact")),
    ("cells-loose", "tolerances/", from_macro("StatesAllLoose")),
    ("cells-refused", "tolerances/", from_macro("StatesAllRefused")),
    ("cells-tight", "tolerances/", from_macro("StatesAllTightCount")),
    ("policy-controls", POL, lambda d: count(d.json(POL)["policies"][0]["control_cases"])),
    ("policy-fixed-recall", POL, from_macro("PoliciesFixedAtolOneETwoRecallInterval")),
    ("policy-fixed-alarms", POL, from_macro("PoliciesFixedAtolOneETwoFalseAlarmsInterval")),
    ("policy-allclose-recall", POL, from_macro("PoliciesAllcloseOneEFiveOneETwoRecallInterval")),
    ("policy-allclose-alarms", POL, from_macro("PoliciesAllcloseOneEFiveOneETwoFalseAlarmsInterval")),
    ("policy-gpuemu-alarms", POL, from_macro("PoliciesGpuemuFalseAlarmsInterval")),
    # two tables of tolerances
    ("runs-emulator", "tolerances/", lambda d: count(runs(d, "sm_90"))),
    ("runs-gpu", "tolerances/", lambda d: count(runs(d, "h200"))),
    ("devices-cells", "tolerances/", lambda d: count(len(ratios(d)))),
    ("devices-near", "tolerances/", lambda d: count(sum(0.5 <= r <= 2 for r in ratios(d)))),
    ("devices-median", "tolerances/", lambda d: "%.2f" % median(ratios(d))),
    ("devices-most", "tolerances/", lambda d: "%.3g" % ratios(d)[-1]),
    # strategies
    ("strategies", STRAT, lambda d: count(len(strategies(d)))),
    ("strategies-cases", STRAT, lambda d: count(d.json(STRAT)["cases"])),
    ("strategies-seed", STRAT, lambda d: texttt(d.json(STRAT)["seed"])),
    ("native-caught", STRAT, from_macro("StrategiesNativeCaughtCount")),
    ("strategies-units", STRAT, from_macro("StrategiesOursCaughtOf")),
    ("strategies-complete", STRAT, lambda d: words(complete(d))),
    ("strategies-flagged", STRAT, lambda d: count(max(s["control_cases_failing"] for s in strategies(d)))),
    ("ours-interval", STRAT, from_macro("StrategiesOursCaughtInterval")),
    ("ours-cases-interval", STRAT, from_macro("StrategiesOursBuggyCasesInterval")),
    ("boundary-cases-interval", STRAT, from_macro("StrategiesBoundaryBuggyCasesInterval")),
    ("regular-interval", STRAT, from_macro("StrategiesRegularCaughtInterval")),
    ("regular-missed", STRAT, lambda d: words(missed(d, "regular"))),
    ("native-interval", STRAT, from_macro("StrategiesNativeCaughtInterval")),
    ("native-missed", STRAT, lambda d: words(missed(d, "native"))),
    ("adversarial-interval", STRAT, from_macro("StrategiesAdversarialCaughtInterval")),
    ("adversarial-missed", STRAT, lambda d: words(missed(d, "adversarial"))),
    ("adversarial-flagged-interval", STRAT, from_macro("StrategiesAdversarialControlCasesInterval")),
    # coverage
    ("coverage-kernels", COVER, lambda d: count(len(coverage(d)))),
    ("coverage-one-runs", COVER, lambda d: count(sum(runs_bug(k, "one_shape") for k in coverage(d)))),
    ("coverage-campaign-runs", COVER, lambda d: count(sum(runs_bug(k, "campaign") for k in coverage(d)))),
    ("coverage-not-run", COVER, lambda d: words([k["kernel"] for k in coverage(d) if not runs_bug(k, "one_shape")])),
    ("coverage-unseen", COVER, lambda d: words([k["kernel"] for k in coverage(d)
                                                if runs_bug(k, "one_shape") and not k["one_shape_rejects"]])),
    ("coverage-rejected", COVER, lambda d: count(sum(k["one_shape_rejects"] for k in coverage(d)))),
    # mutation
    ("mutants", MUT, lambda d: count(mutants(d)["mutants"])),
    ("mutants-caught", MUT, lambda d: count(mutants(d)["value"] + mutants(d)["finding"] + mutants(d)["endless"])),
    ("mutants-by-value", MUT, lambda d: count(mutants(d)["value"])),
    ("mutants-accepted", MUT, lambda d: count(mutants(d)["friendly_wrong_accepted"])),
    ("mutants-accepted-of", MUT, lambda d: count(mutants(d)["friendly_wrong_judged"])),
    ("mutants-within", MUT, lambda d: count(mutants(d)["within"])),
    ("mutants-same", MUT, lambda d: count(mutants(d)["same"])),
    ("mutants-not-reached", MUT, lambda d: count(mutants(d)["not_reached"])),
    ("mutants-undecided", MUT, lambda d: count(mutants(d)["undecided"])),
    ("mutants-none", MUT, lambda d: words(c["class"] for c in d.json(MUT)["mutation"] if not c["value"] + c["finding"])),
    # lint
    ("lint-found", LINT, lambda d: count(len(lint_found(d, "error")))),
    ("lint-found-names", LINT, lambda d: words(lint_found(d, "error"))),
    ("lint-good", LINT, lambda d: count(lint(d, "good")["summary"]["kernels"])),
    ("lint-good-errors", LINT, lambda d: count(lint(d, "good")["summary"]["errors"])),
    ("lint-good-warnings", LINT, lambda d: count(lint(d, "good")["summary"]["warnings"])),
    ("lint-structural", LINT, lambda d: count(len(changes(d, "structural")))),
    ("lint-constant", LINT, lambda d: count(len(changes(d, "constant-only")))),
    ("lint-constant-names", LINT, lambda d: words(changes(d, "constant-only"))),
]


def values(tables, out):
    d = Data(tables)
    with open(out, "w") as f:
        f.write("% made by tools/paper.py\n")
        for key, _, get in VALUES:
            f.write("\\expandafter\\def\\csname val@%s\\endcsname{%s}\n" % (key, get(d)))


def sources():
    print("| number | from | made by |\n|---|---|---|")
    for key, source, _ in VALUES:
        print(f"| `{key}` | `{source}` | {made_by(source)} |")


def pick(path, columns, heads):
    """Keeps the columns (from 1) of a table that gpuemu report --format latex printed."""
    lines = Data(None).text(path).splitlines()
    keep = [int(c) - 1 for c in columns.split(",")]
    for line in lines:
        if line.startswith(r"\begin{tabular}"):
            spec = re.search(r"\}\{(.*)\}", line)[1]
            print(r"\begin{tabular}{%s}" % "".join(spec[c] for c in keep))
        elif line.endswith(r"\\"):
            cells = line[:-2].split(" & ")
            if heads:
                cells, heads = {c: h for c, h in zip(keep, heads.split("|"))}, None
            print(" & ".join(cells[c].strip() for c in keep) + r" \\")
        else:
            print(line)


def print_constants(lines):
    """Rows of a table whose first column is the check, with atol and rtol in f32 as second and third."""
    of = {p["name"]: p for p in evidence(Data(None))["profiles"]}

    def constant(x):
        mantissa, _, exponent = f"{x:.1e}".partition("e")
        mantissa = mantissa.removesuffix(".0")
        return "$0$" if x == 0 else "$%s10^{%d}$" % ("" if mantissa == "1" else mantissa + r"\cdot ", int(exponent))

    for line in lines:
        line = line.rstrip("\n")
        name = line.split(" & ")[0].replace("\\_", "_")
        if line.startswith(r"\begin{tabular}"):
            line = line.replace("{tabular}{l", "{tabular}{lrr")
        elif name in of:
            p = of[name]
            line = line.replace(" & ", " & %s & %s & " % (constant(p["atol_f32"]), constant(p["rtol_f32"])), 1)
        elif line.startswith("check & "):
            line = line.replace(" & ", " & atol & rtol & ", 1)
        print(line)


def scientific(x):
    mantissa, exponent = f"{x:.2e}".split("e")
    return r"$%s\cdot 10^{%d}$" % (mantissa, int(exponent))


def print_minimal():
    print(r"\begin{tabular}{lp{62mm}rrrr}")
    print(r"\toprule")
    print(r"kernel & smallest failing case & output & exact & error & allowed \\")
    print(r"\midrule")
    for name, m in minimal(Data(None)):
        x = m["elements"][0]
        print(r"%s & \raggedright %s & $%.6g$ & $%.6g$ & %s & %.3g \\" %
              (texttt(name), texttt(m["case"]), x["got"], x["exact"], scientific(x["r"]), m["T"]))
    print(r"\bottomrule")
    print(r"\end{tabular}")


# ---- the check of the text ----

# Words that have digits and measure nothing.
NAMES = re.compile(r"\b(b?f(16|32|64)|bfloat16|[eE][45][mM][23]|i(8|32)|tf32|[HAVL]\d{2,3}S?|sm\\_\d+a?|SHA-256|"
                   r"(8|16|32|64|128)-bits?|CUDA-L1|KernelBench v0(\.1)?|log10f?|l2norm|L2)\b")
WORDS = re.compile(r"\b(four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|"
                   r"seventy|eighty|ninety|dozens?|hundreds?|thousands?|millions?|billions?)\b", re.I)
# Commands whose arguments are no text: one bracketed option and the arguments go.
ARGUMENTS = re.compile(r"\\(?:val|const|cite\w*|label|ref|eqref|pageref|input|includegraphics|chart|datatable|url|href|"
                       r"begin|end|vspace|hspace|bibliography\w*|setlength|renewcommand)\*?(?:\[[^\]]*\])?"
                       r"(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})+")


def math_is_bad(m):
    """A formula may hold single digits beside letters; a number alone, or one of more digits, is a figure."""
    return not re.search(r"[A-Za-z]", m) or re.search(r"\d[\d.]|\d\s*\\?%", m)


def blank(m):
    return "\n" * m[0].count("\n") or " "


def check(path, known):
    """Complaints about the text: (line, what)."""
    text = re.sub(r"(?<!\\)%.*", "", Data(None).text(path))
    m = re.search(r"\\begin\{document\}.*", text, re.S)
    if not m:
        return [(1, "no \\begin{document}")]
    body = "\n" * text.count("\n", 0, m.start()) + m[0]
    found = []

    def at(pos, what, s):
        found.append((s.count("\n", 0, pos) + 1, what))

    for m in re.finditer(r"\\val\{([^}]*)\}", body):
        if m[1] not in known:
            at(m.start(), f"\\val{{{m[1]}}}: tools/paper.py has no such number", body)
    body = ARGUMENTS.sub(blank, body)
    for m in re.finditer(r"\$([^$]+)\$|\\\[(.+?)\\\]", body, re.S):
        if math_is_bad(m[1] or m[2]):
            at(m.start(), f"a number in the formula {m[0]!r}: use \\val, or \\const if it is given", body)
    body = re.sub(r"\$([^$]+)\$|\\\[(.+?)\\\]", blank, body, flags=re.S)
    body = NAMES.sub(" ", body)
    for m in re.finditer(r"\d[\d.,]*", body):
        at(m.start(), f"the number {m[0]}: use \\val, or \\const if it is given", body)
    for m in WORDS.finditer(body):
        at(m.start(), f"the number '{m[0]}': use \\val, or \\const if it is given", body)
    return sorted(found)


def main(args):
    if len(args) == 3 and args[0] == "values":
        values(args[1], args[2])
    elif len(args) == 4 and args[0] == "pick":
        pick(*args[1:])
    elif args == ["constants"]:
        print_constants(sys.stdin)
    elif args == ["minimal"]:
        print_minimal()
    elif args == ["sources"]:
        sources()
    elif len(args) == 2 and args[0] == "check":
        found = check(args[1], {key for key, _, _ in VALUES})
        for line, what in found:
            print(f"{args[1]}:{line}: {what}")
        return 1 if found else 0
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
