#ifndef CARILLON_BENCH_ALLOCATIONS_H
#define CARILLON_BENCH_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted in this build: on glibc, and without a sanitizer, which brings its own malloc.
bool carillon_bench_counts_allocations(void);

/// Allocations that the calling thread has made so far.
uint64_t carillon_bench_allocations(void);

/// Gives memory that was freed back to the system, where the allocator can.
void carillon_bench_give_back_memory(void);

#endif
