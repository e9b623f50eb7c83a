// SPDX-License-Identifier: MIT
/* switch.S -- moves a thread between the host's stack and a guest's.
 *
 *   void cloche__switch(void **save, void *load);   saves here into *save, goes on at `load`
 *   void cloche__switch_load(void *load);           goes on at `load`, forgets where it was
 *   void cloche__switch_start(void);                first frame of a new stack
 *   cloche__switch_refuel                           x86-64: calls cloche__guest_refuel for code that
 *                                                   expects every register to be kept
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

  /* Guest code asks for fuel at every loop and function, and nearly never has to wait for the answer.
   * As it loses no register by asking, it need not keep its values where a call would leave them. */
  .globl cloche__switch_refuel
  .hidden cloche__switch_refuel
  .type cloche__switch_refuel, @function
cloche__switch_refuel:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  subq $256, %rsp
  andq $-16, %rsp
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movaps %xmm\n, 16*\n(%rsp)
  .endr
  call cloche__guest_refuel
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movaps 16*\n(%rsp), %xmm\n
  .endr
  leaq -72(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  popq %rbp
  .cfi_def_cfa rsp, 8
  ret
  .cfi_endproc
  .size cloche__switch_refuel, . - cloche__switch_refuel

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
