/* words.h - what the words of evidence mean, for readers who have nothing else (private to validate/). */
#ifndef VALIDATE_WORDS_H
#define VALIDATE_WORDS_H

#include "validate/internal.h"

/* {"values", "layouts", "findings", "rules": [{"word", "form", "meaning"}, …], "operators": [{"word", "text"}, …]}:
 * every class of values, family of layout, kind of finding and rule of lint that evidence can name, and the operators of the
 * targets as `gpuemu ops` tells them, without their error scale. */
cJSON *words_json(struct target *const *targets, int n);

#endif
