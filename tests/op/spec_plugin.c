// A library that registers one op while it is loaded: the environment variable TENON_SPECS holds
// the op's name and then, each on a line of its own, "A spec", "I spec" and "O spec".
#include <stdlib.h>
#include <string.h>

typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TSL_Status TF_Status;
TF_OpDefinitionBuilder* TF_NewOpDefinitionBuilder(const char* op_name);
void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder* builder, const char* attr_spec);
void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder* builder, const char* input_spec);
void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder* builder, const char* output_spec);
void TF_RegisterOpDefinition(TF_OpDefinitionBuilder* builder, TF_Status* status);
TF_Status* TF_NewStatus(void);
void TF_DeleteStatus(TF_Status* status);

__attribute__((constructor)) static void register_op(void) {
  const char* given = getenv("TENON_SPECS");
  if (!given) return;
  char *copy = strdup(given), *rest = copy, *line = strsep(&rest, "\n");
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder(line);
  while ((line = strsep(&rest, "\n"))) {
    if (line[0] == 'A') TF_OpDefinitionBuilderAddAttr(builder, line + 2);
    if (line[0] == 'I') TF_OpDefinitionBuilderAddInput(builder, line + 2);
    if (line[0] == 'O') TF_OpDefinitionBuilderAddOutput(builder, line + 2);
  }
  TF_Status* status = TF_NewStatus();
  TF_RegisterOpDefinition(builder, status);
  TF_DeleteStatus(status);
  free(copy);
}
