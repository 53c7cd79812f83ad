/* mutate.h - what plants one fault in an instruction (private to ptx/): see ptx.h, mutation. */
#ifndef PTX_MUTATE_H
#define PTX_MUTATE_H

#include "ptx/isa.h"

/* Instruction k of a function. Its registers and labels are of the function's outermost scope, so that they print as
 * they are written. */
struct mutation_site {
	const struct ptx_module *m;
	const struct ir_func *f;
	const struct ir_insn *i;
	int k;
};

/* Appends the statements that take the instruction's place (none: it is lost); false: it does not apply, and what was
 * appended is void. */
typedef bool mutation_fn(const struct mutation_site *s, struct buf *out);

struct mutation_row {
	struct ptx_mutator text;
	mutation_fn *make;
};
extern const struct mutation_row mutation_rows[];
extern const size_t mutation_row_count;

#endif
