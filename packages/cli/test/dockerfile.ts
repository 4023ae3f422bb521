import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { productFolder } from '../src/paths.ts';

/** The text of deploy/Dockerfile. */
export function dockerfileText(): string {
  return readFileSync(join(productFolder, 'deploy', 'Dockerfile'), 'utf8');
}

/** The instructions of the final stage. */
export function imageInstructions(): Instruction[] {
  const all = DockerfileParser.parse(dockerfileText()).getInstructions();
  const last = all.map((i) => i.getKeyword()).lastIndexOf('FROM');
  return all.slice(last);
}

/** The environment variables of every image. */
export function imageEnvironment(): Record<string, string> {
  const pairs = DockerfileParser.parse(dockerfileText())
    .getENVs()
    .flatMap((env) => env.getProperties().map((property) => [property.getName(), property.getValue() ?? '']));
  return Object.fromEntries(pairs) as Record<string, string>;
}
