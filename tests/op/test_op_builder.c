#include "op_testing.h"

// The definition of op "Test" as it prints, without the name.
static char* summary(tn_op_builder* builder) {
  tn_op_def* op = finish_op(builder);
  tn_text text = {0};
  tn_op_def_print(op, &text);
  tn_op_def_destroy(op);
  return tn_text_take(&text, NULL);
}

#define CHECK_SUMMARY(builder, expected)                        \
  do {                                                          \
    char* found = summary(builder);                             \
    CHECK_TEXT(found, "Op<name=Test; signature=" expected ">"); \
    tn_free(found);                                             \
  } while (0)
#define CHECK_ATTR(spec, expected) \
  CHECK_SUMMARY(build_op("Test", "attr " spec, NULL), " -> ; attr=" expected)

// The specs are refused with INVALID_ARGUMENT and `text` at the beginning of the message.
static void check_failure_at(int line, tn_op_builder* builder, const char* text) {
  tn_status status = {0};
  tn_op_def* op = tn_op_builder_finish(builder, &status);
  if (op) test_fail(__FILE__, line, "accepted; expected: %s", text);
  if (status.code != TN_INVALID_ARGUMENT || strncmp(tn_status_message(&status), text, strlen(text)))
    test_fail(__FILE__, line, "found\n  %s\nexpected\n  %s", tn_status_message(&status), text);
  tn_status_deinit(&status);
  tn_op_builder_destroy(builder);
}
#define CHECK_FAILURE(builder, text) check_failure_at(__LINE__, builder, text)
#define CHECK_ATTR_FAILURE(spec, text) CHECK_FAILURE(build_op("Test", "attr " spec, NULL), text)

TEST(test_attr_types) {
  CHECK_ATTR("a: string", "a:string");
  CHECK_ATTR("A: int", "A:int");
  CHECK_ATTR("a1:float", "a1:float");
  CHECK_ATTR("a_b :\tbool\n", "a_b:bool");
  CHECK_ATTR("a: type", "a:type");
  CHECK_ATTR("a: shape", "a:shape");
  CHECK_ATTR("a: tensor", "a:tensor");
  CHECK_ATTR("a: func", "a:func");
  CHECK_ATTR("a: list(string)", "a:list(string)");
  CHECK_ATTR("a: list ( func ) ", "a:list(func)");
}

TEST(test_attr_failures) {
  CHECK_ATTR_FAILURE("_:string",
                     "Trouble parsing '<name>:' from Attr(\"_:string\") for Op Test, at byte 0");
  CHECK_ATTR_FAILURE("9:string", "Trouble parsing '<name>:' from Attr(\"9:string\") for Op Test");
  CHECK_ATTR_FAILURE(":string", "Trouble parsing '<name>:' from Attr(\":string\") for Op Test");
  CHECK_ATTR_FAILURE("string", "Trouble parsing '<name>:' from Attr(\"string\") for Op Test");
  CHECK_ATTR_FAILURE(" a: int", "Trouble parsing '<name>:' from Attr(\" a: int\") for Op Test");
  CHECK_ATTR_FAILURE(
      "a:invalid",
      "Trouble parsing type string at 'invalid' from Attr(\"a:invalid\") for Op Test, "
      "at byte 2");
  CHECK_ATTR_FAILURE("a:", "Trouble parsing type string at '' from Attr(\"a:\") for Op Test");
  CHECK_ATTR_FAILURE("a:any", "Trouble parsing type string at '' from Attr(\"a:any\") for Op Test");
  CHECK_ATTR_FAILURE("a:int extra",
                     "Extra 'extra' unparsed at the end from Attr(\"a:int extra\") for Op Test");
  CHECK_ATTR_FAILURE("a:int32",
                     "Extra '32' unparsed at the end from Attr(\"a:int32\") for Op Test");
  CHECK_ATTR_FAILURE("a:list(int",
                     "Expected ) to close 'list(', not: '' from Attr(\"a:list(int\") for Op Test");
  CHECK_ATTR_FAILURE("a:list int",
                     "Trouble parsing type string at 'list int' from Attr(\"a:list int\")");
  CHECK_ATTR_FAILURE("a:realnumerictype",
                     "Trouble parsing type string at 'realnumerictype' from Attr(");
}

