/* expr.h - the small expressions of a manifest: sizes, launch grids, chain lengths.
 *
 *   expr   = or ;  or = and { "or" and } ;  and = not { "and" not } ;  not = [ "not" ] cmp
 *   cmp    = sum [ ("=="|"!="|"<"|"<="|">"|">=") sum ] ;  sum = term { ("+"|"-") term }
 *   term   = unary { ("*"|"/"|"%") unary } ;  unary = [ "-" ] primary
 *   primary = number | NAME | NAME "(" args ")" | "(" expr ")"
 *
 * Integers are int64 with overflow checked; "/" floors and "%" has the sign of the divisor, as in the
 * operator language. A number with a point or exponent, or a real parameter, makes the result real. */
#ifndef CASES_EXPR_H
#define CASES_EXPR_H

#include "base/base.h"

struct value {
	bool real;
	int64_t i;
	double d;
};

/* What names mean. lookup: a plain NAME; call: NAME(tensor-or-option-name [, integer]). Both return
 * false for an unknown name. While checking a manifest the values are placeholders. */
struct expr_env {
	bool (*lookup)(const void *ctx, const char *name, struct value *v);
	bool (*call)(const void *ctx, const char *fn, const char *arg, int64_t k, struct value *v);
	void (*known)(const void *ctx, struct buf *b); /* appends "R, C, eps" for error messages */
	const void *ctx;
};

/* Evaluates text. `where` names the place in the manifest for messages. Division by zero, overflow and
 * unknown names are ST_INPUT. check_only: only names and syntax matter, arithmetic faults are ignored. */
MUST_USE enum st expr_eval(const char *text, const char *where, const struct expr_env *env,
                           bool check_only, struct value *out, struct err *e);

#endif
