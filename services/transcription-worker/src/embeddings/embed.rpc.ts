import { workerRpc } from '@overtone/contracts';
import { rpc, type RpcHandler } from '@overtone/service-kit';
import type { Vectoriser } from './embeddings.ts';

/** Vectors for search, of passages and of queries alike. */
export function embedRpc(vectoriser: Vectoriser): RpcHandler {
  return rpc(workerRpc.embed, async ({ texts }) => {
    const { model, dim, vectors } = await vectoriser.embed(texts);
    return {
      model,
      dim,
      vectors: vectors.map((v) => Buffer.from(v.buffer, v.byteOffset, v.byteLength).toString('base64')),
    };
  });
}