TEST(test_attr_with_restrictions) {
  CHECK_ATTR("a:numbertype",
             "a:type,allowed=[DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, "
             "DT_COMPLEX64, DT_INT64, DT_QINT8, DT_QUINT8, DT_QINT32, DT_BFLOAT16, DT_QINT16, "
             "DT_QUINT16, DT_UINT16, DT_COMPLEX128, DT_HALF, DT_UINT32, DT_UINT64]");
  CHECK_ATTR(
      "a:realnumbertype",
      "a:type,allowed=[DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, DT_INT64, "
      "DT_BFLOAT16, DT_UINT16, DT_HALF, DT_UINT32, DT_UINT64]");
  CHECK_ATTR("a:quantizedtype",
             "a:type,allowed=[DT_QINT8, DT_QUINT8, DT_QINT32, DT_QINT16, DT_QUINT16]");
  CHECK_ATTR("a:{quantizedtype, bool}",
             "a:type,allowed=[DT_QINT8, DT_QUINT8, DT_QINT32, DT_QINT16, DT_QUINT16, DT_BOOL]");
  CHECK_ATTR("a:{string,int32}", "a:type,allowed=[DT_STRING, DT_INT32]");
  CHECK_ATTR("a: { float , bool , }", "a:type,allowed=[DT_FLOAT, DT_BOOL]");
  CHECK_ATTR("a:{resource, variant}", "a:type,allowed=[DT_RESOURCE, DT_VARIANT]");
  CHECK_ATTR("a:{'foo', \"bar\\n\",}", "a:string,allowed=[\"foo\", \"bar\\012\"]");
  CHECK_ATTR("a: list({'x'})", "a:list(string),allowed=[\"x\"]");
  CHECK_ATTR("a: list({float, int8})", "a:list(type),allowed=[DT_FLOAT, DT_INT8]");
  CHECK_ATTR("a: list(quantizedtype)",
             "a:list(type),allowed=[DT_QINT8, DT_QUINT8, DT_QINT32, DT_QINT16, DT_QUINT16]");
  CHECK_ATTR("a:int>=5", "a:int,min=5");
  CHECK_ATTR("a: int >= -5", "a:int,min=-5");
}

TEST(test_attr_restriction_failures) {
  CHECK_ATTR_FAILURE("a:{}", "Trouble parsing type string at '}' from Attr(\"a:{}\") for Op Test");
  CHECK_ATTR_FAILURE("a:{float,,}", "Trouble parsing type string at ',}' from Attr(");
  CHECK_ATTR_FAILURE("a:{float int32}",
                     "Expected , or } after types in list, not: 'int32}' from Attr(");
  CHECK_ATTR_FAILURE("a:{float8_e5m2}",
                     "Unrecognized type string 'float8' from Attr(\"a:{float8_e5m2}\")");
  CHECK_ATTR_FAILURE("a:{flaot}", "Unrecognized type string 'flaot' from Attr(\"a:{flaot}\")");
  CHECK_ATTR_FAILURE("a:{DT_FLOAT}", "Trouble parsing type string at 'DT_FLOAT}' from Attr(");
  CHECK_ATTR_FAILURE("a:{'x', float}",
                     "Trouble parsing allowed string at 'float}' from Attr(\"a:{'x', float}\")");
  CHECK_ATTR_FAILURE("a:{float, 'x'}", "Trouble parsing type string at ''x'}' from Attr(");
  CHECK_ATTR_FAILURE("a:{'x' 'y'}",
                     "Expected , or } after strings in list, not: ''y'}' from Attr(");
  CHECK_ATTR_FAILURE("a:{'x", "Trouble parsing allowed string at ''x' from Attr(");
  CHECK_ATTR_FAILURE("a:{'\\q'}", "Trouble unescaping \"\\q\", got error: ");
  CHECK_ATTR_FAILURE("a:int>= b",
                     "Could not parse integer lower limit after '>=', found ' b' instead from Attr("
                     "\"a:int>= b\") for Op Test");
  CHECK_ATTR_FAILURE("a:int>=9999999999999999999",
                     "Could not parse integer lower limit after '>=', found '9999999999999999999'");
  CHECK_ATTR_FAILURE("a:int> =5", "Extra '> =5' unparsed at the end from Attr(");
  CHECK_ATTR_FAILURE("a:string>=5", "Extra '>=5' unparsed at the end from Attr(");
}

