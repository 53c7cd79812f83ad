/* exec_mem_simd.c - loads and stores of a warp, plain and sanitized, once an instruction set. */
#include "ptx/exec.h"
#include "ptx/exec_parts.h"

/* Bytes of an element and elements of a vector access: 16 bytes at most. */
#define ACCESS_LIST(X)                                                                             \
	X(1, 1) X(2, 1) X(4, 1) X(8, 1) X(1, 2) X(2, 2) X(4, 2) X(8, 2) X(1, 4) X(2, 4) X(4, 4)

#define SAN 0
#include "ptx/exec_mem.inc"
#undef SAN
#define SAN 1
#include "ptx/exec_mem.inc"
#undef SAN

/* ld/st: generic; g: global and const; s: shared, 32-bit addresses; sw: shared, 64-bit addresses.
 */
#define ROW(name, S, V)                                                                            \
	{#name "_" #S "_" #V, name##_##S##_##V##_0, name##_##S##_##V##_1, DEST_SELF, 0, 0, 0},
#define ROWS(S, V)                                                                                 \
	ROW(ld, S, V)                                                                              \
	ROW(st, S, V) ROW(ldg, S, V) ROW(stg, S, V) ROW(lds, S, V) ROW(sts, S, V) ROW(ldsw, S, V)  \
	        ROW(stsw, S, V)
static const struct emu_handler handlers[] = {ACCESS_LIST(ROWS)};

struct emu_part JOIN(emu_mem_part, ISA)(void)
{
	return (struct emu_part){handlers, ARRAY_LEN(handlers)};
}
