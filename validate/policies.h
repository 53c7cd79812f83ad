/* policies.h - tolerance policies on the cases of a campaign: what each catches of what is wrong, and how often it
 * flags a control (private). */
#ifndef VALIDATE_POLICIES_H
#define VALIDATE_POLICIES_H

#include "base/base.h"

/* What a case tells of the policies. */
struct policy_case {
	double abs_error; /* largest |output - exact|, infinite where the class differs */
	bool wrong;       /* observably (design.md §6) */
	bool flagged;     /* by value, by the cell's envelope */
	bool allclose, published; /* accepted by these */
};
struct policy_cases {
	struct policy_case *c;
	size_t n, cap;
};
void policy_cases_clear(struct policy_cases *p);
/* Takes in a record line; one without a verdict on its values is passed over. */
void policy_cases_absorb(struct policy_cases *p, const cJSON *line);

/* What benchmarks publish for an operator and type: |output - exact| <= atol + rtol·|exact|. Liger-Kernel's numbers
 * where it has some for the operator, else KernelBench's of the type (docs/facts/benchmark-oracles.md §2). Integers: 0. */
struct published {
	double atol, rtol;
};
struct published published_tolerance(const char *op, enum dtype dt);

struct unit;
/* The four policies on the cases of a set: [{"policy", "rule", "source", "wrong_cases", "caught", "control_cases",
 * "false_alarms"}, …], ours last. The third learns from every other case of the controls of an operator and type; the
 * others are the control cases of all four. NULL when nothing of the set was judged. */
cJSON *policies_json(const struct unit *units, int n, const char *set);

#endif
