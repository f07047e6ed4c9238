// libmicrohttpd's variadic calls, made fixed for Swift. Each wrapper says why it is here.
#ifndef CARILLON_CMICROHTTPD_SHIM_H
#define CARILLON_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

#endif
