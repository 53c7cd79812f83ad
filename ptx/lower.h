/* lower.h - the state of lowering one entry (lower*.c), private to ptx/. */
#ifndef PTX_LOWER_H
#define PTX_LOWER_H

#include "ptx/emu.h"

#define MAX_OPS        (1u << 20)
#define MAX_BLOCKS     (1 << 18)
#define MAX_FRAME_REGS (1u << 23) /* registers declared, over all functions in place */
#define MAX_GLOBALS    (1u << 28) /* bytes of the module's own variables */
#define MAX_FILE       (1u << 22) /* bytes of a warp's register file */

/* A basic block of the whole program (functions are put in place of their calls). Its operations
 * are low.op[first, first + n); then it goes to `next`, or to `taken` when pred holds, or to the
 * targets of a table, or nowhere. */
struct low_block {
	uint32_t first, n, insns;
	int next, taken; /* -1: none */
	uint32_t pred;   /* 0: no condition */
	bool neg;
	uint32_t index; /* brx: register */
	int *table, ntable;
	uint32_t site; /* of the branch */
};

/* A function in place of a call. */
struct low_frame {
	const struct ir_func *f;
	struct low_frame *caller;
	uint32_t *reg;           /* offset by register, 0: not yet */
	const bool *address;     /* by register: may become part of an address */
	int *block;              /* low_block by IR block */
	uint64_t local, call;    /* where its frames begin in the thread's */
	int after;               /* low_block that a ret goes to; -1: the entry */
	struct low_frame *older; /* all frames ever */
};

struct low {
	const struct ptx_module *m;
	struct ptx_program *p;
	struct arena *arena;
	struct err *e;
	const struct ptx_options *options;
	const struct emu_handler **handler; /* sorted by name */
	size_t nhandler;
	struct emu_op *op;
	uint32_t nop, op_cap;
	struct low_block *block;
	int nblock, block_cap;
	int at; /* open block, -1: unreachable */
	struct low_frame *frame, *frames;
	const struct ir_func **copy; /* rewritten functions, by index */
	bool **address;              /* of each, by index */
	const struct ir_insn *insn;  /* being lowered */
	uint32_t site;
	uint32_t guard; /* predicate of the instruction, 0: none */
	bool guard_neg;
	uint32_t zero;  /* constant 0, at offset 0 */
	uint32_t carry; /* CC.CF, 0: not used */
	uint32_t dynamic_align, svar_cap, gvar_cap, dyn_cap;
	uint32_t line_cap, site_cap, const_cap, sreg_cap, addr_cap;
	int depth;
	uint64_t frame_regs, global_bytes;
};

/* lower.c */
enum st low_fail(struct low *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t low_alloc(struct low *l, int bits); /* a fresh register of 1, 32 or 64 bits */
uint32_t low_const(struct low *l, uint64_t bits, int width);
uint32_t low_reg(struct low *l, int reg);
/* A source as a register of 32 bits (also for 8 and 16) or of 64. */
uint32_t low_src(struct low *l, const struct ir_opnd *o, int bits);
uint32_t low_pred(struct low *l, const struct ir_opnd *o); /* negation carried out */
int low_reg_bits(const struct low *l, const struct ir_opnd *o);

/* A destination of `bits`: the register itself when it is as wide, else a temporary that low_done
 * extends into it. */
struct low_dest {
	uint32_t reg, final;
	int bits, final_bits;
	bool is_signed;
};
struct low_dest low_dest(struct low *l, const struct ir_opnd *o, int bits, bool is_signed);
void low_done(struct low *l, const struct low_dest *d);

/* Appends an operation; a guard before it when the instruction has one. NULL after an error. */
struct emu_op *low_emit(struct low *l, const char *handler, uint32_t d, uint32_t a, uint32_t b,
                        uint32_t c);
const struct emu_handler *low_find(const struct low *l, const char *name);

/* Starts and ends basic blocks. */
int low_new_block(struct low *l);
void low_open(struct low *l, int block);
void low_jump(struct low *l, int to);                                       /* and closes */
void low_branch(struct low *l, uint32_t pred, bool neg, int to, int other); /* and closes */

bool low_is_entry_param(const struct low *l, const struct ir_var *v);
/* Room for one more in an array of the arena that doubles. */
void *low_more(struct arena *a, void *p, uint32_t n, uint32_t *cap, size_t size);
/* Offset of dynamic shared memory + off, which is known only at the end. */
uint32_t low_dynamic_const(struct low *l, int64_t off, int bits);

/* lower_alu.c: arithmetic, logic, comparison, conversion. */
enum st low_alu(struct low *l, const struct ir_insn *i);
/* lower_mem.c: memory, moves of addresses, atomics. */
enum st low_memory(struct low *l, const struct ir_insn *i);
void low_add_shared(struct low *l, const struct ir_var *v);
uint32_t low_address_of(struct low *l, const struct ir_opnd *o, int bits); /* OPND_VAR */
void low_copy_param(struct low *l, uint64_t to, uint64_t from, uint64_t bytes);
enum st low_store_param(struct low *l, uint64_t to, const struct ir_var *v,
                        const struct ir_opnd *o);
enum st low_load_param(struct low *l, uint64_t from, const struct ir_var *v,
                       const struct ir_opnd *o);
uint64_t low_param_place(const struct low_frame *f, const struct ir_var *v);
/* lower_flow.c: branches, calls, barriers, warp operations. */
enum st low_flow(struct low *l, const struct ir_insn *i);
/* A frame for f, whose shared memory is laid out; NULL after an error. */
struct low_frame *low_enter(struct low *l, const struct ir_func *f);
enum st low_function(struct low *l, struct low_frame *f);

#endif
