/* The summary of an evidence of three kernels, counted by hand; a campaign in this process whose evidence
 * meets its schema. */
#include <unistd.h>

#include "tests/check.h"
#include "validate/internal.h"

/* b1: caught in f32 by value, in f16 by a sanitizer alone; accepted by `seed` at 20 of 20 seeds in f32 and 4
 * of 5 in f16. b2: its twin fails in f16, so it is caught over all dtypes by no one. c1 passes. c2 fails in
 * f16. */
static const char text[] =
	"{\"profiles\": [{\"name\": \"seed\", \"published_inputs\": \"head\"},"
	"               {\"name\": \"v0\", \"published_inputs\": \"v0\"}],"
	" \"friendly_inputs\": ["
	"  {\"set\": \"seed\", \"operator\": \"relu\", \"case\": \"N=4\", \"seeds\": 20,"
	"   \"nulls\": {\"zeros\": {\"seed\": 20}, \"constant 1\": {\"seed\": 19}}}],"
	" \"kernels\": ["
	"  {\"name\": \"b1\", \"role\": \"buggy\", \"twin\": \"c1\", \"sets\": [\"seed\", \"flash\"],"
	"   \"verdict\": \"FAIL\", \"value\": \"FAIL\", \"dtypes\": ["
	"    {\"dtype\": \"f32\", \"verdict\": \"FAIL\", \"value\": \"FAIL\", \"cases\": 100,"
	"     \"cases_failed\": 30, \"cases_unknown\": 2, \"cases_no_power\": 5,"
	"     \"elements_out_of_contract\": 7},"
	"    {\"dtype\": \"f16\", \"verdict\": \"FAIL\", \"value\": \"PASS\", \"cases\": 100,"
	"     \"cases_failed\": 1, \"cases_unsupported\": 3}],"
	"   \"bench\": {\"friendly\": {\"f32\": {\"seeds\": 20, \"accepted\": {\"seed\": 20, \"v0\": 19}},"
	"                        \"f16\": {\"seeds\": 5, \"accepted\": {\"seed\": 4, \"v0\": 5}}},"
	"              \"head\": {\"f32\": {\"seeds\": 5, \"accepted\": {\"seed\": 0, \"v0\": 0}}},"
	"              \"v0\": {\"f32\": {\"seeds\": 5, \"accepted\": {\"seed\": 0, \"v0\": 5}}}}},"
	"  {\"name\": \"b2\", \"role\": \"buggy\", \"twin\": \"c2\", \"sets\": [\"seed\", \"flash\"],"
	"   \"verdict\": \"FAIL\", \"value\": \"FAIL\", \"dtypes\": ["
	"    {\"dtype\": \"f32\", \"verdict\": \"FAIL\", \"value\": \"FAIL\", \"cases\": 50,"
	"     \"cases_failed\": 50}],"
	"   \"bench\": {\"friendly\": {\"f32\": {\"seeds\": 0, \"accepted\": {\"seed\": 0, \"v0\": 0}}}}},"
	"  {\"name\": \"c1\", \"role\": \"control\", \"sets\": [\"seed\", \"flash\"],"
	"   \"verdict\": \"PASS\", \"value\": \"PASS\", \"dtypes\": ["
	"    {\"dtype\": \"f32\", \"verdict\": \"PASS\", \"value\": \"PASS\", \"cases\": 100},"
	"    {\"dtype\": \"f16\", \"verdict\": \"PASS\", \"value\": \"PASS\", \"cases\": 100}],"
	"   \"bench\": {\"friendly\": {\"f32\": {\"seeds\": 20, \"accepted\": {\"seed\": 20}}}}},"
	"  {\"name\": \"c2\", \"role\": \"control\", \"sets\": [\"flash\"],"
	"   \"verdict\": \"FAIL\", \"value\": \"PASS\", \"dtypes\": ["
	"    {\"dtype\": \"f32\", \"verdict\": \"PASS\", \"value\": \"PASS\", \"cases\": 10},"
	"    {\"dtype\": \"f16\", \"verdict\": \"FAIL\", \"value\": \"PASS\", \"cases\": 10,"
	"     \"cases_failed\": 4}]},"
	"  {\"name\": \"mine\", \"role\": \"user\", \"sets\": [\"seed\"], \"verdict\": \"FAIL\","
	"   \"value\": \"FAIL\", \"dtypes\": [{\"dtype\": \"f32\", \"cases\": 9, \"cases_failed\": 9}]}]}";

static double at(const cJSON *j, const char *a, const char *b, const char *c)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, a);

	v = b ? cJSON_GetObjectItemCaseSensitive(v, b) : v;
	v = c ? cJSON_GetObjectItemCaseSensitive(v, c) : v;
	return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

