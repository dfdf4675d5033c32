// What every benchmark shares: timing, and one way to report.
//
// bench/bench_<name>.c becomes build/bench/<name>. A benchmark measures ours and a peer in the same
// run and reports each pair with bench_report; timings never fail anything.
#ifndef TENON_BENCH_BENCH_H_
#define TENON_BENCH_BENCH_H_

// Prints a row, and appends {name, value, unit, peer, peer_value, ratio} as one JSON line to
// build/bench/results.jsonl. The ratio is above 1 when ours is better: less of a time or a size,
// more of a unit per second ("GFLOP/s", "calls/s"). Without a peer (NULL) there is no ratio.
void bench_report(const char* name, double value, const char* unit, const char* peer,
                  double peer_value);

// The time in nanoseconds, from some start.
double bench_now(void);

// Nanoseconds of one `body(arg)`: the best of many batches of about 1 ms, so that a busy machine
// disturbs it little.
double bench_nanoseconds(void (*body)(void* arg), void* arg);

// Runs bench/<script> with `arguments` (may be "") by the Python of TENON_VENV and returns the
// number on the last line it prints; NaN, with a line on standard error, when there is no such
// environment or it fails.
double bench_venv(const char* script, const char* arguments);

#endif  // TENON_BENCH_BENCH_H_
