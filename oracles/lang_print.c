/* lang_print.c - an expression as text of the language, with as few parentheses as its rules allow.
 */
#include "oracles/lang_parse.h"

#include <inttypes.h>
#include <string.h>

/* How tightly a form binds; a looser operand takes parentheses. */
enum level { L_EXPR, L_OR, L_AND, L_NOT, L_CMP, L_SUM, L_PRODUCT, L_UNARY, L_POWER, L_PRIMARY };

struct printer {
	struct buf *out;
	const struct op *op;
	lang_name_fn *name;
	void *ctx;
};

static void print(const struct printer *p, const struct lang_node *n, enum level min);

static const char *cmp_text(enum lang_cmp c)
{
	static const char *const text[] = {"<", "<=", ">", ">=", "==", "!="};

	return text[c];
}

static enum level level_of(const struct lang_node *n)
{
	switch (n->kind) {
	case N_IF:
		return L_EXPR;
	case N_READ:
	case N_LET:
	case N_ACTUAL:
		return n->has_else ? L_EXPR : L_PRIMARY;
	case N_OR:
		return L_OR;
	case N_AND:
		return L_AND;
	case N_NOT:
		return L_NOT;
	case N_CMP:
		return L_CMP;
	case N_ADD:
	case N_SUB:
		return L_SUM;
	case N_MUL:
	case N_DIV:
	case N_IDIV:
	case N_MOD:
		return L_PRODUCT;
	case N_NEG:
		return L_UNARY;
	case N_SQR:
		return L_POWER;
	case N_FN:
		return n->fn == FN_ERFP1 || n->fn == FN_TANHP1 ? L_SUM : L_PRIMARY;
	default:
		return L_PRIMARY;
	}
}

static void infix(const struct printer *p, const struct lang_node *n, const char *sign,
                  enum level left, enum level right)
{
	print(p, n->arg[0], left);
	buf_puts(p->out, sign);
	print(p, n->arg[1], right);
}

static void call(const struct printer *p, const char *name, const struct lang_node *n)
{
	buf_printf(p->out, "%s(", name);
	for (int i = 0; i < n->nargs; i++) {
		buf_puts(p->out, i ? ", " : "");
		print(p, n->arg[i], L_EXPR);
	}
	buf_putc(p->out, ')');
}

static void element(const struct printer *p, const struct lang_node *n)
{
	const char *name = n->kind == N_LET ? n->let->name : p->op->schema.tensors[n->k].name;

	buf_printf(p->out, n->kind == N_ACTUAL ? "actual(%s" : "%s", name);
	if (n->nargs - n->has_else > 0 || n->kind != N_LET)
		buf_putc(p->out, '[');
	for (int i = 0; i < n->nargs - n->has_else; i++) {
		buf_puts(p->out, i ? "," : "");
		print(p, n->arg[i], L_EXPR);
	}
	if (n->nargs - n->has_else > 0 || n->kind != N_LET)
		buf_putc(p->out, ']');
	if (n->kind == N_ACTUAL)
		buf_putc(p->out, ')');
	if (n->has_else) {
		buf_puts(p->out, " else ");
		print(p, n->arg[n->nargs - 1], L_EXPR);
	}
}

static void reduction(const struct printer *p, const struct lang_node *n)
{
	buf_printf(p->out, "%s(", lang_red_name(n->red));
	for (int i = 0; i < n->nidx; i++) {
		buf_printf(p->out, "%s%s", i ? "," : "", n->idx[i]->name);
		if (n->idx[i]->given) {
			buf_putc(p->out, '<');
			print(p, n->idx[i]->extent, L_SUM);
		}
	}
	if (n->nargs == 2) {
		buf_puts(p->out, " | ");
		print(p, n->arg[1], L_EXPR);
	}
	buf_puts(p->out, ": ");
	print(p, n->arg[0], L_EXPR);
	buf_putc(p->out, ')');
}

static void cast(const struct printer *p, const struct lang_node *n)
{
	const struct lang_etype *t = &n->cast_to;

	buf_printf(p->out, "cast(%s, %s, %s, ",
	           t->var >= 0 ? p->op->schema.types[t->var].name : dtype_name(t->dt),
	           n->cast_rnd == RND_Z ? "rz" : "rne", n->cast_sat ? "sat" : "inf");
	print(p, n->arg[0], L_EXPR);
	buf_putc(p->out, ')');
}

