/* emu.h - the machine that runs a lowered entry, private to ptx/.
 *
 * A warp runs one closed operation at a time over 32 lanes.  Its register file is an array of
 * 64-byte units: a 32-bit register (also 8 and 16 bits, zero-extended) is uint32_t[32] and takes
 * two, a 64-bit register is uint64_t[32] and takes four, a predicate is one uint32_t mask and takes
 * one.  Constants and special registers are registers too, filled once.  Operands are byte offsets
 * into the file.
 *
 * Control flow: operations lie in a topological order in which loops are contiguous; lanes of a
 * warp that part are kept as groups (pc, mask) and the group with the least pc runs, so that they
 * meet again at the earliest join.  A warp runs until all its lanes wait at a barrier or have
 * ended. */
#ifndef PTX_EMU_H
#define PTX_EMU_H

#include "ptx/ir.h"

#define LANES     32
#define ALL_LANES 0xffffffffu
#define UNIT      64 /* bytes of a unit of the register file */

/* Addresses (header of ptx_run): buffers at multiples of 2^40; windows of the other spaces. */
#define REGION_SHIFT      40
#define SHARED_WINDOW     (1ull << 56)
#define LOCAL_WINDOW      (2ull << 56)
#define PARAM_WINDOW      (3ull << 56)
#define WINDOW_MASK       (0xffull << 56)

#define MAX_BLOCK_THREADS 1024
#define MAX_WARPS         32
#define MAX_STATIC_SHARED (48u << 10)
/* the opt-in maximum of a block on sm_90 (CUDA C++ guide, technical specifications) */
#define MAX_SHARED (227u << 10)
#define MAX_BARRIERS 16
/* bytes before and after shared memory that may be touched, and are reported */
#define SHARED_GUARD 1024

struct emu_warp;
struct emu_op;
/* Executes op for the lanes w->exec and returns the next operation; NULL: the warp cannot go on. */
typedef const struct emu_op *emu_fn(struct emu_warp *w, const struct emu_op *op);

/* Whether the handler minds the mask itself, or writes all lanes of d, so that the result is
 * blended when lanes are inactive. */
enum emu_dest { DEST_SELF, DEST_32, DEST_64 };

/* What the sanitizer does around an operation. Before (inputs are still there) … */
enum emu_pre { PRE_NONE, PRE_DIV32, PRE_DIV64, PRE_ADD, PRE_SUB, PRE_MUL, PRE_MAD, PRE_SHL };
/* … how the shadows of the sources make that of the destination … */
enum emu_flow {
	FLOW_OR,   /* poison: any source; wrapped: none */
	FLOW_MOVE, /* all of both, wrapped by parity: mov, add, sub, mad */
	FLOW_SEXT, /* 32 to 64 bits: the address is wrong if it wrapped as a signed number … */
	FLOW_ZEXT, /* … as both */
	FLOW_SELP, /* of the source chosen */
	FLOW_PAND,
	FLOW_POR, /* predicates: a source that decides hides the other */
	FLOW_SELF /* the handler does it */
};
/* … and after. */
enum emu_post { POST_NONE, POST_F32, POST_F64, POST_F16, POST_F16X2, POST_BF16, POST_BF16X2 };

#define NO_REG 0xffffffffu

struct emu_op {
	emu_fn *fn[2]; /* plain, sanitized */
	int64_t imm;
	uint32_t d, a, b, c, e; /* registers (byte offsets), or what the handler says */
	uint32_t target, other; /* operations to go to */
	uint32_t site;          /* where it comes from: program->site */
	uint8_t dest, pre, flow, post;
	uint8_t space, size, vec; /* memory: MOD_ space, bytes of an element, elements; else size is
	                           * the emu_post of the sources */
	uint8_t flags;
};
enum {
	OPF_NEG = 1,   /* predicate operand is negated */
	OPF_NEG2 = 2,  /* second predicate operand is negated */
	OPF_WIDE = 4,  /* the address register has 64 bits */
	OPF_COUNT = 8, /* bar: b holds the thread count */
	OPF_MEM = 16,  /* reads or writes memory */
	OPF_ALIAS = 32 /* the destination is also a source */
};

