/* test_cfg.c - blocks, edges and post-dominators, the latter against the definition: b is post-dominated
 * by p when every path from b to the exit goes through p. */
#include "ptx/ir.h"
#include "tests/check.h"

static struct ptx_module *module_of(const char *body)
{
	struct buf b = { 0 };
	struct err e = { 0 };
	struct ptx_module *m;

	buf_printf(&b, ".version 9.0\n.target sm_90\n.entry k() {\n.reg .pred %%p<2>; .reg .b32 %%r<4>;\n"
	           "%s\n}\n", body);
	check_ok(ptx_parse(b.s, b.len, "cfg", &m, &e), &e);
	buf_free(&b);
	return m;
}

/* Successors of block b, the exit being nblock; returns how many. */
static int successors(const struct ir_func *f, int b, int s[64])
{
	const struct ir_block *k = &f->block[b];
	const struct ir_insn *last = &f->insn[k->first + k->n - 1];
	int n = 0;

	if (k->next >= 0)
		s[n++] = k->next;
	if (k->taken >= 0)
		s[n++] = k->taken;
	for (int t = 0; k->brx >= 0 && t < f->table[k->brx].n; t++)
		s[n++] = f->label[f->table[k->brx].label[t]].block;
	if (last->op == OP_RET || last->op == OP_EXIT)
		s[n++] = f->nblock;
	return n;
}

/* Can the exit be reached from b without passing through `avoid`? */
static bool reaches_exit(const struct ir_func *f, int b, int avoid, bool *seen)
{
	int s[64], n;

	if (b == f->nblock)
		return true;
	if (b == avoid || seen[b])
		return false;
	seen[b] = true;
	n = successors(f, b, s);
	for (int k = 0; k < n; k++) {
		if (reaches_exit(f, s[k], avoid, seen))
			return true;
	}
	return false;
}

static bool post_dominates(const struct ir_func *f, int p, int b)
{
	bool seen[64] = { false };

	return !reaches_exit(f, b, p, seen);
}

/* The immediate one: of b's strict post-dominators the one that all others post-dominate. */
static int expected_ipdom(const struct ir_func *f, int b)
{
	bool seen[64] = { false };

	if (!reaches_exit(f, b, -1, seen))
		return -1;
	for (int p = 0; p < f->nblock; p++) {
		bool nearest = p != b && post_dominates(f, p, b);

		for (int q = 0; nearest && q < f->nblock; q++)
			nearest = q == b || q == p || !post_dominates(f, q, b) || post_dominates(f, q, p);
		if (nearest)
			return p;
	}
	return -1;
}

static void check_graph(const char *body)
{
	struct ptx_module *m = module_of(body);
	const struct ir_func *f = &m->func[0];
	int covered = 0;

	for (int b = 0; b < f->nblock; b++) {
		covered += f->block[b].n;
		check_true(f->block[b].ipdom == expected_ipdom(f, b), "block %d of\n%s: %d, want %d", b, body,
		           f->block[b].ipdom, expected_ipdom(f, b));
	}
	assert_int_equal(covered, f->ninsn);
	for (int k = 0; k < f->nrpo; k++)
		assert_int_equal(f->block[f->rpo[k]].rpo, k);
	ptx_module_free(m);
}

static void shapes_have_their_post_dominators(void **state)
{
	(void)state;
	check_graph("ret;");
	check_graph("@%p1 bra A; mov.u32 %r1,1; bra B; A: mov.u32 %r1,2; B: ret;");
	check_graph("L: mov.u32 %r1,1; @%p1 bra L; ret;");
	check_graph("@%p1 ret; mov.u32 %r1,1; ret;");
	check_graph("L: bra L;");
	check_graph("@%p1 bra A; L: bra L; A: ret;");
	check_graph("T: .branchtargets A, B, C; brx.idx %r1, T; A: mov.u32 %r1,1; B: bra D; C: exit; D: ret;");
	check_graph("@%p1 bra B; A: @%p0 bra C; B: @%p1 bra A; C: ret;"); /* irreducible */
}

static void random_graphs_have_their_post_dominators(void **state)
{
	(void)state;
	for (uint64_t g = 0; g < 3000; g++) {
		struct buf b = { 0 };
		uint64_t n = 2 + rand_u64(7, g, 0) % 12;

		for (uint64_t k = 0; k < n; k++) {
			uint64_t r = rand_u64(7, g, k + 1);

			buf_printf(&b, "L%d: mov.u32 %%r1,1;", (int)k);
			if (r % 8 == 0)
				buf_printf(&b, "%sret;", r & 256 ? "@%p0 " : "");
			else if (r % 8 < 6)
				buf_printf(&b, "%sbra L%d;", r & 256 ? "@!%p1 " : "", (int)((r >> 16) % n));
			buf_puts(&b, "\n");
		}
		buf_puts(&b, "ret;");
		check_graph(b.s);
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_have_their_post_dominators),
		cmocka_unit_test(random_graphs_have_their_post_dominators),
	};

	return check_main(tests);
}
