// The CPU plugin's kernels against TensorFlow's, with as many threads: each host runs the same
// calls in a process of its own, taking turns, and the medians are compared. Rows of 1K elements,
// where dispatch dominates, are a class of their own.
//
// An argument keeps the rows whose names have it in them.

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "cpu/rows.h"

#define HOST TENON_BUILD_DIR "/bench/hosts/tfe_rows"
enum { ROUNDS = 7, MAX_CLASSES = ROWS + 1 };

typedef struct child {
  FILE *ask, *answer;
} child;

static child start(const char* plugin, const char* library, bool quiet) {
  int ask[2], answer[2];
  if (pipe(ask) || pipe(answer)) return (child){NULL, NULL};
  if (fork() == 0) {
    dup2(ask[0], 0);
    dup2(answer[1], 1);
    if (quiet) dup2(open("/dev/null", O_WRONLY), 2);  // TensorFlow speaks of its start there
    for (int i = 3; i < 64; ++i) close(i);
    execl(HOST, HOST, plugin, library, NULL);
    _exit(127);
  }
  close(ask[0]);
  close(answer[1]);
  return (child){fdopen(ask[1], "w"), fdopen(answer[0], "r")};
}

// NaN when the child is gone.
static double ask(child* child, int row) {
  double answer;
  if (!child->ask) return NAN;
  if (fprintf(child->ask, "%d\n", row) > 0 && fflush(child->ask) == 0 &&
      fscanf(child->answer, "%lf", &answer) == 1)
    return answer;
  fclose(child->ask);
  child->ask = NULL;
  return NAN;
}

static int compare(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

static double median(double* values) {
  for (int i = 0; i < ROUNDS; ++i)
    if (isnan(values[i])) return NAN;
  qsort(values, ROUNDS, sizeof values[0], compare);
  return values[ROUNDS / 2];
}

typedef struct class {
  const char* name;
  double log_sum, worst;
  const char* worst_row;
  int rows;
} class;

static void count_in(class* classes, const char* name, const char* row, double ratio) {
  int i = 0;
  while (classes[i].name && strcmp(classes[i].name, name) != 0) ++i;
  if (!classes[i].name) classes[i] = (class){name, 0, INFINITY, NULL, 0};
  classes[i].log_sum += log(ratio);
  classes[i].rows++;
  if (ratio < classes[i].worst) {
    classes[i].worst = ratio;
    classes[i].worst_row = row;
  }
}

static bool is_small(const row* row) {
  size_t length = strlen(row->name);
  return length > 3 && strcmp(row->name + length - 3, " 1K") == 0;
}

int main(int count, char** arguments) {
  // oneDNN finds AMX also in virtual machines that do not let a process use it.
  setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
  setenv("TF_CPP_MIN_LOG_LEVEL", "2", 0);
  char pattern[4096];
  const char* venv = getenv("TENON_VENV");
  snprintf(pattern, sizeof pattern,
           "%s/lib/python3*/site-packages/tensorflow/libtensorflow_cc.so.2",
           venv ? venv : TENON_BUILD_DIR "/venv");
  glob_t found;
  child theirs = {NULL, NULL};
  if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0) {
    theirs = start("-", found.gl_pathv[0], true);
  } else {
    fprintf(stderr, "bench: no TensorFlow at %s\n", pattern);
  }
  child ours = start(TENON_BUILD_DIR "/lib/tenon/plugins/libtenon_cpu.so",
                     TENON_BUILD_DIR "/lib/libtenon_tf.so", false);
  class classes[MAX_CLASSES] = {{NULL, 0, 0, NULL, 0}};
  for (int i = 0; i < ROWS; ++i) {
    if (count > 1 && !strstr(rows[i].name, arguments[1])) continue;
    double our_times[ROUNDS], their_times[ROUNDS];
    bool ran = true;
    for (int round = 0; round < ROUNDS && ran; ++round) {
      our_times[round] = ask(&ours, i);
      their_times[round] = ask(&theirs, i);
      ran = !isnan(our_times[round]);
    }
    if (!ran) continue;  // the child has said why
    const double mine = median(our_times), peer = median(their_times);
    bench_report(rows[i].name, mine / 1e3, "us", "TensorFlow", peer / 1e3);
    if (isfinite(peer / mine))
      count_in(classes, is_small(&rows[i]) ? "1K" : rows[i].class, rows[i].name, peer / mine);
  }
  for (class* c = classes; c->name; ++c)
    printf("%-12s %2d rows: geometric mean %.2f, worst %.2f (%s)\n", c->name, c->rows,
           exp(c->log_sum / c->rows), c->worst, c->worst_row);
  return 0;
}
