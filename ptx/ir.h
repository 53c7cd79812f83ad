/* ir.h - PTX as data, private to ptx/: what the parser makes, the checker completes, the rewriter
 * changes and the emulator lowers.
 *
 * Everything belongs to the module's arena; strings are NUL-terminated.  Indices, not pointers, link
 * things: -1 is "none".  A module is immutable after ptx_parse; ptx_lower works on ir_func_copy. */
#ifndef PTX_IR_H
#define PTX_IR_H

#include "ptx/ptx.h"

/* ---- vocabulary (rows in isa.def) ------------------------------------------------------------- */

enum ir_op {
	OP_NONE,
	OP_LATER, /* an instruction that is kept unread: only ptx_parse_loose makes it, nothing executes it */
	OP_NOP, /* deleted by a rewrite; never parsed; executes nothing, counts for nothing */
#define OPCODE(name, text) OP_##name,
#include "ptx/isa.def"
	OP_COUNT
};

enum ir_class { CL_NONE, CL_B, CL_U, CL_S, CL_F, CL_PRED };

enum ir_ty {
	TY_NONE,
#define TYPE(name, text, bits, cls) TY_##name,
#include "ptx/isa.def"
	TY_COUNT
};

/* Where a modifier goes in struct ir_insn: a bit of flags, or the field of that name. */
enum ir_modcat {
	CAT_NONE, CAT_FLAG, CAT_RND, CAT_CMP, CAT_BOP, CAT_SPACE, CAT_SEM, CAT_SCOPE, CAT_VEC, CAT_SUB,
	CAT_HINT /* caching and prefetch hints: parsed, without effect */
};

enum ir_mod {
	MOD_NONE,
#define MOD(name, text, cat) MOD_##name,
#include "ptx/isa.def"
	MOD_COUNT
};

/* Bits of ir_insn.flags. */
enum ir_flag_index {
#define FLAG(name, text) IX_##name,
#include "ptx/isa.def"
	IX_COUNT
};
enum ir_flag {
#define FLAG(name, text) FL_##name = 1 << IX_##name,
#include "ptx/isa.def"
	FL_NONE = 0
};

/* Special registers. */
enum ir_sreg {
#define SREG(name, text, type) SR_##name,
#include "ptx/isa.def"
	SR_COUNT
};

const char *ir_op_text(enum ir_op op);
const char *ir_ty_text(enum ir_ty t);
const char *ir_mod_text(enum ir_mod m);
const char *ir_sreg_text(enum ir_sreg s);
enum ir_ty ir_sreg_type(enum ir_sreg s);
int ir_ty_bits(enum ir_ty t);  /* 1 for pred; 32 for the x2 types of 16 bits */
int ir_ty_bytes(enum ir_ty t); /* in memory */
enum ir_class ir_ty_class(enum ir_ty t);

/* ---- declarations ----------------------------------------------------------------------------- */

struct ir_reg {
	const char *name; /* as written, "%r12" */
	enum ir_ty ty;
	uint8_t bits; /* 1 (pred), 8, 16, 32, 64 or 128 */
	int scope;    /* number of the { } it lives in, for messages; 0: the function's body */
};

/* A piece of an initialiser that is an address: bytes `width` at `at` hold address of var + add. */
struct ir_reloc {
	uint32_t at, width;
	int var;      /* module variable */
	int64_t add;
	bool generic; /* generic(sym): a generic address; else the address within its space */
};

/* A variable in memory. Of the module (global, const, shared), or of a function (shared and local
 * variables of its body; .param variables: its own parameters and those made for calls). */
struct ir_var {
	const char *name;
	enum ir_mod space; /* MOD_GLOBAL, MOD_CONST, MOD_SHARED, MOD_LOCAL, MOD_PARAM */
	enum ir_ty ty;     /* element type */
	uint32_t align;    /* in bytes, a power of two */
	uint64_t bytes;    /* 0 for an .extern .shared array: size from the launch */
	const uint8_t *init; /* `ninit` first bytes, the rest is zero; NULL: not initialised (globals: 0) */
	uint64_t ninit;
	const struct ir_reloc *reloc;
	int nreloc;
	bool is_extern;
	int reg;           /* .reg parameter of a .func: its register, else -1 */
	bool is_ptr;       /* parameter declared .ptr, or used as an address */
	enum ir_mod ptr_space;
	uint64_t offset;   /* entry parameter: in the parameter block; local: in the function's frame;
	                    * .param of a .func or a call: in its frame of parameters (call_bytes) */
	int line, scope; /* scope: as of registers */
};

/* ---- instructions ----------------------------------------------------------------------------- */

