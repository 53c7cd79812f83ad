/* metrics.h - metrics of kernels' entries, as `gpuemu lint --json` and evidence have them, held against earlier ones and
 * against bounds. */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include "base/base.h"

typedef void metrics_tell(void *ctx, const char *text);

/* Tells ("relu_f32: registers grew from 12 to 20") what entries of `now` take more of than those of `was`, both arrays of the list
 * "metrics" (PTX) or "sass" (machine code), matched by their entries; and where fewer warps fit an SM. Returns how many. */
int metrics_grown(const char *list, const cJSON *was, const cJSON *now, metrics_tell *tell, void *ctx);

/* kernels: an array of {"name", "metrics" or "sass" as well}. Tells each entry that takes more than the budget, "registers=64
 * stack_bytes=0", of its machine code where there is some, else of its PTX; *over counts them. ST_INPUT: a budget that says nothing. */
MUST_USE enum st metrics_budget(const char *budget, const cJSON *kernels, metrics_tell *tell, void *ctx, int *over, struct err *e);

#endif
