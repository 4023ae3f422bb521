// Lint rule `streams/error-handler`: an error of a stream, socket, request, reader of lines or child process that nothing
// listens for ends the process. The creator attaches a permanent listener ('once' misses the second error), hands it to
// pipeline() or finished(), or reads it with `for await`.
const creators = {
  'node:stream': ['Readable', 'Writable', 'Duplex', 'Transform', 'PassThrough'],
  'node:net': ['connect', 'createConnection', 'Socket'],
  'node:tls': ['connect'],
  'node:http': ['request', 'get'],
  'node:https': ['request', 'get'],
  'node:fs': ['createReadStream', 'createWriteStream'],
  // It emits the errors of its input.
  'node:readline': ['createInterface'],
  'node:child_process': ['spawn', 'fork'],
  busboy: ['default'],
  ws: ['WebSocket'],
};
// outgoing() of the object store attaches a listener for the streams that it hands out.
const consumers = new Set(['pipeline', 'finished', 'outgoing']);

function calleeName(node) {
  return node.type === 'MemberExpression' ? node.property.name : node.name;
}

/** The chain of calls that starts at a creation: `request(url).on(...).end()`. */
function endOfChain(node) {
  let end = node;
  while (
    end.parent?.type === 'MemberExpression' &&
    end.parent.object === end &&
    end.parent.parent?.type === 'CallExpression'
  )
    end = end.parent.parent;
  return end;
}

function enclosingFunction(node) {
  let at = node.parent;
  while (at.parent && !/Function/.test(at.type)) at = at.parent;
  return at;
}

function isConsumed(node) {
  const { parent } = node;
  if (parent?.type === 'CallExpression') return consumers.has(calleeName(parent.callee));
  return parent?.type === 'ForOfStatement' && parent.await === true && parent.right === node;
}

function escaped(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function isHandledByName(name, text) {
  const subject = `\\b${escaped(name)}\\b`;
  return [
    new RegExp(`${subject}[!?]?(\\s*\\.\\w+\\([^;]*?)?\\s*\\.on\\(\\s*'error'`),
    new RegExp(`\\b(pipeline|finished|outgoing)\\([^;]*${subject}`),
    new RegExp(`for await \\([^)]*of ${subject}`),
  ].some((pattern) => pattern.test(text));
}

const errorHandler = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const source = context.sourceCode;
    const tracked = new Set();

    const check = (node) => {
      if (node.callee.type !== 'Identifier' || !tracked.has(node.callee.name)) return;
      let end = endOfChain(node);
      while (end.parent?.type === 'ConditionalExpression') end = end.parent;
      if (isConsumed(end) || /\.on\(\s*'error'/.test(source.getText(end))) return;
      const { parent } = end;
      const name =
        parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier'
          ? parent.id.name
          : parent?.type === 'AssignmentExpression'
            ? source.getText(parent.left)
            : undefined;
      if (name !== undefined && isHandledByName(name, source.getText(enclosingFunction(end)))) return;
      context.report({
        node,
        message: `The result of ${node.callee.name}() has no lasting error listener: add .on('error', ...), or use pipeline(), finished() or for await.`,
      });
    };

    return {
      ImportDeclaration(node) {
        const names = creators[node.source.value] ?? [];
        for (const specifier of node.specifiers) {
          const imported = specifier.type === 'ImportDefaultSpecifier' ? 'default' : specifier.imported?.name;
          if (names.includes(imported)) tracked.add(specifier.local.name);
        }
      },
      CallExpression: check,
      NewExpression: check,
    };
  },
};

export default { meta: { name: 'streams' }, rules: { 'error-handler': errorHandler } };