/* Where an operation comes from, for messages. */
struct emu_site {
	int32_t line, src_line;
	const char *src_file;
	const char *reg; /* name of the destination register, or NULL */
};

/* One shadow a register: a bit a lane. wrapped: a 32-bit result that lost its upper bits read as a
 * signed number; wide: also read as an unsigned one; the parity of the number of times. origin:
 * site of the operation that made the poison, 0: never written. */
struct emu_shadow {
	uint32_t poison, wrapped, wide, origin;
};

struct emu_const {
	uint32_t reg, bytes; /* 0 bytes: a predicate */
	uint64_t bits;
	bool dynamic; /* lowering adds where dynamic shared memory begins */
};
struct emu_sreg {
	uint32_t reg;
	enum ir_sreg sr;
};
/* A variable of the module or of a space, as laid out. */
struct emu_var {
	const char *name;
	const struct ir_var *var;
	enum ir_mod space;
	uint64_t offset,
	        bytes; /* global, const: offset is the index of its region after the buffers */
	uint32_t elem;
};
/* An address of a module variable within an initialiser or a register, known when the run starts.
 */
struct emu_addr {
	uint32_t reg; /* 64-bit constant register that receives the address */
	int region;   /* index into gvar */
	int64_t add;
};

/* A line that has code in a basic block. */
struct emu_line {
	const char *file; /* of the source, NULL: not known */
	int32_t line, ptx_line;
	uint32_t block;
};

struct ptx_program {
	struct arena *arena;
	const struct ptx_module *m;
	const char *entry;
	struct emu_op *op;
	uint32_t nop;
	uint32_t file_bytes; /* of a warp's register file */
	uint32_t scratch;    /* four units for results that are blended, four to keep a source */
	uint32_t *table;     /* targets of brx.idx */
	uint32_t ntable;
	struct emu_const *konst;
	int nkonst;
	struct emu_sreg *sreg;
	int nsreg;
	struct emu_addr *addr;
	int naddr;
	struct emu_var *gvar; /* module variables in global and const space */
	int ngvar;
	struct emu_var *svar; /* shared arrays */
	int nsvar;
	uint32_t static_shared, dynamic_base; /* bytes; where dynamic shared memory begins */
	bool has_dynamic;
	uint64_t local_bytes; /* a thread's frame */
	uint32_t param_bytes;
	const struct ptx_param *param;
	int nparam;
	uint32_t reqntid[3], maxntid[3];
	struct emu_site *site;
	uint32_t nsite;
	uint32_t nblock, nbranch; /* coverage: basic blocks, predicated branches (two edges each) */
	struct emu_line *line;
	uint32_t nline;
	const char **regname; /* by unit of the register file, NULL: none */
	const struct emu_isa *isa;
};

/* What executes an operation, by the name under which lowering asks for it. */
struct emu_handler {
	const char *name;
	emu_fn *plain, *sanitized;
	uint8_t dest;
	uint8_t abits, bbits, cbits; /* widths of the sources, 0: not used */
};
struct emu_part {
	const struct emu_handler *handler;
	size_t n;
};
#define EMU_MAX_PARTS 16
/* The handlers compiled for one instruction set of the host, and its interpreter loops. */
struct emu_isa {
	const char *name;
	int (*parts)(struct emu_part out[EMU_MAX_PARTS]);
	void (*run)(struct emu_warp *w); /* until the warp cannot go on */
	void (*run_sanitized)(struct emu_warp *w);
};
/* The best that this processor has; name: "sse2", "avx2" or "avx512" asks for one (NULL when
 * absent). */
const struct emu_isa *emu_isa_choose(const char *name);
MUST_USE enum st emu_lower(const struct ptx_module *m, const char *entry,
                           const struct ptx_options *o, const struct emu_isa *isa,
                           struct ptx_program **out, struct err *e);

