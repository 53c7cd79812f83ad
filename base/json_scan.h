/* json_scan.h - the check of a JSON text before cJSON reads it. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include "base/base.h"

/* Deepest nesting of arrays and objects that is read. */
#define JSON_MAX_DEPTH 64

/* Is text exactly one JSON value (RFC 8259) in valid UTF-8, nested at most JSON_MAX_DEPTH deep,
 * without duplicate keys, without U+0000 and without numbers beyond a double's range?  ST_INPUT
 * with the place. */
MUST_USE enum st json_scan(const char *name, const char *text, size_t len, struct err *e);

/* Bytes of the valid UTF-8 character at s (at most n bytes are there), 0 when it is none. */
size_t utf8_length(const char *s, size_t n);

#endif