enum ir_opnd_kind {
	OPND_NONE,
	OPND_REG,  /* reg */
	OPND_IMM,  /* imm: bits of the operand's type, zero-extended from its width (pred: 0 or 1) */
	OPND_SREG, /* reg = enum ir_sreg; only the source of mov (and of cvt) */
	OPND_VEC,  /* elem[n]: { }, of registers, immediates and sinks */
	OPND_ADDR, /* [reg + off] (reg >= 0), [var + off] (var >= 0), or [off] */
	OPND_VAR,  /* address of variable var + off, as the source of mov etc. */
	OPND_FUNC, /* a function's address (mov %rd, f): the checker refuses it */
	OPND_SINK, /* _ */
};

struct ir_opnd {
	uint8_t kind;
	uint8_t n;
	bool neg;     /* predicate: !p. After ptx_rewrite on a floating source of FMA/MUL/ADD: sign flipped */
	bool absolute; /* after ptx_rewrite: sign cleared before neg */
	int32_t reg;
	int32_t var;  /* >= 0: module variable; IR_LOCAL_VAR + i: variable i of the function; -1 */
	union {
		uint64_t imm;
		int64_t off;
		struct ir_opnd *elem;
	};
};
#define IR_LOCAL_VAR (1 << 24)

struct ir_call {
	int func; /* callee in module.func */
	int nret, narg;
	struct ir_opnd *ret, *arg; /* OPND_VAR (a .param variable), OPND_REG, OPND_IMM, OPND_SINK */
};

#define IR_MAX_SRC 5

/* One instruction. Operands in the order written, destinations apart: `setp p|q,a,b,c` has d=p, d2=q,
 * src={a,b,c}; `st [a],v` has src={a,v}; `atom d,[a],b,c` src={a,b,c}; `red [a],b` src={a,b};
 * `shfl d|p,a,b,c,m` d2=p src={a,b,c,m}; `bar.red.popc d,a,b,p` src={a,b,p}, b NONE when omitted.
 * A {…} destination of ld or mov is d with kind OPND_VEC.
 * ty: the type suffixes in the order written (cvt: destination, source; mul.wide: the sources' type;
 * set/slct: destination, source; dp4a: a, b). */
struct ir_insn {
	uint16_t op;       /* enum ir_op */
	uint16_t form;     /* row of isa.def, for printing and messages */
	uint32_t choice;   /* which of the row's forms */
	uint8_t ty[3];     /* enum ir_ty */
	uint8_t rnd;       /* enum ir_mod: RN RZ RM RP RNA RNI RZI RMI RPI … or MOD_NONE, and so on: */
	uint8_t cmp;       /* EQ NE LT LE GT GE LO LS HI HS EQU NEU LTU LEU GTU GEU NUM CNAN */
	uint8_t bop;       /* setp/set/red.op: AND OR XOR */
	uint8_t space;     /* PARAM GLOBAL SHARED LOCAL CONST; MOD_NONE: generic */
	uint8_t sem;       /* WEAK RELAXED ACQUIRE RELEASE ACQ_REL SC VOLATILE MMIO */
	uint8_t scope;     /* CTA CLUSTER GPU SYS (membar.gl is GPU) */
	uint8_t sub;       /* what the instruction does: mul LO HI WIDE, shfl UP DOWN BFLY IDX, vote ALL…,
	                    * atom and red operation, testp class, prmt mode, bar SYNC ARRIVE RED … */
	uint8_t vec;       /* 1, 2, 4 or 8 elements of ld, st */
	uint8_t nsrc;
	bool guard_neg;
	bool hint;         /* .L2::cache_hint: a cache policy (ignored) stands after the operands */
	int32_t guard;     /* predicate register, -1: none */
	uint32_t flags;    /* enum ir_flag */
	struct ir_opnd d, d2, src[IR_MAX_SRC];
	struct ir_call *call;
	int32_t label;     /* bra: label; brx: branch table */
	int32_t line;      /* of the PTX text, from 1 */
	uint32_t pos;      /* byte offset of the opcode in the text */
	int32_t file, src_line;       /* .loc: file index in module.file, 0 = none */
	int32_t at_file, at_src_line; /* .loc inlined_at: the call it was inlined at, 0 = none */
};

/* A label: the instruction it stands before, and that instruction's block. */
struct ir_label {
	const char *name;
	int32_t insn, block;
	int32_t line;
	int scope; /* as of registers */
};

struct ir_table { /* .branchtargets */
	const char *name;
	int n, scope;
	int32_t *label;
};

/* Basic block: instructions [first, first + n). next: reached by falling through (or by a predicated
 * branch not taken), taken: by the branch; -1 none. A brx block has its successors in table
 * `brx`. A block ends after bra, brx, ret, exit, trap, call excepted. */
struct ir_block {
	int32_t first, n;
	int32_t next, taken, brx;
	int32_t rpo;   /* position in reverse post-order; -1: unreachable */
	int32_t ipdom; /* immediate post-dominator; -1: the exit */
};

