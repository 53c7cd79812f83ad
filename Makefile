# gpuemu - decide whether a GPU kernel is right.  `make help` lists the targets.
#
#   evidence          install what is missing, build, run the seed corpus, write build/evidence/ (main job)
#   check             install what is missing, build, run every test; the last line counts them
#   all               the programs build/gpuemu and build/gpuemu-report
#   check-exhaustive  the long sweeps: all 2^32 inputs of the special-function models, and more
#   bench             measure speed; writes build/bench.json
#   corpus-ptx        make kernel.ptx of corpus/ and calibrate/ again with NVRTC (needs a CUDA toolkit)
#   study-NAME        make results/NAME.json again: calibration, strategies, coverage, mutation, envelope
#   paper             build/paper/paper.pdf from paper/, results/ and build/evidence/ (needs TeX)
#   man               make docs/man/gpuemu.1 again from the program's help
#   node              one statically linked gpuemu for GPU nodes: build/node/gpuemu
#   install           copy programs, man pages, the corpus and the operators under $(DESTDIR)$(PREFIX)
#   clean             remove build/
#
# Variables: CC=clang, DEBUG=1, SAN=address,undefined, V=1, JOBS=n, CASES=n (evidence: cases a kernel and
# dtype), EVIDENCE_OPTIONS (more options of gpuemu validate), PREFIX=/usr/local

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CASES ?= 100
ifeq ($(origin CC),default)
CC := gcc
endif

# One build folder per flavour, so that objects never mix; results always go to build/.
comma := ,
FLAVOUR := $(if $(filter clang%,$(notdir $(CC))),-clang)$(if $(DEBUG),-debug)$(if $(SAN),-san-$(subst $(comma),-,$(SAN)))
B := build$(if $(FLAVOUR),/flavour$(FLAVOUR))

MODULES := base stats ptx oracles device cases tolerances validate calibrate report cli
# What each module may see; tools/layers.sh checks the includes against this, tests link by it.
SEES_base :=
SEES_stats := base
SEES_ptx := base
SEES_oracles := base
SEES_device := ptx base
SEES_cases := oracles base
SEES_tolerances := oracles stats base
SEES_calibrate := validate tolerances device cases oracles ptx stats base
SEES_validate := tolerances device cases oracles ptx stats base
SEES_report := tolerances oracles stats base
SEES_cli := calibrate validate report tolerances device cases oracles ptx stats base

BLAS_DIR := $(firstword $(wildcard /usr/lib/*/openblas-serial) $(wildcard /usr/lib/*/openblas-pthread))
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla \
	-Wwrite-strings -Werror