TEST(test_attr_lists_with_a_minimum_length) {
  CHECK_ATTR("a: list(bool) >= 5", "a:list(bool),min=5");
  CHECK_ATTR("a: list({'x'}) >= 0", "a:list(string),min=0,allowed=[\"x\"]");
  CHECK_ATTR_FAILURE("a: list(int) >= -1",
                     "Attr 'a' with list type must have a non-negative minimum, not -1; in OpDef: "
                     "Op<name=Test;");
}

TEST(test_attr_with_defaults) {
  CHECK_ATTR("a:string=\"foo\"", "a:string,default=\"foo\"");
  CHECK_ATTR("a:string='foo'", "a:string,default=\"foo\"");
  CHECK_ATTR("a:int=-7", "a:int,default=-7");
  CHECK_ATTR("a:int>=-1 = 5 ", "a:int,default=5,min=-1");
  CHECK_ATTR("a:float=1.5", "a:float,default=1.5");
  CHECK_ATTR("a:bool = true", "a:bool,default=true");
  CHECK_ATTR("a:type = DT_INT32", "a:type,default=DT_INT32");
  CHECK_ATTR("a:{int32,float}=DT_INT32", "a:type,default=DT_INT32,allowed=[DT_INT32, DT_FLOAT]");
  CHECK_ATTR("a:shape={dim{size:2}}", "a:shape,default=[2]");
  CHECK_ATTR("a:tensor={dtype:DT_INT32 tensor_shape{} int_val:1}",
             "a:tensor,default=Tensor<type: int32 shape: []>");
  CHECK_ATTR("a:func={name:'f'}", "a:func,default=f[]");
  CHECK_ATTR("a:list(string)=['a','b']", "a:list(string),default=[\"a\", \"b\"]");
  CHECK_ATTR("a:list(int) >= 2 = [1,2]", "a:list(int),default=[1, 2],min=2");
  CHECK_ATTR("a:list(type)=[]", "a:list(type),default=[]");
  CHECK_ATTR("a:list(func)=[{name:'f'}]", "a:list(func),default=[f[]]");
}

TEST(test_attr_defaults_that_fail) {
  CHECK_ATTR_FAILURE("a:int=\"foo\"",
                     "Could not parse default value '\"foo\"' from Attr(\"a:int=\"foo\"\") for Op "
                     "Test, at byte 6: expected an integer in range at byte 0 of '\"foo\"'");
  CHECK_ATTR_FAILURE("a:int=", "Could not parse default value '' from Attr(");
  CHECK_ATTR_FAILURE("a:int=[7]", "Could not parse default value '[7]' from Attr(");
  CHECK_ATTR_FAILURE("a:list(int)=7", "Could not parse default value '7' from Attr(");
  CHECK_ATTR_FAILURE("a:list(int)=[1,2", "Could not parse default value '[1,2' from Attr(");
  CHECK_ATTR_FAILURE("a:type=float", "Could not parse default value 'float' from Attr(");
  CHECK_ATTR_FAILURE("a:bool=\"true\"", "Could not parse default value '\"true\"' from Attr(");
  CHECK_ATTR_FAILURE("a:int >= 2 = 1",
                     "Value for attr 'a' of 1 must be at least minimum 2\n\t in Op 'Test'");
  CHECK_ATTR_FAILURE("a:list(int) >= 3 = [1,2]",
                     "Length for attr 'a' of 2 must be at least minimum 3\n\t in Op 'Test'");
  CHECK_ATTR_FAILURE(
      "a:{'x','y'} = 'z'",
      "Value for attr 'a' of \"z\" is not in the list of allowed values: \"x\", \"y\""
      "\n\t in Op 'Test'");
  CHECK_ATTR_FAILURE("a:{float,int32} = DT_BOOL",
                     "Value for attr 'a' of bool is not in the list of allowed values: float, int32"
                     "\n\t in Op 'Test'");
  CHECK_ATTR_FAILURE(
      "a:type = DT_FLOAT_REF",
      "AttrValue must not have reference type value of float_ref\n\t for attr 'a'\n\t "
      "in Op 'Test'");
  CHECK_ATTR_FAILURE("a:type = 99", "AttrValue has invalid DataType enum: 99");
  CHECK_ATTR_FAILURE("a:type = DT_INVALID", "AttrValue has invalid DataType");
}

