/* base.h - what every other module stands on: status and errors, memory, text, element types and
 * rounding, ulp, tensors, counter-based random numbers, JSON, tensor files, hashing, workers, progress.
 *
 * Knows no other module of gpuemu.  Nothing here depends on the locale or the number of threads. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

/* ---- status and errors ------------------------------------------------------------------------ */

/* X(name, text, exit status of a program that ends with it: 2 the user's input, 3 the tool) */
#define ST_LIST(X)                                                                                 \
	X(OK, "ok", 0)                                                                             \
	X(INPUT, "the input is wrong", 2)                                                          \
	X(UNSUP, "valid input that is not supported", 3)                                           \
	X(LIMIT, "a limit of size, time or precision was reached", 3)                              \
	X(NOMEM, "out of memory", 3)                                                               \
	X(IO, "reading or writing failed", 3)                                                      \
	X(DEVICE, "the device or its driver refused", 3)                                           \
	X(BUG, "gpuemu contradicts itself; please report it", 3)

enum st {
#define X(name, text, rc) ST_##name,
	ST_LIST(X)
#undef X
	ST_COUNT
};

#define MUST_USE __attribute__((warn_unused_result))

/* The first error of a piece of work.  Zero-initialise it.  file and line are gpuemu's own source. */
struct err {
	enum st code;
	const char *file;
	int line;
	char msg[1200];
};

/* Sets the error unless one is set already; returns code.  The place for a breakpoint. */
enum st err_set(struct err *e, enum st code, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Puts "prefix: " before the message that is set, to say where it happened; returns e->code. */
enum st err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As err_set for a place in a text: "name:line:col: message", the source line, and a caret.
 * text is the whole text (len bytes), pos the byte offset. */
enum st err_set_at(struct err *e, enum st code, const char *file, int line, const char *name,
                   const char *text, size_t len, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 9, 10)));
const char *st_text(enum st code);
int st_exit(enum st code);

#define FAIL(e, code, ...) err_set((e), ST_##code, __FILE__, __LINE__, __VA_ARGS__)
#define FAIL_AT(e, code, name, text, len, pos, ...)                                                \
	err_set_at((e), ST_##code, __FILE__, __LINE__, (name), (text), (len), (pos), __VA_ARGS__)
#define TRY(call)                                                                                  \
	do {                                                                                       \
		enum st st_ = (call);                                                              \
		if (st_ != ST_OK)                                                                  \
			return st_;                                                                \
	} while (0)
#define TRY_OR(label, rc, call)                                                                    \
	do {                                                                                       \
		if (((rc) = (call)) != ST_OK)                                                      \
			goto label;                                                                \
	} while (0)

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- memory ----------------------------------------------------------------------------------- */

/* malloc/calloc/realloc that end the program with a message and exit status 3 when memory is out.
 * Sizes that come from a user's file are checked against a limit before they reach these. */
void *mem_alloc(size_t bytes);
void *mem_zalloc(size_t count, size_t size);
void *mem_realloc(void *p, size_t bytes);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);

/* Everything allocated from an arena lives until arena_free. Memory is zeroed, 16-byte aligned. */
struct arena;
struct arena *arena_new(void);
void arena_free(struct arena *a);
void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- text and files --------------------------------------------------------------------------- */

