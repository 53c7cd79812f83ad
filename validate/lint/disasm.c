/* disasm.c - instructions by name, where NVIDIA's disassembler is installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "validate/lint/lint.h"

static struct sass *find(struct lint_report *r, const char *entry)
{
	for (int i = 0; i < r->nsass; i++)
		if (strcmp(r->sass[i].entry, entry) == 0)
			return &r->sass[i];
	return NULL;
}

static void count(struct lint_report *r, struct sass *s, const char *name)
{
	struct mnemonic *more;

	for (int i = 0; i < s->nmnemonics; i++)
		if (strcmp(s->mnemonic[i].name, name) == 0) {
			s->mnemonic[i].n++;
			return;
		}
	more = arena_alloc(r->arena, sizeof *more * ((size_t)s->nmnemonics + 1));
	if (s->nmnemonics)
		memcpy(more, s->mnemonic, sizeof *more * (size_t)s->nmnemonics);
	snprintf(more[s->nmnemonics].name, sizeof more->name, "%s", name);
	more[s->nmnemonics].n = 1;
	s->mnemonic = more;
	s->nmnemonics++;
}

/* A line of either tool: the head of a function (".text.NAME:", "Function : NAME"), or an instruction, behind whose place stand a predicate, if any,
 * and the name: "/\*0060*\/ @P0 EXIT ;". */
static void take_line(struct lint_report *r, struct sass **at, const char *line)
{
	char function[256], rest[64], name[16];
	const char *op = rest;

	if (sscanf(line, " .text.%255[^: \n]:", function) == 1 || sscanf(line, " Function : %255s", function) == 1) {
		*at = find(r, function);
		return;
	}
	if (!*at || sscanf(line, " /*%*[0-9a-f]*/ %63[^\n]", rest) != 1)
		return;
	if (rest[0] == '@')
		op += strcspn(rest, " ");
	if (sscanf(op, " %15[A-Z0-9_]", name) == 1 && strcmp(name, "NOP") != 0)
		count(r, *at, name);
}

static int by_count(const void *a, const void *b)
{
	const struct mnemonic *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->name, y->name);
}

/* true when the tool ran and ended well. */
static bool run(struct lint_report *r, const char *tool, const char *path)
{
	struct buf command = {0};
	struct sass *at = NULL;
	char line[1024];
	FILE *f;
	int status;

	buf_printf(&command, "%s ", tool);
	buf_shell(&command, path);
	buf_puts(&command, " 2>/dev/null");
	f = popen(command.s, "r");
	buf_free(&command);
	while (f && fgets(line, sizeof line, f))
		take_line(r, &at, line);
	status = f ? pclose(f) : -1;
	return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool lint_disassemble(struct lint_report *r, const char *path)
{
	static const char *const tools[] = {"nvdisasm -c", "cuobjdump -sass"};

	for (size_t t = 0; t < ARRAY_LEN(tools); t++) {
		for (int i = 0; i < r->nsass; i++)
			r->sass[i].nmnemonics = 0;
		if (!run(r, tools[t], path))
			continue;
		for (int i = 0; i < r->nsass; i++)
			if (r->sass[i].nmnemonics)
				qsort(r->sass[i].mnemonic, (size_t)r->sass[i].nmnemonics, sizeof *r->sass[i].mnemonic, by_count);
		r->disassembled_by = tools[t];
		return true;
	}
	return false;
}
