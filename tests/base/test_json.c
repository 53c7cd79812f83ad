/* test_json.c - JSON texts that must and must not be read, numbers that come back, schemas. */
#include "tests/check.h"

#include <locale.h>

static cJSON *parse(const char *text)
{
	struct err e = {0};
	cJSON *j = NULL;

	check_ok(json_parse("t", text, strlen(text), &j, &e), &e);
	return j;
}

static void reads_what_rfc_8259_allows(void **state)
{
	cJSON *j =
	        parse(" { \"a\\u00e9\\n\" : [ 1, -0, 2.5e-3, 1E+2, true, false, null ],\t\"b\":{},"
	              "\"c\":[ ],\"\":\"\\ud83d\\ude00\\/\" }\r\n");
	const cJSON *a = cJSON_GetObjectItemCaseSensitive(j, "a\xc3\xa9\n");

	(void)state;
	assert_int_equal(cJSON_GetArraySize(a), 7);
	assert_true(cJSON_GetArrayItem(a, 2)->valuedouble == 2.5e-3);
	assert_true(cJSON_GetArrayItem(a, 3)->valuedouble == 100);
	assert_string_equal(cJSON_GetObjectItemCaseSensitive(j, "")->valuestring,
	                    "\xf0\x9f\x98\x80/");
	cJSON_Delete(j);
}

static void refuses_malformed_text_at_the_place(void **state)
{
	static const struct row {
		const char *text, *message;
	} rows[] = {
		{"", "t:1:1: expected a JSON value, but the text ends here"},
		{"  \n ", "t:2:2: expected a JSON value, but"},
		{"{\"a\":1,\n \"a\":2}", "t:2:2: key 'a' appears twice"},
		{"{\"a\":1,\"b\":{\"a\":1},\"\\u0061\":2}", "t:1:20: key 'a' appears twice"},
		{"[1,2] x", "t:1:7: unexpected text after the value"},
		{"{} {}", "t:1:4: unexpected text"},
		{"[1,]", "t:1:4: expected another element after ','"},
		{"{\"a\":1,}", "expected another element"},
		{"[1 2]", "t:1:4: expected ',' or ']'"},
		{"[1", "expected ',' or ']', but the text ends here"},
		{"{\"a\"}", "t:1:5: expected ':' after the key"},
		{"{a:1}", "t:1:2: expected a key in quotation marks"},
		{"{\"a\":}", "t:1:6: expected a JSON value"},
		{"'a'", "expected a JSON value"},
		{"nul", "expected a JSON value"},
		{"NaN", "expected a JSON value"},
		{"\"abc", "t:1:1: string without end"},
		{"\"a\tb\"", "t:1:3: control character 0x09 in a string"},
		{"\"\\x\"", "unknown escape"},
		{"\"\\u12g4\"", "t:1:6: expected four hex digits"},
		{"\"\\u0000\"", "t:1:2: the character U+0000 is not allowed"},
		{"\"\\ud800\"", "half of a surrogate pair"},
		{"\"\\ud800\\u0041\"", "half of a surrogate pair"},
		{"\"\\udc00\"", "half of a surrogate pair"},
		{"\"\xff\"", "byte 0xff is not valid UTF-8"},
		{"\"\xc0\x80\"", "not valid UTF-8"},
		{"\"\xed\xa0\x80\"", "not valid UTF-8"},
		{"\"\xf4\x90\x80\x80\"", "not valid UTF-8"},
		{"\"\xe2\x82\"", "not valid UTF-8"},
		{"01", "t:1:1: a number may not start with 0"},
		{"-", "t:1:2: expected a digit"},
		{"+1", "expected a JSON value"},
		{".5", "expected a JSON value"},
		{"1.", "t:1:3: expected a digit after the decimal point"},
		{"1e", "expected a digit in the exponent"},
		{"1e999", "beyond the range of a double"},
		{"0.0000000000000000000000000000000000000000000000000000000000001",
	         "number of more"},
		{"\xef\xbb\xbf{}", "expected a JSON value"},
	};
	struct err e = {0};
	cJSON *j = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_fails(json_parse("t", rows[i].text, strlen(rows[i].text), &j, &e), ST_INPUT,
		            &e, rows[i].message);
	check_fails(json_parse("t", "[1]\0", 4, &j, &e), ST_INPUT, &e, "unexpected text");
	check_fails(json_parse("t", "\"a\0b\"", 5, &j, &e), ST_INPUT, &e, "control character");
	assert_null(j);
}

