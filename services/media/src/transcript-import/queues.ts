/** Runs the work of each key in order; work beyond the limit is refused at once. */
export function createQueues(maxWaiting: number, refusal: () => Error) {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (queue.length > maxWaiting) throw refusal();
    queues.set(key, queue);
    queue.length += 1;
    const result = queue.last.then(work);
    queue.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) queues.delete(key);
    }
  };
}
