import { type dispatcherRpc, type RequestOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Pool } from 'pg';
type Request = RequestOf<typeof dispatcherRpc.claim>;
/** What became of a ticket, as one statement finds it. */
export type Taken = {
    paused: boolean;
    /** Whether anything waits on the durable that nobody else is just being given. */
    waiting: boolean;
    task: {
        id: string;
        runId: string | null;
        subject: string;
        input: unknown;
        token: number;
        attempt: number;
    } | null;
    traceparent: string | null;
    /** The run shows that it waits for something, and does not any more. */
    waitedFor: string | null;
};
/** Hands waiting tasks out to whoever holds a ticket. One round trip, one commit. */
export declare const createClaimStore: ({ pool, outbox }: {
    pool: Pick<Pool, 'query'>;
    outbox: Pick<Outbox, 'headers'>;
}) => {
    take: ({ durable, workerId, claimId, lane, subjects }: Request) => Promise<Taken>;
};
export type ClaimStore = ReturnType<typeof createClaimStore>;
export {};
