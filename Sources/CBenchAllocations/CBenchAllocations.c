// Counts what a thread allocates: a program's own malloc takes the place of glibc's, which it calls by its second
// name. Only the benchmark links this.
#include "CBenchAllocations.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

static _Thread_local uint64_t count;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
  count++;
  return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
  count++;
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *pointer = memory;
  return 0;
}

bool carillon_bench_counts_allocations(void) { return true; }
uint64_t carillon_bench_allocations(void) { return count; }

#else

bool carillon_bench_counts_allocations(void) { return false; }
uint64_t carillon_bench_allocations(void) { return 0; }

#endif

#if defined(__GLIBC__)
#include <malloc.h>
void carillon_bench_give_back_memory(void) { malloc_trim(0); }
#else
void carillon_bench_give_back_memory(void) {}
#endif
