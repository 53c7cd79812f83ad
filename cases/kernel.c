/* kernel.c - reads and checks a kernel folder: kernel.json against the schema file and against the
 * operator, the source and the shipped PTX. */
#include "cases/kernel.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits for files of a user: a manifest, a source, a PTX text. */
#define MAX_MANIFEST ((size_t)1 << 20)
#define MAX_SOURCE ((size_t)16 << 20)
#define MAX_PTX ((size_t)64 << 20)

static const struct embedded schemas[] = {
#include "schemas.inc"
};

/* ---- names in expressions ---- */

static bool scope_lookup(const void *ctx, const char *name, struct value *v)
{
	const struct kernel_scope *s = ctx;
	const struct op_schema *o = s->k->schema;

	*v = (struct value){.i = 1, .d = 1};
	for (int i = 0; i < o->ndims; i++)
		if (strcmp(o->dims[i].name, name) == 0) {
			if (s->b)
				v->i = s->b->dims[i];
			return true;
		}
	for (int i = 0; i < o->nparams; i++)
		if (strcmp(o->params[i].name, name) == 0) {
			v->real = o->params[i].kind == PARAM_F32;
			if (s->b) {
				v->d = s->b->params[i];
				v->i = v->real ? 0 : (int64_t)s->b->params[i];
			}
			return true;
		}
	return false;
}

static int find_tensor(const struct op_schema *o, const char *name)
{
	for (int i = 0; i < o->ntensors; i++)
		if (strcmp(o->tensors[i].name, name) == 0)
			return i;
	return -1;
}

static bool scope_call(const void *ctx, const char *fn, const char *arg, int64_t k, struct value *v)
{
	const struct kernel_scope *s = ctx;
	const struct op_schema *o = s->k->schema;
	int t = find_tensor(o, arg);

	*v = (struct value){.i = 1};
	if (strcmp(fn, "stride") == 0 && t >= 0 && k >= 0 && k < o->tensors[t].rank) {
		if (s->views)
			v->i = s->views[t].stride[k];
		return true;
	}
	if (strcmp(fn, "present") == 0 && t >= 0) {
		if (s->b)
			v->i = !o->tensors[t].optional || s->b->present[t];
		return true;
	}
	for (int i = 0; i < o->noptions && strcmp(fn, "option") == 0; i++)
		if (strcmp(o->options[i].name, arg) == 0) {
			if (s->b)
				v->i = s->b->options[i];
			return true;
		}
	return false;
}

static void scope_known(const void *ctx, struct buf *b)
{
	const struct kernel_scope *s = ctx;
	const struct op_schema *o = s->k->schema;

	for (int i = 0; i < o->ndims; i++)
		buf_printf(b, "%s%s", i ? ", " : "", o->dims[i].name);
	for (int i = 0; i < o->nparams; i++)
		buf_printf(b, ", %s", o->params[i].name);
}

struct expr_env kernel_env(const struct kernel_scope *s)
{
	return (struct expr_env){scope_lookup, scope_call, scope_known, s};
}

/* ---- reading the manifest ---- */

static const char *text_of(struct kernel *k, const cJSON *j)
{
	if (cJSON_IsString(j))
		return j->valuestring;
	if (j->valuedouble == (double)(int64_t)j->valuedouble)
		return arena_printf(k->arena, "%lld", (long long)j->valuedouble);
	return arena_printf(k->arena, "%.17e", j->valuedouble);
}

static enum st check_expr(struct kernel *k, const char *text, const char *where, struct err *e)
{
	struct kernel_scope s = {.k = k};
	struct expr_env env = kernel_env(&s);
	struct value v;

	return expr_eval(text, where, &env, true, &v, e);
}

static const char *get_string(const cJSON *j, const char *key)
{
	const cJSON *s = cJSON_GetObjectItemCaseSensitive(j, key);

	return cJSON_IsString(s) ? s->valuestring : NULL;
}

