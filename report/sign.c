/* sign.c - see sign.h. */
#include "report/sign.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/pem.h>

#define SIGNATURE_BYTES 64 /* of ed25519 */
#define MAX_MANIFEST ((size_t)64 << 20)
#define MAX_DEPTH 32

/* ---- files of a folder ---- */

struct entry {
	char *path; /* relative */
	bool plain; /* a regular file: others cannot be signed */
};
struct listing {
	struct entry *v;
	size_t n;
};

static void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].path);
	free(l->v);
	*l = (struct listing){0};
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static enum st walk(const char *folder, const char *under, int depth, struct listing *l, struct err *e)
{
	char *here = under ? path_join(folder, under) : mem_strdup(folder);
	DIR *d = opendir(here);
	struct dirent *entry;
	enum st rc = ST_OK;

	if (!d || depth > MAX_DEPTH)
		rc = FAIL(e, INPUT, "%s: %s", here, d ? "folders nested too deep" : strerror(errno));
	while (rc == ST_OK && (entry = readdir(d)) != NULL) {
		char *path, *full;
		struct stat s;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    (!under && (strcmp(entry->d_name, SIGN_MANIFEST) == 0 || strcmp(entry->d_name, SIGN_SIGNATURE) == 0)))
			continue;
		path = under ? path_join(under, entry->d_name) : mem_strdup(entry->d_name);
		full = path_join(folder, path);
		if (lstat(full, &s) != 0) {
			rc = FAIL(e, IO, "%s: %s", full, strerror(errno));
		} else if (S_ISDIR(s.st_mode)) {
			rc = walk(folder, path, depth + 1, l, e);
		} else {
			l->v = mem_realloc(l->v, (l->n + 1) * sizeof *l->v);
			l->v[l->n++] = (struct entry){mem_strdup(path), S_ISREG(s.st_mode)};
		}
		free(path);
		free(full);
	}
	if (d)
		closedir(d);
	free(here);
	return rc;
}

static enum st list(const char *folder, struct listing *l, struct err *e)
{
	enum st rc = walk(folder, NULL, 0, l, e);

	if (rc != ST_OK)
		listing_free(l);
	else if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_bytes);
	return rc;
}

static enum st hash_file(const char *folder, const char *path, char out[65], struct err *e)
{
	char *full = path_join(folder, path);
	FILE *f = fopen(full, "rb");
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	unsigned char block[65536], digest[32];
	enum st rc = ST_OK;
	size_t n;

	if (!f)
		TRY_OR(done, rc, FAIL(e, IO, "%s: %s", full, strerror(errno)));
	if (!c || !EVP_DigestInit_ex(c, EVP_sha256(), NULL))
		TRY_OR(done, rc, FAIL(e, NOMEM, "SHA-256 of %s", full));
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		EVP_DigestUpdate(c, block, n);
	if (ferror(f) || !EVP_DigestFinal_ex(c, digest, NULL))
		TRY_OR(done, rc, FAIL(e, IO, "reading %s failed", full));
	for (int i = 0; i < 32; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
done:
	EVP_MD_CTX_free(c);
	if (f)
		fclose(f);
	free(full);
	return rc;
}

/* ---- keys ---- */

/* mode 0600 or 0644; an existing file is never written over. */
static enum st new_file(const char *path, mode_t mode, FILE **out, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0)
		return FAIL(e, INPUT, "%s: %s", path, errno == EEXIST ? "is there already; keys are never written over" : strerror(errno));
	*out = fdopen(fd, "w");
	return *out ? ST_OK : FAIL(e, IO, "%s: %s", path, strerror(errno));
}

enum st sign_new_key(const char *key, const char *pub, struct err *e)
{
	EVP_PKEY *k = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	FILE *f = NULL, *g = NULL;
	bool ok;
	enum st rc;

