#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int clinux_spawn_close_from(void *actions, int lowest) {
  return posix_spawn_file_actions_addclosefrom_np(actions, lowest);
}

int clinux_spawn_in_folder(void *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data.u64 = token};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

static int open_listener(const struct sockaddr *address, socklen_t length, int family, int backlog, int shares) {
  int descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
  if (descriptor < 0) return -errno;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  // bind refuses a socket without the option where there is another one, with it or without. Given to the first socket
  // once it is bound, the option lets those in that have it from the start.
  if (shares) setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  int failed = bind(descriptor, address, length);
  if (!failed && !shares) setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (failed || listen(descriptor, backlog)) {
    int failure = errno;
    close(descriptor);
    return -failure;
  }
  return descriptor;
}

int clinux_listen(const char *address, uint16_t port, int backlog, int shares) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
    return open_listener((const struct sockaddr *)&v4, sizeof v4, AF_INET, backlog, shares);
  if (inet_pton(AF_INET6, address, &v6.sin6_addr) == 1)
    return open_listener((const struct sockaddr *)&v6, sizeof v6, AF_INET6, backlog, shares);
  return -EINVAL;
}

int clinux_listener_port(int descriptor) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &length)) return -errno;
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

int clinux_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

int clinux_unread_bytes(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) ? -1 : count;
}

void clinux_stop_receiving(int descriptor) { shutdown(descriptor, SHUT_RD); }

void clinux_stop_sending(int descriptor) { shutdown(descriptor, SHUT_WR); }

long clinux_send(int descriptor, const void *bytes, unsigned long count) {
  return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void clinux_stop_both(int descriptor) { shutdown(descriptor, SHUT_RDWR); }

int clinux_has_reached_end(int descriptor) {
  char byte;
  return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

long clinux_receive(int descriptor, void *bytes, unsigned long count) {
  return recv(descriptor, bytes, count, MSG_DONTWAIT);
}

uint64_t clinux_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t clinux_realtime_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void tell(int descriptor) {
  int failure = errno;
  uint64_t one = 1;
  if (write(descriptor, &one, sizeof one) < 0) {
    // The counter is full: it has been told more than enough.
  }
  errno = failure;
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

static int termination_descriptor = -1;
static int hangup_descriptor = -1;

static void tell_termination(int signal) {
  (void)signal;
  tell(termination_descriptor);
}

static void tell_hangup(int signal) {
  (void)signal;
  tell(hangup_descriptor);
}

int clinux_termination_signals(void) {
  termination_descriptor = clinux_eventfd();
  if (termination_descriptor < 0) return -errno;
  handle(SIGTERM, tell_termination);
  handle(SIGINT, tell_termination);
  signal(SIGPIPE, SIG_IGN);
  return termination_descriptor;
}

int clinux_hangup_signal(void) {
  hangup_descriptor = clinux_eventfd();
  if (hangup_descriptor < 0) return -errno;
  handle(SIGHUP, tell_hangup);
  return hangup_descriptor;
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

struct clinux_option_match clinux_next_option(int count, char *const arguments[], const char *shorts,
                                              const struct option *longs, int restart) {
  // 0 makes glibc start over, with its permutation forgotten.
  if (restart) optind = 0;
  opterr = 0;
  optarg = NULL;
  optopt = 0;
  int code = getopt_long(count, arguments, shorts, longs, NULL);
  struct clinux_option_match match = {code, optopt, optind, optarg};
  return match;
}
