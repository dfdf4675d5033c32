// One kernel that ends the process must not keep a case from looking at the others: the case goes
// on in a child and, when that dies, in a new one behind the kernel that it died of.
#ifndef TENON_CHECK_KERNELS_CONTAIN_H_
#define TENON_CHECK_KERNELS_CONTAIN_H_

#include <stdbool.h>
#include <stdint.h>

// Returns in the child. Before the plugin is loaded: its threads do not survive a fork.
void tk_contain(void);

// Around the visit of one kernel or op: false when an earlier child came by, or died of it.
bool tk_visit_begins(void);
void tk_visit_ends(void);
// Whether the next one will begin.
bool tk_visit_is_new(void);

// Around a search for inputs: who dies of that is left out, and counted, but reported by one case
// only. Ends with the visit.
void tk_search_begins(void);
void tk_search_ends(void);
bool tk_is_searching(void);
uint64_t tk_lost_in_search(void);

// Whether a twentieth of the case's time was spent on visits, or a third of it in all.
bool tk_time_is_up(void);

#endif  // TENON_CHECK_KERNELS_CONTAIN_H_