struct ir_func {
	const char *name;
	bool entry;
	bool defined; /* false: only declared (.extern, prototype) */
	int index;    /* in module.func */
	struct ir_var *var;
	int nvar;
	int nret, nparam; /* var[0..nret) return values, var[nret..nret+nparam) parameters */
	struct ptx_param *param; /* of an entry, [nparam] */
	uint32_t param_bytes; /* size of an entry's parameter block */
	uint64_t local_bytes; /* frame of .local variables */
	uint64_t call_bytes;  /* frame of .param variables of the body (and own ones of a .func) */
	struct ir_reg *reg;
	int nreg;
	struct ir_insn *insn; /* the last one is ret, exit, trap or bra: one is added when missing */
	int ninsn;
	struct ir_label *label;
	int nlabel;
	struct ir_table *table;
	int ntable;
	struct ir_block *block;
	int nblock;
	int32_t *rpo; /* reachable blocks in reverse post-order */
	int nrpo;
	uint32_t reqntid[3], maxntid[3]; /* 0: not stated */
	uint32_t minnctapersm, maxnreg;
	uint32_t cluster[3];             /* .reqnctapercluster */
	int line, end_line;
};

struct ptx_module {
	struct arena *arena;
	char *name;
	char *text; /* a copy: messages quote it */
	size_t len;
	int version_major, version_minor, target; /* 9,0 and 90 for .version 9.0, .target sm_90 */
	bool address64;
	const char **file; /* .file names by index; file[0] = NULL */
	int nfile;
	struct ir_var *var;
	int nvar;
	struct ir_func *func;
	int nfunc;
};

/* As ptx_parse, but valid instructions that the emulator does not run (cp.async, mma, …) and combinations of modifiers
 * that it does not know are kept as OP_LATER instead of refused: for analyses alone, never to be lowered. Of such an
 * instruction, d is an OPND_VEC of the registers of its first operand (it may write them, and read them), src[0] an
 * OPND_VEC of what the others name, in order: registers, addresses [reg + off] (the first operand's as well) and
 * integers; pos finds its text. */
MUST_USE enum st ptx_parse_loose(const char *text, size_t len, const char *name, struct ptx_module **out, struct err *e);

/* The variable an operand names. */
const struct ir_var *ir_opnd_var(const struct ptx_module *m, const struct ir_func *f,
                                 const struct ir_opnd *o);
const struct ir_func *ir_find_func(const struct ptx_module *m, const char *name);

/* A deep enough copy: instructions, registers, labels, tables, blocks and operands can be changed;
 * strings and initialisers are shared with the module. */
struct ir_func *ir_func_copy(struct arena *a, const struct ir_func *f);

/* Blocks, successors, labels' blocks, rpo and ipdom of f from its instructions (cfg.c). */
void ir_build_cfg(struct arena *a, struct ir_func *f);

/* ptxas' numerical rewrites (rewrite.c), on a copy; rebuilds the blocks. */
enum ptx_rewrite_flag {
	RW_CONTRACT = 1, /* mul feeding add/sub becomes fma */
	RW_FOLD = 2,     /* special functions and approximate divisions of constants */
	RW_ALGEBRA = 4,  /* min(max(x,0),1), x*1, x*-1 */
	RW_ORDER = 8,    /* operands of f64 sums and products in the order of their definitions */
	RW_ALL = 15
};
void ptx_rewrite_with(struct arena *a, struct ir_func *f, unsigned which);
void ptx_rewrite(struct arena *a, struct ir_func *f, const struct ptx_options *o);

/* The module, or one function or instruction, as PTX text that parses to the same IR. */
void ir_print(struct buf *b, const struct ptx_module *m);
void ir_print_func(struct buf *b, const struct ptx_module *m, const struct ir_func *f);
void ir_print_insn(struct buf *b, const struct ptx_module *m, const struct ir_func *f,
                   const struct ir_insn *i);
/* The module with more in one of its entries: a last parameter, and text that the hooks add to buf. */
struct ir_print_hooks {
	const struct ir_func *f;
	const char *param;                             /* ".param .u64 name" */
	void (*begin)(void *ctx, struct buf *b);       /* before the first instruction */
	void (*after)(void *ctx, struct buf *b, int k); /* behind instruction k */
	void *ctx;
};
void ir_print_with(struct buf *b, const struct ptx_module *m, const struct ir_print_hooks *h);

/* FAIL_AT for an instruction of m: err_set_at at its place with its text. */
#define FAIL_INSN(e, code, m, i, ...)                                                              \
	FAIL_AT((e), code, (m)->name, (m)->text, (m)->len, (i)->pos, __VA_ARGS__)

#endif
