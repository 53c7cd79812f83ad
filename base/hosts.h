/* hosts.h - what hosts of code read: findings as SARIF 2.1.0 (OASIS Standard, errata 01; sections are named below) and as
 * annotations of GitHub's workflows, with places as paths from the repository's root. The one writer of both. */
#ifndef BASE_HOSTS_H
#define BASE_HOSTS_H

#include "base/base.h"

/* A path as a host shows it: from the root of the repository (the nearest folder above with .git) that it is in; else from the current folder,
 * where it is below that; else absolute. `.` and `..` are resolved in the text, links are not followed; the file need not
 * exist. Caller frees. */
char *host_path(const char *path);
/* The path `to` from the folder `from`, both as they are given: `../x/y`; "." for the folder itself. Caller frees. */
char *host_relative(const char *from, const char *to);

struct sarif_rule {
	const char *id, *level; /* level: error, warning, note */
	const char *title, *text;
	const char *help;       /* NULL or "": none */
};
struct sarif_result {
	const char *rule, *level, *message;
	const char *path;      /* of the file, as a program opens it */
	int line, column;      /* from 1; 0: not known */
	const char *place;     /* what tells the place from others and stays when lines are added above it; for the fingerprint */
	const char *allowed;   /* NULL, or why it is suppressed, by the author … */
	const char *dropped;   /* … or by gpuemu */
	cJSON *properties;     /* NULL, or an object, which is taken over */
};

/* A log being made. Rules are told first, each once; a result's rule must be one of them (else it is left out: no log is
 * better than one which hosts refuse, but the caller is wrong, which a test finds). */
struct sarif;
struct sarif *sarif_new(void);
void sarif_add_rule(struct sarif *s, const struct sarif_rule *r);
void sarif_add(struct sarif *s, const struct sarif_result *r);
/* The log, for cJSON_Delete; s is freed. Results have partialFingerprints.primaryLocationLineHash (the one that GitHub reads):
 * of rule, file and place, and how many alike went before. */
cJSON *sarif_end(struct sarif *s);

/* A line `::LEVEL file=…,line=…,title=…::message` (level: error, warning, notice; line 0: none). */
void host_annotation(struct buf *b, const char *level, const char *path, int line, const char *title, const char *message);

#endif
