/* A gRPC client that costs next to nothing, so that what is measured is the server.
 *
 *   load PORT BODIES PATHS [--connections N] [--streams N] [--calls N] [--seconds S] [--rate R] [--seed N]
 *        [--repeat] [--wait S]
 *
 * BODIES holds matches, each a list of calls in the order in which they must be made (`bodies.py` writes it):
 *
 *   file := count of matches (u32) | match...      match := count of calls (u32) | call...
 *   call := number of its path (u8) | length (u32) | message        all numbers little-endian
 *
 * PATHS are the methods' paths, separated by commas; an echo is given the same bodies with its own path in every place.
 *
 * Closed loop (the default): each of connections x streams plays one match at a time, the next call when the last was
 * answered, then takes the next match. Open loop (--rate): calls arrive at random moments, so many a second on average
 * (Poisson), whether or not earlier ones were answered; each is counted from the moment at which it was to be sent. An
 * arrival takes the next call of a match that waits for none; --repeat begins again when all matches are played.
 *
 * A call succeeded if a message came back. One line of JSON says how many did, how many failed, how long it took, the
 * client's own processor time, and percentiles of the latency in microseconds. --wait tries to connect for so long.
 *
 * HTTP/2 as far as unary calls need it: header blocks of literals, no Huffman code, no table; flow control kept.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW_UPDATE = 8 };
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4, FRAME_HEADER = 9, MAX_PATHS = 8, IN_FLIGHT = 4096 };

typedef struct { uint8_t path; uint32_t length; const uint8_t *message; } Call;
typedef struct { Call *calls; uint32_t count, next; } Match;
typedef struct { Match *match; int64_t due; size_t replied; } Flight; /* a call on its way */
typedef struct {
    int fd;
    uint8_t *out, *in;
    size_t out_from, out_to, out_size, in_from, in_to, in_size;
    int64_t window; /* what the server lets us send on this connection */
    uint32_t next_stream;
    Flight flights[IN_FLIGHT];
} Connection;

static struct { uint8_t block[256]; size_t length; } paths[MAX_PATHS];
static int path_count;
static Match *matches, **idle;
static uint32_t match_count, next_match, idle_from, idle_to; /* idle: a ring, first in, first out */
static int repeat;
static int64_t *latencies, done, failed, started_calls, most_calls = INT64_MAX;
static size_t latency_room;

static void die(const char *what) { fprintf(stderr, "load: %s (%s)\n", what, strerror(errno)); exit(2); }
static void *must(void *memory) { if (!memory) die("no memory"); return memory; }

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void put32(uint8_t *at, uint32_t v) { at[0] = v >> 24; at[1] = v >> 16; at[2] = v >> 8; at[3] = v; }
static uint32_t get32(const uint8_t *at) { return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]; }

/* --- what is sent: matches and header blocks ------------------------------------------------------------------- */

static void read_bodies(const char *file) {
    FILE *f = fopen(file, "rb");
    if (!f) die(file);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    uint8_t *all = must(malloc(size));
    if (fread(all, 1, size, f) != (size_t)size) die(file);
    fclose(f);
    memcpy(&match_count, all, 4);
    matches = must(calloc(match_count, sizeof *matches));
    idle = must(calloc(match_count, sizeof *idle));
    size_t at = 4;
    for (uint32_t m = 0; m < match_count; m++) {
        memcpy(&matches[m].count, all + at, 4);
        at += 4;
        matches[m].calls = must(calloc(matches[m].count, sizeof(Call)));
        for (uint32_t c = 0; c < matches[m].count; c++) {
            Call *call = &matches[m].calls[c];
            call->path = all[at];
            memcpy(&call->length, all + at + 1, 4);
            call->message = all + at + 5;
            at += 5 + call->length;
        }
    }
}

static size_t literal(uint8_t *at, const char *text) {
    size_t length = strlen(text);
    if (length > 126) die("a path that is too long");
    at[0] = length;
    memcpy(at + 1, text, length);
    return length + 1;
}

