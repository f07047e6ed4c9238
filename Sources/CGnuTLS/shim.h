// GnuTLS: certificates, keys and the sessions that libmicrohttpd makes. Each wrapper says why it is here.
#ifndef CARILLON_CGNUTLS_SHIM_H
#define CARILLON_CGNUTLS_SHIM_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

// gnutls_free is a variable that holds a function, which Swift takes for shared mutable state.
static inline void cgnutls_free(void *memory) { gnutls_free(memory); }

// The purpose is kept by reference as long as the session lives. Ends the handshake of a client that has no certificate,
// or none of the credential's authorities, or one that is not made for clients.
static inline void cgnutls_require_client_certificate(gnutls_session_t session) {
  static gnutls_typed_vdata_st purpose = {GNUTLS_DT_KEY_PURPOSE_OID, (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT, 0};
  gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
  gnutls_session_set_verify_cert2(session, &purpose, 1, 0);
}

// The name is kept nowhere, yet the call takes it as mutable bytes. Ends the handshake of a client that names protocols
// of which this is none (RFC 7301, section 3.2); one that names none may go on.
static inline int cgnutls_speak_http11(gnutls_session_t session) {
  static unsigned char name[] = "http/1.1";
  gnutls_datum_t protocol = {name, sizeof name - 1};
  return gnutls_alpn_set_protocols(session, &protocol, 1, GNUTLS_ALPN_MANDATORY);
}

#endif
