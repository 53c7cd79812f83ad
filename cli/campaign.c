/* campaign.c - kernels found, opened and run: what validate and ci share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The corpus that a folder of it belongs to: …/corpus/buggy/NAME → …/corpus, for twins that the campaign
 * does not contain. */
static char *corpus_of(const char *folder)
{
	char *path = mem_strdup(folder);

	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(path, '/');

		if (!slash)
			break;
		*slash = 0;
	}
	return path;
}

/* Opens what can be opened: *n targets. The others are told at once and listed in left_out; *worst is the exit
 * status of the first of them, or 0. */
static void open_all(struct device *d, char **folders, int nfolders, bool recompile, struct target **t, int *n,
                     cJSON *left_out, int *worst)
{
	for (int i = 0; i < nfolders; i++) {
		struct err e = {0};
		cJSON *j;
		int rc;

		if (target_open(d, folders[i], recompile, &t[*n], &e) == ST_OK) {
			++*n;
			continue;
		}
		j = cJSON_CreateObject();
		cJSON_AddStringToObject(j, "folder", folders[i]);
		cJSON_AddStringToObject(j, "reason", e.msg);
		cJSON_AddItemToArray(left_out, j);
		rc = cli_error(&e);
		*worst = *worst ? *worst : rc;
	}
}

int cli_campaign_run(struct cli_campaign *c, char *const *paths, int npaths, cJSON **evidence, int *left)
{
	struct device *d = NULL;
	struct target **targets = NULL;
	char **folders = NULL, *corpus = NULL;
	struct err e = {0};
	int nfolders = 0, n = 0, rc;
	cJSON *left_out = cJSON_CreateArray();
	struct tolerance_table *owned = NULL;
	const struct tolerance_table *table = NULL;
	enum st st;
	bool bad_input = false;

	*left = 0;
	TRY_OR(done, st, cli_find_kernels(paths, npaths, c->set, &folders, &nfolders, &e));
	TRY_OR(done, st, c->tolerances ? cli_table(c->tolerances, &owned, &table, &e) : ST_OK);
	TRY_OR(done, st, dir_make(c->o.out_dir, &e));
	TRY_OR(done, st, device_open(c->device, &d, &e));
	targets = mem_zalloc((size_t)nfolders, sizeof *targets);
	open_all(d, folders, nfolders, c->recompile, targets, &n, left_out, left);
	for (int i = 0; i < n && table; i++) {
		targets[i]->table = table;
		targets[i]->tolerances = c->tolerances;
	}
	for (int i = 0; i < n; i++)
		if (targets[i]->stale && !c->o.quiet)
			fprintf(stderr, "gpuemu: %s: %s, and there is no NVRTC to compile it again; the shipped "
			                "PTX is run\n", kernel_folder(targets[i]->kernel), targets[i]->stale_why);
	corpus = corpus_of(folders[0]);
	c->o.corpus_dir = corpus;
	c->o.left_out = left_out;
	c->o.bad_input = &bad_input;
	if (n > 0 && c->before)
		TRY_OR(done, st, c->before(c->ctx, targets, n, &e));
	if (n > 0)
		st = campaign_run(&c->o, d, targets, n, evidence, &e);
	if (st == ST_OK && n > 0 && *left)
		fprintf(stderr, "gpuemu: %d of %d kernels could not be run (see above)\n", nfolders - n, nfolders);
	if (bad_input && !*left)
		*left = 2;
done:
	rc = st != ST_OK ? cli_error(&e) : 0;
	c->o.left_out = NULL;
	c->o.bad_input = NULL;
	c->o.corpus_dir = NULL;
	cJSON_Delete(left_out);
	for (int i = 0; targets && i < n; i++)
		target_free(targets[i]);
	free(targets);
	tolerance_free(owned);
	cli_folders_free(folders, nfolders);
	free(corpus);
	device_close(d);
	return rc;
}