static enum st read_dtypes(struct kernel *k, struct err *e)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(k->json, "dtypes"), *item;

	cJSON_ArrayForEach(item, list)
	{
		const struct op_schema *o = k->schema;
		int n = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 1;

		if (k->ndtypes == KERNEL_MAX_DTYPES)
			return FAIL(e, INPUT, "dtypes: more than %d", KERNEL_MAX_DTYPES);
		if (n != o->ntypes)
			return FAIL(e, INPUT, "dtypes[%d]: operator %s has %d type variables, not %d",
			            k->ndtypes, o->name, o->ntypes, n);
		for (int v = 0; v < n; v++) {
			const char *s = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, v)->valuestring :
			                                      item->valuestring;
			enum dtype t;
			bool ok = false;

			if (!s || !dtype_parse(s, &t))
				return FAIL(e, INPUT, "dtypes[%d]: unknown dtype '%s'", k->ndtypes,
				            s ? s : "?");
			for (int a = 0; a < o->types[v].n; a++)
				ok |= o->types[v].allowed[a] == t;
			if (!ok)
				return FAIL(e, INPUT, "dtypes[%d]: operator %s is not defined for %s",
				            k->ndtypes, o->name, s);
			k->dtypes[k->ndtypes][v] = t;
		}
		k->ndtypes++;
	}
	return ST_OK;
}

static enum st read_numerics(struct kernel *k, struct err *e)
{
	const cJSON *j = cJSON_GetObjectItemCaseSensitive(k->json, "numerics"), *item;

	k->num = numerics_default();
	k->num.acc = k->schema->acc;
	cJSON_ArrayForEach(item, j)
	{
		const char *key = item->string;

		if (strcmp(key, "acc") == 0) {
			k->acc_given = true;
			if (!dtype_parse(item->valuestring, &k->num.acc) ||
			    !dtype_is_float(k->num.acc))
				return FAIL(e, INPUT, "numerics.acc: '%s' is not a float dtype",
				            item->valuestring);
		} else if (strcmp(key, "ftz") == 0) {
			k->num.ftz = cJSON_IsTrue(item);
		} else if (strcmp(key, "tensor_cores") == 0) {
			k->num.tensor_cores = cJSON_IsTrue(item);
		} else if (strcmp(key, "chain") == 0) {
			k->chain = text_of(k, item);
			TRY(check_expr(k, k->chain, "numerics.chain", e));
		} else {
			int n = k->num.nlow++;

			if (n == (int)ARRAY_LEN(k->num.low))
				return FAIL(e, INPUT, "numerics: too many entries");
			if (!cJSON_IsString(item) ||
			    !dtype_parse(item->valuestring, &k->num.low[n].dt) ||
			    strlen(key) >= sizeof k->num.low[n].name)
				return FAIL(e, INPUT,
				            "numerics.%s: expected a dtype (known keys: acc, ftz, "
				            "tensor_cores, chain, and names of low intermediates or inputs)",
				            key);
			snprintf(k->num.low[n].name, sizeof k->num.low[n].name, "%s", key);
		}
	}
	return ST_OK;
}

static enum st option_bit(struct kernel *k, int o, const char *value, struct err *e)
{
	const struct op_option *opt = &k->schema->options[o];

	for (int v = 0; v < opt->n; v++)
		if (value && strcmp(opt->values[v], value) == 0) {
			k->option_mask[o] |= 1u << v;
			return ST_OK;
		}
	return FAIL(e, INPUT, "options.%s: unknown choice '%s'; the first known one is '%s'",
	            opt->name, value ? value : "?", opt->values[0]);
}

static enum st read_options(struct kernel *k, struct err *e)
{
	const cJSON *j = cJSON_GetObjectItemCaseSensitive(k->json, "options"), *item, *v;

	cJSON_ArrayForEach(item, j)
	{
		const cJSON *choices = cJSON_IsArray(item) ? item : NULL;
		int o = -1;

		for (int i = 0; i < k->schema->noptions; i++)
			if (strcmp(k->schema->options[i].name, item->string) == 0)
				o = i;
		if (o < 0)
			return FAIL(e, INPUT, "options.%s: operator %s has no such option",
			            item->string, k->schema->name);
		if (cJSON_IsString(item))
			TRY(option_bit(k, o, item->valuestring, e));
		cJSON_ArrayForEach(v, choices)
			TRY(option_bit(k, o, v->valuestring, e));
	}
	for (int i = 0; i < k->schema->noptions; i++)
		if (!k->option_mask[i])
			k->option_mask[i] = 1; /* not named: the operator's default alone */
	return ST_OK;
}

