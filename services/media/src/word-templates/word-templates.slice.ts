import type { Readable } from 'node:stream';
import { maxWordTemplateBytes, mediaRoutes } from '@overtone/contracts';
import { handle, handled, type RouteRequest, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import { readMultipart } from '../ports/multipart.ts';
import { dispositionOf } from '../streaming/streaming.ts';
import { createWordTemplates, type WordTemplatesDeps } from './word-templates.service.ts';
import { wordTemplateErrors } from './word-templates.ts';

const maxFramingBytes = 64 * 1024;

/** Word templates: administrators manage them, and everybody exports transcripts in their form. */
export function createWordTemplatesSlice(deps: WordTemplatesDeps): Slice {
  const templates = createWordTemplates(deps);
  return {
    routes: [
      handle(mediaRoutes.listWordTemplates, () => templates.list()),
      handle(mediaRoutes.wordTemplateContent, async ({ params, res }) => {
        const { name, content } = await templates.content(params.uuid);
        res.setHeader('Content-Type', mediaRoutes.wordTemplateContent.answerType);
        res.setHeader('Content-Disposition', dispositionOf('attachment', `${name}.docx`));
        res.setHeader('X-Content-Type-Options', 'nosniff');
        res.setHeader('Cache-Control', 'private, no-cache');
        res.end(content);
        return handled;
      }),
      handle(mediaRoutes.addWordTemplate, async (request) =>
        templates.add(actorOf(request), request.query.name, await readDocument(request.req)),
      ),
      handle(mediaRoutes.updateWordTemplate, (request) =>
        templates.update(actorOf(request), request.params.uuid, request.body),
      ),
      handle(mediaRoutes.replaceWordTemplate, (request) =>
        templates.replace(actorOf(request), request.params.uuid, () => readDocument(request.req)),
      ),
      handle(mediaRoutes.deleteWordTemplate, (request) => templates.remove(actorOf(request), request.params.uuid)),
    ],
  };
}

function readDocument(req: RouteRequest<never>['req']): Promise<Buffer> {
  if (Number(req.get('content-length') ?? 0) > maxWordTemplateBytes + maxFramingBytes)
    throw wordTemplateErrors.tooLarge();
  return readMultipart(req, async ({ body }, ended) => {
    const bytes = await readLimited(body);
    await ended();
    return bytes;
  });
}

async function readLimited(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxWordTemplateBytes) throw wordTemplateErrors.tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
