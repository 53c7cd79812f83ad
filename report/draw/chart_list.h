/* chart_list.h - the charts there are: a line each, in the order in which they are listed (private
 * to report/draw/). X(name): struct chart chart_name, defined in a file of its own. */
#ifndef REPORT_DRAW_CHART_LIST_H
#define REPORT_DRAW_CHART_LIST_H

#include "report/draw/chart.h"

#define CHART_LIST(X)                                                                              \
	X(verdicts)                                                                                \
	X(failing)                                                                                 \
	X(cases)                                                                                   \
	X(heat)                                                                                    \
	X(checks)                                                                                  \
	X(policies)                                                                                \
	X(strategies)                                                                              \
	X(tightening)                                                                              \
	X(envelope)                                                                                \
	X(power)                                                                                   \
	X(devices)                                                                                 \
	X(fidelity)                                                                                \
	X(math)                                                                                    \
	X(coverage)                                                                                \
	X(mutation)

#define X(name) extern const struct chart chart_##name;
CHART_LIST(X)
#undef X

#endif
