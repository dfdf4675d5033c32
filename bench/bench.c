#include "bench.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_batch(void (*body)(void*), void* arg, long calls) {
  double start = bench_now();
  for (long i = 0; i < calls; ++i) body(arg);
  return bench_now() - start;
}

double bench_nanoseconds(void (*body)(void*), void* arg) {
  const double batch = 1e6;
  long calls = 1;
  double spent = time_batch(body, arg, calls);
  while (spent < batch / 2) {
    // Grows at most tenfold: the first calls are slower than the rest.
    double factor = spent > batch / 10 ? batch / spent : 10;
    calls = (long)((double)calls * factor) + 1;
    spent = time_batch(body, arg, calls);
  }
  double best = spent / (double)calls;
  const double end = bench_now() + 200 * batch;
  for (int i = 0; i < 10 || bench_now() < end; ++i)
    best = fmin(best, time_batch(body, arg, calls) / (double)calls);
  return best;
}

static void print_number(FILE* out, double value) {
  if (isfinite(value)) {
    fprintf(out, "%.6g", value);
  } else {
    fputs("null", out);
  }
}

static void print_text(FILE* out, const char* text) {
  if (!text) {
    fputs("null", out);
    return;
  }
  fputc('"', out);
  for (; *text; ++text) fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  fputc('"', out);
}

static void append_line(const char* name, double value, const char* unit, const char* peer,
                        double peer_value, double ratio) {
  FILE* out = fopen(TENON_BUILD_DIR "/bench/results.jsonl", "a");
  if (!out) {
    perror(TENON_BUILD_DIR "/bench/results.jsonl");
    return;
  }
  fputs("{\"name\": ", out);
  print_text(out, name);
  fputs(", \"value\": ", out);
  print_number(out, value);
  fputs(", \"unit\": ", out);
  print_text(out, unit);
  fputs(", \"peer\": ", out);
  print_text(out, peer);
  fputs(", \"peer_value\": ", out);
  print_number(out, peer_value);
  fputs(", \"ratio\": ", out);
  print_number(out, ratio);
  fputs("}\n", out);
  fclose(out);
}

void bench_report(const char* name, double value, const char* unit, const char* peer,
                  double peer_value) {
  size_t length = strlen(unit);
  bool more_is_better = length >= 2 && strcmp(unit + length - 2, "/s") == 0;
  if (!peer) peer_value = NAN;
  double ratio = more_is_better ? value / peer_value : peer_value / value;
  append_line(name, value, unit, peer, peer_value, ratio);

  static bool heading;
  if (!heading) printf("%-40s %12s %-8s %12s  %s\n", "benchmark", "ours", "", "peer", "ratio");
  heading = true;
  printf("%-40s %12.4g %-8s ", name, value, unit);
  if (isfinite(ratio)) {
    printf("%12.4g  %.2f  (%s)\n", peer_value, ratio, peer);
  } else {
    printf("%12s%s%s\n", "-", peer ? "  no measurement of " : "", peer ? peer : "");
  }
  fflush(stdout);
}

double bench_venv(const char* script, const char* arguments) {
  const char* venv = getenv("TENON_VENV");
  if (!venv) venv = TENON_BUILD_DIR "/venv";
  char command[8192];
  snprintf(command, sizeof command, "TENON_BUILD='%s' '%s/bin/python' '%s/bench/%s' %s",
           TENON_BUILD_DIR, venv, TENON_SOURCE_DIR, script, arguments);
  FILE* child = popen(command, "r");
  if (!child) {
    perror(script);
    return NAN;
  }
  char line[1024];
  double number = NAN;
  while (fgets(line, sizeof line, child)) {
    char* end;
    double value = strtod(line, &end);
    number = end != line ? value : NAN;
  }
  if (pclose(child) != 0 || isnan(number)) {
    fprintf(stderr, "bench: no number from %s\n", command);
    return NAN;
  }
  return number;
}
