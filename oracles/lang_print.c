/* lang_print.c - an expression as text of the language, with as few parentheses as its rules allow. */
#include "oracles/lang_parse.h"

#include <inttypes.h>
#include <string.h>

/* How tightly a form binds; a looser operand takes parentheses. */
enum level { L_EXPR, L_OR, L_AND, L_NOT, L_CMP, L_SUM, L_PRODUCT, L_UNARY, L_POWER, L_PRIMARY };

static void print(struct buf *out, const struct op *op, const struct lang_node *n, enum level min);

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

static void infix(struct buf *out, const struct op *op, const struct lang_node *n, const char *sign,
                  enum level left, enum level right)
{
	print(out, op, n->arg[0], left);
	buf_puts(out, sign);
	print(out, op, n->arg[1], right);
}

static void call(struct buf *out, const struct op *op, const char *name, const struct lang_node *n)
{
	buf_printf(out, "%s(", name);
	for (int i = 0; i < n->nargs; i++) {
		buf_puts(out, i ? ", " : "");
		print(out, op, n->arg[i], L_EXPR);
	}
	buf_putc(out, ')');
}

static void element(struct buf *out, const struct op *op, const struct lang_node *n)
{
	const char *name = n->kind == N_LET ? n->let->name : op->schema.tensors[n->k].name;

	buf_printf(out, n->kind == N_ACTUAL ? "actual(%s" : "%s", name);
	if (n->nargs - n->has_else > 0 || n->kind != N_LET)
		buf_putc(out, '[');
	for (int i = 0; i < n->nargs - n->has_else; i++) {
		buf_puts(out, i ? "," : "");
		print(out, op, n->arg[i], L_EXPR);
	}
	if (n->nargs - n->has_else > 0 || n->kind != N_LET)
		buf_putc(out, ']');
	if (n->kind == N_ACTUAL)
		buf_putc(out, ')');
	if (n->has_else) {
		buf_puts(out, " else ");
		print(out, op, n->arg[n->nargs - 1], L_EXPR);
	}
}

static void reduction(struct buf *out, const struct op *op, const struct lang_node *n)
{
	buf_printf(out, "%s(", lang_red_name(n->red));
	for (int i = 0; i < n->nidx; i++) {
		buf_printf(out, "%s%s", i ? "," : "", n->idx[i]->name);
		if (n->idx[i]->given) {
			buf_putc(out, '<');
			print(out, op, n->idx[i]->extent, L_SUM);
		}
	}
	if (n->nargs == 2) {
		buf_puts(out, " | ");
		print(out, op, n->arg[1], L_EXPR);
	}
	buf_puts(out, ": ");
	print(out, op, n->arg[0], L_EXPR);
	buf_putc(out, ')');
}

static void cast(struct buf *out, const struct op *op, const struct lang_node *n)
{
	const struct lang_etype *t = &n->cast_to;

	buf_printf(out, "cast(%s, %s, %s, ",
	           t->var >= 0 ? op->schema.types[t->var].name : dtype_name(t->dt),
	           n->cast_rnd == RND_Z ? "rz" : "rne", n->cast_sat ? "sat" : "inf");
	print(out, op, n->arg[0], L_EXPR);
	buf_putc(out, ')');
}

static void function(struct buf *out, const struct op *op, const struct lang_node *n)
{
	if (n->fn != FN_ERFP1 && n->fn != FN_TANHP1) {
		call(out, op, lang_fn_name(n->fn), n);
		return;
	}
	buf_puts(out, "1 + ");
	call(out, op, n->fn == FN_ERFP1 ? "erf" : "tanh", n);
}

static void leaf(struct buf *out, const struct op *op, const struct lang_node *n)
{
	const struct op_schema *s = &op->schema;

	switch (n->kind) {
	case N_INT:
		buf_printf(out, "%" PRId64, n->ival);
		break;
	case N_REAL:
		buf_puts(out, n->text);
		break;
	case N_INF:
		buf_puts(out, "inf");
		break;
	case N_NAN:
		buf_puts(out, "nan");
		break;
	case N_PI:
		buf_puts(out, "pi");
		break;
	case N_BOOL:
		buf_puts(out, n->ival ? "true" : "false");
		break;
	case N_DIM:
		buf_puts(out, s->dims[n->k].name);
		break;
	case N_PARAM:
		buf_puts(out, s->params[n->k].name);
		break;
	case N_OPTION_IS:
		buf_printf(out, "%s == %s", s->options[n->k].name, s->options[n->k].values[n->ival]);
		break;
	default:
		buf_puts(out, n->index->name);
	}
}

static void inner(struct buf *out, const struct op *op, const struct lang_node *n)
{
	switch (n->kind) {
	case N_READ:
	case N_LET:
	case N_ACTUAL:
		element(out, op, n);
		break;
	case N_TO_REAL:
		print(out, op, n->arg[0], L_EXPR);
		break;
	case N_NEG:
		buf_putc(out, '-');
		print(out, op, n->arg[0], L_UNARY);
		break;
	case N_ABS:
		call(out, op, "abs", n);
		break;
	case N_SQR:
		print(out, op, n->arg[0], L_PRIMARY);
		buf_puts(out, "^2");
		break;
	case N_ADD:
		infix(out, op, n, " + ", L_SUM, L_PRODUCT);
		break;
	case N_SUB:
		infix(out, op, n, " - ", L_SUM, L_PRODUCT);
		break;
	case N_MUL:
		infix(out, op, n, "*", L_PRODUCT, L_UNARY);
		break;
	case N_DIV:
	case N_IDIV:
		infix(out, op, n, "/", L_PRODUCT, L_UNARY);
		break;
	case N_MOD:
		infix(out, op, n, "%", L_PRODUCT, L_UNARY);
		break;
	case N_MIN:
	case N_MAX:
		call(out, op, n->kind == N_MIN ? "min" : "max", n);
		break;
	case N_FN:
		function(out, op, n);
		break;
	case N_CMP:
		print(out, op, n->arg[0], L_SUM);
		buf_printf(out, " %s ", cmp_text(n->cmp));
		print(out, op, n->arg[1], L_SUM);
		break;
	case N_AND:
		infix(out, op, n, " and ", L_AND, L_NOT);
		break;
	case N_OR:
		infix(out, op, n, " or ", L_OR, L_AND);
		break;
	case N_NOT:
		buf_puts(out, "not ");
		print(out, op, n->arg[0], L_NOT);
		break;
	case N_IF:
		buf_puts(out, "if ");
		print(out, op, n->arg[0], L_OR);
		buf_puts(out, " then ");
		print(out, op, n->arg[1], L_OR);
		buf_puts(out, " else ");
		print(out, op, n->arg[2], L_EXPR);
		break;
	case N_REDUCE:
		reduction(out, op, n);
		break;
	case N_CAST:
		cast(out, op, n);
		break;
	default:
		leaf(out, op, n);
	}
}

static void print(struct buf *out, const struct op *op, const struct lang_node *n, enum level min)
{
	bool open;

	while (n->kind == N_TO_REAL)
		n = n->arg[0];
	open = level_of(n) < min;
	if (open)
		buf_putc(out, '(');
	inner(out, op, n);
	if (open)
		buf_putc(out, ')');
}

void lang_print(struct buf *out, const struct op *op, const struct lang_node *n)
{
	print(out, op, n, L_EXPR);
}
