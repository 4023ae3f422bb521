import { join } from 'node:path';
import { findPostgresBin } from '@overtone/cli/servers';
import type { Programs } from '../src/programs.ts';

export const programs: Programs = {
  pgDump: join(findPostgresBin()!, 'pg_dump'),
  pgRestore: join(findPostgresBin()!, 'pg_restore'),
};
