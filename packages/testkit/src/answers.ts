import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type ResponseObject = { content?: Record<string, unknown>; 'x-error-codes'?: string[] };
type Operation = { 'x-sets-cookies'?: boolean; responses: Record<string, ResponseObject> };
export type ApiDocument = { paths: Record<string, Record<string, Operation>> };
/** `text` is undefined where the body is not examined, e.g. a recording. */
export type Answer = {
  method: string;
  path: string;
  status: number;
  contentType: string | null;
  setsCookies: boolean;
  text?: string;
};

/** The description of the API as committed; `pnpm test` checks that the contracts still generate it. */
export function readApiDocument(): ApiDocument {
  return JSON.parse(readFileSync(new URL('../../../docs/api/openapi.json', import.meta.url), 'utf8')) as ApiDocument;
}

/**
 * Compares answers with the description of the API: is the status declared, the media type, the error code, and does
 * the body fit its schema? @returns a function that names what is wrong, or undefined; unknown addresses are not judged.
 */
export function createAnswerCheck(document: ApiDocument): (answer: Answer) => string | undefined {
  const operationOf = createLookup(document);
  const validatorOf = createValidators(document);
  return (answer) => {
    const found = operationOf(answer.method, answer.path);
    if (!found) return undefined;
    const declared = found.operation.responses[answer.status];
    const where = `${answer.method} ${answer.path} answers ${answer.status}`;
    if (!declared) return `${where}, which is not declared: ${(answer.text ?? '').slice(0, 300)}`;
    if (answer.setsCookies && !found.operation['x-sets-cookies']) return `${where} with cookies, which is not declared`;
    const fault = bodyFault(answer, declared, (type) => validatorOf(found.pointer, answer.status, type));
    return fault && `${where} ${fault}: ${(answer.text ?? '').slice(0, 300)}`;
  };
}

type ValidatorOf = (type: string) => ValidateFunction;

function bodyFault(answer: Answer, declared: ResponseObject, validatorOf: ValidatorOf): string | undefined {
  const { text, method, status } = answer;
  if (method === 'HEAD' || status === 204 || status === 304 || text === '') return undefined;
  const type = (answer.contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const content = declared.content ?? {};
  const range = `${type.split('/', 1)[0]}/*`;
  const known = type in content ? type : range in content ? range : undefined;
  if (known === undefined) return `with the media type ${type || 'none'}, which is not declared`;
  if (text === undefined || !type.endsWith('json')) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'with malformed JSON';
  }
  const validate = validatorOf(known);
  if (!validate(body)) return `with a body that does not fit (${JSON.stringify(validate.errors)})`;
  return codeFault(answer.status, body, declared['x-error-codes']);
}

/** Every dependency may be down; the other failures of a route are in its definition. */
function codeFault(status: number, body: unknown, codes: string[] | undefined): string | undefined {
  const { code } = body as { code?: string };
  return codes && status !== 503 && !codes.includes(code ?? '') ? `with the code ${code}, not declared` : undefined;
}

type Found = { operation: Operation; pointer: string };

function createLookup({ paths }: ApiDocument): (method: string, path: string) => Found | undefined {
  const templates = Object.keys(paths)
    // A literal segment wins over a parameter.
    .toSorted((left, right) => parametersOf(left) - parametersOf(right))
    .map((template) => ({ template, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
  return (method, path) => {
    for (const { template, pattern } of templates) {
      const operation = pattern.test(path) ? paths[template]?.[method.toLowerCase()] : undefined;
      if (operation) return { operation, pointer: `/paths/${escaped(template)}/${method.toLowerCase()}/responses` };
    }
    return undefined;
  };
}

function parametersOf(template: string): number {
  return template.split('{').length;
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function createValidators(document: ApiDocument): (pointer: string, status: number, type: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi.json');
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, status, type) => {
    const $ref = `openapi.json#${pointer}/${status}/content/${escaped(type)}/schema`;
    const validate = compiled.get($ref) ?? ajv.compile({ $ref });
    compiled.set($ref, validate);
    return validate;
  };
}

let faultOf: ReturnType<typeof createAnswerCheck> | undefined;

/** Answers of a scripted service carry this header: they are not the product's. */
export const scriptedHeader = 'x-scripted-answer';

/**
 * Replaces the global `fetch` by one that compares every answer of the API with its description.
 * @returns what was wrong since the last call.
 */
export function watchAnswers(): () => string[] {
  const { fetch: send } = globalThis;
  let faults: string[] = [];
  globalThis.fetch = async (input, init) => {
    const response = await send(input, init);
    const request = input instanceof Request ? input : undefined;
    const url = new URL(input instanceof Request ? input.url : input);
    if (!url.pathname.startsWith('/api/') || response.headers.has(scriptedHeader)) return response;
    faultOf ??= createAnswerCheck(readApiDocument());
    const contentType = response.headers.get('content-type');
    const text = contentType?.includes('json')
      ? await response
          .clone()
          .text()
          .catch(() => undefined)
      : undefined;
    const fault = faultOf({
      method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
      path: url.pathname,
      status: response.status,
      contentType,
      setsCookies: response.headers.has('set-cookie'),
      ...(text !== undefined || contentType === null ? { text: text ?? '' } : {}),
    });
    if (fault) faults.push(fault);
    return response;
  };
  return () => {
    const found = faults;
    faults = [];
    return found;
  };
}