static enum st read_tensors(struct kernel *k, struct err *e)
{
	const struct op_schema *o = k->schema;
	const cJSON *item, *f;

	for (int t = 0; t < o->ntensors; t++)
		k->takes[t] = !o->tensors[t].optional;
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(k->json, "optional"))
	{
		int t = find_tensor(o, item->valuestring);

		if (t < 0 || !o->tensors[t].optional)
			return FAIL(e, INPUT, "optional: operator %s has no optional input '%s'",
			            o->name, item->valuestring);
		k->takes[t] = true;
	}
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(k->json, "layouts"))
	{
		int t = find_tensor(o, item->string);

		if (t < 0)
			return FAIL(e, INPUT, "layouts.%s: operator %s has no such tensor",
			            item->string, o->name);
		cJSON_ArrayForEach(f, item)
		{
			const char *s = cJSON_IsString(f) ? f->valuestring : "?";

			if (!layout_family_known(s))
				return FAIL(e, INPUT, "layouts.%s: unknown layout '%s'; known are %s",
				            item->string, s, layout_family_list());
			if (strcmp(s, "contiguous") != 0 && k->nlayouts[t] < KERNEL_MAX_LAYOUTS)
				k->layouts[t][k->nlayouts[t]++] = s;
		}
	}
	return ST_OK;
}

static enum st read_workspaces(struct kernel *k, struct err *e)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(k->json, "workspaces"))
	{
		struct kernel_workspace *w = &k->workspaces[k->nworkspaces];
		const char *dt = get_string(item, "dtype");
		const cJSON *count = cJSON_GetObjectItemCaseSensitive(item, "count");
		char where[96];

		if (k->nworkspaces++ == KERNEL_MAX_WORKSPACES)
			return FAIL(e, INPUT, "workspaces: more than %d", KERNEL_MAX_WORKSPACES);
		if (!dt || !dtype_parse(dt, &w->dt) || !count ||
		    !(cJSON_IsString(count) || cJSON_IsNumber(count)))
			return FAIL(e, INPUT, "workspaces.%s: needs \"dtype\" and \"count\"",
			            item->string);
		w->name = item->string;
		w->count = text_of(k, count);
		snprintf(where, sizeof where, "workspaces.%s.count", item->string);
		TRY(check_expr(k, w->count, where, e));
	}
	return ST_OK;
}

static enum st read_param(struct kernel *k, const cJSON *j, struct kernel_param *p, struct err *e)
{
	static const char *const kinds[] = {"tensor", "i32", "u32", "i64", "u64", "f32", "f64", "bool"};
	const cJSON *v = j->child;

	for (size_t i = 0; v && i < ARRAY_LEN(kinds); i++)
		if (strcmp(v->string, kinds[i]) == 0)
			p->kind = (enum arg_kind)i;
	if (!v || v->next)
		return FAIL(e, INPUT, "%s: expected one of tensor, i32, u32, i64, u64, f32, f64, bool",
		            p->where);
	if (p->kind != ARG_TENSOR) {
		p->expr = text_of(k, v);
		return check_expr(k, p->expr, p->where, e);
	}
	p->tensor = find_tensor(k->schema, v->valuestring);
	for (int w = 0; w < k->nworkspaces && p->tensor < 0; w++)
		if (strcmp(k->workspaces[w].name, v->valuestring) == 0)
			p->tensor = k->schema->ntensors + w;
	if (p->tensor < 0)
		return FAIL(e, INPUT, "%s.tensor: operator %s has no tensor '%s' and the manifest no such "
		            "workspace", p->where, k->schema->name, v->valuestring);
	if (p->tensor < k->schema->ntensors && !k->takes[p->tensor])
		k->takes[p->tensor] = true; /* an optional input in the parameter list is taken */
	return ST_OK;
}

