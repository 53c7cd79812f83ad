/* words.c - see words.h. */
#include "validate/words.h"

#include <stdlib.h>
#include <string.h>

#include "validate/lint/lint.h"

static void add_word(cJSON *list, const char *word, const char *form, const char *meaning)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "word", word);
	if (form)
		cJSON_AddStringToObject(j, "form", form);
	cJSON_AddStringToObject(j, "meaning", meaning);
	cJSON_AddItemToArray(list, j);
}

/* Lines "form meaning", where form is a word and perhaps its arguments in parentheses. Frees text. */
static cJSON *described(char *text)
{
	cJSON *list = cJSON_CreateArray();
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t n = strcspn(line, " ");
		char *meaning = line + n + strspn(line + n, " "), *form = mem_strdup(line), *word;

		form[n] = 0;
		word = mem_strdup(form);
		word[strcspn(word, "(")] = 0;
		add_word(list, word, strcmp(word, form) != 0 ? form : NULL, meaning);
		free(word);
		free(form);
	}
	free(text);
	return list;
}

static cJSON *findings(void)
{
	cJSON *list = cJSON_CreateArray();

	for (int k = 0; k < FIND_COUNT; k++)
		add_word(list, finding_name(k), NULL, finding_meaning(k));
	return list;
}

static cJSON *rules(void)
{
	cJSON *list = cJSON_CreateArray();
	const struct lint_rule *r;

	for (int i = 0; (r = lint_rule_get(i)) != NULL; i++)
		add_word(list, r->id, NULL, r->title);
	return list;
}

/* Each once, in the order in which they occur. */
static cJSON *operators(struct target *const *targets, int n)
{
	cJSON *list = cJSON_CreateArray();

	for (int i = 0; i < n; i++) {
		const struct op *op = kernel_op(targets[i]->kernel);
		const char *name = op_schema(op)->name;
		const cJSON *x;
		bool told = false;
		char *text, *scale;
		cJSON *j;

		cJSON_ArrayForEach(x, list)
			told |= strcmp(cJSON_GetObjectItemCaseSensitive(x, "word")->valuestring, name) == 0;
		if (told)
			continue;
		text = op_describe(op);
		scale = strstr(text, "\nError scale S");
		if (scale)
			*scale = 0;
		j = cJSON_CreateObject();
		cJSON_AddStringToObject(j, "word", name);
		cJSON_AddStringToObject(j, "text", text);
		cJSON_AddItemToArray(list, j);
		free(text);
	}
	return list;
}

cJSON *words_json(struct target *const *targets, int n)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddItemToObject(j, "values", described(values_describe()));
	cJSON_AddItemToObject(j, "layouts", described(layouts_describe()));
	cJSON_AddItemToObject(j, "findings", findings());
	cJSON_AddItemToObject(j, "rules", rules());
	cJSON_AddItemToObject(j, "operators", operators(targets, n));
	return j;
}