OPT := $(if $(DEBUG),-O0,-O2)
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE $(OPT) -g $(WARN) -ffp-contract=off -fno-math-errno -I. -I$(B)/gen \
	$(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
	$(CFLAGS)
LDLIBS_ALL = $(if $(SAN),-fsanitize=$(SAN)) -L$(BLAS_DIR) -lopenblas -lgsl -lgslcblas -lmpfr -lgmp -lcjson -lcrypto -lm -lpthread -ldl
DRAW_CFLAGS = $(shell pkg-config --cflags pangocairo cairo 2>/dev/null)
DRAW_LIBS = $(shell pkg-config --libs pangocairo cairo 2>/dev/null)

Q := $(if $(V),,@)

# Files named *_simd.c hold loops that are compiled three times, with ISA = sse2, avx2 and avx512 (a macro
# that names their one exported table); the program picks one at run time.
# Files named *_round.c call fesetround.
ISAS := sse2 avx2 avx512
ISA_sse2 := -O3 -fno-trapping-math -msse2
ISA_avx2 := -O3 -fno-trapping-math -mavx2 -mfma -mf16c
ISA_avx512 := -O3 -fno-trapping-math -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mprefer-vector-width=512

# A module's own folders: those in PARTS_.
PARTS_validate := validate/lint
src = $(sort $(wildcard $(1)/*.c $(PARTS_$(1):%=%/*.c)))
objs = $(foreach f,$(call src,$(1)),$(if $(filter %_simd.c,$(f)),$(foreach i,$(ISAS),$(B)/obj/$(f:.c=).$(i).o),$(B)/obj/$(f:.c=.o)))
libs_of = $(foreach m,$(1) $(SEES_$(1)),$(B)/lib$(m).a)

.PHONY: study-calibration study-coverage study-mutation study-envelope study-strategies all evidence check check-exhaustive bench paper corpus-ptx man node install clean help check-headers FORCE
all: $(B)/gpuemu $(B)/gpuemu-report

help:
	@sed -n '3,17s/^# \{0,1\}//p' Makefile

# ---- dependencies ----
build/.deps: tools/deps.sh
	$(Q)mkdir -p build
	$(Q)tools/deps.sh build
	$(Q)touch $@

# ---- generated sources: texts embedded as C strings ----
$(B)/gen/ops.inc: $(sort $(wildcard oracles/ops/*.op)) tools/embed.sh | build/.deps
	$(Q)mkdir -p $(@D)
	$(Q)tools/embed.sh $(sort $(wildcard oracles/ops/*.op)) >$@
EMBEDDED := $(sort $(wildcard */*.schema.json)) validate/bench_inputs.json
$(B)/gen/schemas.inc: $(EMBEDDED) tools/embed.sh | build/.deps
	$(Q)mkdir -p $(@D)
	$(Q)tools/embed.sh $(EMBEDDED) >$@
RECORDS := $(sort $(wildcard results/isa_*.txt))
$(B)/gen/isa.inc: $(RECORDS) tools/embed.sh | build/.deps
	$(Q)mkdir -p $(@D)
	$(Q)tools/embed.sh $(RECORDS) >$@
MATH := calibrate/math.ptx $(wildcard results/math_h200.json)
$(B)/gen/math.inc: $(MATH) tools/embed.sh | build/.deps
	$(Q)mkdir -p $(@D)
	$(Q)tools/embed.sh $(MATH) >$@
TABLES := $(sort $(wildcard tolerances/*.json))
$(B)/gen/tolerances.inc: $(TABLES) tools/embed.sh | build/.deps
	$(Q)mkdir -p $(@D)
	$(Q)tools/embed.sh $(TABLES) >$@
PAGE := report/html/style.css report/html/script.js
$(B)/gen/html.inc: $(PAGE) tools/embed.sh | build/.deps
	$(Q)mkdir -p $(@D)
	$(Q)tools/embed.sh $(PAGE) >$@
# The commit that is built; empty outside of a repository. Written only when it changes.
$(B)/gen/commit.inc: FORCE | build/.deps
	$(Q)mkdir -p $(@D)
	$(Q)c=$$(git rev-parse --short=12 HEAD 2>/dev/null || true); \
		[ -z "$$c" ] || git diff --quiet HEAD -- 2>/dev/null || c="$$c, with changes"; \
		printf '"%s"\n' "$$c" | cmp -s - $@ || printf '"%s"\n' "$$c" >$@
GEN := $(B)/gen/commit.inc $(B)/gen/tolerances.inc $(B)/gen/ops.inc $(B)/gen/schemas.inc $(B)/gen/isa.inc $(B)/gen/math.inc $(B)/gen/html.inc

# ---- objects and libraries ----
define draw_rule
$(B)/obj/report/$(1)/%.o: report/$(1)/%.c | $(GEN) build/.deps
	@mkdir -p $$(@D)
	@echo "  CC $$<"
	$(Q)$$(CC) $$(CFLAGS_ALL) $$(DRAW_CFLAGS) -MMD -MP -c -o $$@ $$<
endef
$(foreach d,draw audit html,$(eval $(call draw_rule,$(d))))
$(B)/obj/%_round.o: %_round.c | $(GEN) build/.deps
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(CFLAGS_ALL) -frounding-math -MMD -MP -c -o $@ $<
define simd_rule
$(B)/obj/%_simd.$(1).o: %_simd.c | $(GEN) build/.deps
	@mkdir -p $$(@D)
	@echo "  CC $$< ($(1))"
	$(Q)$$(CC) $$(CFLAGS_ALL) $(if $(DEBUG),,$(ISA_$(1))) $(if $(DEBUG),$(filter -m%,$(ISA_$(1)))) -DISA=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call simd_rule,$(i))))
$(B)/obj/%.o: %.c | $(GEN) build/.deps
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

define lib_rule
$(B)/lib$(1).a: $$(call objs,$(1))
	@mkdir -p $$(@D)
	$(Q)rm -f $$@ && $$(AR) rcs $$@ $$^
endef
$(foreach m,$(MODULES),$(eval $(call lib_rule,$(m))))

$(B)/gpuemu: $(call libs_of,cli)
	@echo "  LD $@"
	$(Q)$(CC) -o $@ -Wl,--start-group $^ -Wl,--end-group $(LDLIBS_ALL)
$(B)/gpuemu-report: $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard report/draw/*.c report/audit/*.c report/html/*.c))) $(call libs_of,report)
	@echo "  LD $@"
	$(Q)$(CC) -o $@ -Wl,--start-group $^ -Wl,--end-group $(LDLIBS_ALL) $(DRAW_LIBS)

# ---- tests: tests/MODULE/test_NAME.c links MODULE and what it may see ----
TEST_SRC := $(sort $(wildcard tests/*/test_*.c))
TESTS := $(TEST_SRC:%.c=$(B)/%)
define test_rule
$(B)/tests/$(1)/test_%: tests/$(1)/test_%.c tests/check.h $$(call libs_of,$(1)) | $(GEN)
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	$(Q)$$(CC) $$(CFLAGS_ALL) -Wno-unused-function -MMD -MP -o $$@ $$< -Wl,--start-group $$(call libs_of,$(1)) -Wl,--end-group -lcmocka $$(LDLIBS_ALL)
endef
$(foreach m,$(MODULES),$(eval $(call test_rule,$(m))))

build/.deps-check: tools/deps.sh
	$(Q)mkdir -p build
	$(Q)tools/deps.sh check
	$(Q)touch $@

# Compares pictures in tests/report/.
$(B)/tools/compare_png: tools/compare_png.c | build/.deps
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(DRAW_CFLAGS) -o $@ $< $(if $(SAN),-fsanitize=$(SAN)) $(DRAW_LIBS)

check: build/.deps-check all $(TESTS) $(B)/tools/compare_png check-headers
	$(Q)B=$(B) JOBS=$(JOBS) tests/run.sh $(TESTS) $(sort $(wildcard tests/*/test_*.sh))
check-exhaustive: all $(TESTS)
	$(Q)B=$(B) JOBS=1 GPUEMU_EXHAUSTIVE=1 T_TIMEOUT=36000 tests/run.sh $(TESTS)
check-headers: $(GEN)
	$(Q)for h in $(sort $(foreach m,$(MODULES),$(wildcard $(m)/$(m).h)) base/launch.h base/hosts.h); do \
		echo "#include \"$$h\"" | $(CC) $(CFLAGS_ALL) -fsyntax-only -x c - || exit 1; done

evidence: all
	$(Q)$(B)/gpuemu validate corpus --out build/evidence --cases $(CASES) --jobs $(JOBS) $(EVIDENCE_OPTIONS)
	$(Q)$(B)/gpuemu report build/evidence/evidence.json results tolerances/sm_90.json tolerances/h200.json -o build/evidence
	$(Q)$(B)/gpuemu report --tables build/evidence/evidence.json results tolerances/sm_90.json tolerances/h200.json -o build/evidence/tables
	$(Q)$(B)/gpuemu report build/evidence/evidence.json results tolerances/sm_90.json tolerances/h200.json --format html -o build/evidence/report.html
	$(Q)$(B)/gpuemu report build/evidence/evidence.json --format markdown -o build/evidence/report.md
	@echo "build/evidence: evidence.json, cases.jsonl, report.pdf, report.html, charts/ (SVG), tables/, report.md"

$(B)/tools/bench_oracle: tools/bench_oracle.c $(call libs_of,oracles)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $< -Wl,--start-group $(call libs_of,oracles) -Wl,--end-group $(LDLIBS_ALL)
bench: all $(B)/tools/bench_oracle
	$(Q)tools/deps.sh bench
	$(Q)tools/bench.sh $(B)

paper: all
	$(Q)tools/deps.sh paper
	$(Q)tools/paper.sh $(B)/gpuemu build/paper

corpus-ptx: all
	$(Q)$(B)/gpuemu compile corpus/*/*/ calibrate/kernels/*/ calibrate/tensor/*/ calibrate/wide/*/

# For GPU nodes that have no libraries of ours: everything is linked statically but libc and libcjson, which
# Debian ships only as a shared object; that one goes along and is found beside the program.
NODE_LIBS = -Wl,-Bstatic -L$(BLAS_DIR) -lgsl -lopenblas -lmpfr -lgmp -lcrypto -Wl,-Bdynamic -lcjson -lm -lpthread -ldl
node: all
	$(Q)mkdir -p build/node
	@echo "  LD build/node/gpuemu"
	$(Q)$(CC) -o build/node/gpuemu -Wl,--start-group $(call libs_of,cli) -Wl,--end-group $(NODE_LIBS) -Wl,--strip-debug -Wl,-rpath,'$$ORIGIN'
	$(Q)cp -L "$$(ldd $(B)/gpuemu | sed -n 's/.*libcjson.so.1 => \([^ ]*\).*/\1/p')" build/node/
	@echo "build/node: gpuemu and libcjson.so.1; copy both to the node"

study-calibration: all
	$(Q)tools/calibration.sh $(B)/gpuemu results/calibration.json
# The runs of one cell, for the chart of its fit; that cell of tolerances/sm_90.json is fitted to the same runs.
study-envelope: all
	$(Q)$(B)/gpuemu calibrate --only matmul --plan release --quiet -o build/envelope.json >/dev/null
	$(Q)grep '"cell":"matmul/f32 f32 same"' build/envelope.json.runs.jsonl >results/matmul_f32_same.runs.jsonl
study-coverage: all
	$(Q)tools/coverage.py $(B)/gpuemu results/coverage.json
study-strategies: all
	$(Q)tools/strategies.py $(B)/gpuemu results/strategies.json

study-mutation: all
	$(Q)tools/mutation.py $(B)/gpuemu results/mutation.json

man: all
	$(Q)tools/man.sh $(B)/gpuemu >docs/man/gpuemu.1
MAN := $(wildcard docs/man/*.1)
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/gpuemu
	install -m 755 $(B)/gpuemu $(B)/gpuemu-report $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(MAN) $(DESTDIR)$(PREFIX)/share/man/man1
	cp -R corpus oracles/ops $(DESTDIR)$(PREFIX)/share/gpuemu
	install -d $(DESTDIR)$(PREFIX)/share/gpuemu/calibrate
	cp -R calibrate/kernels calibrate/tensor $(DESTDIR)$(PREFIX)/share/gpuemu/calibrate
	install -m 644 $(wildcard */*.schema.json) $(DESTDIR)$(PREFIX)/share/gpuemu

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
