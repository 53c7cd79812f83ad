/* sign.h - a folder of evidence signed: MANIFEST.sha256 lists every file (the form of sha256sum), MANIFEST.sig is the
 * ed25519 signature of its bytes. OpenSSL and sha256sum check both without us (docs/signing.md). Knows base only. */
#ifndef REPORT_SIGN_H
#define REPORT_SIGN_H

#include "base/base.h"

#define SIGN_MANIFEST  "MANIFEST.sha256"
#define SIGN_SIGNATURE "MANIFEST.sig"

/* Writes a new private key (PEM, mode 0600) and its public one into two files; neither may be there. */
MUST_USE enum st sign_new_key(const char *key, const char *pub, struct err *e);
/* Writes manifest and signature into folder. *n: files listed. ST_INPUT: a link or another special file in it, a name
 * with a line end or a backslash, a key that is no ed25519 private key. */
MUST_USE enum st sign_folder(const char *folder, const char *key, size_t *n, struct err *e);
/* Checks both. A line to `told` for everything that is not as it was signed; *faults counts them, *n the files listed.
 * The signature is named first: without it the list proves nothing. */
MUST_USE enum st sign_verify(const char *folder, const char *pub, struct buf *told, size_t *n, size_t *faults,
                             struct err *e);

#endif