static void counts_are_those_made_by_hand(void **state)
{
	static const struct {
		const char *key;
		double seed, flash, seed_f16;
	} want[] = {
		{"buggy_total", 2, 2, 1},
		{"buggy_accepted_by_bench", 1, 1, 0}, /* f16: 4 of 5 seeds is not accepted */
		{"buggy_caught", 1, 1, 1},
		{"buggy_caught_by_value", 1, 1, 0},
		{"control_total", 1, 2, 1},
		{"control_accepted_by_bench", 1, 1, 0},
		{"control_passed", 1, 1, 1},
		{"control_flagged", 0, 1, 0},
		{"buggy_cases", 250, 250, 100},
		{"buggy_cases_flagged", 81, 81, 1},
		{"control_cases", 200, 220, 100},
		{"control_cases_flagged", 0, 4, 0},
		{"unknown", 2, 2, 0},
		{"unsupported", 3, 3, 3},
		{"cases_no_power", 5, 5, 0},
		{"elements_out_of_contract", 7, 7, 0},
	};
	cJSON *j = NULL;
	const cJSON *s;
	struct err e = {0};

	(void)state;
	check_ok(json_parse("text", text, strlen(text), &j, &e), &e);
	evidence_summary(j);
	s = cJSON_GetObjectItemCaseSensitive(j, "summary");
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const cJSON *f16 = cJSON_GetObjectItemCaseSensitive(
			cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(s, "seed"),
			                                 "by_dtype"), "f16");
		double a = at(s, "seed", want[i].key, NULL), b = at(s, "flash", want[i].key, NULL);
		double c = at(f16, want[i].key, NULL, NULL);

		check_true(a == want[i].seed && b == want[i].flash && c == want[i].seed_f16,
		           "%s: %g, %g, in f16 %g", want[i].key, a, b, c);
	}
	s = cJSON_GetObjectItemCaseSensitive(s, "seed");
	assert_true(at(s, "buggy_accepted_by", "seed", "friendly") == 1);
	assert_true(at(s, "buggy_accepted_by", "seed", "published") == 0);
	assert_true(at(s, "buggy_accepted_by", "seed", "published_total") == 1);
	assert_true(at(s, "buggy_accepted_by", "v0", "friendly") == 0);
	assert_true(at(s, "buggy_accepted_by", "v0", "published") == 1);
	/* zeros at 20 of 20 seeds, the constant at 19 */
	s = cJSON_GetObjectItemCaseSensitive(s, "friendly_null_accepted");
	assert_int_equal(cJSON_GetArraySize(s), 1);
	assert_string_equal(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(s, 0), "null")->valuestring,
	                    "zeros");
	cJSON_Delete(j);
}

static void evidence_meets_its_schema(void **state)
{
	char dir[] = "/tmp/gpuemu-evidence-XXXXXX";
	const char *folders[] = {"corpus/buggy/leaky_relu_alpha", "corpus/control/leaky_relu"};
	struct campaign_options o = campaign_defaults();
	struct target *t[2] = {NULL, NULL};
	struct device *d = NULL;
	cJSON *evidence = NULL, *read = NULL, *schema = NULL;
	struct err e = {0};
	char *path;

	(void)state;
	assert_non_null(mkdtemp(dir));
	check_ok(device_open("emu", &d, &e), &e);
	for (int i = 0; i < 2; i++)
		check_ok(target_open(d, folders[i], false, &t[i], &e), &e);
	o.out_dir = dir;
	o.argv_text = "test";
	o.cases = 6;
	o.jobs = 1;
	o.quiet = true;
	check_ok(campaign_run(&o, d, t, 2, &evidence, &e), &e);
	path = path_join(dir, "evidence.json");
	check_ok(json_read(path, (size_t)1 << 26, &read, &e), &e);
	assert_true(cJSON_Compare(read, evidence, true));
	check_ok(json_read("validate/evidence.schema.json", (size_t)1 << 22, &schema, &e), &e);
	check_ok(json_validate(read, schema, "evidence.json", &e), &e);
	/* the schema is not one that takes everything */
	cJSON_AddNumberToObject(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(read, "kernels"), 0),
	                        "verdickt", 1);
	check_fails(json_validate(read, schema, "evidence.json", &e), ST_INPUT, &e, "verdickt");
	unlink(path);
	free(path);
	path = path_join(dir, "cases.jsonl");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	free(path);
	cJSON_Delete(read);
	cJSON_Delete(schema);
	cJSON_Delete(evidence);
	target_free(t[0]);
	target_free(t[1]);
	device_close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_made_by_hand),
		cmocka_unit_test(evidence_meets_its_schema),
	};

	return check_main(tests);
}
