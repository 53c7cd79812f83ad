/* bars.h - the failing fraction of a kernel as a bar, 0 to 100 % (private to report/draw/). */
#ifndef REPORT_DRAW_BARS_H
#define REPORT_DRAW_BARS_H

#include "report/draw/canvas.h"
#include "report/draw/model.h"

/* The bar of r on a scale of w points; dark: by value, pale: by a finding of the sanitizers alone;
 * of a control, which ought not to fail, in the colour of wrong verdicts. y, h: of the bar itself.
 */
void bar_draw(struct canvas *c, const struct row *r, double x, double y, double w, double h);
/* Hairlines at 0, 50 and 100 %. */
void bar_rules(struct canvas *c, double x, double y, double w, double h);
/* "0", "50" and "100 %" over them, with the bottom of the text at y. */
void bar_scale(struct canvas *c, double size, double x, double y, double w);
/* "3/100" */
void bar_label(const struct row *r, char out[64]);

#endif