/* A growing string, always NUL-terminated once something was added. Zero-initialise; buf_free. */
struct buf {
	char *s;
	size_t len, cap;
};
void buf_add(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A word as a POSIX shell takes it: in single quotes where it has anything but letters, digits and _./+,:=@%-. */
void buf_shell(struct buf *b, const char *word);
void buf_free(struct buf *b);

/* Reads a whole file of at most max bytes; *data is NUL-terminated beyond *len; caller frees.
 * A missing, unreadable or too large file is ST_INPUT. */
MUST_USE enum st file_read(const char *path, size_t max, char **data, size_t *len, struct err *e);
/* Writes path through a temporary file in the same folder and rename(2), after fsync.
 * An unwritable folder is ST_INPUT, a full disk ST_IO. */
MUST_USE enum st file_write(const char *path, const void *data, size_t len, struct err *e);
/* mkdir -p; ST_INPUT when it cannot be made or is not a writable folder. */
MUST_USE enum st dir_make(const char *path, struct err *e);
bool path_exists(const char *path);
bool path_is_dir(const char *path);
/* dir + "/" + name, caller frees. */
char *path_join(const char *dir, const char *name);
const char *path_base(const char *path); /* what stands behind its last slash, a part of path */

/* ---- element types ---------------------------------------------------------------------------- */

/* X(name, text, bytes, precision p with the hidden bit, emin, emax)
 * Floats: normal values are ±1.m × 2^e with emin <= e <= emax, p bits. tf32 is stored in 4 bytes.
 * e4m3 has no infinity and its largest value is 448 (OCP FP8, 2023); e5m2 is IEEE-like. */
#define DTYPE_LIST(X)                                                                              \
	X(F64, "f64", 8, 53, -1022, 1023)                                                          \
	X(F32, "f32", 4, 24, -126, 127)                                                            \
	X(TF32, "tf32", 4, 11, -126, 127)                                                          \
	X(F16, "f16", 2, 11, -14, 15)                                                              \
	X(BF16, "bf16", 2, 8, -126, 127)                                                           \
	X(E4M3, "e4m3", 1, 4, -6, 8)                                                               \
	X(E5M2, "e5m2", 1, 3, -14, 15)                                                             \
	X(I8, "i8", 1, 0, 0, 0)                                                                    \
	X(U8, "u8", 1, 0, 0, 0)                                                                    \
	X(I16, "i16", 2, 0, 0, 0)                                                                  \
	X(U16, "u16", 2, 0, 0, 0)                                                                  \
	X(I32, "i32", 4, 0, 0, 0)                                                                  \
	X(U32, "u32", 4, 0, 0, 0)                                                                  \
	X(I64, "i64", 8, 0, 0, 0)                                                                  \
	X(U64, "u64", 8, 0, 0, 0)                                                                  \
	X(BOOL, "bool", 1, 0, 0, 0)

enum dtype {
#define X(name, text, bytes, p, emin, emax) DT_##name,
	DTYPE_LIST(X)
#undef X
	DT_COUNT
};

/* RND_NA: to nearest, ties away from zero. */
enum rnd { RND_NE, RND_NA, RND_Z, RND_U, RND_D };

const char *dtype_name(enum dtype t);
bool dtype_parse(const char *s, enum dtype *t);
int dtype_bytes(enum dtype t);
bool dtype_is_float(enum dtype t);
int dtype_precision(enum dtype t); /* p */
int dtype_emin(enum dtype t);
int dtype_emax(enum dtype t);
/* Largest finite value; of an integer type the largest value, but 2^63 for i64 and 2^64 for u64. */
double dtype_max(enum dtype t);
double dtype_u(enum dtype t);   /* unit roundoff 2^-p */

/* Encoding (low bits of a uint64_t) to value: exact for every float and for integers below 2^53. */
double dtype_decode(enum dtype t, uint64_t bits);
/* Value to encoding, one rounding. Beyond the largest finite value: satfinite → ±max, else what
 * the rounding direction and the type say (infinity, or NaN for e4m3 as the hardware's non-saturating
 * conversion does). NaN → the canonical NaN of the type (f32 0x7fffffff, f16 0x7fff, bf16 0x7fff,
 * e4m3 0x7f, e5m2 0x7f, f64 0x7fffffffffffffff, tf32 0x7fffe000); an overflow to e4m3's NaN keeps the
 * sign. Integers (bool: 0 and 1): round, then saturate; NaN → 0. */
uint64_t dtype_encode(enum dtype t, double x, enum rnd r, bool satfinite);
uint64_t dtype_load(enum dtype t, const void *p);
void dtype_store(enum dtype t, void *p, uint64_t bits);
/* Bulk forms over contiguous elements (round to nearest even), vectorised where it matters. */
void dtype_decode_n(enum dtype t, const void *src, double *dst, size_t n);
void dtype_encode_n(enum dtype t, const double *src, void *dst, size_t n);

/* The ulp of t at the exact value z: 2^max(e-p+1, emin-p+1), e the exponent of z (design.md §3). */
double dtype_ulp(enum dtype t, double z);
/* Distance between two encodings in units of the last place, counted along the ordered encodings;
 * +0 and -0 differ by 0; UINT64_MAX when exactly one is NaN, 0 when both are. */
uint64_t dtype_ulp_diff(enum dtype t, uint64_t a, uint64_t b);

/* ---- tensors ---------------------------------------------------------------------------------- */

#define TENSOR_MAX_RANK 8

/* A strided view. Strides and offset count elements; stride 0 repeats. data is the start of the
 * storage, bytes its size; element (i0,i1,…) lies at offset + Σ i_k·stride_k. Row-major by default. */
struct tensor {
	enum dtype dt;
	int rank;
	int64_t dim[TENSOR_MAX_RANK];
	int64_t stride[TENSOR_MAX_RANK];
	int64_t offset;
	uint8_t *data;
	size_t bytes;
};
int64_t tensor_count(const struct tensor *t);            /* number of elements */
/* Strides from dims, offset 0; INT64_MAX stands for one beyond 64 bits (layout_apply refuses such a tensor, tensor_count has no value). */
void tensor_set_contiguous(struct tensor *t);
/* Storage index (in elements) of the linear (row-major) element i. */
int64_t tensor_index(const struct tensor *t, int64_t i);
/* Gathers all elements in row-major order as doubles (dst: tensor_count). Integers beyond 2^53 lose
 * bits: use tensor_gather_bits for those. */
void tensor_gather(const struct tensor *t, double *dst);
void tensor_gather_bits(const struct tensor *t, uint64_t *dst);

/* ---- random numbers --------------------------------------------------------------------------- */

/* Philox4x32-10 (Salmon et al., SC'11): four words from counter and key; no state. */
void philox4x32(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4]);
/* The 64-bit words 2b and 2b + 1 of stream (seed, stream), for the price of one; then the i-th word. */
void rand_pair(uint64_t seed, uint64_t stream, uint64_t b, uint64_t w[2]);
uint64_t rand_u64(uint64_t seed, uint64_t stream, uint64_t i);
/* Uniform in [0, n), n > 0, without bias, from word i of the stream (Lemire's method, rehashing). */
uint64_t rand_below(uint64_t seed, uint64_t stream, uint64_t i, uint64_t n);
/* Uniform in [0,1): the top 53 bits of word i, times 2^-53. */
double rand_unit(uint64_t seed, uint64_t stream, uint64_t i);

