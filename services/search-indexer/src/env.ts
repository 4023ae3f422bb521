import { databaseEnv } from '@overtone/database';
import { assertionEnv, busEnv, defineEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import { z } from 'zod';

export const indexerEnv = {
  ...serviceEnv,
  ...busEnv,
  ...databaseEnv,
  ...assertionEnv,
  /** Folder of the embedded index; not used when ELASTICSEARCH_URL is set. */
  LANCEDB_DIR: z.string().min(1).default('./data/search'),
  /** `true`: the folder is unavailable without the marker that `./overtone up` writes into it at the first start. */
  LANCEDB_REQUIRES_MARKER: z.stringbool().optional(),
  /** A search server to use instead of the embedded index. */
  ELASTICSEARCH_URL: z.url().optional(),
  ELASTICSEARCH_API_KEY: z.string().optional(),
  /** Certificates (PEM) that sign the search server's; by default the system's certificates are trusted. */
  ELASTICSEARCH_CA_FILE: z.string().min(1).optional(),
  /** Of each index; they take effect with the next reindex. A replica needs a second node. */
  ELASTICSEARCH_SHARDS: z.coerce.number().int().min(1).max(64).default(1),
  ELASTICSEARCH_REPLICAS: z.coerce.number().int().min(0).max(8).default(1),
  ELASTICSEARCH_INDEX_PREFIX: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/)
    .describe('1 to 40 lower case letters, digits and hyphens')
    .default('overtone-passages'),
  /**
   * Minimum cosine similarity of a semantic hit. Measured with the word vectors: 90 % of unrelated pairs lie below 0.25,
   * 90 % of paraphrases above 0.36.
   */
  SEARCH_SIMILARITY_FLOOR: z.coerce.number().min(-1).max(1).default(0.3),
};
export type IndexerEnv = z.infer<z.ZodObject<typeof indexerEnv>>;

export const env = defineEnv(indexerEnv, (source) => {
  // LanceDB writes to stderr directly: only its errors are shown.
  process.env['LANCEDB_LOG'] ??= 'error';
  return readEnv(indexerEnv, source);
});