TEST(test_inputs_and_outputs) {
  CHECK_SUMMARY(build_op("Test", "in a: int32", NULL), "a:int32 -> ");
  CHECK_SUMMARY(build_op("Test", "out a: float64", "in b : Ref( bool )", NULL),
                "b:Ref(bool) -> a:double");
  CHECK_SUMMARY(build_op("Test", "in a: T", "out b: T", "attr T: type", NULL),
                "a:T -> b:T; attr=T:type");
  CHECK_SUMMARY(build_op("Test", "in a: Ref(T)", "attr T: {int32}", NULL),
                "a:Ref(T) -> ; attr=T:type,allowed=[DT_INT32]");
  CHECK_SUMMARY(build_op("Test", "in a: N*int32", "attr N: int", NULL),
                "a:N*int32 -> ; attr=N:int,min=1");
  CHECK_SUMMARY(build_op("Test", "in a: N * T", "attr T: type", "attr N: int >= 0", NULL),
                "a:N*T -> ; attr=T:type; attr=N:int,min=0");
  CHECK_SUMMARY(build_op("Test", "out a: Ref(N*T)", "attr T: type", "attr N: int >= 2", NULL),
                " -> a:Ref(N*T); attr=T:type; attr=N:int,min=2");
  CHECK_SUMMARY(build_op("Test", "in a: T", "attr T: list(type)", NULL),
                "a:T -> ; attr=T:list(type),min=1");
  CHECK_SUMMARY(build_op("Test", "out a: T", "attr T: list({int32}) >= 0", NULL),
                " -> a:T; attr=T:list(type),min=0,allowed=[DT_INT32]");
  CHECK_SUMMARY(build_op("Test", "in a: float8_e4m3fn", "in b: int4", NULL),
                "a:float8_e4m3fn, b:int4 -> ");
}

TEST(test_inputs_and_outputs_that_fail) {
  CHECK_FAILURE(build_op("Test", "in CAPS: int32", NULL),
                "Trouble parsing 'name:' from Input(\"CAPS: int32\") for Op Test, at byte 0");
  CHECK_FAILURE(build_op("Test", "out _no: int32", NULL),
                "Trouble parsing 'name:' from Output(\"_no: int32\") for Op Test");
  CHECK_FAILURE(build_op("Test", "in no_colon", NULL),
                "Trouble parsing 'name:' from Input(\"no_colon\") for Op Test");
  CHECK_FAILURE(build_op("Test", "in a: ", NULL),
                "Trouble parsing either a type or an attr name at '' from Input(\"a: \")");
  CHECK_FAILURE(build_op("Test", "in a: 9float", NULL),
                "Trouble parsing either a type or an attr name at '9float' from Input(");
  CHECK_FAILURE(build_op("Test", "in a: Bar", NULL),
                "Reference to unknown attr 'Bar' from Input(\"a: Bar\") for Op Test");
  CHECK_FAILURE(build_op("Test", "in a: Bar", "attr Bar: int", NULL),
                "Reference to attr 'Bar' with type int that isn't type or list(type) from Input(");
  CHECK_FAILURE(build_op("Test", "in a: Ref(int32", NULL),
                "Did not find closing ')' for 'Ref(', instead found: '' from Input(");
  CHECK_FAILURE(build_op("Test", "in a: Ref(int32))", NULL),
                "Extra ')' unparsed at the end from Input(\"a: Ref(int32))\") for Op Test");
  CHECK_FAILURE(build_op("Test", "in a: int32 foo", NULL),
                "Extra 'foo' unparsed at the end from Input(");
  CHECK_FAILURE(build_op("Test", "in a: 3*float", NULL),
                "Trouble parsing either a type or an attr");
  CHECK_FAILURE(build_op("Test", "in a: N*", "attr N: int", NULL),
                "Reference to attr 'N' with type int that isn't type");
  CHECK_FAILURE(build_op("Test", "in a: DT_FLOAT", NULL), "Reference to unknown attr 'DT_FLOAT'");
}

