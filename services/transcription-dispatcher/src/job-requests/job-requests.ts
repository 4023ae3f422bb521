export { jobOf, pauseAfter, type JobContext, type RunFacts, type StageResult } from './job-input.ts';
export { enqueueParts, republishStatement, type TaskRow, type JobRequests } from './job-requests.store.ts';
export { front, type Priority, type QueuePosition } from './rank.ts';
export { queuePositionColumns } from './rank.store.ts';