static enum st read_extent(struct kernel *k, const cJSON *list, const char *what, int l,
                           const char *out[3], struct err *e)
{
	char where[64];

	for (int i = 0; i < 3; i++) {
		const cJSON *j = cJSON_GetArrayItem(list, i);

		out[i] = j ? text_of(k, j) : "1";
		snprintf(where, sizeof where, "launches[%d].%s[%d]", l, what, i);
		TRY(check_expr(k, out[i], where, e));
	}
	return ST_OK;
}

static enum st read_launches(struct kernel *k, struct err *e)
{
	const cJSON *item, *p;
	char where[64];

	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(k->json, "launches"))
	{
		struct kernel_launch *l = &k->launches[k->nlaunches];
		const cJSON *shared = cJSON_GetObjectItemCaseSensitive(item, "shared");

		l->entry = get_string(item, "entry");
		TRY(read_extent(k, cJSON_GetObjectItemCaseSensitive(item, "grid"), "grid",
		                k->nlaunches, l->grid, e));
		TRY(read_extent(k, cJSON_GetObjectItemCaseSensitive(item, "block"), "block",
		                k->nlaunches, l->block, e));
		l->shared = shared ? text_of(k, shared) : "0";
		snprintf(where, sizeof where, "launches[%d].shared", k->nlaunches);
		TRY(check_expr(k, l->shared, where, e));
		cJSON_ArrayForEach(p, cJSON_GetObjectItemCaseSensitive(item, "params"))
		{
			struct kernel_param *kp = &l->params[l->nparams];

			snprintf(kp->where, sizeof kp->where, "launches[%d].params[%d]", k->nlaunches,
			         l->nparams);
			TRY(read_param(k, p, kp, e));
			l->nparams++;
		}
		k->nlaunches++;
	}
	return ST_OK;
}

/* Replaces {X} by the name of the dtype of type variable X. */
static enum st expand_entry(struct kernel *k, const char *pattern, const enum dtype *types,
                            char **out, struct err *e)
{
	struct buf b = {0};

	for (const char *s = pattern; *s;) {
		const char *end = *s == '{' ? strchr(s, '}') : NULL;
		int v;

		if (!end) {
			buf_putc(&b, *s++);
			continue;
		}
		for (v = 0; v < k->schema->ntypes; v++)
			if (strlen(k->schema->types[v].name) == (size_t)(end - s - 1) &&
			    memcmp(k->schema->types[v].name, s + 1, (size_t)(end - s - 1)) == 0)
				break;
		if (v == k->schema->ntypes) {
			buf_free(&b);
			return FAIL(e, INPUT, "entry '%s': operator %s has no type variable %.*s",
			            pattern, k->schema->name, (int)(end - s + 1), s);
		}
		buf_puts(&b, dtype_name(types[v]));
		s = end + 1;
	}
	*out = arena_strndup(k->arena, b.s ? b.s : "", b.len);
	buf_free(&b);
	return ST_OK;
}

bool kernel_has_f32_outputs(const struct kernel *k, int d)
{
	const struct op_tensor *t = &k->schema->tensors[k->schema->nin];

	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(k->json, "f32_outputs")) && t->type >= 0 &&
	       dtype_is_float(k->dtypes[d][t->type]) && dtype_bytes(k->dtypes[d][t->type]) == 2;
}

static enum st read_entries(struct kernel *k, struct err *e)
{
	size_t n = (size_t)(k->ndtypes * k->nlaunches + 1);

	k->entries = arena_alloc(k->arena, sizeof *k->entries * n);
	k->f32_entries = arena_alloc(k->arena, sizeof *k->f32_entries * n);
	for (int d = 0; d < k->ndtypes; d++)
		for (int l = 0; l < k->nlaunches; l++) {
			char **entry = &k->entries[d * k->nlaunches + l];

			TRY(expand_entry(k, k->launches[l].entry, k->dtypes[d], entry, e));
			k->f32_entries[d * k->nlaunches + l] =
				kernel_has_f32_outputs(k, d) ? arena_printf(k->arena, "%s_out_f32", *entry) :
				                               NULL;
		}
	return ST_OK;
}

