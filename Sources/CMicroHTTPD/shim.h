// libmicrohttpd's variadic calls, made fixed for Swift. Each wrapper says why it is here.
#ifndef CARILLON_CMICROHTTPD_SHIM_H
#define CARILLON_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

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
};

// The importer finds no Swift name for this member of its enumeration.
static const unsigned int cmhd_connection_started = MHD_CONNECTION_NOTIFY_STARTED;

// MHD_start_daemon is variadic. Without a thread of its own (the caller polls the epoll descriptor); strictness 0,
// because what a stricter setting refuses it answers itself, with the header sent twice.
static inline struct MHD_Daemon *cmhd_start(const struct cmhd_configuration *it) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, it->access, it->context,
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

#endif
