import type { AskEvent, AskMessage } from '@overtone/contracts';
import { isAppError, type Log } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Answers } from './answers.service.ts';
import {
  maxAnswerMs,
  declinedOutcome,
  renewEveryMs,
  type Attempt,
  type Outcome,
  type Reader,
  type Scope,
} from './ask.ts';
import {
  inheritEvidence,
  insertQuestion,
  recordEvidence,
  reopenQuestion,
  renewLease,
  storeOutcome,
} from './answers.store.ts';
import { lockOwn } from './ask.store.ts';
import type { Conversations } from './conversations.service.ts';
import type { EvidenceFinder } from './evidence.service.ts';
import type { Turn } from './prompt.ts';
import { answerText } from './visible.ts';

type Deps = {
  db: Db;
  log: Log;
  telemetry: Pick<Telemetry, 'recordAnswer'>;
  answers: Answers;
  evidence: Pick<EvidenceFinder, 'materialOf'>;
  conversations: Pick<Conversations, 'messages' | 'own'>;
};
type Emit = (event: AskEvent) => void;
type Opened = { attempt: Attempt; scope: Scope };
type Options = { withoutModel: boolean };

const historyTurns = 6;

/**
 * Accepts questions and answers them. An answer is stored also when the person has left. When this process ends, its lease
 * ends, and the question counts as failed and can be asked again.
 */
export function createAnswering(deps: Deps) {
  const { db, evidence, conversations, telemetry } = deps;
  const running = new Set<AbortController>();
  const open = async (
    { conversationId, reader }: { conversationId: string; reader: Reader },
    start: (tx: Tx) => Promise<Attempt>,
  ): Promise<Opened> => {
    const scope = await conversations.own(reader, conversationId);
    await evidence.materialOf(scope, reader);
    const attempt = await db.$transaction(async (tx) => {
      await lockOwn(tx, conversationId, reader.userId);
      return start(tx);
    });
    return { attempt, scope };
  };
  return {
    /** Stores the question. @throws AppError before anything was answered. */
    ask: (reader: Reader, conversationId: string, question: string): Promise<Opened> =>
      open({ conversationId, reader }, (tx) =>
        insertQuestion(tx, { conversationId, userId: reader.userId, question: question.trim() }),
      ),
    askAgain: (reader: Reader, conversationId: string, messageId: string): Promise<Opened> =>
      open({ conversationId, reader }, (tx) =>
        reopenQuestion(tx, { conversationId, messageId, userId: reader.userId }),
      ),

    /** Answers an opened question and emits its events; the last one is the stored message. */
    answer: async (reader: Reader, { attempt, scope }: Opened, options: Options, emit: Emit): Promise<void> => {
      const abort = new AbortController();
      running.add(abort);
      const renewal = setInterval(() => {
        renewLease(db, attempt).then(
          (isWanted) => isWanted || abort.abort(),
          (err: unknown) => deps.log.warn({ err: err as Error }, 'answer lease not renewed'),
        );
      }, renewEveryMs);
      try {
        const outcome = await outcomeOf(deps, { reader, attempt, scope, options, emit, stopped: abort.signal });
        if (await storeOutcome(db, attempt, outcome)) telemetry.recordAnswer(outcome.status);
      } finally {
        clearInterval(renewal);
        running.delete(abort);
      }
      const message = (await conversations.messages(reader, attempt.conversationId)).find(
        ({ uuid }) => uuid === attempt.messageId,
      );
      if (message) emit({ event: 'message', data: message });
    },

    /** The process stops: its questions fail now and can be asked again. */
    stop: async (): Promise<void> => {
      for (const abort of running) abort.abort();
    },
  };
}

export type Answering = ReturnType<typeof createAnswering>;

type Run = { reader: Reader; attempt: Attempt; scope: Scope; options: Options; emit: Emit; stopped: AbortSignal };

/** The answer, or the code of what prevented it. */
async function outcomeOf({ db, log, answers, conversations }: Deps, run: Run): Promise<Outcome> {
  const { reader, attempt, scope, options, emit, stopped } = run;
  const late = AbortSignal.timeout(maxAnswerMs);
  try {
    // First the files of earlier answers, then these answers: one that is removed in between is not sent.
    await inheritEvidence(db, attempt, historyTurns);
    const history = turnsBefore(await conversations.messages(reader, attempt.conversationId), attempt);
    return await answers({
      ...scope,
      attempt,
      reader,
      history,
      withoutModel: options.withoutModel,
      record: (files) => recordEvidence(db, attempt, files),
      emit,
      signal: AbortSignal.any([stopped, late]),
    });
  } catch (error) {
    const errorCode = codeOf(error, { stopped, late });
    if (errorCode === 'internal_error') log.error({ err: error as Error }, 'answer failed');
    return { ...declinedOutcome, status: 'failed', errorCode };
  }
}

function codeOf(error: unknown, { stopped, late }: { stopped: AbortSignal; late: AbortSignal }): string {
  if (stopped.aborted) return 'answer_interrupted';
  if (late.aborted) return 'timeout';
  return isAppError(error) ? error.code : 'internal_error';
}

function turnsBefore(messages: readonly AskMessage[], { messageId }: Attempt): Turn[] {
  const index = messages.findIndex(({ uuid }) => uuid === messageId);
  return messages
    .slice(0, Math.max(0, index))
    .slice(-historyTurns)
    .filter(({ status }) => status === 'answered')
    .map((message) => ({ question: message.question, answer: answerText(message) }))
    .filter(({ answer }) => answer !== '');
}
