/* check_buffers.h - fills the buffers of a run before it and looks at them after it (private to
 * device/). */
#ifndef DEVICE_CHECK_BUFFERS_H
#define DEVICE_CHECK_BUFFERS_H

#include "base/launch.h"

struct buffer_watch;

/* Fills outputs, workspaces and all guards with the plan's fill byte, keeps a copy of the inputs,
 * and sees to it that a sanitized run finds a cleared `written` bitmap on every output and
 * workspace. */
struct buffer_watch *buffer_watch_begin(const struct run_plan *plan, bool sanitize);
/* Adds findings for inputs, guards and padding that changed and, when sanitized and r->complete,
 * for elements of outputs that no store reached. */
void buffer_watch_report(const struct buffer_watch *w, const struct run_plan *plan,
                         struct run_report *r);
/* Takes back the bitmaps that buffer_watch_begin added, and frees w. */
void buffer_watch_end(struct buffer_watch *w, const struct run_plan *plan);

#endif
