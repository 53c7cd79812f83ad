/* philox.c - counter-based random numbers.
 *
 * Philox4x32-10 of Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3"
 * (SC'11).
 *
 * Public format, never to change, for case lines must give the same bytes for ever:
 *   key     = (seed mod 2^32, seed div 2^32)
 *   counter = (b mod 2^32, b div 2^32, stream mod 2^32, stream div 2^32), b = i div 2
 *   word i  = out[2h] + 2^32·out[2h+1],                                   h = i mod 2
 */
#include "base/base.h"

/* Multipliers and key increments of the paper: the golden ratio and √3 − 1 in 32 bits. */
#define PHILOX_M0     0xD2511F53u
#define PHILOX_M1     0xCD9E8D57u
#define PHILOX_W0     0x9E3779B9u
#define PHILOX_W1     0xBB67AE85u
#define PHILOX_ROUNDS 10

void philox4x32(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t c0 = ctr[0], c1 = ctr[1], c2 = ctr[2], c3 = ctr[3], k0 = key[0], k1 = key[1];

	for (int r = 0; r < PHILOX_ROUNDS; r++) {
		uint64_t p0 = (uint64_t)PHILOX_M0 * c0, p1 = (uint64_t)PHILOX_M1 * c2;

		c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
		c1 = (uint32_t)p1;
		c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
		c3 = (uint32_t)p0;
		k0 += PHILOX_W0;
		k1 += PHILOX_W1;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

void rand_pair(uint64_t seed, uint64_t stream, uint64_t b, uint64_t w[2])
{
	const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	const uint32_t ctr[4] = {(uint32_t)b, (uint32_t)(b >> 32), (uint32_t)stream,
	                         (uint32_t)(stream >> 32)};
	uint32_t out[4];

	philox4x32(ctr, key, out);
	w[0] = out[0] | (uint64_t)out[1] << 32;
	w[1] = out[2] | (uint64_t)out[3] << 32;
}

uint64_t rand_u64(uint64_t seed, uint64_t stream, uint64_t i)
{
	uint64_t w[2];

	rand_pair(seed, stream, i >> 1, w);
	return w[i & 1];
}

/* Lemire, "Fast random integer generation in an interval" (2019): the high half of x·n, where the
 * (2^64 mod n) lowest low halves are refused.  A refused x is replaced by word i of the stream
 * (seed ^ x, ~stream); this too is part of the public format. */
uint64_t rand_below(uint64_t seed, uint64_t stream, uint64_t i, uint64_t n)
{
	uint64_t x = rand_u64(seed, stream, i), floor = n ? -n % n : 0;
	unsigned __int128 m = (unsigned __int128)x * n;

	while ((uint64_t)m < floor) {
		x = rand_u64(seed ^ x, ~stream, i);
		m = (unsigned __int128)x * n;
	}
	return (uint64_t)(m >> 64);
}

double rand_unit(uint64_t seed, uint64_t stream, uint64_t i)
{
	return (double)(rand_u64(seed, stream, i) >> 11) * 0x1p-53;
}
