/* outputs.c - what validate, ci and report write for continuous integration. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/report.h"
#include "validate/lint/lint.h"

static void put_sarif(const cJSON *evidence, struct buf *b)
{
	struct sarif_rule *rules;
	char *text;
	cJSON *log;
	int n = 0;

	while (lint_rule_get(n))
		n++;
	rules = mem_zalloc((size_t)n + 1, sizeof *rules);
	for (int i = 0; i < n; i++)
		rules[i] = lint_sarif_rule(lint_rule_get(i));
	log = report_sarif(evidence, rules, n);
	text = json_print(log, true);
	buf_puts(b, text);
	free(text);
	cJSON_Delete(log);
	free(rules);
}

static void put_summary(const cJSON *evidence, struct buf *b)
{
	report_summary(evidence, REPORT_SUMMARY_MOST, b);
}

int cli_write_outputs(const struct cli_outputs *o, const cJSON *evidence)
{
	const struct {
		const char *path;
		void (*put)(const cJSON *evidence, struct buf *b);
	} outputs[] = {{o->junit, report_junit}, {o->sarif, put_sarif}, {o->summary, put_summary}, {o->badge, report_badge}};
	struct err e = {0};
	enum st rc = ST_OK;

	for (size_t i = 0; i < ARRAY_LEN(outputs) && rc == ST_OK; i++) {
		struct buf b = {0};

		if (!outputs[i].path)
			continue;
		outputs[i].put(evidence, &b);
		rc = file_write(outputs[i].path, b.s, b.len, &e);
		buf_free(&b);
	}
	return rc == ST_OK ? 0 : cli_error(&e);
}
