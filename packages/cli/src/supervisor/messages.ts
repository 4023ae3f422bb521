/** Messages of a detached supervisor to the command that started it. */
export type SupervisorMessage =
  | { readonly type: 'progress'; readonly line: string }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly reason: string };
