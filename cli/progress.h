// A line on the terminal while something takes long: what, and for how long. Silent where standard
// error is no terminal, and for the first two seconds.
#ifndef TENON_CLI_PROGRESS_H_
#define TENON_CLI_PROGRESS_H_

// `what` is borrowed until the end.
void cli_progress_begin(const char* what);
void cli_progress_end(void);

#endif  // TENON_CLI_PROGRESS_H_