static enum st read_requires(struct kernel *k, struct err *e)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(k->json, "requires"), *item;
	char where[32];

	k->requires = arena_alloc(k->arena, sizeof *k->requires * (size_t)(cJSON_GetArraySize(list) + 1));
	cJSON_ArrayForEach(item, list)
	{
		snprintf(where, sizeof where, "requires[%d]", k->nrequires);
		TRY(check_expr(k, item->valuestring, where, e));
		k->requires[k->nrequires++] = item->valuestring;
	}
	return ST_OK;
}

/* Options are NVRTC's in order: ours, the manifest's, its defines. */
static void read_compile(struct kernel *k)
{
	static const char *const ours[] = {"--gpu-architecture=compute_90", "-lineinfo", "--std=c++17",
	                                   "-default-device"};
	const cJSON *extra = cJSON_GetObjectItemCaseSensitive(k->json, "compile_options"),
	            *defines = cJSON_GetObjectItemCaseSensitive(k->json, "defines"),
	            *dirs = cJSON_GetObjectItemCaseSensitive(k->json, "include_dirs"), *item;
	size_t n = ARRAY_LEN(ours) + (size_t)cJSON_GetArraySize(extra) + (size_t)cJSON_GetArraySize(defines);

	k->options = arena_alloc(k->arena, sizeof *k->options * (n + 1));
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		k->options[k->noptions++] = ours[i];
	cJSON_ArrayForEach(item, extra)
		k->options[k->noptions++] = item->valuestring;
	cJSON_ArrayForEach(item, defines)
		k->options[k->noptions++] =
			arena_printf(k->arena, "-D%s=%s", item->string, text_of(k, item));
	k->include_dirs = arena_alloc(k->arena, sizeof *k->include_dirs *
	                                                (size_t)(cJSON_GetArraySize(dirs) + 1));
	cJSON_ArrayForEach(item, dirs)
		k->include_dirs[k->ninclude_dirs++] =
			item->valuestring[0] == '/' ?
				item->valuestring :
				arena_printf(k->arena, "%s/%s", k->folder, item->valuestring);
}

static const char *file_in_folder(struct kernel *k, const char *key, const char *usual)
{
	const char *given = get_string(k->json, key);
	const char *path = arena_printf(k->arena, "%s/%s", k->folder, given ? given : usual);

	return given || path_exists(path) ? path : NULL;
}

static enum st read_texts(struct kernel *k, const char *manifest, size_t manifest_len, bool source_only,
                          struct err *e)
{
	struct buf all = {0};
	size_t len = 0;

	k->source_path = file_in_folder(k, "source", "kernel.cu");
	k->ptx_path = file_in_folder(k, "ptx", "kernel.ptx");
	if (get_string(k->json, "ptx") && !get_string(k->json, "source"))
		k->source_path = NULL; /* PTX named alone was not made from a source by us */
	if (k->source_path)
		TRY(file_read(k->source_path, MAX_SOURCE, &k->source, &len, e));
	if (source_only && !k->source)
		return FAIL(e, INPUT, "there is no source (kernel.cu) to compile");
	if (k->ptx_path && !source_only && (path_exists(k->ptx_path) || !k->source))
		TRY(file_read(k->ptx_path, MAX_PTX, &k->ptx, &k->ptx_len, e));
	if (!k->source && !k->ptx)
		return FAIL(e, INPUT, "neither kernel.cu nor kernel.ptx is in the folder; name the file "
		            "with \"source\" or \"ptx\" in kernel.json");
	buf_add(&all, manifest, manifest_len);
	buf_add(&all, "", 1);
	buf_add(&all, k->source ? k->source : "", len);
	buf_add(&all, "", 1);
	buf_add(&all, k->ptx ? k->ptx : "", k->ptx_len);
	sha256_hex(all.s, all.len, k->sha256);
	buf_free(&all);
	return ST_OK;
}

/* The operator is a built-in name, or a file NAME.op in the kernel's folder. */
static enum st find_operator(struct kernel *k, struct err *e)
{
	const char *name = get_string(k->json, "operator");
	const char *path = arena_printf(k->arena, "%s/%s%s", k->folder, name,
	                                strstr(name, ".op") ? "" : ".op");

