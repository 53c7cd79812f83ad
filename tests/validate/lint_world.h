/* lint_world.h - a small program of one entry, and what the analyses of lint (validate/lint/) know of it. */
#ifndef LINT_WORLD_H
#define LINT_WORLD_H

#include "validate/lint/fn.h" /* before math.h, whose NAN its tables have as a name */

#include "tests/check.h"

struct world {
	struct ptx_module *m;
	struct lint_fn f;
};

static char *text_of(const char *body)
{
	struct buf b = {0};

	buf_printf(&b, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_x, .param .u64 k_y, .param .u32 k_n)\n{\n"
	               ".reg .pred %%p<9>;\n.reg .b32 %%r<20>;\n.reg .b64 %%rd<20>;\n.reg .f32 %%f<9>;\n.shared .align 4 .b8 s[512];\n%s\n}\n", body);
	return b.s;
}

static struct world world_of(const char *body)
{
	char *text = text_of(body);
	struct world w = {0};
	struct err e = {0};
	struct ir_func *f;

	check_ok(ptx_parse_loose(text, strlen(text), "test", &w.m, &e), &e);
	free(text);
	w.f.a = arena_new();
	w.f.m = w.m;
	f = ir_func_copy(w.f.a, &w.m->func[0]);
	ir_build_cfg(w.f.a, f);
	w.f.f = f;
	flow_analyse(&w.f);
	defs_analyse(&w.f);
	spread_analyse(&w.f);
	origin_analyse(&w.f);
	return w;
}

static void world_free(struct world *w)
{
	arena_free(w->f.a);
	ptx_module_free(w->m);
}

static const struct ir_label *label(const struct world *w, const char *name)
{
	for (int i = 0; i < w->f.f->nlabel; i++)
		if (strcmp(w->f.f->label[i].name, name) == 0)
			return &w->f.f->label[i];
	fail_msg("no label %s", name);
	return NULL;
}

static int reg(const struct world *w, const char *name)
{
	for (int i = 0; i < w->f.f->nreg; i++)
		if (strcmp(w->f.f->reg[i].name, name) == 0)
			return i;
	fail_msg("no register %s", name);
	return -1;
}

#endif