TEST(test_every_bad_spec_is_reported_once) {
  CHECK_FAILURE(
      build_op("Test", "attr 1: int", "attr T: tipe", "in a: T", "in b: Q", "out C: int32", NULL),
      "Trouble parsing '<name>:' from Attr(\"1: int\") for Op Test, at byte 0\n"
      "Trouble parsing type string at 'tipe' from Attr(\"T: tipe\") for Op Test, at byte 3\n"
      "Reference to unknown attr 'Q' from Input(\"b: Q\") for Op Test, at byte 3\n"
      "Trouble parsing 'name:' from Output(\"C: int32\") for Op Test, at byte 0");
}

TEST(test_a_whole_definition_is_validated) {
  CHECK_FAILURE(build_op("lower", NULL),
                "Invalid name: lower (Did you use CamelCase?); in OpDef: ");
  CHECK_FAILURE(build_op("", NULL), "Invalid name:  (Did you use CamelCase?)");
  CHECK_FAILURE(build_op("A>b", NULL), "Invalid name: A>b");
  CHECK_FAILURE(build_op("A>", NULL), "Invalid name: A>");
  CHECK_FAILURE(build_op("A-B", NULL), "Invalid name: A-B");
  CHECK_FAILURE(build_op("Test", "attr a: int", "attr a: float", NULL),
                "Duplicate name: a; in OpDef");
  CHECK_FAILURE(build_op("Test", "attr a: int", "in a: int32", NULL),
                "Duplicate name: a; in OpDef");
  CHECK_FAILURE(build_op("Test", "in a: int32", "out a: int32", NULL),
                "Duplicate name: a; in OpDef");
  CHECK_FAILURE(build_op("Test", "attr int32: int", NULL),
                "Attr can't have name int32 that matches a data type; in OpDef: ");
  CHECK_FAILURE(build_op("Test", "in a: N * float", NULL),
                "No attr with name 'N' for input 'a'; in OpDef: ");
  CHECK_FAILURE(build_op("Test", "in a: N * float", "attr N: list(int)", NULL),
                "Attr 'N' used as length for input 'a' has type list(int) != int; in OpDef: ");
  CHECK_FAILURE(build_op("Test", "in a: N * float", "attr N: string", NULL),
                "Attr 'N' has minimum for unsupported type string; in OpDef: ");
  CHECK_FAILURE(build_op("Test", "out a: N * float", "attr N: int >= -3", NULL),
                "Attr 'N' used as length for output 'a' must have minimum >= 0; in OpDef: ");
  CHECK_FAILURE(build_op("Test", "in a: N * T", "attr N: int", "attr T: list(type)", NULL),
                "Can't have both number_attr and type_list_attr for input 'a'; in OpDef: ");
  CHECK_FAILURE(build_op("Test", "in a: float_ref", NULL),
                "Illegal use of ref type 'float_ref'. Use 'Ref(type)' instead for input 'a'; in "
                "OpDef: ");
}

TEST(test_names_with_parts_and_internal_names_are_fine) {
  tn_op_def_destroy(finish_op(build_op("Vendor>Kind>Op_2", NULL)));
  tn_op_def_destroy(finish_op(build_op("_anything at all", NULL)));
  tn_op_def_destroy(finish_op(build_op("Test", "attr DT_FLOAT: int", NULL)));
}