	if (path_exists(path)) {
		TRY(op_read(path, &k->own_op, e));
		k->op = k->own_op;
	} else if (!(k->op = op_builtin(name))) {
		struct buf b = {0};

		for (int i = 0; i < op_builtin_count(); i++)
			buf_printf(&b, "%s%s", i ? ", " : "", op_builtin_name(i));
		FAIL(e, INPUT, "operator: unknown operator '%s', and there is no %s; known are %s", name,
		     path, b.s ? b.s : "none");
		buf_free(&b);
		return e->code;
	}
	k->schema = op_schema(k->op);
	return ST_OK;
}

static enum st read_manifest(struct kernel *k, const char *manifest, size_t len, bool source_only,
                             struct err *e)
{
	cJSON *schema = NULL;
	const char *role;
	enum st rc;

	TRY(json_parse("kernel.json", manifest, len, &k->json, e));
	TRY(json_embedded(schemas, ARRAY_LEN(schemas), "kernel.schema", &schema, e));
	rc = json_validate(k->json, schema, "kernel.json", e);
	cJSON_Delete(schema);
	TRY(rc);
	TRY(find_operator(k, e));
	if (get_string(k->json, "name"))
		k->name = get_string(k->json, "name");
	role = get_string(k->json, "role");
	k->role = !role || strcmp(role, "user") == 0 ? ROLE_USER :
	          strcmp(role, "control") == 0       ? ROLE_CONTROL :
	                                               ROLE_BUGGY;
	k->twin = get_string(k->json, "twin");
	k->bug = get_string(k->json, "bug");
	k->bug_class = get_string(k->json, "bug_class");
	k->doc = get_string(k->json, "doc");
	k->sets = cJSON_GetObjectItemCaseSensitive(k->json, "sets");
	k->per_type = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(k->json, "per_type"));
	TRY(read_dtypes(k, e));
	TRY(read_numerics(k, e));
	TRY(read_options(k, e));
	TRY(read_tensors(k, e));
	TRY(read_workspaces(k, e));
	TRY(read_launches(k, e));
	TRY(read_entries(k, e));
	TRY(read_requires(k, e));
	read_compile(k);
	return read_texts(k, manifest, len, source_only, e);
}

static enum st read_folder(const char *folder, bool source_only, struct kernel **out, struct err *e)
{
	struct kernel *k = mem_zalloc(1, sizeof *k);
	char *path = NULL, *manifest = NULL;
	const char *base;
	size_t len, n = strlen(folder);
	enum st rc;

	k->arena = arena_new();
	while (n > 1 && folder[n - 1] == '/')
		n--;
	k->folder = arena_strndup(k->arena, folder, n);
	base = strrchr(k->folder, '/');
	k->name = base && base[1] ? base + 1 : k->folder;
	path = path_join(k->folder, "kernel.json");
	if (!path_is_dir(k->folder)) {
		rc = FAIL(e, INPUT, "%s: no such folder", k->folder);
	} else if (!path_exists(path)) {
		rc = FAIL(e, INPUT, "%s: the folder has no kernel.json; `gpuemu init` makes one",
		          k->folder);
	} else if ((rc = file_read(path, MAX_MANIFEST, &manifest, &len, e)) == ST_OK) {
		rc = read_manifest(k, manifest, len, source_only, e);
		if (rc != ST_OK)
			err_prefix(e, "%s", path);
	}
	free(manifest);
	free(path);
	if (rc != ST_OK) {
		kernel_free(k);
		return rc;
	}
	*out = k;
	return ST_OK;
}

enum st kernel_read(const char *folder, struct kernel **out, struct err *e)
{
	return read_folder(folder, false, out, e);
}

enum st kernel_read_source(const char *folder, struct kernel **out, struct err *e)
{
	return read_folder(folder, true, out, e);
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	cJSON_Delete(k->json);
	op_free(k->own_op);
	free(k->source);
	free(k->ptx);
	arena_free(k->arena);
	free(k);
}

/* ---- what others may ask ---- */

const char *kernel_name(const struct kernel *k)
{
	return k->name;
}

const char *kernel_folder(const struct kernel *k)
{
	return k->folder;
}

const struct op *kernel_op(const struct kernel *k)
{
	return k->op;
}

