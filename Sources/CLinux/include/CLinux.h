// What Swift's Glibc overlay lacks. Each wrapper says why it is here.
#ifndef CARILLON_CLINUX_H
#define CARILLON_CLINUX_H

#include <getopt.h>
#include <stdint.h>
#include <sys/epoll.h>

// eventfd and its flags are not in the overlay.
int clinux_eventfd(void);

// epoll_data is a union: a pointer-sized token goes in and out as an integer.
int clinux_epoll_create(void);
int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token);
static inline uint64_t clinux_epoll_token(const struct epoll_event *event) { return event->data.u64; }

// A non-blocking TCP listener on a numeric IPv4 or IPv6 address. With `shares` it is one of several on a port, each with
// an accept queue of its own; without, the port must be nobody's. Returns the descriptor, or -errno.
int clinux_listen(const char *address, uint16_t port, int backlog, int shares);

// The port a listener got when it asked for port 0, or -errno.
int clinux_listener_port(int descriptor);

// fcntl is variadic. A second descriptor of the same file, closed on exec, or -1.
int clinux_duplicate(int descriptor);

// ioctl is variadic. Bytes that have arrived on a socket and are not read, or -1.
int clinux_unread_bytes(int descriptor);

// Which module the enumerations of <sys/socket.h> belong to depends on what else a file imports: the few calls
// that need them are here. Ends a direction of a connection for both sides; whether the peer has ended its own
// and all it sent is read; what has arrived, as read(2), and what is to go, as write(2), but
// never waiting.
void clinux_stop_receiving(int descriptor);
void clinux_stop_sending(int descriptor);
void clinux_stop_both(int descriptor);
int clinux_has_reached_end(int descriptor);
long clinux_receive(int descriptor, void *bytes, unsigned long count);
long clinux_send(int descriptor, const void *bytes, unsigned long count);

// Extensions of posix_spawn that are not in the overlay; `actions` is a posix_spawn_file_actions_t. The program has no
// descriptor from `lowest` on; it starts in `folder`. 0 or an error number.
int clinux_spawn_close_from(void *actions, int lowest);
int clinux_spawn_in_folder(void *actions, const char *folder);

// CLOCK_MONOTONIC in nanoseconds; struct timespec costs a copy through the overlay.
uint64_t clinux_monotonic_nanoseconds(void);

// CLOCK_REALTIME in milliseconds since 1970.
int64_t clinux_realtime_milliseconds(void);

// From now on SIGTERM and SIGINT make the returned eventfd readable and do nothing else, and SIGPIPE is ignored. A
// handler rather than a blocked signal: a main thread parked by the Swift runtime unblocks every signal for itself.
// Returns -errno on failure. Once per process.
int clinux_termination_signals(void);

// The same for SIGHUP, which asks to read files anew.
int clinux_hangup_signal(void);

// prctl is variadic. Names the calling thread, at most 15 bytes.
void clinux_name_thread(const char *name);

// getopt_long keeps its state in globals: one call hands out a copy, and Swift touches none of them. The caller
// holds a lock from the restart to the last call.
struct clinux_option_match {
  int code;
  int offender;
  int next;
  const char *argument;
};
struct clinux_option_match clinux_next_option(int count, char *const arguments[], const char *shorts,
                                              const struct option *longs, int restart);

#endif
