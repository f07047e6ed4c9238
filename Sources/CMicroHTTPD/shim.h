// libmicrohttpd's variadic calls, made fixed for Swift. Each wrapper says why it is here.
#ifndef CARILLON_CMICROHTTPD_SHIM_H
#define CARILLON_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <string.h>

// What one daemon is started with; the callbacks all get `context`.
struct cmhd_configuration {
  void *context;
  int listener;
  unsigned int connection_limit;
  unsigned int idle_seconds;
  size_t memory_limit;
  MHD_AccessHandlerCallback access;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
  size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
  // A Content-Length cannot be read, and libmicrohttpd is about to answer that. It does not say on which connection.
  void (*unreadable_length)(void *context);
  // Of TLS, in GnuTLS' words; null for plain HTTP.
  const char *tls_priorities;
};

// The importer finds no Swift name for this member of its enumeration.
static const unsigned int cmhd_connection_started = MHD_CONNECTION_NOTIFY_STARTED;

// libmicrohttpd starts TLS only with a source of certificates. Every session is given a credential of its own before its
// handshake, so this one (a gnutls_certificate_retrieve_function2) is not asked, and would have none.
static inline int cmhd_no_certificate(void *session, const void *authorities, int authority_count,
                                      const void *algorithms, int algorithm_count, void **chain,
                                      unsigned int *chain_length, void **key) {
  (void)session, (void)authorities, (void)authority_count, (void)algorithms, (void)algorithm_count, (void)chain;
  (void)chain_length, (void)key;
  return -1;
}

// The only word libmicrohttpd has for a request that it refuses itself is a line of its log. `it` is the configuration.
static inline void cmhd_log(void *it, const char *format, va_list arguments) {
  const struct cmhd_configuration *configuration = it;
  (void)arguments;
  if (strstr(format, "Content-Length")) configuration->unreadable_length(configuration->context);
}

// MHD_start_daemon is variadic. `it` must live as long as the daemon. Without a thread of its own (the caller polls the epoll descriptor); strictness 0,
// because what a stricter setting refuses it answers itself, with the header sent twice. Turbo closes without the
// farewell that TLS owes (RFC 8446, section 6.1), so it is for plain HTTP only.
static inline struct MHD_Daemon *cmhd_start(struct cmhd_configuration *it) {
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)cmhd_no_certificate},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)it->tls_priorities},
      {MHD_OPTION_END, 0, NULL},
  };
  int is_plain = !it->tls_priorities;
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | (is_plain ? MHD_USE_TURBO : MHD_USE_TLS), 0,
      NULL, NULL, it->access, it->context, MHD_OPTION_EXTERNAL_LOGGER, cmhd_log, it, MHD_OPTION_ARRAY, is_plain ? tls + 2 : tls,
      MHD_OPTION_LISTEN_SOCKET, it->listener, MHD_OPTION_CONNECTION_LIMIT, it->connection_limit,
      MHD_OPTION_CONNECTION_TIMEOUT, it->idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, it->memory_limit,
      MHD_OPTION_NOTIFY_COMPLETED, it->completed, it->context, MHD_OPTION_NOTIFY_CONNECTION, it->connection,
      it->context, MHD_OPTION_URI_LOG_CALLBACK, it->target, it->context, MHD_OPTION_UNESCAPE_CALLBACK,
      it->unescape, it->context, MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_END);
}

// MHD_get_daemon_info is variadic. Minus one when there is none.
static inline int cmhd_epoll_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

// MHD_get_connection_info is variadic: the socket, the caller's own pointer, the bytes of the header block.
static inline int cmhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static inline void *cmhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

static inline size_t cmhd_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

// Null for plain HTTP. Made with the connection, before its first handshake; freed before the connection is told to end.
static inline void *cmhd_tls_session(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info ? info->tls_session : NULL;
}

// The address of the other end as sixteen bytes, IPv4 mapped into IPv6. Zero when it is neither.
static inline int cmhd_peer(struct MHD_Connection *connection, unsigned char bytes[16]) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info || !info->client_addr) return 0;
  if (info->client_addr->sa_family == AF_INET) {
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    memcpy(bytes, mapped, 12);
    memcpy(bytes + 12, &((const struct sockaddr_in *)info->client_addr)->sin_addr, 4);
    return 1;
  }
  if (info->client_addr->sa_family != AF_INET6) return 0;
  memcpy(bytes, &((const struct sockaddr_in6 *)info->client_addr)->sin6_addr, 16);
  return 1;
}

#endif