/* The region of a module variable (index in module.var), -1: it has none. */
int emu_find_gvar(const struct ptx_program *p, int var);

/* ---- a run ------------------------------------------------------------------------------------
 */

/* Memory at (index+1) * 2^40 + skew. */
struct emu_region {
	const char *name;
	uint64_t base;
	uint8_t *data;
	uint64_t bytes, guard;
	uint8_t *valid, *written;
	bool plain;    /* sanitized: every byte may be read without a look at the bitmaps */
	bool constant; /* .const: writing is a fault */
	uint32_t elem; /* bytes of an element, for messages */
};

struct emu_group {
	uint32_t pc, mask;
	bool meets; /* waits at pc, an operation of the whole warp, for others (emu_meet) */
};

enum emu_state { WARP_READY, WARP_BARRIER, WARP_DONE };

struct emu_wait {
	uint32_t pc;    /* the operation to go on with */
	uint32_t mask;  /* lanes */
	uint32_t id;    /* barrier */
	uint32_t count; /* threads it waits for, 0: all */
	uint32_t op;    /* the barrier operation */
	bool red;
};

struct emu_warp {
	uint8_t *reg;              /* register file */
	struct emu_shadow *shadow; /* one a unit; NULL when not sanitized */
	const struct emu_op *code;
	uint32_t exec, alive, exists;
	struct emu_group group[LANES]; /* other groups, greatest pc first */
	int ngroup;
	struct emu_wait wait[LANES]; /* groups at barriers */
	int nwait;
	const struct emu_op *next; /* where to go on; NULL when the warp cannot */
	uint32_t fuel;             /* blocks to enter before another warp gets its turn */
	uint32_t unfair;           /* blocks to enter before the least pc runs again */
	uint32_t overtaken;        /* lanes that others were let run ahead of: they may be behind though their pc is greater */
	enum emu_state state;
	int index;
	struct emu_run *run;
	uint8_t *shared, *shared_shadow;
	uint8_t *local, *local_shadow; /* of lane 0; lanes follow each other */
};

struct emu_barrier {
	uint32_t arrived; /* threads, by bar.arrive or bar.sync */
	uint32_t count;   /* expected, 0: all */
	uint32_t red_and, red_or, red_popc;
};

struct emu_run {
	const struct ptx_program *p;
	const struct run_launch *launch;
	struct run_report *report;
	struct emu_region *region;
	int nregion, nbuffers;
	uint8_t *param;
	bool sanitize, stop;
	uint64_t budget, lanes, warp_insns;
	uint64_t *hits; /* blocks, then two a branch */
	uint64_t order_seed;
	uint32_t ctaid[3];
	uint64_t block_index;
	uint32_t nthreads, nwarps;
	uint32_t exited;       /* threads of the block that have ended */
	uint32_t first_exited; /* one of them */
	struct emu_warp *warp;
	struct emu_barrier bar[MAX_BARRIERS];
	uint8_t *shared, *shared_shadow;
	uint32_t shared_bytes;
	uint8_t *local, *local_shadow;
	uint64_t clock;
};

static inline void *emu_reg(const struct emu_warp *w, uint32_t offset)
{
	return w->reg + offset;
}
static inline uint32_t *emu_pred(const struct emu_warp *w, uint32_t offset)
{
	return (uint32_t *)(void *)(w->reg + offset);
}
static inline struct emu_shadow *emu_shadow(const struct emu_warp *w, uint32_t offset)
{
	return w->shadow + offset / UNIT;
}
static inline int lowest(uint32_t mask)
{
	return __builtin_ctz(mask);
}