	if (!k)
		TRY_OR(done, rc, FAIL(e, UNSUP, "OpenSSL makes no ed25519 key"));
	if (path_exists(pub))
		TRY_OR(done, rc, FAIL(e, INPUT, "%s: is there already; keys are never written over", pub));
	TRY_OR(done, rc, new_file(key, 0600, &f, e));
	TRY_OR(done, rc, new_file(pub, 0644, &g, e));
	ok = PEM_write_PrivateKey(f, k, NULL, NULL, 0, NULL, NULL) && PEM_write_PUBKEY(g, k);
	ok &= fflush(f) == 0;
	ok &= fflush(g) == 0;
	rc = ok ? ST_OK : FAIL(e, IO, "writing %s and %s failed", key, pub);
done:
	if (f)
		fclose(f);
	if (g)
		fclose(g);
	EVP_PKEY_free(k);
	return rc;
}

/* A key with a passphrase is refused, not asked for. */
static int no_passphrase(char *out, int size, int writing, void *ctx)
{
	(void)out, (void)size, (void)writing, (void)ctx;
	return -1;
}

static enum st read_key(const char *path, bool private, EVP_PKEY **out, struct err *e)
{
	FILE *f = fopen(path, "r");

	if (!f)
		return FAIL(e, INPUT, "%s: %s", path, strerror(errno));
	*out = private ? PEM_read_PrivateKey(f, NULL, no_passphrase, NULL) : PEM_read_PUBKEY(f, NULL, no_passphrase, NULL);
	fclose(f);
	if (*out && EVP_PKEY_is_a(*out, "ED25519"))
		return ST_OK;
	EVP_PKEY_free(*out);
	*out = NULL;
	return FAIL(e, INPUT, "%s is no ed25519 %s key in PEM without a passphrase (gpuemu sign --new-key makes one)", path,
	            private ? "private" : "public");
}

/* ---- signing ---- */

static enum st write_manifest(const char *folder, const struct listing *l, struct buf *text, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *path = l->v[i].path;
		char sha[65];

		if (!l->v[i].plain)
			return FAIL(e, INPUT, "%s/%s is no plain file: links and the like cannot be signed", folder, path);
		if (strpbrk(path, "\n\r\\"))
			return FAIL(e, INPUT, "%s: a file's name holds a line end or a backslash: %s", folder, path);
		TRY(hash_file(folder, path, sha, e));
		buf_printf(text, "%s  %s\n", sha, path);
	}
	return l->n ? ST_OK : FAIL(e, INPUT, "%s holds no file to sign", folder);
}

enum st sign_folder(const char *folder, const char *key, size_t *n, struct err *e)
{
	char *manifest = path_join(folder, SIGN_MANIFEST), *sig = path_join(folder, SIGN_SIGNATURE);
	unsigned char signature[SIGNATURE_BYTES];
	size_t bytes = sizeof signature;
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	EVP_PKEY *k = NULL;
	struct listing l = {0};
	struct buf text = {0};
	enum st rc;

	TRY_OR(done, rc, read_key(key, true, &k, e));
	TRY_OR(done, rc, list(folder, &l, e));
	TRY_OR(done, rc, write_manifest(folder, &l, &text, e));
	if (!c || EVP_DigestSignInit(c, NULL, NULL, NULL, k) != 1 ||
	    EVP_DigestSign(c, signature, &bytes, (unsigned char *)text.s, text.len) != 1 || bytes != sizeof signature)
		TRY_OR(done, rc, FAIL(e, UNSUP, "OpenSSL does not sign with %s", key));
	TRY_OR(done, rc, file_write(manifest, text.s, text.len, e));
	rc = file_write(sig, signature, sizeof signature, e);
	*n = l.n;
done:
	EVP_MD_CTX_free(c);
	EVP_PKEY_free(k);
	listing_free(&l);
	buf_free(&text);
	free(manifest);
	free(sig);
	return rc;
}

/* ---- verifying ---- */

struct check {
	const char *folder;
	struct buf *told;
	size_t faults;
};

static void fault(struct check *c, const char *path, const char *what)
{
	buf_printf(c->told, "%s: %s\n", path, what);
	c->faults++;
}

