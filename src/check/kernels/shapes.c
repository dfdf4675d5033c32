// Shape functions: those of the plugin's ops on all sorts of shapes, and all ops' against what
// their kernels make.
#include <stdio.h>
#include <string.h>

#include "check/kernels/contain.h"
#include "check/kernels/draw.h"
#include "check/kernels/groups.h"
#include "op/op_registry.h"
#include "op/shape_inference.h"

// ---- The plugin's ops ----

typedef struct shapes {
  const tn_node* node;
  tn_shape inputs[TK_MOST_ARGS], outputs[TK_MOST_ARGS];
} shapes;

static bool infer(shapes* shapes, const tn_tensor* const* values, tn_status* status) {
  char call[200];
  snprintf(call, sizeof call, "shape function of %s", shapes->node->op->name);
  return TN_CASE_CALL(
      call, tn_infer_shapes(shapes->node, shapes->inputs, values, shapes->outputs, status));
}

static void drop_outputs(shapes* shapes) {
  for (size_t i = 0; i < shapes->node->output_count; ++i) tn_shape_deinit(&shapes->outputs[i]);
}

static void print_all(const shapes* shapes, tn_text* out) {
  tn_text_printf(out, "%s of", shapes->node->op->name);
  for (size_t i = 0; i < shapes->node->input_count; ++i) {
    tn_text_putc(out, ' ');
    tn_shape_print(&shapes->inputs[i], out);
  }
}

typedef enum kind { UNKNOWN, SCALARS, KNOWN, PARTIAL, EMPTY, HUGE_SIZES, HIGH_RANKS } kind;

static tk_style node_style;

// What is inferred must be shapes; what is refused says why.
static void infer_and_look(shapes* shapes) {
  tn_status status = {0};
  tn_text text = {0};
  print_all(shapes, &text);
  if (infer(shapes, NULL, &status)) {
    for (size_t i = 0; i < shapes->node->output_count; ++i) {
      const tn_shape* shape = &shapes->outputs[i];
      for (int k = 0; k < shape->rank; ++k)
        TN_EXPECT(tn_shape_dims(shape)[k] >= -1, "dimensions of 0 or more, or unknown",
                  "output %zu of %s: dimension %d is %lld", i, text.data, k,
                  (long long)tn_shape_dims(shape)[k]);
    }
    drop_outputs(shapes);
  } else {
    const char* message = tn_status_message(&status);
    // One case tells of failures that no shapes deserve.
    TN_EXPECT(
        tn_status_code(&status) != TN_INTERNAL || tk.subject->arg != KNOWN || node_style == TK_WILD,
        "shapes, or a refusal of these", "INTERNAL for %s: %s", text.data, message);
    TN_EXPECT(*message && strncmp(message, " for '", 6) != 0, "a refusal with a message",
              "%s without one for %s", tn_code_name(tn_status_code(&status)), text.data);
  }
  tn_status_deinit(&status);
  tn_text_deinit(&text);
}

static void draw(shapes* shapes, kind kind, uint64_t* random) {
  static const int64_t sizes[] = {INT64_MAX, (int64_t)1 << 62, INT32_MAX, 3};
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < shapes->node->input_count; ++i) {
    int rank = kind == UNKNOWN      ? -1
               : kind == SCALARS    ? 0
               : kind == HIGH_RANKS ? (tk_chance(random, 50) ? TN_MAX_RANK : 9)
                                    : (int)tn_case_between(random, kind == PARTIAL ? -1 : 0, 5);
    for (int k = 0; k < rank; ++k)
      dims[k] = kind == PARTIAL      ? tn_case_between(random, -1, 3)
                : kind == EMPTY      ? tn_case_between(random, 0, 1)
                : kind == HUGE_SIZES ? TK_PICK(random, sizes)
                                     : tn_case_between(random, 1, 3);
    tn_shape_init(&shapes->inputs[i], dims, rank, NULL);
  }
}

static void drop_inputs(shapes* shapes) {
  for (size_t i = 0; i < shapes->node->input_count; ++i) tn_shape_deinit(&shapes->inputs[i]);
}

static void infer_kind(const tn_node* node, uint64_t* random) {
  const int times = tk.subject->arg <= SCALARS ? 1 : 40;
  for (int i = 0; i < times; ++i) {
    shapes shapes = {.node = node};
    draw(&shapes, (kind)tk.subject->arg, random);
    infer_and_look(&shapes);
    drop_inputs(&shapes);
  }
}

