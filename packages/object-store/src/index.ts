export { createObjectStore, objectStoreEnv } from './env.ts';
export type { ObjectStoreEnv } from './env.ts';
export { hasObject } from './object-store.ts';
export type { ByteRange, ListedObject, ObjectBody, ObjectInfo, ObjectStore, OpenObject } from './object-store.ts';
export { createWatchedBucket, type WatchedBucket, type WatchedObject } from './watched-bucket.ts';
