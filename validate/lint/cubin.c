/* cubin.c - ELF64 and the attribute lists of a cubin, every offset held against the file's length. */
#include "validate/lint/cubin.h"

#include <elf.h>
#include <string.h>

#define MAX_SECTIONS 4096
#define MACHINE_CUDA 190
#define ABI_NEW 0x41 /* since CUDA 13; before: 0x33 */
#define SYSTEM_SHARED 1024 /* sm_90 and later count what the system keeps of a block's shared memory */

const char *sass_kind_name(enum sass_kind k)
{
	static const char *const names[] = {
#define X(name) #name,
		SASS_LIST(X)
#undef X
	};

	return names[k];
}

/* ---- the file ---- */

struct cubin {
	const uint8_t *data;
	size_t n;
	const char *name;
	struct arena *a;
	Elf64_Ehdr head;
	Elf64_Shdr *section;
	int nsection, symtab;
	struct sass **kernel; /* by section, NULL: it holds none */
};

static bool inside(const struct cubin *c, uint64_t at, uint64_t n)
{
	return at <= c->n && n <= c->n - at;
}

/* A NUL-terminated string of a string section; "" when it does not lie in the file. */
static const char *string_at(const struct cubin *c, uint32_t section, uint64_t at)
{
	const Elf64_Shdr *s;

	if (section >= (uint32_t)c->nsection)
		return "";
	s = &c->section[section];
	if (s->sh_type != SHT_STRTAB || !inside(c, s->sh_offset, s->sh_size) || at >= s->sh_size ||
	    !memchr(c->data + s->sh_offset + at, 0, s->sh_size - at))
		return "";
	return (const char *)c->data + s->sh_offset + at;
}

static const char *section_name(const struct cubin *c, int i)
{
	return string_at(c, c->head.e_shstrndx, c->section[i].sh_name);
}

static int find_section(const struct cubin *c, const char *prefix, const char *rest)
{
	size_t n = strlen(prefix);

	for (int i = 1; i < c->nsection; i++) {
		const char *s = section_name(c, i);

		if (strncmp(s, prefix, n) == 0 && strcmp(s + n, rest) == 0)
			return i;
	}
	return -1;
}

/* The bytes of a section; n = 0 when there are none in the file. */
static const uint8_t *bytes_of(const struct cubin *c, int i, uint64_t *n)
{
	*n = 0;
	if (i < 0 || c->section[i].sh_type == SHT_NOBITS || !inside(c, c->section[i].sh_offset, c->section[i].sh_size))
		return c->data;
	*n = c->section[i].sh_size;
	return c->data + c->section[i].sh_offset;
}

static enum st open_elf(struct cubin *c, struct err *e)
{
	if (c->n < sizeof c->head || memcmp(c->data, ELFMAG, SELFMAG) != 0)
		return FAIL(e, INPUT, "%s: not a cubin: it does not begin as an ELF file does", c->name);
	memcpy(&c->head, c->data, sizeof c->head);
	if (c->head.e_ident[EI_CLASS] != ELFCLASS64 || c->head.e_ident[EI_DATA] != ELFDATA2LSB || c->head.e_machine != MACHINE_CUDA)
		return FAIL(e, INPUT, "%s: an ELF file, but not a cubin (machine %u; CUDA's is %d)", c->name, c->head.e_machine, MACHINE_CUDA);
	if (c->head.e_shentsize != sizeof *c->section || !inside(c, c->head.e_shoff, (uint64_t)c->head.e_shnum * sizeof *c->section))
		return FAIL(e, INPUT, "%s: damaged: its table of %u sections lies outside of the file", c->name, c->head.e_shnum);
	if (c->head.e_shnum > MAX_SECTIONS)
		return FAIL(e, LIMIT, "%s: %u sections; at most %d are read", c->name, c->head.e_shnum, MAX_SECTIONS);
	c->nsection = c->head.e_shnum;
	c->section = arena_alloc(c->a, sizeof *c->section * ((size_t)c->nsection + 1));
	if (c->nsection)
		memcpy(c->section, c->data + c->head.e_shoff, sizeof *c->section * (size_t)c->nsection);
	for (int i = 0; i < c->nsection; i++)
		if (c->section[i].sh_type != SHT_NOBITS && c->section[i].sh_type != SHT_NULL &&
		    !inside(c, c->section[i].sh_offset, c->section[i].sh_size))
			return FAIL(e, INPUT, "%s: damaged: section %d lies outside of the file", c->name, i);
	return ST_OK;
}

