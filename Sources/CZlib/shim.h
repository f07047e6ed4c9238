// zlib: bodies in the gzip format. Each wrapper says why it is here.
#ifndef CARILLON_CZLIB_SHIM_H
#define CARILLON_CZLIB_SHIM_H

#include <zlib.h>

// deflateInit2 is a macro. 15 bits of window, and 16 for the format of gzip instead of zlib's.
static inline int czlib_begin_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
