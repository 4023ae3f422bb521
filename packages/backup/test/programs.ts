import { findPrograms } from '../src/programs.ts';

export const programs = findPrograms()!;