static void read_paths(char *list, const char *authority) {
    for (char *path = strtok(list, ","); path && path_count < MAX_PATHS; path = strtok(NULL, ",")) {
        uint8_t *b = paths[path_count].block;
        size_t n = 0;
        b[n++] = 0x83; /* :method POST */
        b[n++] = 0x86; /* :scheme http */
        b[n++] = 0x04; /* :path */
        n += literal(b + n, path);
        b[n++] = 0x01; /* :authority */
        n += literal(b + n, authority);
        b[n++] = 0x0f; /* content-type */
        b[n++] = 0x10;
        n += literal(b + n, "application/grpc");
        b[n++] = 0x00;
        n += literal(b + n, "te");
        n += literal(b + n, "trailers");
        paths[path_count++].length = n;
    }
}

/* --- frames ----------------------------------------------------------------------------------------------------- */

static uint8_t *room(Connection *c, size_t more) {
    if (c->out_to + more > c->out_size) {
        memmove(c->out, c->out + c->out_from, c->out_to - c->out_from);
        c->out_to -= c->out_from;
        c->out_from = 0;
        while (c->out_to + more > c->out_size) c->out = must(realloc(c->out, c->out_size *= 2));
    }
    c->out_to += more;
    return c->out + c->out_to - more;
}

static uint8_t *frame(Connection *c, uint8_t type, uint8_t flags, uint32_t stream, size_t length) {
    uint8_t *at = room(c, FRAME_HEADER + length);
    at[0] = length >> 16; at[1] = length >> 8; at[2] = length; at[3] = type; at[4] = flags;
    put32(at + 5, stream);
    return at + FRAME_HEADER;
}

static void flush_out(Connection *c) {
    while (c->out_from < c->out_to) {
        ssize_t n = write(c->fd, c->out + c->out_from, c->out_to - c->out_from);
        if (n < 0 && errno == EAGAIN) return;
        if (n < 0) die("the server closed the connection");
        c->out_from += n;
    }
    c->out_from = c->out_to = 0;
}

static void open_connection(Connection *c, int port, int64_t patience) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int64_t deadline = now() + patience;
    for (;;) {
        c->fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(c->fd, (struct sockaddr *)&address, sizeof address) == 0) break;
        close(c->fd);
        if (now() > deadline) die("nobody listens");
        usleep(1000);
    }
    int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    c->out = must(malloc(c->out_size = 1 << 16));
    c->in = must(malloc(c->in_size = 1 << 18));
    c->window = 65535;
    c->next_stream = 1;
    memcpy(room(c, 24), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    uint8_t *settings = frame(c, SETTINGS, 0, 0, 12);
    memcpy(settings, "\0\1\0\0\0\0", 6);       /* HEADER_TABLE_SIZE 0: we read no header */
    memcpy(settings + 6, "\0\4\0\xff\0\0", 6); /* INITIAL_WINDOW_SIZE 16 MiB */
    put32(frame(c, WINDOW_UPDATE, 0, 0, 4), 1 << 30);
    flush_out(c);
}

/* --- calls ------------------------------------------------------------------------------------------------------ */

static Match *take_idle(void) { return idle_from == idle_to ? NULL : idle[idle_from++ % match_count]; }

static void put_idle(Match *match) { idle[idle_to++ % match_count] = match; }

static Match *take_match(void) {
    return next_match < match_count ? &matches[next_match++] : take_idle();
}

/* Let a match wait for its next call; one that is over begins again or is gone. */
static void rest(Connection *c, Match *match) {
    (void)c;
    if (match->next == match->count && repeat) match->next = 0;
    if (match->next < match->count) put_idle(match);
}

static int may_send(Connection *c, Match *match) { return c->window > match->calls[match->next].length + 5; }

static void send_call(Connection *c, Match *match, int64_t due) {
    Call *call = &match->calls[match->next++];
    uint32_t stream = c->next_stream;
    c->next_stream += 2;
    int path = call->path < path_count ? call->path : path_count - 1;
    memcpy(frame(c, HEADERS, END_HEADERS, stream, paths[path].length), paths[path].block, paths[path].length);
    uint8_t *data = frame(c, DATA, END_STREAM, stream, call->length + 5);
    data[0] = 0;
    put32(data + 1, call->length);
    memcpy(data + 5, call->message, call->length);
    c->window -= call->length + 5;
    Flight *flight = &c->flights[stream / 2 % IN_FLIGHT];
    if (flight->match) die("too many calls in flight");
    *flight = (Flight){match, due, 0};
    started_calls++;
}

