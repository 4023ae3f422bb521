import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { productFolder } from '../src/paths.ts';

/** The text of deploy/Dockerfile. */
export function dockerfileText(): string {
  return readFileSync(join(productFolder, 'deploy', 'Dockerfile'), 'utf8');
}

/** The instructions of a stage; without a name those of the final one. */
export function stage(name?: string): Instruction[] {
  const all = DockerfileParser.parse(dockerfileText()).getInstructions();
  const starts = all.flatMap((i, at) => (i.getKeyword() === 'FROM' ? [at] : []));
  const first = starts.find((at) => all[at]?.getArgumentsContent()?.endsWith(` AS ${name}`)) ?? starts.at(-1);
  return all.slice(
    first,
    starts.find((at) => at > (first ?? 0)),
  );
}

/** The environment variables of every image. */
export function imageEnvironment(): Record<string, string> {
  const pairs = DockerfileParser.parse(dockerfileText())
    .getENVs()
    .flatMap((env) => env.getProperties().map((property) => [property.getName(), property.getValue() ?? '']));
  return Object.fromEntries(pairs) as Record<string, string>;
}
