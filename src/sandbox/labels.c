// SPDX-License-Identifier: MIT
/* labels.c -- labels that the host itself puts on a sandbox or takes away, on record first
 * (invariant 10). Those that calls bring are calls.c's. */
#include "sandbox/sandbox.h"

static cloche_status record(cloche_sandbox *box, cloche_text label, bool added,
                            cloche_text reason) {
  cloche__moment moment = cloche__sandbox_moment(box);
  return cloche__ledger_label(box->ledger, &moment, label, added, reason);
}

static cloche_status refuse(cloche_sandbox *box) {
  return cloche__sandbox_refuse(box, CLOCHE_E_STATE, "without a policy there are no labels");
}

cloche_status cloche_classify(cloche_sandbox *box, cloche_text label, cloche_text reason) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  if (box->gate == NULL) return refuse(box);
  if (cloche__gate_has_label(box->gate, label)) return CLOCHE_OK;
  cloche_status status = cloche_gate_add_label(box->gate, label);
  if (status != CLOCHE_OK) return status;
  status = record(box, label, true, reason);
  if (status != CLOCHE_OK) cloche_gate_declassify(box->gate, label);
  return status;
}

cloche_status cloche_declassify(cloche_sandbox *box, cloche_text label, cloche_text reason) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  if (box->gate == NULL) return refuse(box);
  if (!cloche__gate_has_label(box->gate, label))
    return cloche__sandbox_refuse(box, CLOCHE_E_UNKNOWN, "the sandbox does not have this label");
  cloche_status status = record(box, label, false, reason);
  return status == CLOCHE_OK ? cloche_gate_declassify(box->gate, label) : status;
}