static void nesting_ends_at_64(void **state)
{
	char text[200];
	struct err e = {0};
	cJSON *j;

	(void)state;
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	check_ok(json_parse("t", text, 128, &j, &e), &e);
	cJSON_Delete(j);
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	check_fails(json_parse("t", text, 130, &j, &e), ST_INPUT, &e,
	            "t:1:65: nested deeper than 64");
}

static void many_keys_are_checked_quickly(void **state)
{
	struct buf b = {0};
	struct err e = {0};
	cJSON *j;

	(void)state;
	for (int i = 0; i < 200000; i++)
		buf_printf(&b, "%s\"k%d\":%d", i ? "," : "{", i, i);
	buf_puts(&b, ",\"k77\":0}");
	check_fails(json_parse("t", b.s, b.len, &j, &e), ST_INPUT, &e, "key 'k77' appears twice");
	buf_free(&b);
}

/* ---- printing ---- */

static void check_number(double x)
{
	cJSON *j = cJSON_CreateNumber(x), *back;
	char *text = json_print(j, false), shorter[40];

	back = parse(text);
	check_true(back->valuedouble == x && signbit(back->valuedouble) == signbit(x), "%a: %s", x,
	           text);
	/* shortest: with one significant digit less it does not come back */
	for (int n = 1; n < 17 && fabs(x) >= 0x1p53; n++) {
		snprintf(shorter, sizeof shorter, "%.*e", n - 1, x);
		if (strtod(shorter, NULL) == x) {
			char *e = strchr(text, 'e'), *p = text;
			int digits = 0;

			for (; p != e && *p; p++)
				digits += *p >= '0' && *p <= '9';
			check_true(e == NULL || digits <= n, "%a: %s", x, text);
			break;
		}
	}
	free(text);
	cJSON_Delete(j);
	cJSON_Delete(back);
}

static void numbers_come_back(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t b = rand_u64(1, 1, i);
		double x;

		memcpy(&x, &b, sizeof x);
		if (isfinite(x))
			check_number(x);
		check_number(ldexp((double)(int64_t)b, -(int)(b % 100)));
		check_number((double)(b >> 11));
	}
	check_number(-0.0);
	check_number(0x1p53 - 1);
	check_number(0x1p53);
	check_number(0x1p-1074);
	check_number(1e22);
}

