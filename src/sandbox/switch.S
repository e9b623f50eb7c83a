// SPDX-License-Identifier: MIT
/* switch.S -- moves a thread between the host's stack and a guest's.
 *
 *   void cloche__switch(void **save, void *load);   saves here into *save, goes on at `load`
 *   void cloche__switch_load(void *load);           goes on at `load`, forgets where it was
 *   void cloche__switch_start(void);                first frame of a new stack
 *
 * What the ABIs call callee-saved lies on the stack below the saved stack pointer; stack.c builds the
 * same frame for a stack that has not run. Floating-point control words are not switched: guest code
 * never changes them. System V AMD64 ABI 1.0; AAPCS64. */

#if defined(__x86_64__)

  .text
  .globl cloche__switch
  .hidden cloche__switch
  .type cloche__switch, @function
cloche__switch:
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rdi
  .globl cloche__switch_load
  .hidden cloche__switch_load
  .type cloche__switch_load, @function
cloche__switch_load:
  endbr64
  movq %rdi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size cloche__switch, . - cloche__switch

  /* Built by stack.c: rbx holds the argument, r12 the function, which never returns. */
  .globl cloche__switch_start
  .hidden cloche__switch_start
  .type cloche__switch_start, @function
cloche__switch_start:
  .cfi_startproc
  .cfi_undefined rip
  endbr64
  xorl %ebp, %ebp
  movq %rbx, %rdi
  call *%r12
  ud2
  .cfi_endproc
  .size cloche__switch_start, . - cloche__switch_start

  /* Indirect branch tracking is kept; a shadow stack is not, since stacks are switched by hand. */
  .section .note.gnu.property, "a"
  .p2align 3
  .long 4, 16, 5
  .asciz "GNU"
  .long 0xc0000002, 4, 1, 0

#elif defined(__aarch64__)

  .text
  .globl cloche__switch
  .hidden cloche__switch
  .type cloche__switch, %function
cloche__switch:
  hint #34
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov x0, x1
  .globl cloche__switch_load
  .hidden cloche__switch_load
  .type cloche__switch_load, %function
cloche__switch_load:
  hint #34
  mov sp, x0
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size cloche__switch, . - cloche__switch

  /* Built by stack.c: x19 holds the argument, x20 the function, which never returns. */
  .globl cloche__switch_start
  .hidden cloche__switch_start
  .type cloche__switch_start, %function
cloche__switch_start:
  .cfi_startproc
  .cfi_undefined x30
  hint #34
  mov x29, #0
  mov x0, x19
  blr x20
  brk #1
  .cfi_endproc
  .size cloche__switch_start, . - cloche__switch_start

#else
#error "Cloche runs on x86-64 and aarch64"
#endif

  .section .note.GNU-stack, "", %progbits