/* ---- JSON ------------------------------------------------------------------------------------- */

/* Parses text (name for messages). Refuses nesting beyond 64, duplicate keys, trailing text, and
 * points at the place. Caller frees with cJSON_Delete. */
MUST_USE enum st json_parse(const char *name, const char *text, size_t len, cJSON **out,
                            struct err *e);
MUST_USE enum st json_read(const char *path, size_t max, cJSON **out, struct err *e);
/* A text that the build put into the program (tools/embed.sh), and that of a list named `name` parsed. */
struct embedded {
	const char *name, *text;
};
MUST_USE enum st json_embedded(const struct embedded *list, size_t n, const char *name, cJSON **out, struct err *e);
/* The text at key; "" when there is none. */
const char *json_text(const cJSON *j, const char *key);
/* Pretty (indented, one final newline) or one-line text, numbers shortest that read back the same.
 * NaN and infinity, which JSON has not, become null. Caller frees. */
char *json_print(const cJSON *j, bool pretty);
MUST_USE enum st json_write(const char *path, const cJSON *j, struct err *e);
/* Validates j against a JSON Schema: the subset type, properties, required, additionalProperties,
 * items, enum, const, pattern (POSIX ERE), minimum, maximum, minItems, minLength, oneOf, $ref to
 * "#/definitions/…". Messages name the path ("launches[0].grid: …") and, for a misspelt key, the
 * nearest known one. */
MUST_USE enum st json_validate(const cJSON *j, const cJSON *schema, const char *name,
                               struct err *e);

/* ---- tensor files ----------------------------------------------------------------------------- */

/* safetensors: named tensors, contiguous, little endian. npy: one tensor. Both readers refuse every
 * malformed file (offsets, overlaps, sizes, headers) with ST_INPUT and a message. */
struct named_tensor {
	char *name;
	struct tensor t; /* owns t.data */
};
MUST_USE enum st safetensors_read(const char *path, struct named_tensor **out, size_t *n,
                                  struct err *e);
MUST_USE enum st safetensors_write(const char *path, const struct named_tensor *ts, size_t n,
                                   struct err *e);
MUST_USE enum st npy_read(const char *path, struct tensor *out, struct err *e);
MUST_USE enum st npy_write(const char *path, const struct tensor *t, struct err *e);
void named_tensors_free(struct named_tensor *ts, size_t n);

/* ---- hashing, workers, progress --------------------------------------------------------------- */

/* Lower-case hex SHA-256 (libcrypto). */
void sha256_hex(const void *p, size_t n, char out[65]);
MUST_USE enum st sha256_file(const char *path, char out[65], struct err *e);

/* Runs fn(ctx, i, worker) for i in 0..n-1 on `jobs` threads (1: on the caller's thread), each i once,
 * starting in order. When `commit` is not NULL it is called for every i in increasing order, one at
 * a time, as soon as all before it are done (so output does not depend on jobs); its return value
 * false stops the pool after the tasks in flight. */
void pool_run(int jobs, size_t n, void (*fn)(void *ctx, size_t i, int worker),
              bool (*commit)(void *ctx, size_t i), void *ctx);
int cpu_count(void);
/* Calls fn once when the calling thread ends (not when the process does): for what a library caches in each
 * thread. Asked for again by the same thread, it changes nothing; the first
 * fn of a thread is kept. */
void thread_at_exit(void (*fn)(void));

/* A progress line on stderr: rate and remaining time when stderr is a terminal, nothing in a pipe.
 * Thread-safe. progress_end erases the line. */
struct progress;
struct progress *progress_new(const char *what, uint64_t total);
void progress_add(struct progress *p, uint64_t n);
void progress_note(struct progress *p, const char *note);
void progress_end(struct progress *p);

double clock_seconds(void); /* monotonic */
/* ISO 8601 UTC of now, or of $SOURCE_DATE_EPOCH when set. */
void date_text(char out[32]);

extern const char gpuemu_version[]; /* "0.1.0" */

#endif
