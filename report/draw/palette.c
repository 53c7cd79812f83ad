/* palette.c - see palette.h. */
#include "report/draw/palette.h"

static const unsigned char colours[C_COUNT][3] = {
#define X(name, r, g, b) [C_##name] = {r, g, b},
        COLOUR_LIST(X)
#undef X
};

void colour_set(cairo_t *cr, enum colour c)
{
	const unsigned char *v = colours[c];

	cairo_set_source_rgb(cr, v[0] / 255.0, v[1] / 255.0, v[2] / 255.0);
}