static int architecture(const struct cubin *c)
{
	return (int)(c->head.e_ident[EI_OSABI] == ABI_NEW ? c->head.e_flags >> 8 : c->head.e_flags) & 0xff;
}

/* ---- attributes ---- */

/* Format, number, then a byte, a half word, or a half word that counts the bytes behind it. */
enum { FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };
enum {
	ATTR_MAX_THREADS = 0x05, ATTR_REQNTID = 0x10, ATTR_FRAME_SIZE = 0x11, ATTR_PARAM_SIZE = 0x19, ATTR_REGCOUNT = 0x2f,
	ATTR_BARRIERS = 0x4c
};

struct attribute {
	int number;
	uint32_t value;      /* of a byte or half word */
	const uint8_t *data; /* of a sized one */
	uint32_t n;
};

static uint32_t word(const struct attribute *a, uint32_t i)
{
	uint32_t v = 0;

	if (4 * (uint64_t)i + 4 <= a->n)
		memcpy(&v, a->data + 4 * (size_t)i, 4);
	return v;
}

/* Calls fn for each attribute of a section; a list that ends within one ends before it. */
static void each_attribute(const struct cubin *c, int section, void (*fn)(void *ctx, const struct attribute *a), void *ctx)
{
	uint64_t n, at = 0;
	const uint8_t *p = bytes_of(c, section, &n);

	while (at + 4 <= n) {
		struct attribute a = {.number = p[at + 1]};

		a.value = p[at] == FORMAT_BYTE ? p[at + 2] : (uint32_t)p[at + 2] | (uint32_t)p[at + 3] << 8;
		if (p[at] == FORMAT_SIZED) {
			a.data = p + at + 4;
			a.n = a.value;
			if (at + 4 + a.n > n)
				return;
		}
		at += 4 + a.n;
		fn(ctx, &a);
	}
}

/* ---- a kernel ---- */

/* The kernel that symbol i names; NULL: another function, which may lie in a kernel's section, or none. */
static struct sass *kernel_of(const struct cubin *c, uint32_t i)
{
	uint64_t n;
	const uint8_t *p = bytes_of(c, c->symtab, &n);
	Elf64_Sym sym;
	struct sass *s;

	if ((uint64_t)i * sizeof sym + sizeof sym > n)
		return NULL;
	memcpy(&sym, p + (size_t)i * sizeof sym, sizeof sym);
	s = sym.st_shndx < c->nsection ? c->kernel[sym.st_shndx] : NULL;
	return s && strcmp(string_at(c, c->section[c->symtab].sh_link, sym.st_name), s->entry) == 0 ? s : NULL;
}

/* Of .nv.info: attributes that name a symbol first. */
static void take_symbol(void *ctx, const struct attribute *a)
{
	struct sass *s = (a->number == ATTR_REGCOUNT || a->number == ATTR_FRAME_SIZE) && a->n >= 8 ? kernel_of(ctx, word(a, 0)) : NULL;

	if (s && a->number == ATTR_REGCOUNT)
		s->registers = (int)(word(a, 1) & 0xffff);
	else if (s)
		s->stack = word(a, 1);
}

/* Of .nv.info.NAME. */
static void take_own(void *ctx, const struct attribute *a)
{
	struct sass *s = ctx;

	if (a->number == ATTR_BARRIERS)
		s->barriers = (int)a->value;
	else if (a->number == ATTR_PARAM_SIZE)
		s->params = a->value;
	else if ((a->number == ATTR_MAX_THREADS || a->number == ATTR_REQNTID) && a->n >= 12) {
		uint64_t threads = (uint64_t)(word(a, 0) & 0xffff) * (word(a, 1) & 0xffff) * (word(a, 2) & 0xffff);

		s->max_threads = threads <= 1024 ? (int)threads : 1024;
	}
}

