/* order.h - layout of basic blocks (order.c), private to ptx/. */
#ifndef PTX_ORDER_H
#define PTX_ORDER_H

#include "base/base.h"

/* Orders the blocks reached from block 0. succ: two successors a block, -1: none;
 * more[i][0..nmore[i]): further ones of block i. out has room for n; returns how many are reached.
 */
int emu_order(int n, const int *succ, const int *const *more, const int *nmore, int *out);

#endif
