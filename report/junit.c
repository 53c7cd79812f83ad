/* junit.c - evidence as JUnit XML, for continuous integration. */
#include <string.h>

#include "report/read.h"

/* XML text or attribute: characters that XML 1.0 forbids (controls, U+FFFE, U+FFFF) become spaces.
 */
static void put_xml(struct buf *b, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (strncmp(s, "\xef\xbf\xbe", 3) == 0 || strncmp(s, "\xef\xbf\xbf", 3) == 0) {
			buf_putc(b, ' ');
			s += 2;
		} else if (c == '&')
			buf_puts(b, "&amp;");
		else if (c == '<')
			buf_puts(b, "&lt;");
		else if (c == '>')
			buf_puts(b, "&gt;");
		else if (c == '"')
			buf_puts(b, "&quot;");
		else
			buf_putc(b, c < 32 && c != '\n' && c != '\t' ? ' ' : *s);
	}
}

enum outcome { GOOD, FAILURE, ERROR, SKIPPED };

static enum outcome outcome_of(const cJSON *kernel, const cJSON *dtype)
{
	const char *v = ev_text(dtype, "verdict");
	bool buggy = strcmp(ev_text(kernel, "expected"), "FAIL") == 0;

	if (strcmp(v, "UNSUPPORTED") == 0)
		return SKIPPED;
	if (strcmp(v, "UNKNOWN") == 0)
		return ERROR;
	/* a bug need not show in every dtype: then the kernel as a whole decides */
	if (buggy)
		return cJSON_IsTrue(ev_get(kernel, "as_expected")) ? GOOD : FAILURE;
	return strcmp(v, "FAIL") == 0 ? FAILURE : GOOD;
}

static void put_case(struct buf *b, const cJSON *k, const cJSON *d)
{
	static const char *const tags[] = {"", "failure", "error", "skipped"};
	enum outcome o = outcome_of(k, d);
	const cJSON *m = ev_get(d, "minimal");

	buf_puts(b, "    <testcase classname=\"");
	put_xml(b, ev_text(k, "name"));
	buf_puts(b, "\" name=\"");
	put_xml(b, ev_text(d, "dtype"));
	if (o == GOOD) {
		buf_puts(b, "\"/>\n");
		return;
	}
	buf_printf(b, "\">\n      <%s message=\"", tags[o]);
	put_xml(b, ev_text(d, "verdict"));
	buf_puts(b, ": ");
	if (strcmp(ev_text(d, "verdict"), "PASS") == 0)
		buf_puts(b, "a buggy kernel that was not caught");
	else
		put_xml(b, m ? ev_text(m, "reason") : ev_text(d, "reason"));
	buf_puts(b, "\">");
	if (m)
		put_xml(b, ev_text(m, "replay"));
	buf_printf(b, "</%s>\n    </testcase>\n", tags[o]);
}

static void put_suite(struct buf *b, const cJSON *k)
{
	int n[4] = {0};
	const cJSON *d;

	cJSON_ArrayForEach(d, ev_get(k, "dtypes")) n[outcome_of(k, d)]++;
	buf_puts(b, "  <testsuite name=\"");
	put_xml(b, ev_text(k, "name"));
	buf_printf(b, "\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n",
	           n[GOOD] + n[FAILURE] + n[ERROR] + n[SKIPPED], n[FAILURE], n[ERROR], n[SKIPPED]);
	cJSON_ArrayForEach(d, ev_get(k, "dtypes")) put_case(b, k, d);
	buf_puts(b, "  </testsuite>\n");
}

void report_junit(const cJSON *evidence, struct buf *out)
{
	const cJSON *k;

	buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpuemu\">\n");
	cJSON_ArrayForEach(k, ev_get(evidence, "kernels")) put_suite(out, k);
	buf_puts(out, "</testsuites>\n");
}
