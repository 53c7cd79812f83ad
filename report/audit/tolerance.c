/* tolerance.c - the envelopes that cases were judged by: the appendix, and a kernel's runs against
 * them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/audit/audit.h"

/* ---- the appendix ---- */

/* What a cell is good for: fitted, exact, or the bound in its place. */
static void put_kind(struct buf *b, const cJSON *c)
{
	const char *state = ev_text(c, "state"), *name = ev_text(c, "name");

	if (strcmp(state, "refused") == 0)
		buf_printf(b, "bound: cell refused, %s", ev_text(c, "reason"));
	else if (strstr(name, ", bound: L"))
		buf_puts(b, "bound: L is beyond the fitted range");
	else if (strstr(name, ", bound"))
		buf_puts(b, "bound: it is below the fitted limit");
	else if (strcmp(state, "envelope") == 0)
		buf_printf(b, "fitted, %s", ev_text(c, "tier"));
	else if (state[0])
		buf_puts(b, "every calibration run was exact; one rounding is allowed");
	else
		buf_printf(b, "%s: the table has no such cell", name[0] ? name : "not recorded");
}

static void put_range(struct buf *b, const cJSON *lo, const cJSON *hi, int digits)
{
	put_real(b, lo, digits);
	if (cJSON_IsNumber(lo) && cJSON_IsNumber(hi) && lo->valuedouble == hi->valuedouble)
		return;
	buf_puts(b, " to ");
	put_real(b, hi, digits);
}

static void put_confidence(struct buf *b, const cJSON *c)
{
	if (!ev_get(c, "runs"))
		return;
	buf_printf(b, "%.4g %% at %.4g %%" BREAK, 100 * ev_number(c, "coverage"),
	           100 * ev_number(c, "confidence"));
	put_plural(b, ev_number(c, "runs"), "run", "runs");
}

static void cell_row(struct table *t, const cJSON *c)
{
	struct buf b[6] = {{0}};
	struct td cells[6];

	buf_printf(&b[0], "%s %s", ev_text(c, "op"), ev_text(c, "types"));
	buf_printf(&b[1], "%s; %s", ev_text(c, "family"), ev_text(c, "group"));
	put_kind(&b[2], c);
	put_confidence(&b[3], c);
	put_range(&b[4], ev_get(c, "T_lo"), ev_get(c, "T_hi"), 3);
	buf_puts(&b[4], BREAK "at L ");
	put_range(&b[4], ev_get(c, "L_lo"), ev_get(c, "L_hi"), 6);
	put_count(&b[5], ev_number(c, "cases"));
	buf_puts(&b[5], BREAK);
	put_real(&b[5], ev_get(c, "r_over_T"), 3);
	for (size_t i = 0; i < ARRAY_LEN(b); i++)
		cells[i] = (struct td){.text = b[i].s ? b[i].s : ""};
	table_row(t, cells);
	for (size_t i = 0; i < ARRAY_LEN(b); i++)
		buf_free(&b[i]);
}

static void cells_used(struct audit *a, const cJSON *cells)
{
	static const struct column columns[] = {
	        {.title = "Operator, types", .w = 76},
	        {.title = "Numerics; coherence", .w = 66},
	        {.title = "What stands", .w = -1},
	        {.title = "Coverage at confidence, calibration runs", .w = 86},
	        {.title = "T used, L met", .w = 74},
	        {.title = "Cases, largest passing r/T", .w = 60, .align = ALIGN_RIGHT}};
	const cJSON *c;
	struct table t;

	flow_heading(&a->f, 2, DEST_NONE, "Cells used in this campaign", "Cells used");
	table_begin(&t, &a->f, columns, 6, TABLE_SIZE);
	cJSON_ArrayForEach(c, cells) if (cJSON_IsObject(c)) cell_row(&t, c);
	table_end(&t);
}

void audit_tolerances(struct audit *a)
{
	const cJSON *t = ev_get(a->evidence, "tolerance"), *cells = ev_get(t, "cells");
	struct buf b = {0};

	audit_part(a, DEST_TOLERANCE, "Tolerances");
	buf_printf(&b, "Table %s: %s.", ev_text(t, "name"), ev_text(t, "text"));
	if (ev_text(t, "sha256")[0])
		buf_printf(&b, " SHA-256 %s.", ev_text(t, "sha256"));
	flow_par(&a->f, face_body, b.s);
	buf_free(&b);
	flow_par(&a->f, face_body,
	         "A fitted cell holds T(L, M) = t · max(1, L/8)^slope · (M/M₀)^slope′, M the "
	         "number of results, and never more "
	         "than the deterministic bound. Its limit covers the stated share of known-good "
	         "runs at the stated confidence, "
	         "and lies at or above the level that a run exceeds once in a million by "
	         "extreme-value theory. “gpuemu "
	         "tolerances show” prints every cell with its checks.");
	if (cJSON_GetArraySize(cells) > 0)
		cells_used(a, cells);
	else
		flow_par(&a->f, face_body,
		         "The evidence does not name the cells that its cases used.");
}
