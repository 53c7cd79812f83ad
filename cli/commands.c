/* commands.c - the table of commands and their help. */
#include "cli/cli.h"

const struct command commands[] = {
	{"validate", "[OPTION …] FOLDER …", "run cases on kernels, judge them, write evidence.",
	 "FOLDER is a kernel folder (kernel.json with kernel.cu or kernel.ptx) or holds some, up to four\n"
	 "levels down. Writes OUT/evidence.json and OUT/cases.jsonl and prints a table.\n\n"
	 "  --out DIR        where to write (default gpuemu-out)\n"
	 "  --cases N        cases a kernel and dtype (default 100)\n"
	 "  --seconds N      stop running cases after N seconds\n"
	 "  --seed N         campaign seed (default 1); the same seed gives the same cases\n"
	 "  -j, --jobs N     workers (default: processors); results do not depend on it\n"
	 "  --resume         go on with the campaign in OUT that was stopped or killed\n"
	 "  --set NAME       only kernels of this set (seed, flash)\n"
	 "  --dtype T        only this element type\n"
	 "  --strategy S     ours (default), native, boundary, regular, f32, f16, nan, adversarial, calibrate\n"
	 "  --tolerances T   judge by this table: a file, a shipped one (gpuemu tolerances list; default: the\n"
	 "                   device's), bound or provisional\n"
	 "  --no-sanitize    no sanitizers: judge by value alone (bounds stay on)\n"
	 "  --no-bench       leave out the benchmarks' own checks\n"
	 "  --no-coverage    choose cases without looking at coverage: the same ones on every device\n"
	 "  --big            no cap on the size of a case\n"
	 "  --recompile      compile kernel.cu even when kernel.ptx is there and fresh\n"
	 "  --json           print the evidence instead of a table\n"
	 "  --junit FILE     write JUnit XML as well\n"
	 "  --sarif FILE     and SARIF 2.1.0: verdicts, findings, lint, each at its place\n"
	 "  --summary FILE   and Markdown for the summary of a step on GitHub\n"
	 "  --badge FILE     and a badge (SVG)\n"
	 "  --quiet          no progress\n"
	 "  --device NAME    emu (default); a GPU: cuda:0, several of one kind: cuda:0,1; cuda:GPU-UUID\n\n"
	 "Exit status: 0 every kernel as expected (users' kernels and controls PASS, buggy ones FAIL),\n"
	 "1 not so, 2 wrong input, 3 undecided or gpuemu failed.\n", cmd_validate},
	{"ci", "[OPTION …] --baseline FILE FOLDER …", "run a campaign against a stored baseline and say only what changed.",
	 "Runs the cases that the baseline has kept, then the campaign of `validate` (with the baseline's seed and number of\n"
	 "cases), and compares: verdicts of each kernel and dtype, cases that newly fail, findings and errors of lint (by rule and\n"
	 "place, not by line number), metrics that grew, kernels that are new or gone. Nothing changed: nothing is said.\n"
	 "docs/ci.md has workflows for GitHub and GitLab, and the baseline's format.\n\n"
	 "  --baseline FILE  the baseline, to be committed\n"
	 "  --update         write it: what changed is said and accepted; kernels that are not named here stay as they are\n"
	 "  --cases N        for a new baseline: cases a kernel and dtype (default 100)\n"
	 "  --seed N         for a new baseline: campaign seed (default 1)\n"
	 "  --budget 'B'     an entry that takes more is worse: \"instructions=500 local_bytes=0\" (metrics of lint --json)\n"
	 "  --github         annotations, as with GITHUB_ACTIONS=true, and what changed appended to $GITHUB_STEP_SUMMARY\n"
	 "  --junit FILE, --sarif FILE, --summary FILE, --badge FILE\n"
	 "                   of the whole campaign, as by validate\n"
	 "  --out DIR        where the campaign is written (default gpuemu-out)\n"
	 "  -j, --jobs N     workers (default: processors); results do not depend on it\n"
	 "  --tolerances T   as in validate\n"
	 "  --device NAME    as in validate\n"
	 "  --recompile      compile kernel.cu even when kernel.ptx is there and fresh\n"
	 "  --quiet          no progress\n\n"
	 "Exit status: 0 nothing is worse (or --update), 1 something is, 2 wrong input or no baseline yet, 3 something became\n"
	 "undecided, or gpuemu failed.\n", cmd_ci},
	{"replay", "[OPTION …] KERNEL 'CASE'", "run one case again and explain the result.",
	 "The same bytes go in and come out as in the campaign that printed the case. A case may come in several\n"
	 "words, as the audit report breaks it over lines.\n\n"
	 "  --dump FILE      write inputs, outputs and exact values as safetensors\n"
	 "  --no-sanitize    judge by value alone\n"
	 "  --device NAME    emu (default) or a GPU\n"
	 "  --tolerances T   judge by this table, as in validate\n"
	 "  --recompile      compile kernel.cu first\n\n"
	 "Exit status: 0 PASS, 1 FAIL, 3 UNKNOWN or UNSUPPORTED.\n", cmd_replay},
	{"run", "[OPTION …] KERNEL 'CASE'", "run a case without judging it: speed, findings, outputs.",
	 "  --dump FILE      write inputs and outputs as safetensors\n"
	 "  --no-sanitize    no sanitizers (bounds stay on)\n"
	 "  --repeat N       run N times and tell the fastest\n"
	 "  --json           one line of JSON\n"
	 "  --recompile      compile kernel.cu first\n\n"
	 "Exit status: 0 ran to its end without a fault, 1 otherwise.\n", cmd_run},
	{"compare", "[OPTION …] FOLDER … | FILE FILE", "run the same cases on two devices and compare every bit.",
	 "Kernel folders run on both devices; two safetensors files are compared tensor by tensor; two\n"
	 "campaigns (cases.jsonl, evidence.json or their folder) case by case: verdicts and outputs.\n"
	 "Differences are told apart: nan-payload, zero-sign, value (with ulps), class (NaN or infinity\n"
	 "against something else), run (one device ended the run, the other did not). The first case of a\n"
	 "kernel that differs is made small and traced: the first instruction with another result is told,\n"
	 "with its thread and both values, found by running the kernel instrumented on both.\n\n"
	 "  --device NAME    given twice: the two devices; once: the emulator and this one (default cuda:0)\n"
	 "  --cases N        cases a kernel and dtype (default 100)\n"
	 "  --seed N         seed of the cases (default 1)\n"
	 "  -j, --jobs N     workers (default: processors)\n"
	 "  --set NAME       only kernels of this set (seed, flash)\n"
	 "  --dtype T        only this element type\n"
	 "  --json[=FILE]    print JSON instead of a table, or write it to FILE as well\n"
	 "  --record FILE    add corpus_cases and corpus_identical to the JSON object in FILE\n"
	 "  --quiet          no progress\n\n"
	 "Exit status: 0 identical, 1 not, 2 wrong input, 3 gpuemu failed.\n", cmd_compare},
	{"time", "[OPTION …] --case 'CASE' FOLDER …", "measure how long kernels take on a GPU, one beside the other.",
	 "Kernels take turns, a round each. A sample is so many runs between two events of the GPU that they take a\n"
	 "millisecond; a round's value is the median of its samples. Shown are the median over the rounds with an interval\n"
	 "that holds it with 95 % confidence (order statistics; no distribution is assumed), and the same of the ratio to\n"
	 "the first kernel in the same round. Outputs are not judged.\n\n"
	 "  --case 'CASE'    a case line: sizes, layouts and values of the inputs (docs/manifest.md)\n"
	 "  --device NAME    cuda:0 (default), cuda:GPU-UUID\n"
	 "  --rounds N       rounds (default 20)\n"
	 "  --runs N         samples a round (default 20)\n"
	 "  --warm N         runs before each round that are not timed (default 3)\n"
	 "  --recompile      compile the source even when the shipped PTX is current\n"
	 "  --json           JSON: microseconds and ratios as [median, low, high]\n\n"
	 "Exit status: 0 done, 2 wrong input (a kernel that faults as well), 3 there is no such GPU.\n", cmd_time},
	{"lint", "[OPTION …] FOLDER … | FILE.ptx … | FILE.cubin …", "find faults in the PTX without running it on data; compare versions.",
	 "Rules are proved on the program, or told as possible. A kernel's manifest gives launches for which addresses\n"
	 "and conditions are computed thread by thread; a PTX file alone is held against the static rules, or\n"
	 "against one launch that is given. docs/lint.md explains the rules.\n\n"
	 "  --format F       text (default), json, sarif, github\n"
	 "  --json           the same as --format json\n"
	 "  -o, --out FILE   write there instead of standard output\n"
	 "  --notes          text: show notes as well\n"
	 "  --confirm        run cases of each kernel in the emulator: a finding that one shows is confirmed, with the case to\n"
	 "                   replay; one that was possible and that none shows is dropped\n"
	 "  --metrics        text: instructions by kind, registers, shared and local bytes of each entry; of a .cubin also\n"
	 "                   instructions by name, when nvdisasm or cuobjdump is in PATH\n"
	 "  --sass[=sm_90]   compile the source with NVRTC and show the machine code's registers, stack, spills, shared memory,\n"
	 "                   instructions by kind, and how many blocks an SM of each architecture holds\n"
	 "  --baseline FILE  an earlier --json: exit 1 when an entry's local memory, stack or spills grew, its instructions,\n"
	 "                   registers or shared bytes did by more than 5 %, or its occupancy fell\n"
	 "  --budget 'B'     exit 1 when an entry takes more: \"registers=64 stack_bytes=0\" (names as in --json)\n"
	 "  --strict         warnings count as errors for the exit status\n"
	 "  --launch 'L'     for PTX files: \"grid=4 block=256 args=ptr:1024,i32:7\" (ptr:BYTES and in:BYTES are buffers,\n"
	 "                   in: is not written; i32, u32, i64, u64, f32 are values)\n"
	 "  --entry NAME     for PTX files: only this entry\n"
	 "  --diff           two kernels or PTX files: what changed, modulo names of registers: none, constant-only\n"
	 "                   or structural\n"
	 "  --explain RULE   what a rule means, with an example and how to mend it\n"
	 "  --list-rules     all rules\n\n"
	 "A finding is suppressed by \"lint\": {\"allow\": [{\"rule\": …, \"reason\": …}]} in kernel.json, or by a comment\n"
	 "in its source line or the one before: gpuemu-lint: allow RULE reason.\n\n"
	 "Exit status: 0 no errors (or no difference), 1 errors (or a difference), 2 wrong input, 3 gpuemu failed.\n", cmd_lint},
	{"calibrate", "[OPTION …] [FOLDER …] | --isa … | --math …", "fit a device's tolerance table; measure it, hold it against a record.",
	 "Runs known-good kernels (FOLDER …; default calibrate/kernels) over sizes, values and layouts on a device,\n"
	 "fits the envelope of every operator, type, family of numerics and coherence group, checks it on held-out\n"
	 "runs and kernels, and writes the tolerance table that validate applies. Runs are recorded in\n"
	 "FILE.runs.jsonl.\n\n"
	 "  -o, --out FILE   the table\n"
	 "  --device NAME    emu (default) or a GPU: cuda:0, cuda:GPU-UUID\n"
	 "  --plan NAME      smoke (default: 93 runs a cell, 95 % coverage), pr (473, 99 %), release (4742, 99.9 %)\n"
	 "  --seed N         seed of the plan (default 1): the same seed gives the same table\n"
	 "  --only OP        only kernels of this operator\n"
	 "  --resume         go on with a calibration that was stopped or killed\n"
	 "  --from RUNS      fit to runs recorded before (FILE.runs.jsonl), run nothing; with --device the table is for\n"
	 "                   that device: it runs one in a hundred of them and must give the same outputs, bit by bit\n"
	 "  --dry-run        print the cells and numbers of runs, run nothing\n"
	 "  -j, --jobs N     workers (default: processors); the table does not depend on it\n"
	 "  --quiet          no progress\n\n"
	 "--isa runs the instruction conformance suite: a micro-kernel for every form of the instruction table,\n"
	 "with operands that follow from the form's name. -o writes a record, a hash of the results a form;\n"
	 "--against lists the forms that differ, from another device with the first differing operands.\n"
	 "--math measures CUDA's math functions on all inputs of a GPU (six seconds on an H200; needs NVRTC) and\n"
	 "prints a table: largest error and its input beside NVIDIA's bound; on emu it holds the record of an H200\n"
	 "against the emulator.\n\n"
	 "  --device NAME    emu (default) or a GPU: cuda:0, cuda:GPU-UUID\n"
	 "  -o, --out FILE   write the record\n"
	 "  --against WHAT   a record's file, a device, or one of an H200 that gpuemu carries:\n"
	 "                   isa_h200, math_h200\n"
	 "  --all-inputs     one-operand 32-bit instructions on all 2^32 inputs; else on 16 chunks of 65,536\n"
	 "  --stride N       with --all-inputs and a device to compare with: that one runs every N-th chunk\n"
	 "  --only TEXT      only forms or functions whose name contains TEXT\n"
	 "  --table          with --math: print the table of the record, run nothing\n"
	 "  --ptx FILE       with --math: write the PTX of all functions (calibrate/math.ptx is that)\n"
	 "  --record FILE    put forms, forms_covered, vectors and differences, or math_functions, into a JSON file\n"
	 "  -j, --jobs N     workers (default: processors)\n"
	 "  --quiet          no progress\n\n"
	 "Exit status: 0 nothing differs and every bound is met, 1 not so, 2 wrong input, 3 gpuemu failed.\n",
	 cmd_calibrate},
	{"tolerances", "list | show TABLE [OP/TYPES] | export TABLE [--format F] | diff A B | merge A B -o FILE", "print tolerance tables, or what moved between two.",
	 "TABLE is a file or the name of a shipped table. diff names the cells that moved by more than their\n"
	 "confidence. merge makes one table of two of the same device.\n\n"
	 "  --format F       of export: text (default), csv, latex, python (rtol and atol for\n"
	 "                   torch.testing.assert_close, with the conditions under which they hold)\n"
	 "  -o, --out FILE   of merge: the table\n\n"
	 "Exit status: 0; of diff 1 when a cell moved; 2 wrong input, 3 gpuemu failed.\n",
	 cmd_tolerances},
	{"inputs", "'CASE' -o FILE.safetensors", "write the inputs of a case to a file.",
	 "For those who run the kernel elsewhere.\n\n"
	 "  -o, --out FILE   the file\n"
	 "  --classes        list the classes of values\n", cmd_inputs},
	{"judge", "[OPTION …] 'CASE' OUTPUTS.safetensors", "judge outputs that were computed elsewhere.",
	 "OUTPUTS holds the operator's output tensors by name, contiguous, as a library or another machine computed\n"
	 "them from `gpuemu inputs 'CASE'`. How they were computed chooses the tolerance:\n\n"
	 "  --tolerances T   shipped table or file (default sm_90), or bound, provisional\n"
	 "  --acc DTYPE      in which sums are kept (default: the operator's, f32)\n"
	 "  --chain N        longest chain of dependent additions (default: the whole reduction, which is lenient)\n"
	 "  --low NAME=DTYPE an intermediate value or input that is rounded, as in p=f16; again for another\n"
	 "  --tensor-cores   sums are made by tensor cores\n"
	 "  --ftz            subnormal values may be flushed to zero\n"
	 "  --json           one line of JSON\n\n"
	 "Exit status: 0 PASS, 1 FAIL, 2 wrong input, 3 UNKNOWN or UNSUPPORTED.\n", cmd_judge},
	{"ops", "[--text] [NAME | FILE.op]", "list the operators, or explain one.",
	 "Schema, mathematics, contract and error scale of an operator in words; --text prints its .op\n"
	 "text.\n", cmd_ops},
	{"check", "PATH …", "check .op files, .ptx files and kernel folders without running.",
	 "Each PATH that is wrong gets a message with place and reason.\n", cmd_check},
	{"compile", "FOLDER …", "make kernel.ptx from kernel.cu with NVRTC.",
	 "NVRTC is looked for in the CUDA toolkit, in pip's nvidia packages and at GPUEMU_NVRTC.\n",
	 cmd_compile},
	{"init", "FOLDER OPERATOR", "make a new kernel folder with a manifest and a source to fill in.",
	 "Existing files are never overwritten.\n", cmd_init},
	{"sign", "FOLDER --key KEY.pem | --new-key KEY.pem", "sign a folder of evidence.",
	 "Writes MANIFEST.sha256, a line a file as sha256sum has it, and MANIFEST.sig, its ed25519 signature, into FOLDER.\n"
	 "--new-key makes KEY.pem (keep it secret) and KEY.pub.pem (for those who verify); it writes over nothing.\n\n"
	 "Exit status: 0, 2 wrong input, 3 gpuemu failed.\n", cmd_sign},
	{"verify", "FOLDER --key KEY.pub.pem", "check a signed folder, and name what was changed.",
	 "The same without gpuemu, in FOLDER:\n\n"
	 "  openssl pkeyutl -verify -pubin -inkey KEY.pub.pem -rawin -in MANIFEST.sha256 -sigfile MANIFEST.sig &&\n"
	 "  sha256sum -c --strict MANIFEST.sha256\n\n"
	 "(which does not see files that were added).\n\n"
	 "Exit status: 0 all as it was signed, 1 not so, 2 wrong input, 3 gpuemu failed.\n", cmd_verify},
	{"report", "[OPTION …] EVIDENCE.json [FILE …]", "draw evidence and charts, or print evidence as text.",
	 "Draws report.pdf, the audit report, and, as charts/NAME.svg, every chart whose data are there. More FILEs are tolerance\n"
	 "tables and the figures of studies (results/); a folder stands for the JSON files in it; files are known\n"
	 "by what they hold. The same files give the same bytes. gpuemu-report draws; it needs Cairo and Pango.\n\n"
	 "  --format F       pdf (default: report.pdf and charts), html, table, markdown, junit; of a chart: svg, pdf,\n"
	 "                   png. html is the audit report in one file for a browser, which fetches nothing; it lists\n"
	 "                   cases from cases.jsonl beside the evidence\n"
	 "  -o, --out PATH   folder for pdf (default .), file for the others (default: standard output; of a chart:\n"
	 "                   NAME.FORMAT)\n"
	 "  --junit FILE, --sarif FILE, --summary FILE, --badge FILE\n"
	 "                   for continuous integration, as by validate (docs/ci.md); nothing is drawn then\n"
	 "  --list-charts    the charts, and with FILEs which cannot be drawn, and why\n"
	 "  --chart NAME     only this chart; its options:\n"
	 "  --width W        points (241 are 85 mm)\n"
	 "  --dpi N          of a png (default 200)\n"
	 "  --plain          without title and caption, for a document with its own\n"
	 "  --kernel K       the kernel of a chart that shows one\n"
	 "  --dtype T        its element type\n"
	 "  --cell C         the cell of a chart that shows one: OP/TYPES, or 'OP/TYPES FAMILY GROUP'\n"
	 "  --list-tables    the tables of figures, and with FILEs which cannot be made, and why\n"
	 "  --table NAME     only this table; --format markdown (default), latex (booktabs), csv, json, macros (LaTeX\n"
	 "                   commands, one a figure)\n"
	 "  --tables         every table whose data are there, in every format, into the folder of -o\n",
	 cmd_report},
	{"doctor", "[--isa]", "say what is installed and what gpuemu can do here.",
	 "--isa lists every PTX instruction form that the emulator runs, its tier, and whether the results of an\n"
	 "H200 are on record for it (hardware) or not (modelled). `gpuemu calibrate --isa --against isa_h200`\n"
	 "holds the emulator against them.\n", cmd_doctor},
};
const size_t ncommands = ARRAY_LEN(commands);