static void (*visit_node)(const tn_node* node, uint64_t* random);

static bool visit_op(const tn_op_def* op, void* arg) {
  if (!op->origin || strcmp(op->origin->path, tn_plugin_path(tk.plugin)) != 0) return true;
  if (!op->shape_function || !tk_is_chosen(op->name)) return true;
  if (*(size_t*)arg > 0 && tk_time_is_up()) {
    tn_case_note("looked at %zu ops; a longer --time-limit looks at more", *(size_t*)arg);
    return false;
  }
  *(size_t*)arg += 1;
  if (!tk_visit_begins()) return true;
  tn_case_about(op->name);
  const tk_kernel any = {.op = op};
  uint64_t random = tk.subject->seed;
  for (int i = 0; i < 6; ++i) {
    tn_node* node = tk_draw_node(&any, node_style, &random, NULL);
    if (node && node->input_count <= TK_MOST_ARGS) visit_node(node, &random);
    tn_node_destroy(node);
  }
  tk_visit_ends();
  return true;
}

static void each_op(const tn_subject* subject, tk_style style,
                    void (*visit)(const tn_node* node, uint64_t* random)) {
  tk_contain();
  tk_load(subject);
  size_t count = 0;
  visit_node = visit;
  node_style = style;
  tn_op_registry_each(visit_op, &count);
  if (count == 0) tn_case_skip("it registers no op with a shape function");
}

static void all_kinds(const tn_subject* subject) { each_op(subject, TK_VARIED, infer_kind); }

static void wild_attrs(const tn_subject* subject) { each_op(subject, TK_WILD, infer_kind); }

static void infer_with_values(const tn_node* node, uint64_t* random) {
  for (int times = 0; times < 20; ++times) {
    shapes shapes = {.node = node};
    tn_tensor* values[TK_MOST_ARGS] = {0};
    draw(&shapes, KNOWN, random);
    for (size_t i = 0; i < node->input_count; ++i)
      if (!tn_dtype_is_ref(node->input_types[i]) && !tn_dtype_owns(node->input_types[i]))
        values[i] = tk_draw_tensor(node->input_types[i], tn_shape_dims(&shapes.inputs[i]),
                                   shapes.inputs[i].rank, TK_WILD, random);
    if (infer(&shapes, (const tn_tensor* const*)values, NULL)) drop_outputs(&shapes);
    tk_drop_tensors(values, node->input_count);
    drop_inputs(&shapes);
  }
}

static void known_values(const tn_subject* subject) {
  each_op(subject, TK_VARIED, infer_with_values);
}

static void infer_without_memory(const tn_node* node, uint64_t* random) {
  shapes shapes = {.node = node};
  draw(&shapes, KNOWN, random);
  for (int64_t nth = 0; nth < 40; ++nth) {
    tn_memory_fail_here_at(nth);
    const bool inferred = infer(&shapes, NULL, NULL);
    const bool failed = tn_memory_asked() > nth;
    tn_memory_fail_at(-1);
    if (inferred) drop_outputs(&shapes);
    if (!failed) break;
  }
  drop_inputs(&shapes);
}

static void no_memory(const tn_subject* subject) {
  each_op(subject, TK_VARIED, infer_without_memory);
}

static void infer_again_and_again(const tn_node* node, uint64_t* random) {
  shapes shapes = {.node = node};
  draw(&shapes, PARTIAL, random);
  tn_memory_fail_at(-1);
  if (infer(&shapes, NULL, NULL)) drop_outputs(&shapes);
  const int64_t before = tn_memory_alive();
  for (int i = 0; i < 100; ++i)
    if (infer(&shapes, NULL, NULL)) drop_outputs(&shapes);
  const int64_t lost = tn_memory_alive() - before;
  static const tn_op_def* told;
  if (lost >= 50 && told != node->op) {
    told = node->op;
    tn_case_broken(NULL, "all handles given back", "%lld left after 100 calls for %s",
                   (long long)lost, node->op->name);
  }
  drop_inputs(&shapes);
}

static void handles(const tn_subject* subject) {
  each_op(subject, TK_VARIED, infer_again_and_again);
}

