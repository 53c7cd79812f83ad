/* rules.c - THE table of rules. */
#include <string.h>

#include "validate/lint/fn.h"

static const struct lint_rule rules[] = {
	{"unguarded-global-access", LINT_ERROR, "an access outside the tensor it is meant for",
	 "For some sizes that the operator allows, a thread reads or writes outside its buffer, or in the padding between rows. The "
	 "message has the case, the block and the thread; every condition on the way there was computed, so the access happens.",
	 "y[blockIdx.x * 256 + threadIdx.x] = 0;            // n is not a multiple of 256",
	 "Guard it by the index itself: if (i < n).", NULL},
	{"index-overflow", LINT_ERROR, "a 32-bit index overflows and becomes an address",
	 "A sum, product or shift in 32 bits exceeds its range for sizes the schema allows, and the wrapped result is widened to a 64-bit "
	 "address: another element than the meant one is touched. Wrapping that is shifted, masked or divided before is left alone.",
	 "int i = row * C + c; y[i] = …                     // R = C = 50021",
	 "Compute it in 64 bits: (long long)row * C + c, or state the limit under \"requires\".", NULL},
	{"input-written", LINT_ERROR, "a store into a tensor the operator only reads",
	 "The manifest passes the tensor as an input; a thread stores to it.", "x[i] *= scale; y[i] = x[i];",
	 "Write to the output, or to a workspace.", NULL},
	{"misaligned-vector", LINT_ERROR, "a vector access whose address need not be a multiple of its size",
	 "An access of 8 or 16 bytes faults unless its address is a multiple of that. Rows of odd width and views that begin inside a "
	 "buffer break it.", "float4 v = *(const float4 *)(x + row * C);      // C % 4 != 0",
	 "Test the address, (size_t)p % 16 == 0, and keep a path of single elements.", rule_vector_alignment},
	{"divergent-barrier", LINT_ERROR, "a barrier that part of the block does not reach",
	 "__syncthreads under a condition that differs between the block's threads, or after some of them have returned. Proved: two "
	 "threads of one launch that pass a different number of barriers. Possible: the condition is made from the thread's index or "
	 "from data. A barrier of the whole block under a condition that all its threads share is good.",
	 "if (i >= n) return; … __syncthreads();", "Let every thread come to the barrier and guard the work instead.",
	 rule_divergent_barrier},
	{"shared-race", LINT_ERROR, "shared memory written and read by two warps without a barrier between",
	 "In one interval between barriers a thread writes a word that a thread of another warp reads, or writes with another value; "
	 "intervals run across the back edge of loops. Threads of one warp, two atomics, and kernels that order threads by other means than "
	 "barriers of the whole block are left out.",
	 "for (…) { s[tid] = x[…]; __syncthreads(); sum += s[tid ^ 32]; }   // no barrier before the next write",
	 "A second __syncthreads at the end of the loop's body.", NULL},
	{"shared-out-of-bounds", LINT_ERROR, "an access beyond the block's shared memory",
	 "Static arrays and the launch's dynamic bytes together are what a block has. An address made from one array that lies in another is outside, too.",
	 "__shared__ float s[128]; s[threadIdx.x + 1] = x;  // 128 threads", "A larger array, or a guard.", NULL},
	{"shuffle-full-mask", LINT_ERROR, "an exchange whose mask names lanes that do not take part",
	 "shfl.sync and vote.sync wait for every lane in the mask and give undefined values from lanes that are not there. Error: a lane "
	 "of the mask never comes here. Warning: the block's last warp has fewer lanes than the mask.",
	 "if (threadIdx.x < 20) v += __shfl_down_sync(0xffffffff, v, 16);",
	 "Exchange outside of the condition, or take the mask from __ballot_sync before it.", rule_shuffle_mask},
	{"async-no-wait", LINT_ERROR, "cp.async without a wait before the data are read",
	 "Bytes copied by cp.async may be read only behind cp.async.wait_group or wait_all (and a barrier, when other threads read).",
	 "__pipeline_memcpy_async(s + t, x + t, 16); … = s[t];",
	 "__pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();", rule_async},
	{"async-no-commit", LINT_ERROR, "a copy that the wait does not cover",
	 "cp.async.wait_group counts committed groups; a copy that is not committed before is not waited for.",
	 "cp.async …; cp.async.wait_group 0; cp.async.commit_group;", "Commit before the wait.", NULL},
	{"async-reuse", LINT_ERROR, "cp.async into shared memory that is still in use",
	 "A copy writes from its start to the end of its wait. In an interval between barriers that this touches, a thread of another warp reads or "
	 "writes the same word, or the thread itself stores to it: a stage is filled again before all have read it, or the last groups are not drained before "
	 "their memory serves something else.",
	 "for (…) { cp.async(s[i % 2]); commit; wait_group 1; __syncthreads(); use(s[(i + 1) % 2]); }   // no barrier behind the use",
	 "A __syncthreads between the last use of a stage and the copy into it; cp.async.wait_all before other uses.", NULL},
	{"mbarrier-no-wait", LINT_ERROR, "shared memory read before the bulk copy into it is waited for",
	 "cp.async.bulk completes on an mbarrier; until a thread's try_wait or test_wait of its phase has returned true, the bytes may come at any time. A "
	 "__syncthreads does not wait for them.",
	 "cp.async.bulk(…, [bar]); __syncthreads(); y = s[i];", "mbarrier.try_wait.parity in a loop before the read.", rule_mbarrier},
	{"mbarrier-init-unseen", LINT_ERROR, "an mbarrier is used before all threads know that it is initialised",
	 "One thread initialises it; another that comes to arrive or wait first works on whatever was there.",
	 "if (threadIdx.x == 0) init(&bar); wait(&bar);", "A __syncthreads behind the initialisation.", NULL},
	{"ticket-no-fence", LINT_WARNING, "a ticket is taken before the data it stands for are fenced",
	 "The last block to take a ticket reads what the others stored. Without a fence between each block's stores and its atomic the "
	 "reader may see old values.", "partial[b] = v; if (atomicAdd(count, 1) == gridDim.x - 1) sum(partial);",
	 "__threadfence() between the stores and the atomic (and one behind it, or volatile loads).", rule_ticket_fence},
	{"nc-load-of-written", LINT_ERROR, "ld.global.nc of memory that the kernel writes",
	 "The non-coherent path (__ldg, or const __restrict__) may give data from before the store.",
	 "y[i] = __ldg(y + i) + 1;", "Read by a plain load, and drop const __restrict__ where pointers alias.", rule_nc_load},
	{"uninitialised-register", LINT_ERROR, "a register is read that nothing gave a value",
	 "Error: no instruction from which control reaches this one writes the register. Possible: there is a way here on which none does.", "float s; for (…) s += x[i];",
	 "Give the variable a value.", rule_uninitialised},
	{"dead-guard", LINT_WARNING, "a comparison that always comes out the same",
	 "Ranges of thread and block indices, of remainders and of bit fields decide it: the guard guards nothing.",
	 "if (threadIdx.x % 32 < 32) …", "Compare what was meant, or drop it.", rule_dead_guard},
	{"unused-parameter", LINT_WARNING, "a parameter that is never read",
	 "A stride or size that has no effect usually means that a layout is assumed. Warning: the manifest says that it is the stride of a tensor the entry uses, "
	 "and its layouts let it vary. Note: all others.", "__global__ void f(…, long long x_stride)",
	 "Use it or drop it.", rule_unused_parameter},
	{"local-memory", LINT_NOTE, "arrays or spills in local memory",
	 "Local memory lies in global memory. Arrays indexed by variables and the slow path of sinf, cosf and powf go there.",
	 "float a[8]; … a[k]", "Unroll the loop so that indices are constants.", rule_local_memory},
	{"resource-limit", LINT_ERROR, "more than an SM gives",
	 "Shared memory or threads beyond what a launch may have: the launch fails, and unchecked it leaves the output untouched.",
	 "__shared__ float a[20000];", "Less of it, or dynamic shared memory with cudaFuncSetAttribute.", rule_resources},
	{"grid-limit", LINT_NOTE, "a grid beyond its limits within the schema",
	 "gridDim.y and gridDim.z end at 65535: for larger sizes the launch fails.", "\"grid\": [\"1\", \"R\"]",
	 "Put the long size in x, or loop.", NULL},
	{"low-accumulator", LINT_WARNING, "a sum over a loop in 16 bits",
	 "f16 has 11 bits and ends at 65504, bf16 has 8 bits: long sums lose everything below, or become infinite. Not a warning where "
	 "the manifest's numerics declare it.", "__half s = 0; for (…) s = __hadd(s, x[i]);", "Accumulate in float.",
	 rule_low_accumulator},
	{"tf32", LINT_WARNING, "tf32 where f32 is declared", "Operands are rounded to 11 bits.", "mma.sync….tf32", "Declare it, or use f32.",
	 rule_tf32},
	{"f64-arithmetic", LINT_NOTE, "double arithmetic on data that are not double",
	 "A constant without f or a call of the double function makes a whole expression double: slow, seldom wrong.", "y = x * 0.5;",
	 "0.5f.", rule_f64},
	{"approximations", LINT_NOTE, "inventory of approximate instructions", "What the compiler or the author chose.", "__expf(x)", "",
	 rule_approx},
	{"undeclared-ftz", LINT_WARNING, "flushes subnormals though the manifest says not",
	 "add, mul, fma or div with .ftz (from --use_fast_math or -ftz=true).", "add.ftz.f32", "Declare \"ftz\": true, or compile without.",
	 NULL},
	{"fast-trigonometry", LINT_WARNING, "sin.approx or cos.approx", "Their error grows with the argument without bound.", "__sinf(x)",
	 "sinf, or a reduced argument.", NULL},
	{"finite-sentinel", LINT_WARNING, "a finite number as minus infinity before an exponential",
	 "Rows whose true values lie below it, and rows that are masked altogether, come out wrong.",
	 "float m = -1e9f; … m = fmaxf(m, x); … expf(x - m)", "Minus infinity, and a guard for rows that are all masked.",
	 rule_sentinel},
	{"nan-dropped", LINT_WARNING, "min or max without .NaN where the contract keeps NaN",
	 "fminf and fmaxf give the other operand for a NaN. Reported where an input reaches an output by way of such alone.",
	 "y = fmaxf(x, 0);", "x > 0 ? x : (x != x ? x : 0), or __hmax_nan, or max.NaN.", rule_min_max_nan},
	{"bf16-truncation", LINT_WARNING, "bf16 by cutting a float's bits",
	 "Rounding towards zero: a bias that adds up over layers, and below one ulp each time.",
	 "y = __float_as_uint(v) >> 16;", "__float2bfloat16.", rule_bf16_truncation},
	{"float-integer-division", LINT_WARNING, "an integer quotient computed in floats",
	 "(int)((float)a / b) or with a reciprocal is wrong near multiples of b and beyond 2^24.", "int q = (int)(a * (1.0f / b));",
	 "a / b in integers.", rule_reciprocal_division},
	{"float-atomic", LINT_WARNING, "atomics on floats",
	 "Note: sums depend on the order of the blocks. Warning: an integer maximum of a float's bits is wrong for negative values.",
	 "atomicMax((int *)m, __float_as_int(v));", "A reduction in a fixed order; order-preserving integers for maxima.",
	 rule_float_atomic},
};

const struct lint_rule *lint_rule_get(int i)
{
	return i >= 0 && i < (int)ARRAY_LEN(rules) ? &rules[i] : NULL;
}

const struct lint_rule *lint_rule_find(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (strcmp(rules[i].id, id) == 0)
			return &rules[i];
	return NULL;
}