TEST(test_flags_and_deprecation) {
  tn_op_builder* builder = build_op("Test", NULL);
  tn_op_builder_commutative(builder, true);
  tn_op_builder_aggregate(builder, true);
  tn_op_builder_stateful(builder, true);
  tn_op_builder_allows_uninitialized_input(builder, true);
  tn_op_builder_distributed_communication(builder, true);
  tn_op_builder_deprecated(builder, 7, "use Better");
  tn_op_def* op = finish_op(builder);
  CHECK(op->is_commutative && op->is_aggregate && op->is_stateful);
  CHECK(op->allows_uninitialized_input && op->is_distributed_communication);
  CHECK_INT(op->deprecation_version, 7);
  CHECK_TEXT(op->deprecation_explanation, "use Better");
  tn_op_def_destroy(op);
}

static void some_shapes(struct TF_ShapeInferenceContext* context, tn_status* status) {}

TEST(test_calls_made_twice_are_errors) {
  tn_op_builder* builder = build_op("Test", NULL);
  tn_op_builder_deprecated(builder, 7, "once");
  tn_op_builder_deprecated(builder, 8, "twice");
  tn_op_builder_shape_function(builder, some_shapes);
  tn_op_builder_shape_function(builder, some_shapes);
  CHECK_FAILURE(builder,
                "Deprecated called twice for Op Test\nSetShapeFn called twice for Op Test");
}

TEST(test_a_resource_makes_the_op_stateful) {
  CHECK_SUMMARY(build_op("Test", "in a: resource", NULL), "a:resource -> ; is_stateful=true");
  CHECK_SUMMARY(build_op("Test", "out a: resource", NULL), " -> a:resource; is_stateful=true");
  CHECK_SUMMARY(build_op("Test", "in a: T", "attr T: {resource}", NULL),
                "a:T -> ; attr=T:type,allowed=[DT_RESOURCE]");
}

TEST(test_null_arguments_are_errors_not_crashes) {
  tn_op_builder_attr(NULL, "a: int");
  tn_op_builder_input(NULL, "a: int32");
  tn_op_builder_output(NULL, "a: int32");
  tn_op_builder_commutative(NULL, true);
  tn_op_builder_aggregate(NULL, true);
  tn_op_builder_stateful(NULL, true);
  tn_op_builder_allows_uninitialized_input(NULL, true);
  tn_op_builder_distributed_communication(NULL, true);
  tn_op_builder_deprecated(NULL, 1, NULL);
  tn_op_builder_shape_function(NULL, some_shapes);
  tn_op_builder_destroy(NULL);
  CHECK(!tn_op_builder_finish(NULL, NULL));
  tn_op_builder* builder = tn_op_builder_create(NULL);
  CHECK_FAILURE(builder, "Invalid name: ");
  builder = build_op("Test", NULL);
  tn_op_builder_attr(builder, NULL);
  tn_op_builder_deprecated(builder, 1, NULL);
  CHECK_FAILURE(builder, "A spec is NULL for Op Test");
}

TEST(test_equality_names_the_first_difference) {
  static const char* const differences[] = {
      "one has 2 inputs, the other 1",
      "input 0 is 'x:T' in one and 'x:float' in the other",
      "attr 1 is 'n:int,default=1,min=0' in one and 'n:int,default=2,min=0' in the other",
      "is_stateful is set in only one",
      "one is Test, the other Best",
  };
  tn_op_builder* builders[] = {
      build_op("Test", "attr T: type", "attr n: int >= 0 = 1", "in x: T", "out z: T", NULL),
      build_op("Test", "attr T: type", "attr n: int >= 0 = 1", "in x: float", "in y: T", "out z: T",
               NULL),
      build_op("Test", "attr T: type", "attr n: int >= 0 = 2", "in x: T", "in y: T", "out z: T",
               NULL),
      build_op("Test", "attr T: type", "attr n: int >= 0 = 1", "in x: T", "in y: T", "out z: T",
               NULL),
      build_op("Best", NULL),
  };
  tn_op_builder_stateful(builders[3], true);
  tn_op_def* base = finish_op(build_op("Test", "attr T: type", "attr n: int >= 0 = 1", "in x: T",
                                       "in y: T", "out z: T", NULL));
  CHECK(tn_op_def_equal(base, base));
  for (size_t i = 0; i < 5; ++i) {
    tn_op_def* other = finish_op(builders[i]);
    CHECK(!tn_op_def_equal(base, other));
    tn_text text = {0};
    tn_op_def_difference(base, other, &text);
    CHECK_TEXT(text.data, differences[i]);
    tn_text_deinit(&text);
    tn_op_def_destroy(other);
  }
  tn_op_def_destroy(base);
}

