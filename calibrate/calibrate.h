/* calibrate.h - measures a device: what each instruction form computes on it (the conformance suite, a
 * golden file), and holds one device against another or against a golden file.
 *
 * Knows device, cases, oracles, ptx and base. */
#ifndef CALIBRATE_CALIBRATE_H
#define CALIBRATE_CALIBRATE_H

#include "device/device.h"

#endif