static Match *answered(Connection *c, uint32_t stream, int reset) {
    Flight *flight = &c->flights[stream / 2 % IN_FLIGHT];
    Match *match = flight->match;
    if (!match) return NULL;
    flight->match = NULL;
    if (reset || flight->replied < 5) failed++; /* no message came back: the status says why, readable in the header */
    if ((size_t)done == latency_room)
        latencies = must(realloc(latencies, (latency_room = latency_room ? 2 * latency_room : 4096) * 8));
    latencies[done++] = now() - flight->due;
    return match;
}

/* Write to standard error what can be read of the header of the first call that failed. */
static void show(const uint8_t *header, size_t length) {
    for (size_t i = 0; i < length; i++) fputc(header[i] >= 32 && header[i] < 127 ? header[i] : ' ', stderr);
    fputc('\n', stderr);
}

/* Read what came; hand each match whose call was answered to `next`. */
static void take_in(Connection *c, void (*next)(Connection *, Match *)) {
    for (;;) {
        if (c->in_from == c->in_to) c->in_from = c->in_to = 0;
        if (c->in_to == c->in_size) {
            memmove(c->in, c->in + c->in_from, c->in_to - c->in_from);
            c->in_to -= c->in_from;
            c->in_from = 0;
        }
        ssize_t n = read(c->fd, c->in + c->in_to, c->in_size - c->in_to);
        if (n == 0) die("the server closed the connection");
        if (n < 0 && errno == EAGAIN) return;
        if (n < 0) die("reading");
        c->in_to += n;
        while (c->in_to - c->in_from >= FRAME_HEADER) {
            uint8_t *at = c->in + c->in_from;
            size_t length = at[0] << 16 | at[1] << 8 | at[2];
            if (c->in_to - c->in_from < FRAME_HEADER + length) break;
            uint8_t type = at[3], flags = at[4];
            uint32_t stream = get32(at + 5) & 0x7fffffff;
            uint8_t *payload = at + FRAME_HEADER;
            c->in_from += FRAME_HEADER + length;
            Match *match = NULL;
            if (type == DATA) c->flights[stream / 2 % IN_FLIGHT].replied += length;
            if (type == SETTINGS && !(flags & ACK)) frame(c, SETTINGS, ACK, 0, 0);
            if (type == PING && !(flags & ACK)) memcpy(frame(c, PING, ACK, 0, 8), payload, 8);
            if (type == WINDOW_UPDATE && stream == 0) c->window += get32(payload) & 0x7fffffff;
            if (type == GOAWAY) die("the server says goodbye");
            if (type == HEADERS && flags & END_STREAM && c->flights[stream / 2 % IN_FLIGHT].replied < 5 && !failed)
                show(payload, length);
            if (type == RST_STREAM) match = answered(c, stream, 1);
            if ((type == DATA || type == HEADERS) && flags & END_STREAM) match = answered(c, stream, 0);
            if (match) next(c, match);
        }
    }
}

/* --- the two loops ---------------------------------------------------------------------------------------------- */

static int64_t deadline;

static void play_on(Connection *c, Match *match) {
    if (match->next == match->count) {
        rest(c, match);
        match = take_match();
    }
    if (!match || started_calls >= most_calls || now() >= deadline) return;
    if (may_send(c, match)) send_call(c, match, now());
    else put_idle(match); /* goes on when the window opens */
}

static void wait_for(Connection *connections, int count, int64_t until, void (*next)(Connection *, Match *)) {
    struct pollfd fds[256];
    for (int i = 0; i < count; i++)
        fds[i] = (struct pollfd){connections[i].fd, POLLIN | (connections[i].out_to ? POLLOUT : 0), 0};
    int64_t left = until - now();
    struct timespec timeout = {left > 0 ? left / 1000000000 : 0, left > 0 ? left % 1000000000 : 0};
    ppoll(fds, count, &timeout, NULL);
    for (int i = 0; i < count; i++)
        if (fds[i].revents) {
            take_in(&connections[i], next);
            flush_out(&connections[i]);
        }
}

