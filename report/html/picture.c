/* picture.c - charts in the page: see html.h.
 *
 * An image has a document of its own: Cairo's ids, the same in every chart, do not meet, and the page has one node a
 * chart instead of one a letter. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/html.h"

#define DECIMALS 3
#define MOST_SVG ((size_t)2 << 20) /* of a chart: hundreds of kernels make more of some */
/* Texts of a chart are made for paper; on a screen they are to be read from further away. */
#define SCREEN (1.25 * 96 / 72)

/* ---- a smaller SVG ---- */

/* What SVG assumes anyway. */
static const char *const defaults[] = {"fill-rule:nonzero;", "fill-opacity:1;", "stroke-opacity:1;",
                                       "stroke-linecap:butt;", "stroke-linejoin:miter;"};

static size_t default_at(const char *s)
{
	for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
		if (strncmp(s, defaults[i], strlen(defaults[i])) == 0)
			return strlen(defaults[i]);
	return 0;
}

/* "rgb(83.529412%,36.862745%,0%)": its length, and the colour; 0: there is none. */
static size_t colour_at(const char *s, unsigned rgb[3])
{
	double v[3];
	int n = 0;

	if (strncmp(s, "rgb(", 4) != 0 ||
	    sscanf(s, "rgb(%lf%%,%lf%%,%lf%%)%n", &v[0], &v[1], &v[2], &n) != 3 || n == 0)
		return 0;
	for (int i = 0; i < 3; i++)
		rgb[i] = (unsigned)lround(fmin(fmax(v[i], 0), 100) * 2.55);
	return (size_t)n;
}

/* Rounds "12.345678" at s; returns what was read, 0: no number with so many decimals begins there. */
static size_t number_at(const char *s, char out[64])
{
	size_t whole = strspn(s, "0123456789"), part;

	if (whole == 0 || whole > 12 || s[whole] != '.')
		return 0;
	part = strspn(s + whole + 1, "0123456789");
	if (part <= DECIMALS || part > 18)
		return 0;
	snprintf(out, 64, "%.*f", DECIMALS, atof(s));
	for (size_t n = strlen(out); out[n - 1] == '0' || out[n - 1] == '.'; n = strlen(out)) {
		bool point = out[n - 1] == '.';

		out[n - 1] = 0;
		if (point)
			break;
	}
	return whole + 1 + part;
}

/* Cairo's texts have no single quotes of their own: what it quotes are names of ours and numbers. */
static void put_encoded(struct buf *b, char c)
{
	if (c == '"')
		buf_putc(b, '\'');
	else if (c == '\n')
		buf_putc(b, ' ');
	else if (strchr("<>#%&\\^`{|}", c) || c <= ' ' || c >= 0x7f)
		buf_printf(b, c == ' ' ? " " : "%%%02X", (unsigned char)c);
	else
		buf_putc(b, c);
}

void html_svg_uri(struct buf *out, const char *svg)
{
	char number[64], before = ' ';
	unsigned rgb[3];
	size_t n;

	if (strncmp(svg, "<?xml", 5) == 0)
		svg = strchr(svg, '\n') ? strchr(svg, '\n') + 1 : svg;
	buf_puts(out, "data:image/svg+xml,");
	while (*svg) {
		/* a number's beginning, not the end of a word such as glyph0 */
		bool begins = !isalnum((unsigned char)before) && before != '.';

		if ((n = default_at(svg)) != 0) {
			svg += n;
			continue;
		}
		if ((n = colour_at(svg, rgb)) != 0)
			buf_printf(out, "%%23%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
		else if (begins && (n = number_at(svg, number)) != 0)
			buf_puts(out, number);
		else if (svg[0] == '\n' && (svg[1] == ' ' || svg[1] == '<' || !svg[1]))
			n = 1;
		else if (svg[0] == ' ' && before == '\n')
			n = 1;
		else
			put_encoded(out, svg[(n = 1) - 1]);
		before = svg[0] == ' ' && before == '\n' ? '\n' : svg[n - 1];
		svg += n;
	}
}

/* ---- a figure ---- */

/* The command that draws what is left out. */
static void put_command(struct buf *b, const struct chart *k, const struct charts *in)
{
	buf_printf(b, "gpuemu report --chart %s", k->name);
	if (in->model.nrows == 1) {
		buf_puts(b, " --kernel ");
		buf_shell(b, in->model.rows[0].name);
	}
	if (in->dtype)
		buf_printf(b, " --dtype %s", in->dtype);
	buf_puts(b, " evidence.json");
}

static void left_out(struct page *p, const struct chart *k, const struct charts *in)
{
	struct buf b = {0};

	flow_par(&p->a.f, face_note, "The chart is left out, to keep this page small; this draws it:");
	put_command(&b, k, in);
	flow_code(&p->a.f, b.s);
	buf_free(&b);
}

static void put_image(struct page *p, const struct chart *k, const struct charts *in, const char *svg)
{
	double w = 0, h = 0;
	const char *size = strstr(svg, "viewBox=\"0 0 ");

	if (size)
		sscanf(size, "viewBox=\"0 0 %lf %lf", &w, &h);
	buf_printf(p->out, "<img class=\"chart\" width=\"%.0f\" height=\"%.0f\" alt=\"", SCREEN * w, SCREEN * h);
	markup_value(p->out, k->title);
	if (in->dtype) {
		buf_puts(p->out, ", ");
		markup_value(p->out, in->dtype);
	}
	buf_puts(p->out, ". ");
	markup_value(p->out, k->shows);
	buf_puts(p->out, "\" src=\"");
	html_svg_uri(p->out, svg);
	buf_puts(p->out, "\">\n");
}

void html_figure(struct audit *a, const struct chart *k, const struct charts *in, double w)
{
	struct page *p = (struct page *)a;
	bool of_kernel = in != a->in;
	size_t before = p->out->len;
	struct buf b = {0};
	enum st rc;

	if (of_kernel && p->room <= 0) {
		left_out(p, k, in);
		return;
	}
	rc = chart_file(k, in, (struct chart_style){.format = CHART_SVG, .width = w, .plain = true}, &b, p->e);
	if (rc == ST_OK && b.len > MOST_SVG)
		left_out(p, k, in);
	else if (rc == ST_OK)
		put_image(p, k, in, b.s);
	if (of_kernel)
		p->room -= (double)(p->out->len - before);
	buf_free(&b);
}