static void function(const struct printer *p, const struct lang_node *n)
{
	if (n->fn != FN_ERFP1 && n->fn != FN_TANHP1) {
		call(p, lang_fn_name(n->fn), n);
		return;
	}
	buf_puts(p->out, "1 + ");
	call(p, n->fn == FN_ERFP1 ? "erf" : "tanh", n);
}

static void leaf(const struct printer *p, const struct lang_node *n)
{
	const struct op_schema *s = &p->op->schema;

	switch (n->kind) {
	case N_INT:
		buf_printf(p->out, "%" PRId64, n->ival);
		break;
	case N_REAL:
		buf_puts(p->out, n->text);
		break;
	case N_INF:
		buf_puts(p->out, "inf");
		break;
	case N_NAN:
		buf_puts(p->out, "nan");
		break;
	case N_PI:
		buf_puts(p->out, "pi");
		break;
	case N_BOOL:
		buf_puts(p->out, n->ival ? "true" : "false");
		break;
	case N_DIM:
		buf_puts(p->out, s->dims[n->k].name);
		break;
	case N_PARAM:
		buf_puts(p->out, s->params[n->k].name);
		break;
	case N_OPTION_IS:
		buf_printf(p->out, "%s == %s", s->options[n->k].name,
		           s->options[n->k].values[n->ival]);
		break;
	default:
		buf_puts(p->out, n->index->name);
	}
}

static void inner(const struct printer *p, const struct lang_node *n)
{
	switch (n->kind) {
	case N_READ:
	case N_LET:
	case N_ACTUAL:
		element(p, n);
		break;
	case N_TO_REAL:
		print(p, n->arg[0], L_EXPR);
		break;
	case N_NEG:
		buf_putc(p->out, '-');
		print(p, n->arg[0], L_UNARY);
		break;
	case N_ABS:
		call(p, "abs", n);
		break;
	case N_SQR:
		print(p, n->arg[0], L_PRIMARY);
		buf_puts(p->out, "^2");
		break;
	case N_ADD:
		infix(p, n, " + ", L_SUM, L_PRODUCT);
		break;
	case N_SUB:
		infix(p, n, " - ", L_SUM, L_PRODUCT);
		break;
	case N_MUL:
		infix(p, n, "*", L_PRODUCT, L_UNARY);
		break;
	case N_DIV:
	case N_IDIV:
		infix(p, n, "/", L_PRODUCT, L_UNARY);
		break;
	case N_MOD:
		infix(p, n, "%", L_PRODUCT, L_UNARY);
		break;
	case N_MIN:
	case N_MAX:
		call(p, n->kind == N_MIN ? "min" : "max", n);
		break;
	case N_FN:
		function(p, n);
		break;
	case N_CMP:
		print(p, n->arg[0], L_SUM);
		buf_printf(p->out, " %s ", cmp_text(n->cmp));
		print(p, n->arg[1], L_SUM);
		break;
	case N_AND:
		infix(p, n, " and ", L_AND, L_NOT);
		break;
	case N_OR:
		infix(p, n, " or ", L_OR, L_AND);
		break;
	case N_NOT:
		buf_puts(p->out, "not ");
		print(p, n->arg[0], L_NOT);
		break;
	case N_IF:
		buf_puts(p->out, "if ");
		print(p, n->arg[0], L_OR);
		buf_puts(p->out, " then ");
		print(p, n->arg[1], L_OR);
		buf_puts(p->out, " else ");
		print(p, n->arg[2], L_EXPR);
		break;
	case N_REDUCE:
		reduction(p, n);
		break;
	case N_CAST:
		cast(p, n);
		break;
	default:
		leaf(p, n);
	}
}

static void print(const struct printer *p, const struct lang_node *n, enum level min)
{
	const char *name;
	bool open;

	while (n->kind == N_TO_REAL)
		n = n->arg[0];
	name = p->name ? p->name(p->ctx, n) : NULL;
	if (name) {
		buf_puts(p->out, name);
		return;
	}
	open = level_of(n) < min;
	if (open)
		buf_putc(p->out, '(');
	inner(p, n);
	if (open)
		buf_putc(p->out, ')');
}

void lang_print_named(struct buf *out, const struct op *op, const struct lang_node *n,
                      lang_name_fn *name, void *ctx)
{
	const struct printer p = {out, op, name, ctx};

	print(&p, n, L_EXPR);
}

void lang_print(struct buf *out, const struct op *op, const struct lang_node *n)
{
	lang_print_named(out, op, n, NULL, NULL);
}
