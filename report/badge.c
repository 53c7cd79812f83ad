/* badge.c - a campaign's outcome as a small picture: SVG with text laid out by DejaVu Sans' own widths, so that it needs
 * no drawing library and is the same bytes everywhere. Where another font is used, textLength makes it fit. */
#include <stdio.h>
#include <string.h>

#include "report/outcome.h"

/* Advance widths of the characters ' ' to '~' of DejaVu Sans 2.37, in 1/2048 of the size. */
static const short advance[] = {
	651,  821,  942,  1716, 1303, 1946, 1597, 563,  799,  799,  1024, 1716, 651,  739,  651,  690,
	1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690,  690,  1716, 1716, 1716, 1087,
	2048, 1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604,  604,  1343, 1141, 1767, 1532, 1612,
	1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799,  690,  799,  1716, 1024,
	1024, 1255, 1300, 1126, 1300, 1260, 721,  1300, 1298, 569,  569,  1186, 569,  1995, 1298, 1253,
	1300, 1300, 842,  1067, 803,  1298, 1212, 1675, 1212, 1212, 1075, 1303, 690,  1303, 1716,
};

#define SIZE 11.0
#define PAD 6.0
#define HEIGHT 20

static double width_of(const char *s)
{
	double w = 0;

	for (; *s; s++)
		if (*s >= ' ' && *s <= '~')
			w += advance[*s - ' '];
	return w * SIZE / 2048;
}

/* Right, wrong, undecided: background and ink of report/draw/palette.h. Light, dark and middle, which a grey print keeps. */
struct look {
	const char *ground, *ink;
};
static const struct look right = {"#d6e7f3", "#1b222b"}, wrong = {"#bf4500", "#ffffff"}, open_ = {"#d5dade", "#1b222b"},
                         label = {"#3c4753", "#ffffff"};

static void put_text(const struct outcome *o, char *out, size_t size)
{
	const char *verdict = o->wrong ? "FAIL" : o->undecided ? "UNKNOWN" : "PASS";

	if (o->user == 0 && o->buggy + o->control > 0)
		snprintf(out, size, "%.0f of %.0f caught, %.0f flagged", o->caught, o->buggy, o->flagged);
	else if (o->user_fail)
		snprintf(out, size, "FAIL %d of %d kernel%s", o->user_fail, o->user, o->user == 1 ? "" : "s");
	else if (o->user == 0)
		snprintf(out, size, "no kernel");
	else
		snprintf(out, size, "%s %d kernel%s, %d configuration%s", verdict, o->user, o->user == 1 ? "" : "s", o->configurations,
		         o->configurations == 1 ? "" : "s");
}

static void put_half(struct buf *b, struct look l, double x, double width, const char *text)
{
	buf_printf(b, "<rect x=\"%.2f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n", x, width, HEIGHT, l.ground);
	buf_printf(b, "<text x=\"%.2f\" y=\"14\" textLength=\"%.2f\" lengthAdjust=\"spacingAndGlyphs\" fill=\"%s\">%s</text>\n", x + PAD,
	           width - 2 * PAD, l.ink, text);
}

void report_badge(const cJSON *evidence, struct buf *out)
{
	struct outcome o = outcome_of(evidence);
	double name = width_of("gpuemu") + 2 * PAD, rest;
	char text[80];

	put_text(&o, text, sizeof text);
	rest = width_of(text) + 2 * PAD;
	buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.2f\" height=\"%d\" role=\"img\" aria-label=\"gpuemu: %s\">\n", name + rest,
	           HEIGHT, text);
	buf_printf(out, "<title>gpuemu: %s</title>\n<clipPath id=\"c\"><rect width=\"%.2f\" height=\"%d\" rx=\"3\"/></clipPath>\n", text, name + rest,
	           HEIGHT);
	buf_printf(out, "<g clip-path=\"url(#c)\" font-family=\"DejaVu Sans,Verdana,Geneva,sans-serif\" font-size=\"%g\">\n", SIZE);
	put_half(out, label, 0, name, "gpuemu");
	put_half(out, o.wrong ? wrong : o.undecided ? open_ : right, name, rest, text);
	buf_puts(out, "</g>\n</svg>\n");
}
