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

#endif  // TENON_CHECK_BELONGINGS_H_