static void check_signature(struct check *c, EVP_PKEY *key, const char *text, size_t len, const char *sig, size_t bytes)
{
	EVP_MD_CTX *m = EVP_MD_CTX_new();

	if (bytes != SIGNATURE_BYTES)
		fault(c, SIGN_SIGNATURE, "is no ed25519 signature (64 bytes)");
	else if (!m || EVP_DigestVerifyInit(m, NULL, NULL, NULL, key) != 1 ||
	         EVP_DigestVerify(m, (const unsigned char *)sig, bytes, (const unsigned char *)text, len) != 1)
		fault(c, SIGN_MANIFEST, "is not what this key signed: the list, the signature or the key is another");
	EVP_MD_CTX_free(m);
}

/* Relative, without empty parts, "." and "..": nothing outside the folder can be named. */
static bool inside(const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 0 || (n == 1 && path[0] == '.') || (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		path += n;
		if (*path == '/' && !*++path)
			return false;
	}
	return true;
}

/* "SHA  PATH", cut at the tab-free form of sha256sum; false: no such line. */
static bool parse_line(char *line, char **path)
{
	if (strlen(line) < 67 || strspn(line, "0123456789abcdef") != 64 || line[64] != ' ' || line[65] != ' ')
		return false;
	line[64] = '\0';
	*path = line + 66;
	return true;
}

static enum st check_file(struct check *c, const struct entry *there, const char *want, struct err *e)
{
	char sha[65];

	if (!there->plain) {
		fault(c, there->path, "is no plain file any more");
		return ST_OK;
	}
	TRY(hash_file(c->folder, there->path, sha, e));
	if (strcmp(sha, want) != 0)
		fault(c, there->path, "was changed");
	return ST_OK;
}

/* Both lists are sorted: what is in one alone is missing or was added. */
static enum st compare(struct check *c, char *text, const struct listing *l, size_t *n, struct err *e)
{
	const char *before = "";
	char *save = NULL, *path = NULL;
	size_t at = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!parse_line(line, &path)) {
			fault(c, SIGN_MANIFEST, "has a line that is no SHA-256 and path");
			continue;
		}
		if (!inside(path) || strcmp(before, path) >= 0) {
			fault(c, SIGN_MANIFEST, inside(path) ? "lists a file twice, or not in order" : "names a file outside the folder");
			continue;
		}
		before = path;
		(*n)++;
		for (; at < l->n && strcmp(l->v[at].path, path) < 0; at++)
			fault(c, l->v[at].path, "is not in the list: added or renamed");
		if (at < l->n && strcmp(l->v[at].path, path) == 0)
			TRY(check_file(c, &l->v[at++], line, e));
		else
			fault(c, path, "is missing");
	}
	for (; at < l->n; at++)
		fault(c, l->v[at].path, "is not in the list: added or renamed");
	return ST_OK;
}

enum st sign_verify(const char *folder, const char *pub, struct buf *told, size_t *n, size_t *faults, struct err *e)
{
	char *manifest = path_join(folder, SIGN_MANIFEST), *sig = path_join(folder, SIGN_SIGNATURE);
	struct check c = {.folder = folder, .told = told};
	char *text = NULL, *signature = NULL;
	size_t len, bytes;
	EVP_PKEY *k = NULL;
	struct listing l = {0};
	enum st rc;

	*n = *faults = 0;
	TRY_OR(done, rc, read_key(pub, false, &k, e));
	TRY_OR(done, rc, file_read(manifest, MAX_MANIFEST, &text, &len, e));
	TRY_OR(done, rc, file_read(sig, MAX_MANIFEST, &signature, &bytes, e));
	TRY_OR(done, rc, list(folder, &l, e));
	check_signature(&c, k, text, len, signature, bytes);
	if (memchr(text, 0, len))
		fault(&c, SIGN_MANIFEST, "holds a zero byte");
	rc = compare(&c, text, &l, n, e);
	*faults = c.faults;
done:
	EVP_PKEY_free(k);
	listing_free(&l);
	free(text);
	free(signature);
	free(manifest);
	free(sig);
	return rc;
}