/* The lower nine bits of an instruction are its opcode; the three above them say which operands are constants. */
static int kind_of(unsigned opcode)
{
	switch (opcode) {
	case 0x020: case 0x021: case 0x023: return SASS_fp32;
	case 0x030: case 0x031: case 0x032: case 0x035: return SASS_fp16;
	case 0x028: case 0x029: case 0x02b: return SASS_fp64;
	case 0x03c: case 0x037: case 0x03f: return SASS_tensor;
	case 0x108: return SASS_special;
	case 0x181: return SASS_global_loads;
	case 0x186: return SASS_global_stores;
	case 0x180: return SASS_generic_loads;
	case 0x185: return SASS_generic_stores;
	case 0x183: return SASS_local_loads;
	case 0x187: return SASS_local_stores;
	case 0x184: case 0x03b: return SASS_shared_loads;
	case 0x188: return SASS_shared_stores;
	case 0x1ae: return SASS_async_copies;
	case 0x1a6: case 0x1a8: case 0x1a9: case 0x18c: case 0x18d: case 0x18e: return SASS_atomics;
	case 0x11d: return SASS_barriers_passed;
	case 0x189: return SASS_shuffles;
	case 0x006: return SASS_votes;
	case 0x147: return SASS_branches;
	default: return -1;
	}
}

#define OPCODE_NOP 0x118
#define INSTRUCTION_BYTES 16 /* since sm_70 */

static void count_instructions(const struct cubin *c, int text, struct sass *s)
{
	uint64_t n;
	const uint8_t *p = bytes_of(c, text, &n);

	for (uint64_t at = 0; at + INSTRUCTION_BYTES <= n; at += INSTRUCTION_BYTES) {
		unsigned opcode = (unsigned)(p[at] | p[at + 1] << 8) & 0x1ff;
		int kind = kind_of(opcode);

		s->instructions += opcode != OPCODE_NOP;
		if (kind >= 0)
			s->count[kind]++;
	}
}

static uint64_t size_of(const struct cubin *c, const char *prefix, const char *rest)
{
	int i = find_section(c, prefix, rest);

	return i < 0 ? 0 : c->section[i].sh_size;
}

static void read_kernel(const struct cubin *c, int text, const char *entry, int info, struct sass *s)
{
	*s = (struct sass){.entry = arena_strndup(c->a, entry, strlen(entry)), .sm = architecture(c)};
	s->registers = (int)(c->section[text].sh_info >> 24); /* before sm_90; .nv.info has it as well */
	if (c->head.e_ident[EI_OSABI] != ABI_NEW) /* an attribute since */
		s->barriers = (int)(c->section[text].sh_flags >> 20 & 0x7f);
	each_attribute(c, info, take_own, s);
	count_instructions(c, text, s);
	s->shared = size_of(c, ".nv.shared.", entry);
	if (s->sm >= 90)
		s->shared -= s->shared < SYSTEM_SHARED ? s->shared : SYSTEM_SHARED;
	s->constant = size_of(c, ".nv.constant3", "");
}

enum st cubin_read(const void *data, size_t n, const char *name, struct arena *a, struct sass **out, int *nout, struct err *e)
{
	struct cubin c = {.data = data, .n = n, .name = name, .a = a};
	static const char text[] = ".text.";
	uint64_t read = 0;

	TRY(open_elf(&c, e));
	if (architecture(&c) < 70)
		return FAIL(e, UNSUP, "%s: made for sm_%d; sm_70 and later are read", name, architecture(&c));
	*out = arena_alloc(a, sizeof **out * ((size_t)c.nsection + 1));
	*nout = 0;
	c.kernel = arena_alloc(a, sizeof *c.kernel * ((size_t)c.nsection + 1));
	for (int i = 1; i < c.nsection; i++) {
		const char *s = section_name(&c, i), *entry = s + sizeof text - 1;
		int info = strncmp(s, text, sizeof text - 1) == 0 ? find_section(&c, ".nv.info.", entry) : -1;

		if (info < 0)
			continue; /* functions that are no kernels have no list of their own */
		read += c.section[i].sh_size + c.section[info].sh_size;
		if (read > n) /* or a small file would keep us for hours */
			return FAIL(e, INPUT, "%s: damaged: its kernels' sections lie in one another", name);
		c.kernel[i] = &(*out)[(*nout)++];
		read_kernel(&c, i, entry, info, c.kernel[i]);
	}
	c.symtab = find_section(&c, ".symtab", "");
	if (c.symtab >= 0)
		each_attribute(&c, find_section(&c, ".nv.info", ""), take_symbol, &c);
	return *nout ? ST_OK : FAIL(e, INPUT, "%s: a cubin without a kernel", name);
}