static void infer_beside(void* arg, int i) {
  uint64_t random = tk.subject->seed + (uint64_t)i;
  for (int k = 0; k < 50; ++k) {
    shapes shapes = {.node = arg};
    draw(&shapes, KNOWN, &random);
    infer_and_look(&shapes);
    drop_inputs(&shapes);
  }
}

static void infer_on_eight(const tn_node* node, uint64_t* random) {
  tn_case_threads(8, 0, infer_beside, (void*)node);
}

static void threads(const tn_subject* subject) { each_op(subject, TK_VARIED, infer_on_eight); }

// ---- Against what kernels make ----

static bool fits(const tn_shape* inferred, const tn_shape* made) {
  if (inferred->rank < 0) return true;
  if (inferred->rank != made->rank) return false;
  for (int i = 0; i < made->rank; ++i) {
    const int64_t size = tn_shape_dims(inferred)[i];
    if (size >= 0 && size != tn_shape_dims(made)[i]) return false;
  }
  return true;
}

// With all values known, with none, and with half of the dimensions.
static void agrees(tk_run* run, uint64_t* random) {
  const tn_node* node = run->instance->node;
  bool agreed = true;
  for (int known = 0; known < 3 && agreed; ++known) {
    shapes shapes = {.node = node};
    for (size_t i = 0; i < run->input_count; ++i) {
      const tn_shape* full = &run->inputs[i]->shape;
      int64_t dims[TN_MAX_RANK];
      memcpy(dims, tn_shape_dims(full), (size_t)full->rank * sizeof *dims);
      for (int k = 0; known == 2 && k < full->rank; ++k)
        if (tk_chance(random, 50)) dims[k] = -1;
      tn_shape_init(&shapes.inputs[i], dims, full->rank, NULL);
    }
    tn_status status = {0};
    const tn_tensor* const* values = known == 0 ? (const tn_tensor* const*)run->inputs : NULL;
    if (infer(&shapes, values, &status)) {
      for (size_t i = 0; i < run->output_count; ++i) {
        if (!agreed || tn_dtype_is_ref(node->output_types[i]) ||
            fits(&shapes.outputs[i], &run->outputs[i]->shape))
          continue;
        agreed = false;
        tn_text text = {0};
        tn_shape_print(&shapes.outputs[i], &text);
        tn_text_puts(&text, " and ");
        tn_shape_print(&run->outputs[i]->shape, &text);
        tn_case_broken(NULL, "a shape that fits what the shape function says",
                       "output %zu of %s: %s", i, tk_describe(run), text.data);
        tn_text_deinit(&text);
      }
      drop_outputs(&shapes);
    } else if (known < 2) {  // some functions want to know all of a shape
      tn_case_broken(NULL, "shapes refused by the shape function and the kernel alike", "%s: %s",
                     tk_describe(run), tn_status_message(&status));
    }
    tn_status_deinit(&status);
    drop_inputs(&shapes);
  }
}

static void agree(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(agrees);
}

static const tn_check_case cases[] = {
    {"shapes.unknown", "a shape function takes shapes that are not known", all_kinds, UNKNOWN},
    {"shapes.scalars", "a shape function takes scalars or refuses them", all_kinds, SCALARS},
    {"shapes.known", "a shape function takes any shapes or refuses them", all_kinds, KNOWN},
    {"shapes.partial", "a shape function takes shapes that are known in part", all_kinds, PARTIAL},
    {"shapes.empty", "a shape function takes dimensions of 0", all_kinds, EMPTY},
    {"shapes.huge", "a shape function takes sizes whose product overflows", all_kinds, HUGE_SIZES},
    {"shapes.high_ranks", "a shape function takes ranks up to 254", all_kinds, HIGH_RANKS},
    {"shapes.wild_attrs", "a shape function takes attributes that make no sense, or refuses them",
     wild_attrs, KNOWN},
    {"shapes.values", "a shape function takes any values that are known, or refuses them",
     known_values, 0},
    {"shapes.no_memory", "a shape function lives where any allocation fails", no_memory, 0},
    {"shapes.handles", "a shape function gives back its handles", handles, 0},
    {"shapes.threads", "a shape function runs on many threads at once", threads, 0},
    {"shapes.agree", "a kernel makes the shapes that the op's shape function says", agree, 0},
};
const tn_check_group tn_check_kernels_shapes = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
