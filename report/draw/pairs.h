/* pairs.h - rows with two shares each, in two panels with intervals: what is caught, and how often
 * there is a false alarm (private to report/draw/). */
#ifndef REPORT_DRAW_PAIRS_H
#define REPORT_DRAW_PAIRS_H

#include "report/draw/canvas.h"

struct pair {
	const char *name;
	bool ours;                          /* set off from the others */
	double caught, wrong, alarms, good; /* caught of wrong, alarms of good */
};

/* Titles of the panels. */
struct pair_titles {
	const char *caught, *alarms;
};

double pairs_height(struct canvas *c, int n);
/* In w by pairs_height points. The panel of alarms is logarithmic; none at all is drawn open, with
 * its upper limit. */
void pairs_draw(struct canvas *c, const struct pair *p, int n, struct pair_titles titles, double w);

#endif
