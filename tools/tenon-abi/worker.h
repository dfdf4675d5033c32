// The process that reads what others wrote. A compiler can crash, hang or take all memory over a
// header, and a library over debug information: that ends the worker, and is told as what it is.
#ifndef TENON_TOOLS_TENON_ABI_WORKER_H_
#define TENON_TOOLS_TENON_ABI_WORKER_H_

// Runs `work` in a worker and returns what it returns. When the worker dies instead, says of which
// source, and returns `otherwise`.
int worker_run(int (*work)(void* arg), void* arg, int otherwise);

// Names the source that is read next.
void worker_reads(const char* source);

#endif  // TENON_TOOLS_TENON_ABI_WORKER_H_