static bool build_once(void* arg, tn_status* status) {
  tn_op_builder* builder = tn_op_builder_create("Test");
  if (!builder) return tn_status_set_no_memory(status, "creating"), false;
  tn_op_builder_attr(builder, "T: {float, int32} = DT_FLOAT");
  tn_op_builder_attr(builder, "N: int >= 2 = 3");
  tn_op_builder_attr(builder, "mode: {'a', 'b'} = 'a'");
  tn_op_builder_attr(builder, "f: func = {name: 'x' attr{key:'k' value{list{i:1}}}}");
  tn_op_builder_attr(builder, "l: list(numbertype) = [DT_FLOAT]");
  tn_op_builder_input(builder, "x: N * T");
  tn_op_builder_output(builder, "y: Ref(T)");
  tn_op_builder_deprecated(builder, 3, "because");
  tn_op_def* op = tn_op_builder_finish(builder, status);
  tn_op_builder_destroy(builder);
  tn_text bytes = {0};
  bool done = op && tn_op_def_encode(op, &bytes, status);
  tn_text_deinit(&bytes);
  tn_op_def_destroy(op);
  return done;
}

TEST(test_every_failed_allocation_of_a_definition_is_reported) {
  CHECK(test_sweep_allocations(build_once, NULL) > 20);
}

// Specs made of the grammar's own pieces in any order: parsed or refused, never a crash, and an
// accepted op survives its own encoding.
TEST(test_random_specs_are_parsed_or_refused) {
  static const char* const pieces[] = {
      "a",    "T",           ":",        " ",          "int", "float", "list(", ")",
      ">=",   "{",           "}",        ",",          "1",   "-5",    "=",     "[",
      "]",    "'x'",         "DT_FLOAT", "Ref(",       "*",   "N",     "type",  "string",
      "func", "dim{size:2}", "shape",    "numbertype", "\\",  "\"",    "any"};
  uint64_t state = test_seed();
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    tn_op_builder* builder = tn_op_builder_create("Random");
    tn_op_builder_attr(builder, "T: type");
    int kind = (int)test_between(&state, 0, 2);
    char spec[200];
    int size = snprintf(spec, sizeof spec, "%s", test_between(&state, 0, 9) ? "x: " : "");
    for (int64_t left = test_between(&state, 1, 8); left > 0; --left)
      size += snprintf(spec + size, sizeof spec - (size_t)size, "%s",
                       pieces[test_between(&state, 0, sizeof pieces / sizeof *pieces - 1)]);
    if (kind == 0) tn_op_builder_attr(builder, spec);
    if (kind == 1) tn_op_builder_input(builder, spec);
    if (kind == 2) tn_op_builder_output(builder, spec);
    tn_status status = {0};
    tn_op_def* op = tn_op_builder_finish(builder, &status);
    CHECK(op ? tn_ok(&status) : status.code == TN_INVALID_ARGUMENT);
    if (op) {
      tn_text bytes = {0};
      CHECK(tn_op_def_encode(op, &bytes, NULL));
      tn_text_deinit(&bytes);
      ++accepted;
    }
    tn_op_def_destroy(op);
    tn_status_deinit(&status);
    tn_op_builder_destroy(builder);
  }
  CHECK(accepted > 0);
}
