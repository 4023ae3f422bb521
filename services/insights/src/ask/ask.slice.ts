import { askRoutes, identityEvents, mediaEvents } from '@overtone/contracts';
import { consumer, handle, handled, type Log, type Route, type Slice } from '@overtone/service-kit';
import type { ServerResponse } from 'node:http';
import type { Db } from '../database.ts';
import type { Forgets } from '../erasure/erasure.ts';
import type { LanguageModels } from '../ports/language-model.ts';
import type { MediaFiles } from '../ports/media-files.adapter.ts';
import type { People } from '../ports/people.adapter.ts';
import type { Search } from '../ports/search.adapter.ts';
import type { InstructionsFor } from '../prompts/prompts.ts';
import type { Telemetry } from '../telemetry.ts';
import { createAnswering, type Answering } from './answering.service.ts';
import { createAnswers } from './answers.service.ts';
import { removeAnswers } from './answers.store.ts';
import type { Reader } from './ask.ts';
import { deleteConversationsOf } from './ask.store.ts';
import { createConversations, type Conversations } from './conversations.service.ts';
import { openEventStream } from './event-stream.ts';
import { markEditedCitations } from './edited.service.ts';
import { createEvidence } from './evidence.service.ts';
import { toMarkdown } from './markdown.ts';
import { createSummaryAnswer, type FindSummary } from './summary-answer.service.ts';
import { createConversationSharing, type ConversationSharing } from './sharing.service.ts';

export type AskDeps = {
  db: Db;
  log: Log;
  telemetry: Pick<Telemetry, 'recordAnswer'>;
  search: Search;
  media: MediaFiles;
  people: People;
  models: LanguageModels;
  instructionsFor: InstructionsFor;
  findSummary: FindSummary;
};

/** Questions about recordings, with answers that cite them. */
export function createAskSlice(deps: AskDeps): Slice & { forgets: Forgets } {
  const { db } = deps;
  const conversations = createConversations(deps);
  const evidence = createEvidence(deps);
  const answers = createAnswers({ ...deps, evidence, summaryAnswer: createSummaryAnswer(deps) });
  const answering = createAnswering({ ...deps, conversations, evidence, answers });
  const sharing = createConversationSharing({ ...deps, conversations });
  return {
    routes: [...conversationRoutes(conversations), ...questionRoutes(answering), ...sharingRoutes(sharing)],
    consumers: [
      /** More is masked: answers that rest on these recordings may contain it. */
      consumer(
        mediaEvents.masksTightened,
        'remove-unmasked-answers',
        async (scope) => void (await removeAnswers(db, scope)),
      ),
      /** A transcript was edited: earlier answers show what it said before. */
      consumer(mediaEvents.transcriptEdited, 'mark-edited-answers', ({ fileId }) => markEditedCitations(deps, fileId)),
      /** An account was deleted: its conversations are deleted, and what was shared with it is not. */
      consumer(identityEvents.userDeleted, 'forget-conversations', async ({ userId }) => {
        await db.$transaction([
          db.conversation.deleteMany({ where: { userId } }),
          db.conversationShare.deleteMany({ where: { userId } }),
        ]);
      }),
      /** A group was deleted: shares with it end. */
      consumer(identityEvents.groupDeleted, 'end-group-shares', async ({ groupId }) => {
        await db.conversationShare.deleteMany({ where: { groupId } });
      }),
    ],
    beforeClose: answering.stop,
    forgets: {
      file: async (tx, fileId) => void (await removeAnswers(tx, { fileId, ownerId: null })),
      person: async (tx, userId) => {
        const answersRemoved = await removeAnswers(tx, { fileId: null, ownerId: userId });
        const { count } = await tx.conversationShare.deleteMany({ where: { userId } });
        return {
          conversations: await deleteConversationsOf(tx, userId),
          conversation_shares: count,
          answers: answersRemoved,
        };
      },
    },
  };
}

function conversationRoutes(conversations: Conversations): Route[] {
  return [
    handle(askRoutes.listConversations, ({ caller, query }) => conversations.list(caller, query)),
    handle(askRoutes.createConversation, ({ caller, body }) => conversations.create(caller, body)),
    handle(askRoutes.deleteConversations, async ({ caller }) => ({ deleted: await conversations.deleteAll(caller) })),
    handle(askRoutes.readConversation, ({ caller, params }) => conversations.read(caller, params.uuid)),
    handle(askRoutes.renameConversation, ({ caller, params, body }) =>
      conversations.rename(caller, params.uuid, body.title),
    ),
    handle(askRoutes.deleteConversation, ({ caller, params }) => conversations.delete(caller, params.uuid)),
    handle(askRoutes.exportConversation, async ({ caller, params, query, res }) => {
      const conversation = await conversations.read(caller, params.uuid);
      const isMarkdown = query.export_format === 'markdown';
      res.attachment(`conversation-${params.uuid}.${isMarkdown ? 'md' : 'json'}`);
      res.type(isMarkdown ? 'text/markdown; charset=utf-8' : 'application/json');
      res.end(isMarkdown ? toMarkdown(conversation) : JSON.stringify(conversation, null, 2));
      return handled;
    }),
  ];
}

function questionRoutes(answering: Answering): Route[] {
  const stream = async (
    caller: Reader,
    opened: Awaited<ReturnType<Answering['ask']>>,
    { res, withoutModel }: { res: ServerResponse; withoutModel: boolean },
  ): Promise<typeof handled> => {
    const events = openEventStream(res);
    try {
      await answering.answer(caller, opened, { withoutModel }, events.emit);
    } finally {
      events.close();
    }
    return handled;
  };
  return [
    handle(askRoutes.ask, async ({ caller, params, body, res }) => {
      const opened = await answering.ask(caller, params.uuid, body.question);
      return stream(caller, opened, { res, withoutModel: body.without_model });
    }),
    handle(askRoutes.askAgain, async ({ caller, params, body, res }) => {
      const opened = await answering.askAgain(caller, params.uuid, params.message_uuid);
      return stream(caller, opened, { res, withoutModel: body.without_model });
    }),
  ];
}

function sharingRoutes(sharing: ConversationSharing): Route[] {
  return [
    handle(askRoutes.listConversationShares, ({ caller, params }) => sharing.list(caller, params.uuid)),
    handle(askRoutes.shareConversation, ({ caller, params, body }) => sharing.share(caller, params.uuid, body)),
    handle(askRoutes.unshareConversation, ({ caller, params }) =>
      sharing.unshare(caller, params.uuid, params.share_uuid),
    ),
  ];
}