/* warp.c: lanes that part and meet. */
/* The lanes of exec go to `taken` (those of mask) and to `other`; returns where to go on. */
const struct emu_op *emu_diverge(struct emu_warp *w, uint32_t taken, uint32_t mask, uint32_t other);
/* Lanes that go on at pc when their turn comes. */
void emu_diverge_into(struct emu_warp *w, uint32_t pc, uint32_t mask);
/* Exec stands before the block at pc while a group with a pc not greater waits. */
const struct emu_op *emu_regroup(struct emu_warp *w, uint32_t pc);
/* Exec has left (ended, or waits): the next group, or NULL. */
const struct emu_op *emu_next_group(struct emu_warp *w);
const struct emu_op *emu_exit(struct emu_warp *w);
/* Before an operation of the lanes of member (shfl.sync, vote.sync, bar.warp.sync), op: while some of them are behind,
 * which they are after emu_yield alone, exec waits for them as on a GPU: those at a lesser pc, and in a loop those
 * that were overtaken at a greater one. Lanes that have passed op, wait at a barrier or for others, or have ended are
 * not waited for. Returns where to go on. */
const struct emu_op *emu_meet(struct emu_warp *w, const struct emu_op *op, uint32_t member);
/* Out of fuel at the block at pc. */
const struct emu_op *emu_yield(struct emu_warp *w, uint32_t pc);

/* barrier.c */
const struct emu_op *emu_bar(struct emu_warp *w, const struct emu_op *op);
/* After every warp has had its turn: lets go of those whose barrier is complete; false when no warp
 * can go on (a deadlock has then been reported, unless all are done). */
bool emu_release(struct emu_run *r);

/* mem.c: one lane at a time, every case. */
enum emu_access { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };
struct emu_place {
	uint8_t *data;   /* NULL: nothing there, the launch stops */
	uint8_t *shadow; /* shared and local: a byte a byte, 0 = initialised */
	struct emu_region *region;
	uint64_t offset; /* in the region, may be "negative" */
};
struct emu_place emu_place(struct emu_warp *w, const struct emu_op *op, int lane, uint64_t addr,
                           uint32_t bytes, enum emu_access how);
uint64_t emu_address(const struct emu_warp *w, const struct emu_op *op, int lane);
const struct emu_op *emu_load_slow(struct emu_warp *w, const struct emu_op *op);
const struct emu_op *emu_store_slow(struct emu_warp *w, const struct emu_op *op);
struct emu_part emu_mem_slow_part(void); /* ld_slow, st_slow, atom */

/* atom.c: the new value of memory that holds a; b and c are the operands (cas: compare, swap).
 * global: not in shared memory. In struct emu_op vec is the operation and other the type. */
uint64_t emu_atom_result(enum ir_mod op, enum ir_ty ty, uint64_t a, uint64_t b, uint64_t c,
                         bool global);

/* misc.c: operations whose lanes depend on each other or on the machine. */
struct emu_part emu_misc_part(void);

/* sanitize.c */
/* Adds a finding about lane of w at op; text may be NULL. */
void emu_find(struct emu_warp *w, const struct emu_op *op, int lane, enum finding_kind k,
              const char *buffer, int64_t element, const char *fmt, ...)
        __attribute__((format(printf, 7, 8)));
/* A fault: as emu_find, and the launch stops. */
const struct emu_op *emu_fault(struct emu_warp *w, const struct emu_op *op, int lane,
                               enum finding_kind k, const char *fmt, ...)
        __attribute__((format(printf, 5, 6)));
/* A lane of mask uses poison of register reg as `what`. */
void emu_uninit(struct emu_warp *w, const struct emu_op *op, uint32_t reg, uint32_t mask,
                const char *what);
void emu_address_check(struct emu_warp *w, const struct emu_op *op);
/* The shadow of op's destination from those of its sources; wrapped, wide: lanes in which this
 * operation itself lost upper bits. */
void emu_flow(struct emu_warp *w, const struct emu_op *op, uint32_t wrapped, uint32_t wide);
void emu_div_by_zero(struct emu_warp *w, const struct emu_op *op, uint32_t lanes);
void emu_nonfinite(struct emu_warp *w, const struct emu_op *op, uint32_t lanes);
void emu_shuffle_inactive(struct emu_warp *w, const struct emu_op *op, int lane, int source);

/* coverage.c */
struct ptx_coverage {
	const struct ptx_program *p;
	uint64_t *hits; /* as emu_run.hits */
};

#endif
