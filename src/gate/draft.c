// SPDX-License-Identifier: MIT
/* draft.c -- policies built call by call. A draft is the text of the document it will be, so that
 * there is one reader and one set of errors for both ways. */
#include <stdlib.h>

#include "gate/policy.h"

struct cloche_draft {
  cloche__buffer rules;   /* finished ones, and the last without its where and closing brace */
  cloche__buffer where;   /* of the last: constraints, each an object */
  cloche__buffer budgets; /* members */
  bool begun;
};

cloche_status cloche_draft_new(cloche_draft **draft) {
  if (draft == NULL) return CLOCHE_E_ARGUMENT;
  cloche_draft *made = calloc(1, sizeof *made);
  if (made == NULL) return CLOCHE_E_MEMORY;
  *draft = made;
  return CLOCHE_OK;
}

void cloche_draft_free(cloche_draft *draft) {
  if (draft == NULL) return;
  cloche__buffer_free(&draft->rules);
  cloche__buffer_free(&draft->where);
  cloche__buffer_free(&draft->budgets);
  free(draft);
}

static void end_rule(const cloche_draft *draft, cloche__buffer *out) {
  if (!draft->begun) return;
  if (draft->where.len > 0) {
    cloche__buffer_string(out, ",\"where\":{\"and\":[");
    cloche__buffer_text(out, cloche__buffer_view(&draft->where));
    cloche__buffer_string(out, "]}");
  }
  cloche__buffer_byte(out, '}');
}

void cloche_draft_rule(cloche_draft *draft, cloche_text pattern, cloche_effect effect) {
  if (draft == NULL) return;
  static const char *const effects[] = {"deny", "allow", "ask"};
  end_rule(draft, &draft->rules);
  cloche__buffer_clear(&draft->where);
  cloche__buffer_string(&draft->rules, draft->begun ? ",{\"pattern\":" : "{\"pattern\":");
  cloche__json_write_string(pattern, &draft->rules);
  cloche__buffer_format(&draft->rules, ",\"effect\":\"%s\"",
                        effect <= CLOCHE_ASK ? effects[effect] : "unknown");
  draft->begun = true;
}

static void add_member(cloche__buffer *out, cloche_text key, cloche_text json) {
  cloche__json_write_string(key, out);
  cloche__buffer_byte(out, ':');
  cloche__buffer_text(out, json);
}

/* An operand is checked alone, lest text with a brace in it become part of another rule. */
static cloche_text checked(cloche_text json) {
  cloche__json_doc doc = {0};
  bool valid = cloche__json_parse(json, NULL, &doc, NULL) == CLOCHE_OK;
  cloche__json_free(&doc);
  return valid ? json : cloche__text("not JSON"); /* which the loading will complain about */
}

void cloche_draft_where(cloche_draft *draft, cloche_text param, cloche_text op, cloche_text json) {
  if (draft == NULL) return;
  if (draft->where.len > 0) cloche__buffer_byte(&draft->where, ',');
  cloche__buffer_byte(&draft->where, '{');
  cloche__json_write_string(param, &draft->where);
  cloche__buffer_string(&draft->where, ":{");
  add_member(&draft->where, op, checked(json));
  cloche__buffer_string(&draft->where, "}}");
}

void cloche_draft_field(cloche_draft *draft, cloche_text field, cloche_text json) {
  if (draft == NULL) return;
  cloche__buffer_byte(&draft->rules, ',');
  add_member(&draft->rules, field, checked(json));
}

void cloche_draft_budget(cloche_draft *draft, cloche_text name, cloche_text json) {
  if (draft == NULL) return;
  if (draft->budgets.len > 0) cloche__buffer_byte(&draft->budgets, ',');
  add_member(&draft->budgets, name, checked(json));
}

cloche_status cloche_draft_load(const cloche_draft *draft, cloche_text tools,
                                cloche_policy **policy, cloche_problem *problem) {
  if (draft == NULL || policy == NULL) return CLOCHE_E_ARGUMENT;
  cloche__buffer out = {0};
  cloche__buffer_string(&out, "{\"budgets\":{");
  cloche__buffer_text(&out, cloche__buffer_view(&draft->budgets));
  cloche__buffer_string(&out, "},\"rules\":[");
  cloche__buffer_text(&out, cloche__buffer_view(&draft->rules));
  end_rule(draft, &out);
  cloche__buffer_string(&out, "]}");
  bool failed = out.failed || draft->rules.failed || draft->where.failed || draft->budgets.failed;
  cloche_status status =
      failed ? CLOCHE_E_MEMORY
             : cloche_policy_load(cloche__buffer_view(&out), tools, policy, problem);
  cloche__buffer_free(&out);
  return status;
}
