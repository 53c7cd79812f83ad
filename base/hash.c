/* hash.c - SHA-256 by libcrypto, as lower-case hex. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>

/* A context at work; EVP fails only when memory is out. */
static EVP_MD_CTX *sha256_start(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (c == NULL || !EVP_DigestInit_ex(c, EVP_sha256(), NULL)) {
		fprintf(stderr, "gpuemu: libcrypto cannot compute SHA-256\n");
		exit(st_exit(ST_NOMEM));
	}
	return c;
}

static void sha256_finish(EVP_MD_CTX *c, char out[65])
{
	static const char digit[] = "0123456789abcdef";
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	EVP_DigestFinal_ex(c, md, &n);
	EVP_MD_CTX_free(c);
	for (unsigned i = 0; i < 32; i++) {
		out[2 * i] = digit[md[i] >> 4];
		out[2 * i + 1] = digit[md[i] & 15];
	}
	out[64] = '\0';
}

void sha256_hex(const void *p, size_t n, char out[65])
{
	EVP_MD_CTX *c = sha256_start();

	EVP_DigestUpdate(c, p, n);
	sha256_finish(c, out);
}

enum st sha256_file(const char *path, char out[65], struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum st rc = ST_OK;
	char piece[1 << 15];
	EVP_MD_CTX *c;
	ssize_t n;

	if (fd < 0)
		return FAIL(e, INPUT, "%s: %s", path, strerror(errno));
	c = sha256_start();
	while ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			EVP_DigestUpdate(c, piece, (size_t)n);
	if (n < 0)
		rc = FAIL(e, INPUT, "%s: %s", path, strerror(errno));
	sha256_finish(c, out);
	close(fd);
	return rc;
}