enum kernel_role kernel_role(const struct kernel *k)
{
	return k->role;
}

const char *kernel_twin(const struct kernel *k)
{
	return k->twin;
}

const char *kernel_bug(const struct kernel *k)
{
	return k->bug;
}

const char *kernel_bug_class(const struct kernel *k)
{
	return k->bug_class;
}

const char *kernel_doc(const struct kernel *k)
{
	return k->doc;
}

bool kernel_in_set(const struct kernel *k, const char *set)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, k->sets)
		if (strcmp(item->valuestring, set) == 0)
			return true;
	return false;
}

const char *kernel_first_set(const struct kernel *k)
{
	const cJSON *first = cJSON_GetArrayItem(k->sets, 0);

	return first ? first->valuestring : NULL;
}

int kernel_dtypes(const struct kernel *k, int i, enum dtype out[OP_MAX_TYPES])
{
	if (i >= 0 && i < k->ndtypes && out)
		memcpy(out, k->dtypes[i], sizeof k->dtypes[i]);
	return k->ndtypes;
}

enum dtype usual_accumulation(const struct op_schema *o, const struct op_binding *b)
{
	return o->ntypes > 0 && b->types[0] == DT_F64 ? DT_F64 : o->acc;
}

enum st kernel_numerics(const struct kernel *k, const struct op_inst *inst, struct numerics *n,
                        struct err *e)
{
	struct kernel_scope s = {.k = k, .b = op_inst_binding(inst)};
	struct expr_env env = kernel_env(&s);
	struct value v;

	*n = k->num;
	if (!k->acc_given)
		n->acc = usual_accumulation(k->schema, s.b);
	n->chain = 0;
	if (!k->chain)
		return ST_OK;
	TRY(expr_eval(k->chain, "numerics.chain", &env, false, &v, e));
	n->chain = v.real ? v.d : (double)v.i;
	if (!(n->chain >= 1))
		n->chain = 1;
	return ST_OK;
}

const char *kernel_source(const struct kernel *k)
{
	return k->source;
}

const char *kernel_source_path(const struct kernel *k)
{
	return k->source_path;
}

bool kernel_is_source(const struct kernel *k, const char *file)
{
	return !k->source_path || !file || !file[0] || strcmp(path_base(file), path_base(k->source_path)) == 0;
}

const char *kernel_ptx(const struct kernel *k, size_t *len)
{
	*len = k->ptx_len;
	return k->ptx;
}

const char *kernel_ptx_path(const struct kernel *k)
{
	return k->ptx_path;
}

int kernel_options(const struct kernel *k, const char *const **options)
{
	*options = k->options;
	return k->noptions;
}

int kernel_include_dirs(const struct kernel *k, const char *const **dirs)
{
	*dirs = k->include_dirs;
	return k->ninclude_dirs;
}

int kernel_launches(const struct kernel *k)
{
	return k->nlaunches;
}

const char *kernel_entry(const struct kernel *k, int dtype_index, int launch)
{
	return k->entries[dtype_index * k->nlaunches + launch];
}

const char *kernel_f32_entry(const struct kernel *k, int dtype_index, int launch)
{
	return k->f32_entries[dtype_index * k->nlaunches + launch];
}

const cJSON *kernel_manifest(const struct kernel *k, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(k->json, key);
}

const char *kernel_sha256(const struct kernel *k)
{
	return k->sha256;
}

const char *kernel_requires(const struct kernel *k, int i)
{
	return i < k->nrequires ? k->requires[i] : NULL;
}

size_t kernel_param_bytes(const struct kernel *k, int launch, int i, const char **where)
{
	static const size_t bytes[] = {[ARG_TENSOR] = 8, [ARG_I32] = 4, [ARG_U32] = 4, [ARG_I64] = 8,
	                               [ARG_U64] = 8,    [ARG_F32] = 4, [ARG_F64] = 8, [ARG_BOOL] = 1};
	const struct kernel_launch *l = &k->launches[launch];

	if (i >= l->nparams)
		return 0;
	*where = l->params[i].where;
	return bytes[l->params[i].kind];
}

bool kernel_takes(const struct kernel *k, int t)
{
	return k->takes[t];
}
