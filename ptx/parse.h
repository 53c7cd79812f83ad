/* parse.h - the parser's state, private to ptx/: parse.c reads modules and declarations, parse_expr.c
 * constants and initialisers, parse_func.c bodies, check.c fits operands to an instruction's form. */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include "ptx/isa.h"
#include "ptx/lex.h"

/* Limits against hostile text; far above what compilers emit. */
#define MAX_TEXT ((size_t)64 << 20)
#define MAX_INSNS (1 << 20)         /* in a module */
#define MAX_REGS (1 << 18)          /* declared in one function */
#define MAX_DEPTH 64                /* nested { }, parentheses, initialiser braces */
#define MAX_DECLS (1 << 16)         /* variables, functions, labels, files: each */
#define MAX_GLOBAL_BYTES ((uint64_t)1 << 30)
#define MAX_CONST_BYTES ((uint64_t)64 << 10)  /* CUDA: 64 KiB of constant memory */
#define MAX_SHARED_BYTES ((uint64_t)232448)   /* sm_90: 227 KiB a block */
#define MAX_LOCAL_BYTES ((uint64_t)512 << 10) /* CUDA: 512 KiB a thread */
#define MAX_PARAM_BYTES ((uint64_t)32764)     /* PTX ISA 8.1: kernel parameters */
#define MAX_OPERANDS 8

/* A list that grows. */
#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *v;                                                                           \
		int n, cap;                                                                        \
	}
void *vec_grow(void *v, int *cap, size_t size); /* to the next capacity; frees nothing on overflow */
#define VEC_ADD(vec)                                                                               \
	((vec).n < (vec).cap ? (void)0                                                             \
	                     : (void)((vec).v = vec_grow((vec).v, &(vec).cap, sizeof *(vec).v)),   \
	 memset(&(vec).v[(vec).n], 0, sizeof *(vec).v), &(vec).v[(vec).n++])

enum sym_kind { SYM_REG, SYM_RANGE, SYM_VAR, SYM_FUNC, SYM_LABEL, SYM_TABLE, SYM_PROTO };

struct symbol {
	const char *name;
	size_t len;
	uint32_t hash;
	enum sym_kind kind;
	int index;      /* register, range, variable (IR_LOCAL_VAR added), function, label, table */
	int shadowed;   /* the symbol of the same bucket before it, -1 */
	int scope;
};

struct reg_range { /* .reg .b32 %r<n>: registers come into being when first named */
	enum ir_ty ty;
	uint32_t n;
	int32_t *reg; /* -1 not named yet */
};

struct label_ref { /* a branch whose label is not known yet */
	const char *name;
	size_t len, pos;
	int32_t *to; /* NULL: insn.label of `insn` */
	int insn;
};

struct operand { /* as written, before check.c fits it */
	struct ir_opnd o, second; /* second: q of p|q */
	enum tok_kind lit;        /* of an immediate: T_INT, T_F32, T_F64 */
	bool uns;
	size_t pos;
};

struct memo { /* instruction names already matched */
	uint32_t hash;
	const char *s;
	size_t len;
	struct ir_insn insn;
};
#define MEMO_SIZE 512

#define SYM_BUCKETS 4096

struct parser {
	struct ptx_module *m;
	struct arena *a;
	struct err *e;
	struct lexer lx;
	struct token tok;
	int depth; /* of recursion */
	bool loose; /* keep instructions that are not run as OP_LATER */

	VEC(struct symbol) sym;
	int bucket[SYM_BUCKETS];
	struct symbol found; /* what sym_find made of a range */
	VEC(struct ir_func) func;
	VEC(struct ir_var) gvar;
	VEC(const char *) file;
	int ninsn_total;

	/* the function being read */
	struct ir_func *f; /* NULL at module level; points into func: refetch after a new function */
	VEC(struct ir_var) var;
	VEC(struct ir_reg) reg;
	VEC(struct reg_range) range;
	VEC(struct ir_insn) insn;
	VEC(struct ir_label) label;
	VEC(struct ir_table) table;
	VEC(struct label_ref) ref;
	uint32_t nreg_declared;
	int scope, nscope; /* number of the current { }, how many so far */
	int32_t loc_file, loc_line, at_file, at_line;
	struct memo *memo;
};

/* Copies a list to the arena; NULL when empty. */
void *vec_keep(struct parser *p, const void *v, int n, size_t size);

#define FAIL_TOK(p, t, ...)                                                                        \
	FAIL_AT((p)->e, INPUT, (p)->m->name, (p)->m->text, (p)->m->len, (t)->pos, __VA_ARGS__)
#define FAIL_POS(p, code, where, ...)                                                              \
	FAIL_AT((p)->e, code, (p)->m->name, (p)->m->text, (p)->m->len, (where), __VA_ARGS__)

/* parse.c: tokens, symbols, declarations */
enum st parse_text(struct ptx_module *m, bool loose, struct err *e);
enum st next(struct parser *p);
bool at(const struct parser *p, const char *s);
enum st accept(struct parser *p, const char *s, bool *yes); /* takes the token if it is s */
enum st expect(struct parser *p, const char *s, const char *after);
enum st fail_expected(struct parser *p, const char *what);
char *tok_text(struct parser *p, const struct token *t); /* in the arena */
struct symbol *sym_find(struct parser *p, const char *s, size_t len, bool labels);
enum st sym_add(struct parser *p, const struct token *t, enum sym_kind kind, int index);
void sym_leave(struct parser *p, int keep); /* forgets the symbols beyond the first keep */
enum st fail_undeclared(struct parser *p, const struct token *t);
enum st parse_variables(struct parser *p, enum ir_mod space, bool is_extern);
enum st parse_param(struct parser *p, struct ir_var *v, struct token *name);
enum st parse_debug_directive(struct parser *p, bool *was); /* .loc .file .pragma .section … */

/* parse_expr.c */
enum st parse_int_expr(struct parser *p, uint64_t *v, bool *uns);
enum st parse_count(struct parser *p, const char *what, uint64_t max, uint64_t *v);
enum st parse_initialiser(struct parser *p, struct ir_var *v);
uint64_t literal_bits(enum tok_kind lit, uint64_t val, enum ir_ty ty);

/* parse_func.c */
enum st parse_body(struct parser *p);
enum st parse_registers(struct parser *p);

/* check.c: fits the operands written to the form of *i; fills d, d2, src. */
enum st check_operands(struct parser *p, struct ir_insn *i, struct operand *o, int n,
                       size_t end);
enum st check_call(struct parser *p, struct ir_insn *i, size_t pos);

#endif