static void closed_loop(Connection *connections, int count, int streams) {
    for (int s = 0; s < streams; s++)
        for (int i = 0; i < count; i++) {
            Match *match = started_calls < most_calls ? take_match() : NULL;
            if (match) send_call(&connections[i], match, now());
        }
    for (int i = 0; i < count; i++) flush_out(&connections[i]);
    while (done < started_calls) {
        wait_for(connections, count, now() + 100000000, play_on);
        for (int i = 0; i < count && started_calls - done < count * streams; i++) {
            Match *match = now() < deadline && started_calls < most_calls ? take_match() : NULL;
            if (!match) break;
            play_on(&connections[i], match);
            flush_out(&connections[i]);
        }
        if (now() > deadline + 10000000000LL) die("calls that are not answered");
    }
}

static int64_t gap(double rate) { return (int64_t)(-log(1.0 - drand48()) / rate * 1e9); }

static void open_loop(Connection *connections, int count, double rate) {
    int64_t due = now() + gap(rate);
    int turn = 0;
    while (due < deadline && started_calls < most_calls) {
        while (now() < due) wait_for(connections, count, due, rest);
        Match *match = take_match();
        if (!match) { /* every match waits for an answer, or all are played */
            if (done == started_calls) break;
            wait_for(connections, count, now() + 1000000, rest);
            continue;
        }
        Connection *c = &connections[turn++ % count];
        if (may_send(c, match)) {
            send_call(c, match, due);
            flush_out(c);
            due += gap(rate);
        } else {
            put_idle(match);
            wait_for(connections, count, now() + 1000000, rest);
        }
    }
    while (done < started_calls) {
        wait_for(connections, count, now() + 100000000, rest);
        if (now() > deadline + 10000000000LL) die("calls that are not answered");
    }
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double percentile(double part) {
    return done ? latencies[(int64_t)(part * (done - 1) + 0.5)] / 1e3 : 0;
}

int main(int argc, char **argv) {
    if (argc < 4) { fprintf(stderr, "load PORT BODIES PATHS [options]; see the head of load.c\n"); return 2; }
    int connections = 4, streams = 8;
    double seconds = 3600, rate = 0, patience = 0;
    for (int i = 4; i < argc; i++) {
        if (!strcmp(argv[i], "--repeat")) { repeat = 1; continue; }
        if (i + 1 == argc) die(argv[i]);
        double value = atof(argv[i + 1]);
        if (!strcmp(argv[i], "--connections")) connections = value;
        else if (!strcmp(argv[i], "--streams")) streams = value;
        else if (!strcmp(argv[i], "--calls")) most_calls = value;
        else if (!strcmp(argv[i], "--seconds")) seconds = value;
        else if (!strcmp(argv[i], "--rate")) rate = value;
        else if (!strcmp(argv[i], "--seed")) srand48(value);
        else if (!strcmp(argv[i], "--wait")) patience = value;
        else die(argv[i]);
        i++;
    }
    if (connections < 1 || connections > 256 || streams < 1 || connections * streams > IN_FLIGHT) die("how many");
    char authority[32];
    snprintf(authority, sizeof authority, "127.0.0.1:%s", argv[1]);
    read_bodies(argv[2]);
    read_paths(argv[3], authority);
    Connection *all = must(calloc(connections, sizeof *all));
    for (int i = 0; i < connections; i++) open_connection(&all[i], atoi(argv[1]), patience * 1e9);
    int64_t start = now();
    deadline = start + (int64_t)(seconds * 1e9);
    if (rate > 0) open_loop(all, connections, rate);
    else closed_loop(all, connections, streams);
    int64_t end = now();
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    qsort(latencies, done, sizeof *latencies, compare);
    printf("{\"calls\": %lld, \"failed\": %lld, \"seconds\": %.6f, \"client_cpu\": %.6f, \"ended\": %lld, ",
           (long long)done, (long long)failed, (end - start) / 1e9,
           used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
           (long long)end);
    printf("\"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f, \"most\": %.1f}\n", percentile(0.5), percentile(0.9),
           percentile(0.99), percentile(1));
    return failed > 0;
}
