/* sign.c - gpuemu sign and gpuemu verify: evidence that cannot be changed unseen. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/sign.h"

static const struct option options[] = {{"key", 1, NULL, 'k'}, {"new-key", 1, NULL, 'n'}, {NULL, 0, NULL, 0}};

/* KEY.pem has its public part in KEY.pub.pem. */
static char *public_name(const char *key)
{
	size_t n = strlen(key);
	struct buf b = {0};

	if (n > 4 && strcmp(key + n - 4, ".pem") == 0)
		n -= 4;
	buf_add(&b, key, n);
	buf_puts(&b, ".pub.pem");
	return b.s;
}

static int new_key(const char *key)
{
	char *pub = public_name(key);
	struct buf b = {0};
	struct err e = {0};
	int rc;

	if (sign_new_key(key, pub, &e) == ST_OK) {
		buf_printf(&b, "%s: keep it secret\n%s: give it to those who verify\n", key, pub);
		rc = cli_print(b.s, b.len);
	} else {
		rc = cli_error(&e);
	}
	buf_free(&b);
	free(pub);
	return rc;
}

int cmd_sign(int argc, char **argv)
{
	const char *key = NULL, *made = NULL;
	struct buf b = {0};
	struct err e = {0};
	size_t n = 0;
	int opt, rc;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (opt == 'k')
			key = optarg;
		else if (opt == 'n')
			made = optarg;
		else
			return cli_usage("sign", "unknown option or missing value");
	if (made && !key && argc == optind)
		return new_key(made);
	if (!key || made || argc - optind != 1)
		return cli_usage("sign", "give FOLDER --key KEY.pem, or --new-key KEY.pem alone");
	if (sign_folder(argv[optind], key, &n, &e) != ST_OK)
		return cli_error(&e);
	buf_printf(&b, "%s/%s: %zu files, signed in %s\n", argv[optind], SIGN_MANIFEST, n, SIGN_SIGNATURE);
	rc = cli_print(b.s, b.len);
	buf_free(&b);
	return rc;
}

int cmd_verify(int argc, char **argv)
{
	const char *key = NULL;
	struct buf b = {0};
	struct err e = {0};
	size_t n, faults;
	int opt, rc;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (opt == 'k')
			key = optarg;
		else
			return cli_usage("verify", "unknown option or missing value");
	if (!key || argc - optind != 1)
		return cli_usage("verify", "give FOLDER --key KEY.pub.pem");
	if (sign_verify(argv[optind], key, &b, &n, &faults, &e) != ST_OK) {
		rc = cli_error(&e);
	} else {
		if (faults)
			buf_printf(&b, "%zu fault%s in %zu files listed\n", faults, faults == 1 ? "" : "s", n);
		else
			buf_printf(&b, "%zu files are as they were signed\n", n);
		rc = cli_print(b.s, b.len);
		rc = rc ? rc : faults > 0;
	}
	buf_free(&b);
	return rc;
}
