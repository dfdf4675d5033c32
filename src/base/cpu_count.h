// How many CPUs this process may really use.
#ifndef TENON_BASE_CPU_COUNT_H_
#define TENON_BASE_CPU_COUNT_H_

// The CPUs that the affinity mask allows, or fewer when a cgroup (v1 or v2, its own or one above
// it) limits CPU time: a quota of 1.5 CPUs counts as 2. At least 1.  [any thread]
int tn_cpu_count(void);

// The tightest CPU quota of this process in CPUs, 0 when there is none. Files are looked up under
// `root` ("" for the real ones).  [any thread]
double tn_cpu_quota(const char* root);

#endif  // TENON_BASE_CPU_COUNT_H_
