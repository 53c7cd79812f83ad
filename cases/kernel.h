/* kernel.h - the kernel of a folder as cases/ holds it (private to cases/). */
#ifndef CASES_KERNEL_H
#define CASES_KERNEL_H

#include "cases/cases.h"
#include "cases/expr.h"

#define KERNEL_MAX_LAUNCHES 16
#define KERNEL_MAX_PARAMS 64
#define KERNEL_MAX_WORKSPACES 8
#define KERNEL_MAX_DTYPES 16
#define KERNEL_MAX_LAYOUTS 8

enum arg_kind { ARG_TENSOR, ARG_I32, ARG_U32, ARG_I64, ARG_U64, ARG_F32, ARG_F64, ARG_BOOL };

struct kernel_param {
	enum arg_kind kind;
	int tensor;       /* ARG_TENSOR: schema index, or ntensors + workspace index */
	const char *expr; /* the others */
	char where[48];   /* "launches[0].params[3]" */
};

struct kernel_launch {
	const char *entry; /* pattern with {T} */
	const char *grid[3], *block[3], *shared;
	int nparams;
	struct kernel_param params[KERNEL_MAX_PARAMS];
};

struct kernel_workspace {
	const char *name, *count;
	enum dtype dt;
};

struct kernel {
	struct arena *arena;
	const char *folder, *name, *twin, *bug, *bug_class, *doc;
	enum kernel_role role;
	struct op *own_op; /* an operator.op of the folder, freed with the kernel */
	const struct op *op;
	const struct op_schema *schema;
	const cJSON *sets; /* array in json, may be NULL */
	cJSON *json;
	int ndtypes;
	enum dtype dtypes[KERNEL_MAX_DTYPES][OP_MAX_TYPES];
	char **entries;     /* [dtype * nlaunches + launch] */
	char **f32_entries; /* the same with f32 outputs; NULL where there is none */
	struct numerics num;
	bool acc_given; /* num.acc is the manifest's, else that of the types of a case */
	const char *chain; /* expression, or NULL: the whole reduction */
	/* choices of option o that the kernel can make: a bit per value */
	unsigned option_mask[OP_MAX_OPTIONS];
	bool takes[OP_MAX_TENSORS]; /* optional inputs it takes (true for every required tensor) */
	int nrequires;
	const char **requires;
	int nlayouts[OP_MAX_TENSORS]; /* families besides contiguous */
	const char *layouts[OP_MAX_TENSORS][KERNEL_MAX_LAYOUTS];
	int nworkspaces;
	struct kernel_workspace workspaces[KERNEL_MAX_WORKSPACES];
	int nlaunches;
	struct kernel_launch launches[KERNEL_MAX_LAUNCHES];
	bool per_type;
	char *source; /* NULL: PTX alone */
	char *ptx;    /* NULL: source alone */
	size_t ptx_len;
	const char *source_path, *ptx_path;
	int noptions, ninclude_dirs;
	const char **options, **include_dirs;
	char sha256[65];
};

/* Sizes, parameters and views of one case for expressions. NULL inst: only names are known (checking). */
struct kernel_scope {
	const struct kernel *k;
	const struct op_binding *b;      /* NULL while checking */
	const struct tensor *views;      /* by schema index; NULL: contiguous strides unknown */
};
struct expr_env kernel_env(const struct kernel_scope *s);

/* Sets what "requires" asks of sizes and parameters, where that can be done one by one; else leaves c as it is. smaller: where
 * there is a choice, to what makes the case smaller. */
void case_bend(const struct kernel *k, struct kase *c, bool smaller);
/* The same for those needs of the operator that speak of a parameter which c sets: C % groups == 0 is rarely met by chance, and
 * groups would be 1 in nearly all cases. */
void case_bend_needs(const struct kernel *k, struct kase *c);

/* Is type combination d built with f32 outputs, too? Outputs of the first output's type are meant. */
bool kernel_has_f32_outputs(const struct kernel *k, int d);

/* Layout families (layout.c). */
bool layout_family_known(const char *name);
/* All family names, "contiguous, rowpad, …", for messages. */
const char *layout_family_list(void);

#endif