static void numbers_look_as_people_write_them(void **state)
{
	static const struct row {
		double x;
		const char *text;
	} rows[] = {
		{0, "0"},
		{-1, "-1"},
		{0.1, "0.1"},
		{1.0 / 3, "0.3333333333333333"},
		{1e300, "1e+300"},
		{5e-324, "5e-324"},
		{2.5, "2.5"},
		{9007199254740991, "9007199254740991"},
		{1e15, "1000000000000000"},
		{0.30000000000000004, "0.30000000000000004"},
		{NAN, "null"},
		{INFINITY, "null"},
		{-INFINITY, "null"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cJSON *j = cJSON_CreateNumber(rows[i].x);
		char *text = json_print(j, false);

		assert_string_equal(text, rows[i].text);
		free(text);
		cJSON_Delete(j);
	}
}

static void the_locale_does_not_matter(void **state)
{
	cJSON *j = cJSON_CreateNumber(0.1);
	const char *set = setlocale(LC_NUMERIC, "de_DE.UTF-8");
	char *text;

	(void)state;
	if (set == NULL)
		set = setlocale(LC_NUMERIC, "de_DE.utf8");
	text = json_print(j, false);
	setlocale(LC_NUMERIC, "C");
	cJSON_Delete(j);
	if (set == NULL) {
		free(text);
		check_skip("no locale with a decimal comma is installed");
	}
	assert_string_equal(text, "0.1");
	free(text);
}

static void texts_print_pretty_and_on_one_line(void **state)
{
	static const char one[] =
	        "{\"a\":[1,2,\"x\\n\\u0001\\\"\xc3\xa9\"],\"b\":{},\"c\":[{\"d\":null},true]}";
	static const char pretty[] = "{\n"
	                             "  \"a\": [1, 2, \"x\\n\\u0001\\\"\xc3\xa9\"],\n"
	                             "  \"b\": {},\n"
	                             "  \"c\": [\n"
	                             "    {\n"
	                             "      \"d\": null\n"
	                             "    },\n"
	                             "    true\n"
	                             "  ]\n"
	                             "}\n";
	cJSON *j = parse(pretty);
	char *text = json_print(j, false);

	(void)state;
	assert_string_equal(text, one);
	free(text);
	text = json_print(j, true);
	assert_string_equal(text, pretty);
	free(text);
	cJSON_Delete(j);
	j = cJSON_CreateString("a\xff");
	text = json_print(j, false);
	assert_string_equal(text, "\"a\\ufffd\"");
	free(text);
	cJSON_Delete(j);
}

static void files_are_written_and_read(void **state)
{
	char path[] = "/tmp/gpuemu-json-XXXXXX";
	struct err e = {0};
	cJSON *j = parse("{\"a\":[0.1]}"), *back;

	(void)state;
	assert_true(mkstemp(path) >= 0);
	check_ok(json_write(path, j, &e), &e);
	check_ok(json_read(path, 100, &back, &e), &e);
	assert_true(cJSON_Compare(j, back, true));
	cJSON_Delete(back);
	cJSON_Delete(j);
	check_fails(json_read(path, 3, &back, &e), ST_INPUT, &e, "limit of 3");
	check_ok(file_write(path, "[1,", 3, &e), &e);
	check_fails(json_read(path, 100, &back, &e), ST_INPUT, &e, path);
	remove(path);
}

/* ---- schemas ---- */

static const char schema_text[] =
	"{\"$schema\":\"http://json-schema.org/draft-07/"
	"schema#\",\"title\":\"t\",\"type\":\"object\","
	"\"required\":[\"op\",\"launches\"],\"additionalProperties\":false,"
	"\"properties\":{"
	" \"op\":{\"type\":\"string\",\"minLength\":1,\"pattern\":\"^[a-z_]+$\"},"
	" \"dtypes\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":3,"
	"   \"items\":{\"enum\":[\"f32\",\"f16\",\"bf16\"]}},"
	" \"version\":{\"const\":1},"
	" \"ratio\":{\"type\":[\"number\",\"null\"],\"minimum\":0,\"maximum\":1},"
	" \"args\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}},"
	" \"launches\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/launch\"}}},"
	"\"definitions\":{"
	" \"expr\":{\"oneOf\":[{\"type\":\"integer\",\"minimum\":0},{\"type\":\"string\"}]},"
	" \"launch\":{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"grid\"],"
	"   "
	"\"properties\":{\"grid\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/expr\"}},"
	"     \"shared\":{\"$ref\":\"#/definitions/expr\"}}}}}";

static enum st validate(const char *text, const char *schema, struct err *e)
{
	cJSON *j = parse(text), *s = parse(schema);
	enum st rc = json_validate(j, s, "kernel.json", e);

	cJSON_Delete(j);
	cJSON_Delete(s);
	return rc;
}

static void valid_documents_pass(void **state)
{
	static const char full[] =
	        "{\"op\":\"a\",\"launches\":[{\"grid\":[1,\"R\"],\"shared\":\"4*C\"}],"
	        "\"version\":1.0,\"dtypes\":[\"f32\",\"bf16\"],\"ratio\":null,"
	        "\"args\":{\"x\":3,\"y\":-4}}";
	struct err e = {0};

	(void)state;
	check_ok(validate("{\"op\":\"softmax\",\"launches\":[]}", schema_text, &e), &e);
	check_ok(validate("{\"op\":\"a\",\"launches\":[],\"ratio\":0.5}", schema_text, &e), &e);
	check_ok(validate(full, schema_text, &e), &e);
}

static void invalid_documents_are_told_by_path(void **state)
{
	static const struct row {
		const char *text, *message;
	} rows[] = {
		{"[]", "kernel.json: must be an object, is an array"},
		{"{\"op\":\"a\"}", "kernel.json: key 'launches' is missing"},
		{"{\"op\":\"a\",\"lauches\":[]}",
	         "kernel.json: unknown key 'lauches'; did you mean 'launches'?"},
		{"{\"op\":\"a\",\"launches\":[{\"grid\":[1],\"shraed\":1}]}",
	         "kernel.json: launches[0]: unknown key 'shraed'; did you mean 'shared'?"},
		{"{\"op\":\"a\",\"launches\":[],\"zebra\":1}",
	         "unknown key 'zebra' (known: op, dtypes, version, ratio, args, launches)"},
		{"{\"op\":\"a\",\"launches\":[{\"grid\":[1]},{\"grid\":7}]}",
	         "kernel.json: launches[1].grid: must be an array, is an integer"},
		{"{\"op\":\"a\",\"launches\":[{\"grid\":[1,true]}]}",
	         "launches[0].grid[1]: must be an integer, is a boolean; or must be a string, is a "
	         "boolean"},
		{"{\"op\":\"a\",\"launches\":[{\"grid\":[-1]}]}", "grid[0]: -1 is less than 0"},
		{"{\"op\":\"a\",\"launches\":[{}]}", "launches[0]: key 'grid' is missing"},
		{"{\"op\":7,\"launches\":[]}", "kernel.json: op: must be a string, is an integer"},
		{"{\"op\":\"\",\"launches\":[]}", "op: needs at least 1 characters"},
		{"{\"op\":\"A b\",\"launches\":[]}", "op: 'A b' does not match ^[a-z_]+$"},
		{"{\"op\":\"a\",\"launches\":[],\"version\":2}", "version: must be 1, is 2"},
		{"{\"op\":\"a\",\"launches\":[],\"dtypes\":[]}",
	         "dtypes: needs at least 1 elements"},
		{"{\"op\":\"a\",\"launches\":[],\"dtypes\":[1,1,1,1]}",
	         "at most 3 elements, has 4"},
		{"{\"op\":\"a\",\"launches\":[],\"dtypes\":[\"f32\",\"fp16\"]}",
	         "dtypes[1]: must be one of \"f32\", \"f16\", \"bf16\"; is \"fp16\"; did you mean "
	         "'f16'?"},
		{"{\"op\":\"a\",\"launches\":[],\"ratio\":\"x\"}",
	         "ratio: must be one of the types \"number\", \"null\", is a string"},
		{"{\"op\":\"a\",\"launches\":[],\"ratio\":1.5}", "ratio: 1.5 is more than 1"},
		{"{\"op\":\"a\",\"launches\":[],\"args\":{\"x\":1.5}}",
	         "args.x: must be an integer, is a number"},
	};
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_fails(validate(rows[i].text, schema_text, &e), ST_INPUT, &e, rows[i].message);
}

static void one_of_tells_the_form_that_got_furthest(void **state)
{
	static const char schema[] =
	        "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"object\",\"properties\":{\"a\":"
	        "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"integer\"}}}}},"
	        "{\"type\":\"number\"}]}";
	struct err e = {0};

	(void)state;
	check_fails(validate("{\"a\":{\"b\":\"x\"}}", schema, &e), ST_INPUT, &e,
	            "kernel.json: a.b: must be an integer, is a string");
	check_ok(validate("\"s\"", schema, &e), &e);
	check_fails(validate("3", "{\"oneOf\":[{\"type\":\"integer\"},{\"minimum\":1}]}", &e),
	            ST_INPUT, &e, "fits 2 of the forms, must fit one");
}

static void schemas_that_say_more_than_we_know_are_refused(void **state)
{
	struct err e = {0};

	(void)state;
	check_fails(validate("1", "{\"multipleOf\":2}", &e), ST_BUG, &e,
	            "'multipleOf' is not supported");
	check_fails(validate("1", "{\"$ref\":\"#/definitions/x\"}", &e), ST_BUG, &e,
	            "leads nowhere");
	check_fails(validate("1",
	                     "{\"$ref\":\"#/definitions/x\",\"definitions\":{\"x\":{\"$ref\":"
	                     "\"#/definitions/x\"}}}",
	                     &e),
	            ST_BUG, &e, "without end");
	check_fails(validate("\"a\"", "{\"pattern\":\"(\"}", &e), ST_BUG, &e, "regular expression");
	check_fails(validate("1", "{\"oneOf\":[{\"foo\":1},{}]}", &e), ST_BUG, &e, "'foo'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_rfc_8259_allows),
		cmocka_unit_test(refuses_malformed_text_at_the_place),
		cmocka_unit_test(nesting_ends_at_64),
		cmocka_unit_test(many_keys_are_checked_quickly),
		cmocka_unit_test(numbers_come_back),
		cmocka_unit_test(numbers_look_as_people_write_them),
		cmocka_unit_test(the_locale_does_not_matter),
		cmocka_unit_test(texts_print_pretty_and_on_one_line),
		cmocka_unit_test(files_are_written_and_read),
		cmocka_unit_test(valid_documents_pass),
		cmocka_unit_test(invalid_documents_are_told_by_path),
		cmocka_unit_test(one_of_tells_the_form_that_got_furthest),
		cmocka_unit_test(schemas_that_say_more_than_we_know_are_refused),
	};

	return check_main(tests);
}
