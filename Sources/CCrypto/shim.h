// OpenSSL's libcrypto: digests, message authentication and random bytes.
#ifndef CARILLON_CCRYPTO_SHIM_H
#define CARILLON_CCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#endif
