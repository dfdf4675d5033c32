// What belongs to the host's process and a plugin is to leave alone.
#ifndef TENON_CHECK_BELONGINGS_H_
#define TENON_CHECK_BELONGINGS_H_

typedef enum tn_belonging {
  TN_STANDARD_OUTPUT,
  TN_SIGNAL_HANDLERS,
  TN_SIGNAL_MASK,
  TN_WORKING_FOLDER,
  TN_UMASK,
  TN_LOCALE,
  TN_ROUNDING,
  TN_STANDARD_FILES,
  TN_ENVIRONMENT,
  TN_BELONGINGS
} tn_belonging;

// Remembers how it is, of the calling thread where threads differ; one at a time.
void tn_belonging_remember(tn_belonging belonging);
// Reports what is not as it was.
void tn_belonging_compare(void);

// How many threads, or open descriptors, the process has.
typedef enum tn_countable { TN_THREADS, TN_DESCRIPTORS } tn_countable;
int tn_belongings_count(tn_countable what);
// The same once it is at most `expected`, or some time has passed: a thread's entry goes a little
// after the thread has ended.
int tn_belongings_count_settled(tn_countable what, int expected);

#endif  // TENON_CHECK_BELONGINGS_H_
