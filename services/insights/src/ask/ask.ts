import type { AskScope } from '@overtone/contracts';
import { conflict, forbidden, notFound, type AppError } from '@overtone/service-kit';
import type { Message } from './visible.ts';

/** A replica renews its lease; a question whose lease has ended was interrupted. */
export const leaseSeconds = 20;
export const renewEveryMs = 5_000;
/** The longest time for one answer. Language models on small machines write slowly. */
export const maxAnswerMs = 300_000;

export type Scope = { scope: AskScope; scopeUuid: string | null };
export type Conversation = Scope & {
  id: string;
  userId: string;
  title: string;
  createdAt: Date;
  updatedAt: Date;
  messagesTotal: number;
};
export type Reader = { userId: string; role: 'user' | 'admin' | 'super_admin' };
/** One attempt to answer a question; an attempt that was replaced stores nothing. */
export type Attempt = { conversationId: string; messageId: string; attempt: number; question: string };
export type Outcome = Pick<
  Message,
  'madeBy' | 'provider' | 'model' | 'sentences' | 'citations' | 'searchPartial' | 'errorCode'
> & { status: 'answered' | 'declined' | 'failed' };

export const declinedOutcome: Outcome = {
  status: 'declined',
  madeBy: null,
  provider: null,
  model: null,
  sentences: [],
  citations: [],
  searchPartial: false,
  errorCode: null,
};

/** The title of a conversation that was begun without one: its first question. */
export function titleOf(question: string): string {
  const line = question.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 79).toWellFormed().trimEnd()}…`;
}

export function noSuchConversation(): AppError {
  return notFound('There is no such conversation.');
}

export function ownerOnly(): AppError {
  return forbidden('permission_required', 'Only the owner of the conversation may do this.');
}

export function scopeGone(): AppError {
  return conflict('scope_unavailable', 'You may not read what this conversation is about, or it was deleted.');
}
